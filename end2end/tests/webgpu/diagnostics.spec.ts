// Kernels beside their twins, as the browser compiles them: natively another compiler reads the same text.

import { test } from "@playwright/test";
import { EngineApp } from "../../support/engine.ts";
import { modelFile } from "../../support/native.ts";
import { LOAD } from "../../support/patience.ts";

test.describe.configure({ timeout: 2 * LOAD });

// A small one: what its answers are does not matter here.
const MODEL = "tiny-moe.q4_k_m";

test("the kernels of the loaded model compute in a browser what they should", async ({ browser }) => {
  const app = await EngineApp.start(browser);
  await app.page.goto("/");
  await app.pick(modelFile(MODEL));
  await app.loaded(`${MODEL}.gguf`);
  await app.go("Diagnostics");
  await app.testKernels();
  await app.page.context().close();
});

// A software adapter takes more than a minute over all of them. They change with the browser, not with the page.
test("the kernels that any model may need compute in a browser what they should", { tag: "@thorough" }, async ({ browser }) => {
  const app = await EngineApp.start(browser);
  await app.page.goto("/diagnostics");
  await app.testKernels();
  await app.page.context().close();
});
