import type { Locator, Page } from "@playwright/test";
import { cutOff } from "../../support/layout.ts";
import { png, wav } from "../../support/media.ts";
import { expect, test } from "../../support/watch.ts";

// Sheets move in and out here.
test.use({ contextOptions: { reducedMotion: "no-preference" } });

/** Phones, the last of which the view is. */
const WIDTHS = [390, 320];

/** What is wrong with the page as it is, by a measure of it, on phones of all widths. */
async function wrong(page: Page, measure: () => Promise<string[]>): Promise<string[]> {
  const found: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 700 });
    found.push(...(await measure()).map((what) => `at ${width}: ${what}`));
  }
  return found;
}

/** What the view cuts off, on phones of all widths. */
const tooWide = (page: Page) => wrong(page, () => cutOff(page));

/** What is too small for a thumb. */
const tooSmall = (page: Page, targets: Locator[]) =>
  wrong(page, async () => {
    const boxes = await Promise.all(targets.map((target) => target.boundingBox()));
    return targets.filter((_, at) => Math.min(boxes[at]?.height ?? 0, boxes[at]?.width ?? 0) < 44).map(String);
  });

test.describe("a phone", () => {
  test.use({ viewport: { width: 320, height: 700 } });

  test("has nothing wider than the view", async ({ app, page }) => {
    await app.openChat();
    await expect(page.getByText("Too large by 2.2 GB")).toBeVisible();
    expect(await tooWide(page), "first visit").toEqual([]);
    await app.ask("Show me everything");
    expect(await tooWide(page), "answer").toEqual([]);
    await app.openDrawer();
    expect(await tooWide(page), "drawer").toEqual([]);
    await page.keyboard.press("Escape");
    await app.model.click();
    await expect(page.getByRole("dialog", { name: "Choose a model" })).toBeVisible();
    expect(await tooWide(page), "choice of a model").toEqual([]);
    await page.keyboard.press("Escape");
    for (const place of ["Models", "Fine-tune", "Diagnostics", "Settings"]) {
      await page.getByRole("button", { name: "Conversations and pages" }).click();
      const sheet = page.getByRole("dialog", { name: "Conversations and pages" });
      await expect(sheet).toBeVisible();
      expect(await tooWide(page), "the sheet").toEqual([]);
      await sheet.getByRole("link", { name: place }).click();
      await expect(sheet).toBeHidden();
      await expect(page.getByRole("heading", { name: place, level: 1 })).toBeVisible();
      for (const fold of await page.locator("summary").all()) {
        await fold.click();
      }
      expect(await tooWide(page), place).toEqual([]);
    }
  });

  test("attaches and shows, and nothing is wider than the view", async ({ app, page }) => {
    await app.openChat();
    await app.attach(png("a-picture-with-quite-a-long-name-as-phones-give-them.png"), wav("tone.wav", 2));
    await expect(app.tray).toContainText("52 tokens");
    expect(await tooWide(page), "before sending").toEqual([]);
    expect(await tooSmall(page, [app.attachButton, app.recordButton])).toEqual([]);
    await app.ask("What are these?");
    expect(await tooWide(page), "in a message").toEqual([]);
    await app.questions.first().getByRole("button", { name: /^Show a-picture/ }).click();
    await expect(page.getByRole("dialog").getByRole("img")).toBeVisible();
    expect(await tooWide(page), "large").toEqual([]);
  });

  test("reaches conversations in a sheet, with targets for a thumb", async ({ app, page }) => {
    await app.openChat();
    await app.ask("Hello");
    await expect(app.rail).toBeHidden();
    const open = page.getByRole("button", { name: "Conversations and pages" });
    await app.composer.fill("More");
    const think = page.getByRole("button", { name: "Think", exact: true });
    expect(await tooSmall(page, [open, app.model, app.sendButton, think])).toEqual([]);
    await app.composer.fill("");
    await open.click();
    const sheet = page.getByRole("dialog", { name: "Conversations and pages" });
    await test.step("for the place where one is already", async () => {
      await sheet.getByRole("link", { name: "Hello" }).click();
      await expect(sheet).toBeHidden();
      await expect(app.questions).toHaveText(/Hello/);
    });
    await open.click();
    await sheet.getByRole("button", { name: "New", exact: true }).click();
    await expect(sheet).toBeHidden();
    await expect(app.questions).toHaveCount(0);
    await open.click();
    await sheet.getByRole("link", { name: "Hello" }).click();
    await expect(sheet).toBeHidden();
    await expect(app.questions).toHaveText(/Hello/);
    await open.click();
    // A key that comes before the sheet is there goes to the page.
    await expect(sheet).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(sheet).toBeHidden();
    await expect(open).toBeFocused();
  });
});

test.describe("Back on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test("closes what is open over the page, and only then leaves it", async ({ app, page }) => {
    await app.open("instant", "/models");
    await page.getByRole("button", { name: "Conversations and pages" }).click();
    const sheet = page.getByRole("dialog", { name: "Conversations and pages" });
    await sheet.getByRole("link", { name: "Settings" }).click();
    await expect(page).toHaveURL(/\/settings/);
    await expect(sheet).toBeHidden();
    await page.getByRole("button", { name: "Conversations and pages" }).click();
    await expect(sheet).toBeVisible();
    await page.goBack();
    await expect(sheet).toBeHidden();
    await expect(page).toHaveURL(/\/settings/);
    // Closed otherwise, it is nothing to go back to.
    await page.getByRole("button", { name: "Conversations and pages" }).click();
    await expect(sheet).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(sheet).toBeHidden();
    await page.goBack();
    await expect(page).toHaveURL(/\/models/);
    await expect(page.getByRole("heading", { level: 1, name: "Models" })).toBeVisible();
  });
});

test.describe("a finger", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  test("swipes the rail in and out", async ({ app, page }) => {
    await app.openChat();
    const sheet = page.getByRole("dialog", { name: "Conversations and pages" });
    const swipe = (from: number, to: number) =>
      page.evaluate(([from = 0, to = 0]) => {
        const finger = (clientX: number) => new Touch({ identifier: 1, target: document.body, clientX, clientY: 300 });
        const tell = (type: string, at: number, touches: Touch[]) =>
          document.body.dispatchEvent(new TouchEvent(type, { bubbles: true, touches, changedTouches: [finger(at)] }));
        tell("touchstart", from, [finger(from)]);
        tell("touchend", to, []);
      }, [from, to]);
    await swipe(200, 320);
    await swipe(20, 140);
    await expect(sheet).toBeVisible();
    await swipe(200, 60);
    await expect(sheet).toBeHidden();
  });
});

test.describe("a touch screen", () => {
  test.skip(({ browserName }) => browserName === "firefox", "it has no touch screens");
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test("shows the actions of the last messages, and those of earlier ones behind a button", async ({ app }) => {
    await app.openChat();
    await app.ask("Hello");
    const edit = app.questions.first().getByRole("button", { name: "Edit and resend" });
    const more = app.questions.first().getByRole("button", { name: "Message actions" });
    await expect(edit).toBeVisible();
    await expect(more).toBeHidden();
    await app.ask("Hello again");
    await expect(edit).toBeHidden();
    await more.tap();
    await expect(more).toHaveAttribute("aria-expanded", "true");
    await expect(edit).toBeVisible();
    await expect(app.questions.last().getByRole("button", { name: "Edit and resend" })).toBeVisible();
  });
});
