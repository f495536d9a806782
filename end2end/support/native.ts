// What the native engine makes of the same prompt, picture or recording.

import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "@playwright/test";
import { ANSWER } from "./patience.ts";

const root = join(import.meta.dirname, "../..");

/** The demo model that is built into the server. */
export const PEBBLE = join(root, "server/models/pebble.gguf");

/** The file of the demo model, `pebble`, or of a small one that the engine is tested with. */
export function modelFile(name: string): string {
  return name === "pebble" ? PEBBLE : join(root, "frontend/engine/tests/golden/models", `${name}.gguf`);
}

/** Runs the native engine: the same code on another graphics device. What it prints. */
async function native(words: string[]): Promise<string> {
  const probe = process.env.GEMTAB_PROBE;
  const [program, args] = probe
    ? [probe, words]
    : ["cargo", ["run", "--quiet", "--package", "probe", "--", ...words]];
  const driver = process.env.GEMTAB_PROBE_DRIVER;
  const env = driver ? { ...process.env, VK_DRIVER_FILES: driver } : process.env;
  const { stdout } = await promisify(execFile)(program, args, { cwd: root, env, timeout: ANSWER });
  return stdout;
}

/** What the native engine answers at temperature 0, in so many tokens at most; to a picture of so many at most, or a sound; with an adapter. */
export async function nativeAnswer(
  prompt: string,
  { model = PEBBLE, projector = "", most = 256, image = "", budget = 280, audio = "", adapter = "" } = {},
): Promise<string> {
  const words = ["generate", model, "--prompt", prompt, "--greedy", "--max-tokens", `${most}`];
  if (projector) {
    words.push("--projector", projector);
  }
  if (audio) {
    words.push("--audio", audio);
  }
  if (adapter) {
    words.push("--adapter", adapter);
  }
  if (image) {
    words.push("--image", image, "--budget", `${budget}`);
  }
  const answer = JSON.parse(await native(words)) as { text: string };
  return answer.text;
}

/** Trains an adapter of these targets to answer a question so, for a few steps. Its GGUF file, in the folder. */
export async function trainAdapter(folder: string, model: string, targets: string, question: string, answer: string): Promise<string> {
  const messages = [
    { role: "user", content: question },
    { role: "assistant", content: answer },
  ];
  const [data, out] = [join(folder, "examples.jsonl"), join(folder, "adapter")];
  await writeFile(data, JSON.stringify({ messages }));
  const options = { data, out, targets, rank: "2", steps: "4", lr: "0.1" };
  await native(["train", model, ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])]);
  return join(out, "adapter.gguf");
}

/** Writes a model of random numbers. */
export async function writeModel(file: string, shape: string, vocabulary: number): Promise<void> {
  await native(["synth", file, "--shape", shape, "--vocab", `${vocabulary}`]);
}

/** Graphics memory that is enough for a model with a context of so many tokens only where its per-layer table is elsewhere. */
export async function memoryWithoutTable(model: string, context: number): Promise<number> {
  type Use = { context: number; bytes: number; without_table: number };
  const info = JSON.parse(await native(["info", model])) as { memory: Use[] };
  const use = info.memory.find((use) => use.context === context);
  expect(use, `what ${context} tokens take is listed`).toBeDefined();
  // Devices differ in what they take: a software device 17 MB less than a card, which splits attention.
  return use ? Math.round(use.without_table + (use.bytes - use.without_table) / 8) : 0;
}

/** Graphics memory that is enough for a mixture, with any context, only where no more than the experts of a token have a place. */
export async function memoryForExperts(model: string): Promise<number> {
  type Experts = { per_layer: number; per_token: number; bytes_with_all: number; bytes_with_those_of_a_token: number };
  const { experts } = JSON.parse(await native(["info", model])) as { experts: Experts };
  const rest = experts.bytes_with_all - experts.bytes_with_those_of_a_token;
  // Devices differ a little in what they take.
  const spare = rest / (experts.per_layer - experts.per_token) / 3;
  return Math.round(experts.bytes_with_those_of_a_token + spare);
}

/** The soft tokens that the native engine makes of a picture, of so many at most, or of a sound. */
export async function nativeSoftTokens(option: "--image" | "--audio", file: string, budget = 280): Promise<number[]> {
  const folder = await mkdtemp(join(tmpdir(), "gemtab-"));
  try {
    const out = join(folder, "encoded.safetensors");
    await native(["encode", PEBBLE, option, file, "--budget", `${budget}`, "--out", out]);
    const bytes = await readFile(out);
    // A length, a JSON header of so many bytes, and the data that it describes.
    const begin = 8 + Number(bytes.readBigUInt64LE(0));
    const header = JSON.parse(bytes.subarray(8, begin).toString()) as Record<string, { data_offsets: [number, number] }>;
    const [from, to] = header.soft_tokens?.data_offsets ?? [0, 0];
    const data = bytes.subarray(begin + from, begin + to);
    return Array.from({ length: data.length / 4 }, (_, at) => data.readFloatLE(4 * at));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** How far numbers are from others: the root of the mean square of the differences, over that of the others. */
export function distance(found: readonly number[], wanted: readonly number[]): number {
  expect(found).toHaveLength(wanted.length);
  const squares = (values: readonly number[]) => values.reduce((sum, value) => sum + value * value, 0);
  return Math.sqrt(squares(found.map((value, at) => value - (wanted[at] ?? 0))) / squares(wanted));
}
