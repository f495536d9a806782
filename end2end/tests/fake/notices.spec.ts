// What the page says in passing, to the eye and to a screen reader.

import type { Page } from "@playwright/test";
import { App } from "../../support/app.ts";
import { expect, test } from "../../support/watch.ts";

/** Everything that the live regions say from now on. */
async function listen(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const heard: string[] = [];
    Object.assign(globalThis, { heard });
    const hear = (region: Element) =>
      new MutationObserver(() => heard.push(region.textContent ?? "")).observe(region, {
        childList: true,
        characterData: true,
        subtree: true,
      });
    document.querySelectorAll("[role=status][aria-live=polite]").forEach(hear);
  });
  return () => page.evaluate(() => (globalThis as unknown as { heard: string[] }).heard);
}

const undo = (app: App) => app.page.getByRole("button", { name: "Undo" });

async function deleteLast(app: App): Promise<void> {
  await app.answers.last().getByRole("button", { name: "Delete from here on" }).click();
}

test.describe("a notice", () => {
  test("does not cover Send, on a desk and on phones", async ({ app, page }) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await app.openChat();
    await app.ask("Hello");
    await deleteLast(app);
    await app.composer.fill("Words");
    for (const [width, height] of [[1280, 800], [390, 844], [320, 568]] as const) {
      await page.setViewportSize({ width, height });
      await expect(undo(app)).toBeVisible();
      const seen = () =>
        app.sendButton.evaluate((button) => {
          const { left, top, width, height } = button.getBoundingClientRect();
          return button.contains(document.elementFromPoint(left + width / 2, top + height / 2));
        });
      await expect.poll(seen).toBe(true);
      const [notice, form] = await Promise.all(
        [page.getByText(/deleted\.$/).last(), page.getByRole("form", { name: "Write a message" })].map((it) => it.boundingBox()),
      );
      expect((notice?.y ?? 0) + (notice?.height ?? 0), `${width} × ${height}`).toBeLessThanOrEqual(form?.y ?? 0);
    }
  });

  test("stands alone, and the one before comes back if it has Undo", async ({ app, page }) => {
    await app.openChat();
    await app.ask("First");
    await app.rail.getByRole("button", { name: "New", exact: true }).click();
    await app.ask("Second");
    const notices = page.getByRole("region", { name: "Notifications" });
    await app.act("First", "Delete");
    await expect(notices).toHaveText("Conversation deleted.Undo");
    await deleteLast(app);
    await expect(notices).toHaveText("Message deleted.Undo");
    await undo(app).click();
    await expect(app.answers).toHaveCount(1);
    await expect(notices).toHaveText("Conversation deleted.Undo");
    await undo(app).click();
    await expect(app.conversation("First")).toBeVisible();
    await expect(undo(app)).toHaveCount(0);
  });

  test("with Undo stays for 20 seconds, and as long as it has the focus", async ({ app, page }) => {
    await page.clock.install();
    // The clock's ids of timers are larger than those of browsers, and do not fit the 32 bits that wasm keeps of them.
    await page.addInitScript(() => {
      const { setTimeout, clearTimeout } = window;
      const ids = new Map<number, number>();
      window.setTimeout = ((act: TimerHandler, time?: number, ...given: unknown[]) => {
        const id = setTimeout(act, time, ...given);
        ids.set(id | 0, id);
        return id;
      }) as typeof window.setTimeout;
      window.clearTimeout = (id) => clearTimeout(ids.get(Number(id) | 0) ?? id);
    });
    await app.openChat();
    await app.ask("Hello");
    await deleteLast(app);
    await expect(undo(app)).toBeVisible();
    // From here on no time passes but what is given. The page's own clock goes on until it is paused, which takes a busy
    // machine some of these five seconds.
    await page.clock.pauseAt(await page.evaluate(() => Date.now() + 5_000));
    await page.clock.fastForward(13_000);
    await expect(undo(app)).toBeVisible();
    await undo(app).focus();
    await page.clock.fastForward(60_000);
    await expect(undo(app)).toBeVisible();
    await app.composer.focus();
    await page.clock.fastForward(18_000);
    await expect(undo(app)).toBeVisible();
    const place = await undo(app).boundingBox();
    await page.clock.fastForward(3_000);
    await expect(undo(app)).toHaveCount(0);
    // One without a button stays for six, also where the pointer happens to be.
    await page.mouse.move((place?.x ?? 0) + 1, (place?.y ?? 0) + 1);
    await page.getByRole("button", { name: "Actions for Hello" }).press("Enter");
    await page.getByRole("menuitem", { name: "Duplicate" }).press("Enter");
    const copied = page.getByRole("region", { name: "Notifications" });
    await expect(copied).toContainText("You’re now in the copy.");
    await page.clock.fastForward(5_000);
    await expect(copied).toContainText("You’re now in the copy.");
    await page.clock.fastForward(2_000);
    await expect(copied).toHaveCount(0);
  });

  test("can be pressed and is heard above a dialog", async ({ app, page }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await app.openChat();
    await app.ask("Hello");
    await page.getByRole("button", { name: "Conversations and pages" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "New", exact: true }).click();
    await app.ask("Another");
    await page.getByRole("button", { name: "Conversations and pages" }).click();
    const sheet = page.getByRole("dialog", { name: "Conversations and pages" });
    await expect(sheet).toBeVisible();
    await sheet.getByRole("button", { name: "Actions for Hello" }).click();
    await sheet.getByRole("menuitem", { name: "Delete" }).click();
    // Nothing is under the notice.
    await expect(sheet.getByRole("button", { name: "Undo" })).toBeVisible();
    await sheet.getByRole("link", { name: "Settings" }).click({ trial: true });
    await sheet.getByRole("button", { name: "Undo" }).click();
    await expect(sheet.getByRole("link", { name: "Hello" })).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(sheet).toBeHidden();

    await app.model.click();
    const picker = page.getByRole("dialog", { name: "Choose a model" });
    await expect(picker).toBeVisible();
    const chooser = page.waitForEvent("filechooser");
    await picker.getByRole("button", { name: "Open a file…" }).click();
    await (await chooser).setFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("x") });
    await expect(picker.getByRole("status")).not.toBeEmpty();
  });
});

test.describe("a screen reader hears", () => {
  test("that a model is ready, of a page, and what a search found", async ({ app, page }) => {
    await app.openChat();
    const heard = await listen(page);
    await app.model.click();
    await page.getByRole("dialog").getByRole("button", { name: /^pebble/ }).click();
    await expect.poll(heard).toContainEqual("pebble is ready.");
    await app.ask("Hello");
    await page.getByRole("searchbox").fill("nothing like it");
    await expect.poll(heard).toContainEqual("No conversations found.");
    await page.getByRole("searchbox").fill("");
    await app.rail.getByRole("link", { name: "Settings" }).click();
    await expect.poll(heard).toContainEqual("Settings");
  });

  test("that a load failed", async ({ app, page }) => {
    await app.openChat("instant,oom");
    const heard = await listen(page);
    await app.send("Hello");
    await expect(app.failure).toBeVisible();
    await expect.poll(async () => (await heard()).join("\n")).toMatch(/couldn’t be loaded\. \S/);
  });

  test("that the browser keeps nothing", async ({ app, page }) => {
    await page.addInitScript(() => {
      IDBFactory.prototype.open = () => {
        throw new DOMException("no", "SecurityError");
      };
    });
    await app.openChat();
    await expect(page.getByRole("status").filter({ hasText: "This browser isn’t saving anything" })).toHaveCount(1);
  });
});
