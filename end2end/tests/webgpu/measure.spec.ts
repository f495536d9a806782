// Speed and kernels of the built-in model, measured on the page of diagnostics by the real engine. Which figures come
// out is the machine's affair: that some do, and can be copied, is the page's.

import { expect, test, type Locator } from "@playwright/test";
import { EngineApp } from "../../support/engine.ts";
import { LOAD } from "../../support/patience.ts";

// A software adapter takes minutes over it: only where it is wanted.
test.skip(!process.env.GEMTAB_LONG, "GEMTAB_LONG is not set");

const NUMBER = "[\\d.,]+";
/** A median and its range, of which something is not nought. */
const spread = (unit: string) => new RegExp(`^(?=.*[1-9])${NUMBER} ${unit} \\(${NUMBER} to ${NUMBER}\\)`);

test("speed and kernels of the loaded model are measured, and can be copied", async ({ browser }) => {
  test.setTimeout(4 * LOAD);
  const app = await EngineApp.start(browser);
  const figure = (name: string): Locator =>
    app.page.locator("dl.pairs > div").filter({ has: app.page.getByText(name, { exact: true }) }).locator("dd");
  await app.page.goto("/");
  await app.loadDemo();
  await app.go("Diagnostics");

  await app.page.getByRole("button", { name: "Measure speed" }).click();
  // Measurement that fails says why.
  await expect(figure("Generation speed").or(app.failure)).toBeVisible({ timeout: 2 * LOAD });
  await expect(app.failure).toHaveCount(0);
  await expect(figure("Prompt speed")).toHaveText(spread("tok/s"));
  await expect(figure("Prompt speed")).toContainText("512 tokens");
  await expect(figure("Generation speed")).toHaveText(spread("tok/s"));
  await expect(figure("Generation speed")).toContainText("128 tokens");
  await expect(figure("Time to first token")).toHaveText(spread("ms"));
  await expect(figure("Buffers created")).toHaveText("0");

  const rows = app.page.getByRole("region", { name: "Kernels" }).getByRole("row");
  await app.page.getByRole("button", { name: "Measure kernels" }).click();
  await expect(rows.first().or(app.failure)).toBeVisible({ timeout: LOAD });
  await expect(app.failure).toHaveCount(0);
  await expect(figure("Time per token")).toHaveText(/^\d+\.\d{3} ms; kernels alone \d+\.\d{3} ms$/);
  expect(await rows.count(), "a row of headings, and many kernels").toBeGreaterThan(5);
  const times = (await rows.locator("td:nth-child(3)").allTextContents()).map(Number);
  expect(times).toEqual([...times].sort((one, other) => other - one));
  expect(times[0]).toBeGreaterThan(0);

  await app.page.getByRole("button", { name: "Copy as text" }).click();
  await expect(app.page.getByText("Copied.").first()).toBeAttached();
  const copied = await app.page.evaluate(() => navigator.clipboard.readText());
  console.log(copied);
  for (const part of ["Generation speed: ", "Time per token: ", "Measured with: "]) {
    expect(copied).toContain(part);
  }
  await app.page.context().close();
});
