// The members of the family that are no plain decoder, each as a tiny model: a mixture of experts, and a diffusion model.

import { expect, test } from "@playwright/test";
import { ANSWER, drawn, EngineApp, LOAD } from "../../support/engine.ts";
import { modelFile, nativeAnswer } from "../../support/native.ts";

const QUESTION = "Hello";

test.describe.configure({ mode: "serial", timeout: LOAD + ANSWER });

let app: EngineApp;

test.beforeEach(async ({ browser }) => {
  app = await EngineApp.start(browser);
});

test.afterEach(async () => {
  await app.page.context().close();
});

async function load(model: string): Promise<void> {
  await app.page.goto("/");
  await app.pick(modelFile(model));
  await app.loaded(`${model}.gguf`);
}

test("a mixture of experts answers as natively", async () => {
  const most = 8;
  await load("tiny-moe.q4_k_m");
  await app.beGreedy();
  await app.setLongest(most);
  const answer = await app.ask(QUESTION);
  expect(await drawn(answer)).toBe(await nativeAnswer(QUESTION, { model: modelFile("tiny-moe.q4_k_m"), most }));
});

test("a diffusion model settles its answer", async () => {
  await load("tiny-diffusion.q4_k_m");
  await app.setLongest(32);
  await app.send(QUESTION);
  const answer = app.answers.last();
  await expect(answer.getByText(/^Block 1, step \d+ of at most 48, entropy \d\.\d\d$/)).toBeVisible({ timeout: ANSWER });
  await app.answered();
  await expect(app.failure).toHaveCount(0);
  await expect(answer.getByText(/tok\/s · [\d.]+ s · \d+ steps?$/)).toBeVisible();
});
