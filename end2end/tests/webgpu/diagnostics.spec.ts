// Kernels beside their twins, as the browser compiles them: natively another compiler reads the same text.

import { test } from "@playwright/test";
import { EngineApp } from "../../support/engine.ts";

test("the kernels that any model may need compute in a browser what they should", async ({ browser }) => {
  const app = await EngineApp.start(browser);
  await app.page.goto("/diagnostics");
  await app.testKernels();
  await app.page.context().close();
});
