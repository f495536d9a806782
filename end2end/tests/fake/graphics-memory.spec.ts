// How much graphics memory models may use. The simulated device has 8 GB.

import { faults } from "../../support/axe.ts";
import { expect, test } from "../../support/watch.ts";

test("a person says how much memory models may use, and verdicts and the loaded model follow", async ({ app, page }) => {
  const amount = page.getByRole("combobox", { name: /^Memory that models may use/ });
  await test.step("without a choice it is what the engine assumes", async () => {
    await app.open("instant");
    await app.ask("Hello");
    await app.rail.getByRole("link", { name: "Settings" }).click();
    await expect(amount.getByRole("option", { name: "Automatic (8.0 GB)" })).toBeAttached();
    await expect(amount).toHaveValue("");
  });
  await test.step("a choice is kept, and applies to a loaded model once it is reloaded", async () => {
    const section = page.locator("section").filter({ has: page.getByRole("heading", { name: "Graphics memory" }) });
    await amount.selectOption("2.0 GB");
    await app.kept('"graphics_memory":2000000000');
    await expect(section).toContainText("is still loaded with the previous settings");
    expect(await faults(page)).toEqual([]);
    await section.getByRole("button", { name: "Reload" }).click();
    await expect(section.getByRole("button", { name: "Reload" })).toHaveCount(0);
  });
  await test.step("the list of models follows it", async () => {
    const row = page.getByRole("listitem").filter({ hasText: "gemma4:e2b" }).first();
    await app.open("instant", "/settings");
    await expect(amount).toHaveValue("2000000000");
    await app.open("instant", "/models");
    await expect(row).toContainText("Too large by");
    await app.open("instant", "/settings");
    await expect(amount).toHaveValue("2000000000");
    await amount.selectOption({ index: 0 });
    await app.kept('"graphics_memory":null');
    await app.open("instant", "/models");
    await expect(row).toContainText("Fits");
  });
});
