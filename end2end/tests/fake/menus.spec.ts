// Menus and dialogs by keys and by mouse, and where the focus goes.

import type { Page } from "@playwright/test";
import { CORE } from "../../support/firefox.ts";
import { expect, test } from "../../support/watch.ts";

/** Whether nothing has the focus. */
const lost = (page: Page) => page.evaluate(() => document.activeElement === null || document.activeElement === document.body);

test.describe("a menu", () => {
  test("is gone through by arrow keys, Home, End and letters, and renames with the old title selected", { tag: CORE }, async ({ app, page }) => {
    await test.step("is gone through by arrow keys, Home, End and letters", async () => {
      await app.openChat();
      await app.ask("Hello");
      const button = page.getByRole("button", { name: "Actions for Hello" });
      await button.focus();
      await page.keyboard.press("ArrowDown");
      const menu = page.getByRole("menu", { name: "Actions for Hello" });
      const item = (name: string) => menu.getByRole("menuitem", { name, exact: true });
      await expect(item("Rename")).toBeFocused();
      await page.keyboard.press("ArrowDown");
      await expect(item("Pin")).toBeFocused();
      await page.keyboard.press("End");
      await expect(item("Delete")).toBeFocused();
      await page.keyboard.press("ArrowDown");
      await expect(item("Rename")).toBeFocused();
      await page.keyboard.press("ArrowUp");
      await expect(item("Delete")).toBeFocused();
      await page.keyboard.press("Home");
      await expect(item("Rename")).toBeFocused();
      await page.keyboard.press("e");
      await expect(item("Export as JSON")).toBeFocused();
      await page.keyboard.press("Escape");
      await expect(menu).toBeHidden();
      await expect(button).toBeFocused();
      await page.keyboard.press("ArrowUp");
      await expect(item("Delete")).toBeFocused();
      await page.keyboard.press("Tab");
      await expect(menu).toBeHidden();
      await expect.poll(() => lost(page)).toBe(false);
    });
    await test.step("renames with the old title selected", async () => {
      await page.getByRole("button", { name: "Actions for Hello" }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("menuitem", { name: "Rename" }).click();
      const field = app.rail.getByRole("textbox", { name: "New title" });
      await expect(field).toBeFocused();
      await page.keyboard.type("A greeting");
      await page.keyboard.press("Enter");
      await expect(app.conversation("A greeting")).toBeVisible();
      await expect(app.conversation("A greeting")).toBeFocused();
    });
  });

  test("stays open while something else scrolls", async ({ app, page }) => {
    await page.setViewportSize({ width: 1280, height: 480 });
    await app.openChat("instant,demo");
    await app.ask("Show me everything");
    await page.getByRole("button", { name: "Actions for Show me everything" }).click();
    const menu = page.getByRole("menu");
    await expect(menu).toBeVisible();
    await page.getByRole("region", { name: "Conversation" }).evaluate(
      (it) =>
        new Promise((done) => {
          it.addEventListener("scroll", () => requestAnimationFrame(done), { once: true });
          it.scrollTo({ top: 0, behavior: "instant" });
        }),
    );
    await expect(menu).toBeVisible();
  });

  test("opens upwards near the end of the list, and nothing cuts it", async ({ app, page }) => {
    await page.setViewportSize({ width: 1280, height: 420 });
    await app.openChat();
    for (const name of ["One", "Two", "Three", "Four", "Five"]) {
      await app.rail.getByRole("button", { name: "New", exact: true }).click();
      await app.ask(name);
    }
    const button = page.getByRole("button", { name: "Actions for One" });
    await button.scrollIntoViewIfNeeded();
    await button.focus();
    await page.keyboard.press("Enter");
    const menu = page.getByRole("menu");
    await expect(menu.getByRole("menuitem", { name: "Delete" })).toBeInViewport({ ratio: 1 });
    const whole = await menu.evaluate((it) => {
      const { left, top, right, bottom } = it.getBoundingClientRect();
      const seen = (x: number, y: number) => it.contains(document.elementFromPoint(x, y));
      return top >= 0 && bottom <= innerHeight && seen(left + 8, top + 8) && seen(right - 8, bottom - 8);
    });
    expect(whole).toBe(true);
  });
});

test.describe("the focus is never lost:", () => {
  test("after a suggestion, after Stop, and after Esc on the button that stops", async ({ app, page }) => {
    await test.step("after a suggestion, and after Stop", async () => {
      await app.openChat("usual,demo");
      await page.getByRole("button", { name: /^pebble/ }).click();
      await page.getByRole("button", { name: "Who are you?" }).click();
      await expect(app.questions).toHaveCount(1);
      await expect(app.composer).toBeFocused();
      await app.answered();
      await app.send("A long answer");
      await app.stopButton.focus();
      await page.keyboard.press("Enter");
      await app.answered();
      await expect(app.composer).toBeFocused();
    });
    await test.step("after Esc on the button that stops", async () => {
      await app.startConversation();
      await app.send("A long answer");
      await app.stopButton.focus();
      await page.keyboard.press("Escape");
      await app.answered();
      await expect.poll(() => lost(page)).toBe(false);
    });
  });

  test("after a notice is closed, and a message and a conversation are deleted", async ({ app, page }) => {
    await test.step("after a notice is closed", async () => {
      await app.openChat();
      await app.ask("Hello");
      await app.answers.last().getByRole("button", { name: "Delete from here on" }).click();
      await page.getByRole("button", { name: "Undo" }).click();
      await expect(app.answers).toHaveCount(1);
      await expect.poll(() => lost(page)).toBe(false);
    });
    await test.step("after a message and a conversation are deleted", async () => {
      await app.startConversation();
      await app.ask("First");
      await app.rail.getByRole("button", { name: "New", exact: true }).click();
      await app.ask("Second");
      await app.answers.last().getByRole("button", { name: "Delete from here on" }).click();
      await expect(app.answers).toHaveCount(0);
      await expect.poll(() => lost(page)).toBe(false);
      await page.getByRole("button", { name: "Actions for Second" }).focus();
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("Enter");
      await expect(app.conversation("Second")).toBeHidden();
      await expect(app.conversation("First")).toBeFocused();
    });
  });
});

test("a selection that is drawn out of a field leaves the dialog open", async ({ app, page }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await app.openChat();
  await page.keyboard.press("Control+k");
  const field = app.palette.getByRole("combobox");
  await field.fill("some words to select");
  const place = await field.boundingBox();
  if (!place) throw new Error("there is no field");
  await page.mouse.move(place.x + 100, place.y + place.height / 2);
  await page.mouse.down();
  await page.mouse.move(place.x - 200, place.y + 20, { steps: 5 });
  await page.mouse.up();
  await expect(app.palette).toBeVisible();
  await expect(field).toHaveValue("some words to select");
  await page.mouse.click(20, 20);
  await expect(app.palette).toBeHidden();
});

test.describe("shortcuts", () => {
  test("? lists them, and the palette has them, too", async ({ app, page }) => {
    await app.openChat();
    await page.getByRole("heading", { level: 1 }).click();
    await page.keyboard.press("?");
    const list = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await expect(list).toContainText("Stop the answer");
    // On a phone, each row is one line. Keys that are pressed together stand in one also in large type.
    await page.setViewportSize({ width: 390, height: 700 });
    const heights = await list.locator("dl > div").evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));
    expect(Math.max(...heights)).toBeLessThan(1.5 * Math.min(...heights));
    await page.setViewportSize({ width: 320, height: 700 });
    await page.evaluate(() => (document.documentElement.style.fontSize = "200%"));
    for (const keys of await list.getByRole("definition").all()) {
      const tops = await keys.locator("kbd").evaluateAll((all) => all.map((key) => key.getBoundingClientRect().top));
      expect(new Set(tops).size).toBe(1);
    }
    await page.keyboard.press("Escape");
    await expect(list).toBeHidden();
    await page.keyboard.press("Control+k");
    await app.palette.getByRole("option", { name: "Keyboard shortcuts" }).click();
    await expect(list).toBeVisible();
  });

  test("keys without Ctrl can be switched off", async ({ app, page }) => {
    await app.open("instant", "/settings");
    const keys = page.getByRole("switch", { name: /^Single-key shortcuts/ });
    await expect(keys).toBeChecked();
    await keys.uncheck();
    await app.kept('"single_keys":false');
    await app.rail.getByRole("link", { name: "gemtab" }).click();
    await page.getByRole("heading", { name: "Chat with Gemma 4 in this tab" }).click();
    await page.keyboard.press("?");
    await page.keyboard.press("/");
    // A key that still works comes after those that do not.
    await page.keyboard.press("Control+k");
    await expect(app.palette).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(app.palette).toBeHidden();
    await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeHidden();
    await expect(app.composer).not.toBeFocused();
  });
});
