// The members of the family beside E2B and E4B, each as a tiny model: a mixture of experts, a diffusion model, the kind of the
// 31B, and that of the 12B, which has no towers but cuts pictures and sound into pieces.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { drawn, EngineApp } from "../../support/engine.ts";
import { withNumber } from "../../support/gguf.ts";
import { memoryForExperts, modelFile, nativeAnswer, trainAdapter } from "../../support/native.ts";
import { ANSWER, LOAD } from "../../support/patience.ts";

const QUESTION = "Hello";
const DIFFUSION = "tiny-diffusion.q4_k_m";
/** Tokens of an answer, which has no end where a model knows nothing. */
const MOST = 3;
/** Tokens of a picture at most: few, because a software adapter takes long over each. */
const DETAIL = 70;
/** Steps of a diffusion at most. Without a limit of its own the model takes 48. */
const STEPS = 3;
const samples = join(import.meta.dirname, "../../../server/models/samples");

test.describe.configure({ mode: "serial", timeout: LOAD + ANSWER });

let app: EngineApp;

test.beforeEach(async ({ browser }) => {
  app = await EngineApp.start(browser);
  await app.page.goto("/");
});

test.afterEach(async () => {
  await app.page.context().close();
});

async function load(model: string, ...more: string[]): Promise<void> {
  await app.pick([model, ...more].map(modelFile));
  await app.loaded(`${model}.gguf`);
}

test("a mixture with places for two experts a layer answers as with all", { tag: "@thorough" }, async () => {
  const model = "tiny-moe.q4_k_m";
  const memory = await memoryForExperts(modelFile(model));
  // The engine is there once it has looked at the demo model.
  await expect(app.card).toContainText("Fits", { timeout: LOAD });
  await app.tell(`memory ${memory}`);
  await load(model);
  const taken = /([\d.]+) MB of graphics memory/.exec(await app.card.innerText());
  // As it is shown, rounded to a tenth of a megabyte.
  expect(Number(taken?.[1]) * 1e6).toBeLessThan(memory + 5e4);
  await app.beGreedy();
  await app.setLongest(MOST);
  const answer = await app.ask(QUESTION);
  expect(await drawn(answer)).toBe(await nativeAnswer(QUESTION, { model: modelFile(model), most: MOST }));
});

/** Loads a mixture once more, with the least memory for experts that its card accepts. */
async function reloadWithLeastMemory(model: string, verdict: RegExp): Promise<void> {
  await app.go("Models");
  const card = app.page.getByRole("listitem").filter({ hasText: model }).first();
  const memory = card.getByRole("spinbutton", { name: /^Memory for experts/ });
  await memory.fill((await memory.getAttribute("min")) ?? "");
  await memory.press("Enter");
  await expect(card).toContainText(verdict);
  await card.getByRole("button", { name: "Reload" }).click();
  await app.rail.getByRole("button", { name: "New", exact: true }).click();
  await app.loaded(`${model}.gguf`);
}

/** The share of experts that the last answer found in graphics memory. */
async function expectSomeMisses(): Promise<void> {
  await app.openDrawer();
  const found = app.drawer.getByRole("term").filter({ hasText: "Experts found in graphics memory" });
  await expect(found.locator("~ dd")).toHaveText(/^\d{1,2}%$/);
}

test("a mixture answers as natively, its kernels compute what they should, and so with the least memory for experts", async () => {
  const model = "tiny-moe.q4_k_m";
  const native = nativeAnswer(QUESTION, { model: modelFile(model), most: MOST });
  await load(model);
  await test.step("with all experts", async () => {
    await app.beGreedy();
    await app.setLongest(MOST);
    expect(await drawn(await app.ask(QUESTION))).toBe(await native);
  });
  // Kernels beside their twins, as the browser compiles them: natively another compiler reads the same text.
  await test.step("kernels", async () => {
    await app.go("Diagnostics");
    await app.testKernels();
  });
  await test.step("with the least memory that can be set", async () => {
    await reloadWithLeastMemory(model, /Fits with [\d.]+ kB of graphics memory for experts · /);
    await app.beGreedy();
    await app.setLongest(MOST);
    expect(await drawn(await app.ask(QUESTION))).toBe(await native);
    await expectSomeMisses();
  });
});

test("a mixture answers with an adapter of its experts as natively", { tag: "@thorough" }, async ({}, info) => {
  const model = "tiny-moe.q4_k_m";
  const natively = { model: modelFile(model), most: MOST };
  const adapter = await trainAdapter(info.outputPath(), natively.model, "experts", QUESTION, "I am a cat.");
  const expected = await nativeAnswer(QUESTION, { ...natively, adapter });
  expect(expected).not.toBe(await nativeAnswer(QUESTION, natively));
  await load(model);
  await app.beGreedy();
  await app.setLongest(MOST);
  await app.openDrawer();
  await app.drawer.getByLabel("Adapter files").setInputFiles(adapter);
  await expect(app.drawer.getByText("rank 2 · 4 layers")).toBeVisible({ timeout: LOAD });
  await app.drawer.getByRole("button", { name: "Close" }).click();
  expect(await drawn(await app.ask(QUESTION))).toBe(expected);
});

/** Loads the diffusion model, which takes few steps. */
async function loadDiffusion(): Promise<void> {
  const bytes = withNumber(readFileSync(modelFile(DIFFUSION)), "diffusion.eb_max_steps", STEPS);
  await app.pick({ name: `${DIFFUSION}.gguf`, mimeType: "application/octet-stream", buffer: bytes });
  await app.loaded(`${DIFFUSION}.gguf`);
}

test("a diffusion model settles its answer", { tag: "@thorough" }, async () => {
  await loadDiffusion();
  await app.setLongest(32);
  await app.send(QUESTION);
  const answer = app.answers.last();
  await expect(answer.getByText(/^Block 1, step \d of at most 3, entropy \d\.\d\d$/)).toBeVisible({ timeout: ANSWER });
  await app.answered();
  await expect(app.failure).toHaveCount(0);
  await expect(answer.getByText(/tok\/s · [\d.]+ (s|min( \d+ s)?) · \d+ steps?$/)).toBeVisible();
});

test("a diffusion model answers with the least memory that can be set for experts", { tag: "@thorough" }, async () => {
  await loadDiffusion();
  await reloadWithLeastMemory(DIFFUSION, /Fits with [\d.]+ kB of graphics memory for experts · /);
  await app.setLongest(32);
  await app.ask(QUESTION);
  await expect(app.failure).toHaveCount(0);
  await expectSomeMisses();
  await expect(app.drawer.getByRole("term").filter({ hasText: "Experts read per step" })).toBeVisible();
});

test("a model of the 31B’s kind sees as natively", { tag: "@thorough" }, async () => {
  const model = "tiny-31b.pictures.q4_0";
  const file = join(samples, "shapes1.png");
  const natively = { model: modelFile(model), most: MOST };
  const question = "What is this?";
  const expected = await nativeAnswer(question, { ...natively, image: file, budget: DETAIL });
  expect(expected).not.toBe(await nativeAnswer(question, natively));
  await load(model);
  await app.beGreedy();
  await app.setLongest(MOST);
  await app.attach({ name: "shapes1.png", mimeType: "image/png", buffer: readFileSync(file) });
  await app.tray.getByRole("combobox", { name: "Detail of shapes1.png, in tokens" }).selectOption(`up to ${DETAIL}`);
  await expect(app.tray).toContainText(/\d+ tokens/);
  expect(await drawn(await app.ask(question))).toBe(expected);
});

test("a model of the 12B’s kind sees and hears as natively", { tag: "@thorough" }, async () => {
  const [model, projector] = ["tiny-unified.f16.lcpp", "tiny-unified.mmproj.f16"];
  const natively = { model: modelFile(model), projector: modelFile(projector), most: MOST, budget: DETAIL };
  await load(model, projector);
  await app.beGreedy();
  await app.setLongest(MOST);
  for (const [name, mimeType, medium] of [
    ["shapes1.png", "image/png", "image"],
    ["speech1.wav", "audio/wav", "audio"],
  ] as const) {
    const file = join(samples, name);
    await app.attach({ name, mimeType, buffer: readFileSync(file) });
    if (medium === "image") {
      await app.tray.getByRole("combobox", { name: `Detail of ${name}, in tokens` }).selectOption(`up to ${DETAIL}`);
    }
    await expect(app.tray).toContainText(/\d+ tokens/);
    const answer = await app.ask(QUESTION);
    expect(await drawn(answer), name).toBe(await nativeAnswer(QUESTION, { ...natively, [medium]: file }));
    if (medium === "image") {
      await app.startConversation();
      await app.beGreedy();
      await app.setLongest(MOST);
    }
  }
});
