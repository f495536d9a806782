// Kernels beside their twins, as the browser compiles them: natively another compiler reads the same text.

import { expect, test } from "@playwright/test";
import { EngineApp, LOAD } from "../../support/engine.ts";

test("the kernels that any model may need compute in a browser what they should", async ({ browser }) => {
  const app = await EngineApp.start(browser);
  await app.page.goto("/diagnostics");
  await app.page.getByRole("button", { name: "Test kernels" }).click();
  // A kernel that does not would be named.
  const outcome = app.page.getByText(/computes? wrongly on this GPU|^Verified on this GPU/);
  await expect(outcome.or(app.failure)).toBeVisible({ timeout: LOAD });
  await expect(outcome).toHaveText(/^Verified on this GPU: \d\d+ kernels\.$/);
  await app.page.context().close();
});
