// Files of the person's: models that cannot work, said in words, then one that does, which sees pictures and hears speech.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { drawn, EngineApp, type ModelFile } from "../../support/engine.ts";
import type { MediaFile } from "../../support/media.ts";
import { distance, nativeAnswer, nativeSoftTokens, PEBBLE } from "../../support/native.ts";
import { changed, claimTensors, rename, retype } from "../../support/gguf.ts";
import { LOAD, SOON } from "../../support/patience.ts";

const QUESTION = "What is 7 times 8?";
const DRAFT = "What I was about to say";

const samples = join(import.meta.dirname, "../../../server/models/samples");
const sample = (name: string, mimeType: string): MediaFile => ({ name, mimeType, buffer: readFileSync(join(samples, name)) });

/** Relative root mean square: what sums in f32 in another order may differ by, through all layers of a tower. */
const SAME = 1e-4;

test.describe.configure({ mode: "serial", timeout: 3 * LOAD });

/** Whether there are minutes for each picture, which a software adapter takes. */
const LONG = process.env.GEMTAB_LONG !== undefined;
/** The most tokens for the first picture. The model needs the greater number to know what is on it. */
const DETAIL = LONG ? 280 : 70;
const SEEN = "What can you see in this image?";
const SHAPES = join(samples, "shapes1.png");

let app: EngineApp;

test.beforeAll(async ({ browser }) => {
  app = await EngineApp.start(browser, LONG ? ["microphone"] : []);
  await app.page.goto("/");
  await expect(app.card.getByRole("listitem").first()).toBeVisible();
  await app.composer.fill(DRAFT);
});

test.afterAll(async () => {
  await app.page.context().close();
});

/** Files that are no use, and what the page has to say of each. */
const BAD: [what: string, file: () => ModelFile, words: RegExp][] = [
  [
    "cut in the middle",
    () => changed("cut.gguf", (bytes) => bytes.subarray(0, bytes.length / 2)),
    /incomplete: it has only 2\.3 of 4\.\d MB/,
  ],
  [
    "of another format",
    () => changed("page.gguf", () => Buffer.from("<!doctype html><title>Not found</title>")),
    /This isn’t a GGUF file\./,
  ],
  [
    "of another architecture",
    () => changed("other.gguf", (bytes) => rename(bytes, "gemma4", "qwen99")),
    /This is a “qwen99” model\. gemtab runs Gemma 4 and Gemma 3\./,
  ],
  [
    "in an unknown quantization",
    () => changed("iq.gguf", (bytes) => retype(bytes, "blk.0.ffn_gate.weight")),
    /blk\.0\.ffn_gate\.weight uses Q4_0_4_4/,
  ],
  [
    "without a tensor",
    () => changed("gap.gguf", (bytes) => rename(bytes, "blk.0.ffn_gate.weight", "blk.0.ffn_gone.weight")),
    /blk\.0\.ffn_gate\.weight/,
  ],
  [
    "with an absurd count in its header",
    () => changed("absurd.gguf", (bytes) => claimTensors(bytes, 1n << 60n)),
    /1152921504606846976/,
  ],
];

test("a file that cannot work is refused in words", async () => {
  for (const [what, file, words] of BAD) {
    await test.step(what, async () => {
      await app.pick(file());
      await expect(app.failure).toContainText(words, { timeout: SOON });
      await app.failure.getByRole("button", { name: "Close" }).click();
      await expect(app.failure).toHaveCount(0);
      await expect(app.composer).toHaveValue(DRAFT);
    });
  }
});

test("a file that is no model's is refused at once", async () => {
  await app.pick({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("notes") });
  await expect(app.page.getByText("This isn’t a GGUF file.").first()).toBeVisible();
  await expect(app.composer).toHaveValue(DRAFT);
});

test("after bad files a good one loads, and answers", async () => {
  const before = app.requests.length;
  await app.pick(PEBBLE);
  await expect(app.composer).toHaveValue(DRAFT);
  // A message can be sent while the model loads: it waits.
  await app.composer.fill(QUESTION);
  await app.composer.press("Enter");
  await app.loaded("pebble.gguf");
  await expect(app.answers).toHaveCount(1);
  await expect(await app.answered()).toContainText("56");
  // Read where it is: nothing was fetched from the server.
  const fetched = app.requests.slice(before).filter((request) => request.url().includes("/api/blobs/"));
  expect(fetched.map((request) => request.url())).toEqual([]);
});

test("what is no picture is told before it is sent, and the draft stays", async () => {
  await app.startConversation();
  await app.beGreedy();
  await app.composer.fill(SEEN);
  const cut = sample("shapes1.png", "image/png");
  await app.attach(
    { name: "text.png", mimeType: "image/png", buffer: Buffer.from("not a picture") },
    { ...cut, name: "cut.png", buffer: cut.buffer.subarray(0, 400) },
  );
  await expect(app.refusal).toContainText("text.png: This image can’t be read");
  await expect(app.refusal).toContainText("cut.png: The PNG image is damaged or incomplete");
  await expect(app.composer).toHaveValue(SEEN);
});

test("a picture of shapes is seen", async () => {
  await app.attach(sample("shapes1.png", "image/png"));
  await app.tray.getByRole("combobox", { name: "Detail of shapes1.png, in tokens" }).selectOption(`up to ${DETAIL}`);
  await expect(app.tray).toContainText(/\d+ tokens/);
  const native = nativeAnswer(SEEN, { image: SHAPES, budget: DETAIL });
  const answer = await drawn(await app.ask(SEEN));
  expect(answer).toBe(await native);
  expect(answer).toMatch(LONG ? /^A purple triangle\.$/ : /^A purple /);
});

test("its soft tokens are those of the native engine", async () => {
  const [seen] = await app.softTokens();
  const far = distance(seen ?? [], await nativeSoftTokens("--image", SHAPES, DETAIL));
  console.log(`soft tokens of a picture, browser and native: ${far.toExponential(1)} apart`);
  expect(far).toBeLessThan(SAME);
});

test("a second picture is pasted, and the first is asked about", async () => {
  test.skip(!LONG, "GEMTAB_LONG is not set");
  await app.paste({ ...sample("shapes3.png", "image/png"), name: "second.png" });
  const answer = await app.ask("What do you see on the left side?");
  expect(await drawn(answer)).toContain("circle");
  const first = await app.ask("What can you see in the first image?");
  expect(await drawn(first)).toContain("triangle");
});

test("speech is recorded and transcribed", async () => {
  test.skip(!LONG, "GEMTAB_LONG is not set");
  await app.rail.getByRole("button", { name: "New", exact: true }).click();
  await app.beGreedy();
  await app.recordButton.click();
  const bar = app.page.getByRole("group", { name: "Recording" });
  await expect(bar.getByRole("timer")).toHaveText("0:04", { timeout: LOAD });
  await bar.getByRole("button", { name: "Done" }).click();
  await expect(app.tray).toContainText(/\d+ tokens/);
  const answer = await app.ask("Write the digits.");
  // The recording may begin anywhere in the loop that the browser plays.
  expect(await drawn(answer)).toMatch(/^\d(, \d)+$/);
});

test("the soft tokens of a sound are those of the native engine", async () => {
  await app.rail.getByRole("button", { name: "New", exact: true }).click();
  await app.beGreedy();
  await app.attach(sample("speech2.wav", "audio/wav"));
  await expect(app.tray).toContainText(/\d+ tokens/);
  const answer = await app.ask("Which digits do you hear?");
  expect(await drawn(answer)).toBe("4, 2, 5, 4");
  const heard = (await app.softTokens()).at(-1);
  const far = distance(heard ?? [], await nativeSoftTokens("--audio", join(samples, "speech2.wav")));
  console.log(`soft tokens of a sound, browser and native: ${far.toExponential(1)} apart`);
  expect(far).toBeLessThan(SAME);
});

test("no request carries what was seen or heard", async ({ baseURL }) => {
  expect(app.requests.length).toBeGreaterThan(0);
  for (const request of app.requests) {
    expect(request.method(), request.url()).toBe("GET");
    expect(request.postDataBuffer(), request.url()).toBeNull();
    const url = new URL(request.url());
    if (url.protocol !== "data:" && url.protocol !== "blob:") {
      expect(url.origin).toBe(baseURL);
      expect(request.url().length, "an address that is as long as a picture").toBeLessThan(500);
    }
  }
});

test("the engine's own memory stays small", async () => {
  const bytes = await app.wasmMemory();
  console.log(`wasm memory after pictures and speech: ${(bytes / 2 ** 20).toFixed(1)} MiB`);
  expect(bytes).toBeLessThan(128 * 2 ** 20);
});
