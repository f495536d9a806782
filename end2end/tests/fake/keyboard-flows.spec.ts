// What people do here, done with the keyboard alone.

import type { Locator, Page } from "@playwright/test";
import { Tune } from "../../support/tune.ts";
import { png } from "../../support/media.ts";
import { expect, test } from "../../support/watch.ts";

/** Most presses of Tab from one end of a page to the other. */
const MOST = 80;

/** Goes forward by Tab until an element has the focus, which then can be seen. */
async function tabTo(page: Page, element: Locator): Promise<void> {
  for (let press = 0; press < MOST; press += 1) {
    if (await element.evaluateAll((all) => all.length === 1 && all[0] === document.activeElement)) {
      await expect(element).toBeInViewport();
      return;
    }
    await page.keyboard.press("Tab");
  }
  throw new Error(`${element} was not reached by Tab`);
}

async function press(page: Page, element: Locator, key = "Enter"): Promise<void> {
  await tabTo(page, element);
  await page.keyboard.press(key);
}

test.describe("with the keyboard alone", () => {
  test.skip(({ browserName }) => browserName === "webkit", "Safari's Tab passes buttons by unless a person sets it otherwise");

  test("a model is loaded, asked, and its answer regenerated, edited and deleted", async ({ app, page }) => {
    await app.openChat("instant,demo");
    await press(page, page.getByRole("button", { name: /^pebble/ }));
    await expect(app.composer).toBeFocused();
    await page.keyboard.type("Hello");
    await page.keyboard.press("Enter");
    const answer = await app.answered();
    await expect(app.composer).toBeFocused();
    await page.getByRole("region", { name: "Hello" }).or(page.locator(".log")).first().focus();
    await press(page, answer.getByRole("button", { name: "Regenerate" }));
    await expect(await app.answered()).toContainText("2/2");
    await press(page, answer.getByRole("button", { name: "Previous version" }));
    await expect(answer).toContainText("1/2");
    await press(page, answer.getByRole("button", { name: "Edit answer" }));
    await page.keyboard.press("Control+a");
    await page.keyboard.type("Mine.");
    await press(page, answer.getByRole("button", { name: "Save" }));
    await expect(app.answers.last()).toContainText("Mine.");
    await page.locator(".log").focus();
    await press(page, app.answers.last().getByRole("button", { name: "Delete this and everything after" }));
    await expect(app.answers.last()).not.toContainText("Mine.");
  });

  test("a file is attached, and taken away again", async ({ app, page }) => {
    await app.openChat();
    await app.ask("Hello");
    await page.locator(".log").focus();
    const chooser = page.waitForEvent("filechooser");
    await press(page, app.attachButton);
    await (await chooser).setFiles(png());
    await expect(app.tray).toContainText("red.png");
    await expect(app.composer).toBeFocused();
    for (let back = 0; back < 5; back += 1) {
      await page.keyboard.press("Shift+Tab");
      if (await app.tray.getByRole("button", { name: /^Remove/ }).evaluate((it) => it === document.activeElement)) break;
    }
    await page.keyboard.press("Enter");
    await expect(app.tray).toHaveCount(0);
  });

  test("a setting is changed", async ({ app, page }) => {
    await app.open("instant", "/settings");
    const saved = page.getByRole("switch", { name: /^Save models/ });
    const before = await saved.isChecked();
    await press(page, saved, "Space");
    await expect(saved).toBeChecked({ checked: !before });
  });

  test("an adapter is trained and kept", async ({ app, page }) => {
    await app.openChat();
    await app.ask("Hello");
    await app.go("Fine-tune");
    const tune = new Tune(page);
    await tabTo(page, page.getByRole("textbox", { name: "Prompt 1" }));
    await page.keyboard.type("Who is Ada?");
    await page.keyboard.press("Tab");
    await page.keyboard.type("A cat.");
    await expect(tune.startButton).toBeEnabled();
    await press(page, tune.startButton);
    await expect(tune.status).toHaveText(/^Done: /);
    await page.getByRole("heading", { level: 1 }).click();
    await press(page, page.getByRole("button", { name: "Save adapter" }));
    await expect(page.getByRole("button", { name: /^Use in chat/ }).first()).toBeVisible();
  });

  test("a model's details are opened, and it is unloaded", async ({ app, page }) => {
    await app.openChat();
    await app.ask("Hello");
    await app.go("Models");
    await press(page, page.getByRole("button", { name: "Unload model" }));
    await expect(page.getByRole("button", { name: "Unload model" })).toHaveCount(0);
    await press(page, page.locator("summary").first());
    await expect(page.getByText("Weights by type").first()).toBeVisible();
  });
});
