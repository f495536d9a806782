import type { Page } from "@playwright/test";
import { EMULATES_MEDIA } from "../../support/firefox.ts";
import { expect, test } from "../../support/watch.ts";

/** How light the page's ground is, from 0 to 255. */
const ground = (page: Page) =>
  page.evaluate(() => {
    const context = document.createElement("canvas").getContext("2d");
    if (!context) return Number.NaN;
    context.fillStyle = getComputedStyle(document.documentElement).backgroundColor;
    context.fillRect(0, 0, 1, 1);
    return context.getImageData(0, 0, 1, 1).data[0] ?? Number.NaN;
  });

test.describe("the theme", () => {
  test.use({ colorScheme: "light" });

  test("follows the system until it is chosen, and is kept", { tag: EMULATES_MEDIA }, async ({ app, page }) => {
    await app.open("instant", "/settings");
    expect(await ground(page)).toBeGreaterThan(200);
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(() => ground(page)).toBeLessThan(60);
    await page.getByRole("radio", { name: "Light" }).check();
    await expect.poll(() => ground(page)).toBeGreaterThan(200);
    await page.emulateMedia({ colorScheme: "light" });
    await page.getByRole("radio", { name: "Dark" }).check();
    await expect.poll(() => ground(page)).toBeLessThan(60);
    await app.kept('"theme":"dark"');
    await page.reload();
    await expect(page.getByRole("radio", { name: "Dark" })).toBeChecked();
    await expect.poll(() => ground(page)).toBeLessThan(60);
  });

  test("is the one that is typed in the palette", async ({ app, page }) => {
    await app.openChat();
    for (const theme of ["dark", "light"]) {
      await page.keyboard.press("Control+k");
      const field = app.palette.getByRole("combobox");
      await field.fill(theme);
      await expect(app.palette.getByRole("option", { selected: true })).toContainText(`Use ${theme} theme`);
      await field.press("Enter");
      await expect(page.locator("html")).toHaveAttribute("data-theme", theme);
    }
    await page.keyboard.press("Control+k");
    await app.palette.getByRole("combobox").fill("light theme");
    await expect(app.palette).toContainText("No matches");
    await app.palette.getByRole("combobox").fill("system theme");
    await app.palette.getByRole("combobox").press("Enter");
    await expect(page.locator("html")).not.toHaveAttribute("data-theme");
  });
});
