import type { Locator, Page } from "@playwright/test";
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

/** How far the ring or bar within an element stands out from what is behind it, as WCAG counts it. None without one. */
const ring = (element: Locator) =>
  element.evaluate((element) => {
    const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const { boxShadow, backgroundColor } = getComputedStyle(element);
    const colour = /^(.+\)) .*inset$/.exec(boxShadow)?.[1];
    if (!context || !colour) return 0;
    const light = (colour: string) => {
      context.fillStyle = colour;
      context.fillRect(0, 0, 1, 1);
      const [r = 0, g = 0, b = 0] = [...context.getImageData(0, 0, 1, 1).data].map((it) =>
        it / 255 <= 0.04045 ? it / 255 / 12.92 : ((it / 255 + 0.055) / 1.055) ** 2.4,
      );
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const [dark = 0, bright = 0] = [light(colour), light(backgroundColor)].sort((a, b) => a - b);
    return (bright + 0.05) / (dark + 0.05);
  });

test("what is chosen is told by more than a hint of colour", { tag: EMULATES_MEDIA }, async ({ app, page }) => {
  const standsOut = async (element: Locator) => {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await expect.poll(() => ring(element), `${element}, ${colorScheme}`).toBeGreaterThan(3);
    }
  };
  await app.openChat();
  await app.ask("Hello");
  const think = page.getByRole("button", { name: "Think", exact: true });
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    expect(await ring(think), colorScheme).toBe(0);
  }
  await think.click();
  await expect(think).toHaveAttribute("aria-pressed", "true");
  await standsOut(think);
  await standsOut(app.rail.getByRole("listitem").filter({ hasText: "Hello" }));
  await page.keyboard.press("Control+k");
  await standsOut(app.palette.getByRole("option", { selected: true }));
  await page.keyboard.press("Escape");
  await app.go("Models");
  await standsOut(app.rail.getByRole("link", { name: "Models" }));
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

test("in forced colours the dot of a loaded model is filled, and no other", { tag: EMULATES_MEDIA }, async ({ app, page }) => {
  await page.emulateMedia({ forcedColors: "active", reducedMotion: "reduce" });
  await app.openChat();
  /** Whether the middle of the dot has another colour than its corner, which is outside of the circle. */
  const filled = async () => {
    const picture = await app.model.locator(".dot").screenshot();
    return page.evaluate(async (url) => {
      const picture = new Image();
      picture.src = url;
      await picture.decode();
      const context = document.createElement("canvas").getContext("2d");
      context?.drawImage(picture, 0, 0);
      const at = (x: number, y: number) => context?.getImageData(x, y, 1, 1).data.join();
      return at(picture.width >> 1, picture.height >> 1) !== at(0, 0);
    }, `data:image/png;base64,${picture.toString("base64")}`);
  };
  await expect(app.model).toHaveAccessibleName(/Not loaded/);
  expect(await filled()).toBe(false);
  await app.ask("Hello");
  await expect(app.model.locator(".dot")).toHaveClass("dot ready");
  expect(await filled()).toBe(true);
});
