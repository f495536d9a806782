// What is stored in 8 bits to save graphics memory: automatically where memory is short, or by a setting.

import type { Locator } from "@playwright/test";
import type { App } from "../../support/app.ts";
import { faults } from "../../support/axe.ts";
import { expect, test } from "../../support/watch.ts";

const card = (app: App): Locator => app.page.getByRole("listitem").filter({ hasText: "gemma4:e2b" }).first();

test.describe("8 bits", () => {
  test("are announced before a load where memory is short", async ({ app }) => {
    await app.open("instant,short", "/models");
    const model = card(app);
    await expect(model).toContainText("Fits · 8-bit KV cache");
    await model.locator("summary").click();
    await expect(model.getByRole("term").filter({ hasText: "KV cache" }).locator("~ dd").first()).toHaveText("8-bit (Q8_0)");
    await model.getByRole("button").first().click();
    await app.ask("Hello");
  });

  test("are a setting that is kept, and that the verdict doesn't repeat", async ({ app, page }) => {
    await app.open("instant", "/settings");
    const cache = page.getByRole("switch", { name: "8-bit KV cache" });
    const table = page.getByRole("switch", { name: "8-bit per-layer embeddings" });
    await expect(cache).not.toBeChecked();
    await cache.focus();
    await page.keyboard.press("Space");
    await table.click();
    await app.kept('"kv_cache":true');
    await app.kept('"table":true');
    expect(await faults(page)).toEqual([]);
    await page.reload();
    await expect(cache).toBeChecked();
    await expect(table).toBeChecked();

    await app.open("instant", "/models");
    const model = card(app);
    await expect(model).toContainText("Fits");
    await expect(model).not.toContainText("Fits ·");
    await model.locator("summary").click();
    await expect(model.getByRole("term").filter({ hasText: "KV cache" }).locator("~ dd").first()).toHaveText("8-bit (Q8_0)");
    await expect(model).toContainText("Per-layer embeddings");
  });

  test("apply to a loaded model once it is reloaded", async ({ app, page }) => {
    await app.open("instant");
    await app.ask("Hello");
    await app.rail.getByRole("link", { name: "Settings" }).click();
    const section = page.locator("section").filter({ has: page.getByRole("heading", { name: "Graphics memory" }) });
    const reload = section.getByRole("button", { name: "Reload" });
    await expect(reload).toHaveCount(0);
    await section.getByRole("switch", { name: "8-bit KV cache" }).click();
    await expect(section).toContainText("is still loaded with the previous settings");
    expect(await faults(page)).toEqual([]);
    await reload.click();
    await expect(reload).toHaveCount(0);
    await expect(section.getByRole("switch", { name: "8-bit KV cache" })).toBeChecked();
  });
});
