// The real engine in another browser, wherever that has WebGPU: its kernels, and an answer of the built-in model.

import type { Browser } from "@playwright/test";
import { EngineApp } from "../../support/engine.ts";
import { LOAD } from "../../support/patience.ts";
import { expect, test } from "../../support/watch.ts";

test.describe.configure({ mode: "serial", timeout: 2 * LOAD });

/** The page, where its worker would get an adapter; elsewhere the test is left out, and says so. */
async function start(browser: Browser): Promise<EngineApp> {
  const app = await EngineApp.start(browser);
  await app.page.goto("/diagnostics");
  const hasAdapter = await app.page.evaluate(async () => (await navigator.gpu?.requestAdapter()) != null);
  if (!hasAdapter) {
    console.log("This browser's WebGPU does not start here: the engine is not tested in it.");
  }
  test.skip(!hasAdapter, "its WebGPU does not start here");
  return app;
}

test("the kernels compute what they should", async ({ browser }) => {
  const app = await start(browser);
  await app.testKernels();
  await app.page.context().close();
});

test("a question is answered", async ({ browser }) => {
  const app = await start(browser);
  await app.page.goto("/");
  await app.loadDemo();
  await app.beGreedy();
  await expect(await app.ask("What is 2 + 3?")).toContainText("2 + 3 = 5.");
  await app.page.context().close();
});
