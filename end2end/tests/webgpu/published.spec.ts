// Google's Gemma 3 270M in a browser. Its terms keep it out of the repository: `cargo xtask test --only real` downloads it and names
// it in GEMTAB_PUBLISHED.

import { basename } from "node:path";
import { expect, test } from "@playwright/test";
import { EngineApp, figures } from "../../support/engine.ts";

const file = process.env.GEMTAB_PUBLISHED ?? "";

test("a published model continues a text @real", async ({ browser }) => {
  test.skip(file === "", "GEMTAB_PUBLISHED names no model");
  test.setTimeout(1_800_000);
  const app = await EngineApp.start(browser);
  await app.page.goto("/");
  await app.pick(file);
  await app.loaded(basename(file));
  await app.beGreedy();
  await app.setLongest(8);
  const before = app.requests.length;
  const answer = await app.ask("The capital of France is Paris. The capital of Italy is");
  await expect(answer).toContainText("Rome");
  expect(app.requests.slice(before).map((request) => request.url())).toEqual([]);
  const { drawn } = await figures(answer);
  console.log(`${drawn} tokens; wasm memory ${((await app.wasmMemory()) / 2 ** 20).toFixed(1)} MiB; ${await answer.innerText()}`);
  await app.page.context().close();
});
