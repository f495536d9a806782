// Kernels beside their twins, as the browser compiles them: natively another compiler reads the same text. Those of a loaded model
// are tried in family.spec.ts.

import { test } from "@playwright/test";
import { EngineApp } from "../../support/engine.ts";
import { LOAD } from "../../support/patience.ts";

test.describe.configure({ timeout: 2 * LOAD });

// A software adapter takes more than a minute over all of them. They change with the browser, not with the page.
test("the kernels that any model may need compute in a browser what they should", { tag: "@thorough" }, async ({ browser }) => {
  const app = await EngineApp.start(browser);
  await app.page.goto("/diagnostics");
  await app.testKernels();
  await app.page.context().close();
});
