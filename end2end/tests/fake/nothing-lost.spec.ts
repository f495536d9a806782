// What a person has said stays, whatever they do next and whatever the browser's storage does.

import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { App } from "../../support/app.ts";
import { png } from "../../support/media.ts";
import { expect, test } from "../../support/watch.ts";

/** Has the browser's storage refuse whatever is written from now on, as if it were full; or take it again. */
async function fillStorage(page: Page, full: boolean): Promise<void> {
  await page.evaluate((full) => {
    const store = IDBObjectStore.prototype as IDBObjectStore & { real?: IDBObjectStore["put"] };
    store.real ??= store.put;
    const refuse = () => {
      throw new DOMException("The quota has been exceeded.", "QuotaExceededError");
    };
    store.put = full ? refuse : store.real;
  }, full);
}

/** Has the page tell how safely each of its transactions writes, by table. */
async function watchDurability(page: Page): Promise<() => Promise<Record<string, string[]>>> {
  await page.addInitScript(() => {
    const written: Record<string, string[]> = {};
    const database = IDBDatabase.prototype;
    const real = database.transaction;
    database.transaction = function (...asked) {
      const transaction = real.apply(this, asked);
      if (transaction.mode === "readwrite") {
        for (const table of transaction.objectStoreNames) {
          const seen = (written[table] ??= []);
          if (!seen.includes(transaction.durability)) seen.push(transaction.durability);
        }
      }
      return transaction;
    };
    Object.assign(globalThis, { written });
  });
  return () => page.evaluate(() => (globalThis as unknown as { written: Record<string, string[]> }).written);
}

/** Overwrites every conversation, and what the list knows of it, with a text. */
async function tear(page: Page, text: string): Promise<void> {
  await page.evaluate(async (text) => {
    const done = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    for (const { name } of await indexedDB.databases()) {
      const database = await done(indexedDB.open(name ?? ""));
      const tables = ["conversations", "summaries"].filter((table) => database.objectStoreNames.contains(table));
      for (const table of tables) {
        const store = database.transaction(table, "readwrite").objectStore(table);
        for (const key of await done(store.getAllKeys())) {
          await done(store.put(text, key));
        }
      }
      database.close();
    }
  }, text);
}

test.describe("nothing is lost", () => {
  test("a message that waits is answered where it was sent", async ({ app }) => {
    await app.openChat();
    await app.ask("Another matter");
    await app.kept("Another matter");
    await app.open("usual");
    await app.send("First matter");
    await expect(app.page.getByText(/Your message will be sent when/)).toBeVisible();
    await app.conversation("Another matter").click();
    await expect(app.questions).toHaveText(/Another matter/);
    await expect(app.conversation("First matter").getByLabel("answering")).toBeVisible();
    await expect(app.answers).toHaveCount(1);
    await app.conversation("First matter").click();
    await expect(app.questions).toHaveText(/First matter/);
    await app.pace(0);
    await expect(app.answers.first()).toContainText("A red circle");
  });

  test("a message whose turn was cancelled can be sent after all", async ({ app, page }) => {
    await app.openChat("usual,demo");
    await app.send("Hello");
    await page.getByRole("button", { name: "Don’t send" }).click();
    await expect(app.questions.last()).toContainText("No answer yet.");
    await app.reload();
    await app.questions.last().getByRole("button", { name: "Try again" }).click();
    await expect(app.answers.first()).toContainText("A red circle");
    await expect(app.questions.last()).not.toContainText("No answer yet.");
  });

  test("a conversation deleted while it is answered stays deleted, and Undo brings it back", async ({ app, page }) => {
    await app.openChat("usual,demo");
    await app.send("A long answer");
    await expect(app.answers.first()).toContainText("Part 2");
    await app.act("A long answer", "Delete");
    await expect(app.conversation("A long answer")).toBeHidden();
    await page.getByRole("button", { name: "Undo" }).click();
    await app.conversation("A long answer").click();
    await expect(app.answers.first()).toContainText("Part 2");
    await expect(app.answers.first()).toContainText("Stopped.");
    await app.answers.first().getByRole("button", { name: "Regenerate" }).click();
    await expect(app.answers.first()).toContainText("Part 1");
    await app.act("A long answer", "Delete");
    await expect(app.questions).toHaveCount(0);
    await expect(app.stopButton).toBeHidden();
    // Its end would have brought it back.
    await app.ask("Another matter");
    await expect(app.conversation("A long answer")).toBeHidden();
    await app.kept("Another matter");
    await app.reload();
    await expect(app.conversation("Another matter")).toBeVisible();
    await expect(app.conversation("A long answer")).toBeHidden();
  });

  test("a new title stays while the conversation is answered in the background", async ({ app, page }) => {
    await app.openChat("usual,demo");
    await app.send("Show me everything");
    await expect(app.answers.first()).toContainText("Gladly.");
    await app.rail.getByRole("button", { name: "New", exact: true }).click();
    await app.act("Show me everything", "Rename");
    await app.rail.getByRole("textbox", { name: "New title" }).fill("Planets");
    await app.rail.getByRole("textbox", { name: "New title" }).press("Enter");
    await expect(app.conversation("Planets").getByLabel("answering")).toBeVisible();
    await expect(app.conversation("Planets").getByLabel("answering")).toHaveCount(0);
    await app.kept("eight times as long.");
    await app.reload();
    await expect(app.conversation("Planets")).toBeVisible();
  });

  test("Undo of a deleted message keeps what was said since", async ({ app, page }) => {
    await app.openChat();
    await app.ask("Hello");
    await app.ask("Second");
    await app.questions.last().getByRole("button", { name: "Delete from here on" }).click();
    await expect(app.questions).toHaveCount(1);
    await app.ask("Third");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(app.questions).toHaveText([/Hello/, /Second/]);
    await expect(app.answers).toHaveCount(2);
    await app.questions.last().getByRole("button", { name: "Next version" }).click();
    await expect(app.questions).toHaveText([/Hello/, /Third/]);
  });

  test("what the storage does not take stays, can be exported, and is saved once there is room", async ({ app, page }) => {
    await app.openChat("instant,unkept");
    await app.ask("Hello");
    await app.kept("Gladly.");
    await expect(app.failure).toContainText("The model couldn’t be saved");
    await fillStorage(page, true);
    await app.ask("And then?");
    const notice = page.getByRole("alert").filter({ hasText: "couldn’t be saved" });
    await expect(notice).toContainText("This browser’s storage is full. Delete old conversations. “Hello” couldn’t be saved.");
    // That there is no room is said once.
    await expect(app.failure).toHaveCount(0);
    // Other tabs keep what only this one names.
    const held = () =>
      page.evaluate(async () => (await navigator.locks.query()).held?.some(({ name }) => name === "gemtab-unsaved"));
    await expect.poll(held).toBe(true);
    await app.rail.getByRole("button", { name: "New", exact: true }).click();
    await expect(app.questions).toHaveCount(0);
    await app.conversation("Hello").click();
    await expect(app.questions).toHaveText([/Hello/, /And then\?/]);
    const download = page.waitForEvent("download");
    await notice.getByRole("button", { name: "Export" }).click();
    expect(readFileSync(await (await download).path(), "utf8")).toContain("And then?");
    await fillStorage(page, false);
    await expect(notice).toBeHidden();
    await expect.poll(held).toBe(false);
    await app.reload();
    await expect(app.questions).toHaveText([/Hello/, /And then\?/]);
  });

  test("what only an unsaved conversation names is kept by other tabs", async ({ app, page, context }) => {
    await app.openChat();
    await app.ask("Hello");
    await app.kept("Gladly.");
    await app.attach(png());
    await expect(app.tray).toContainText("red.png");
    await fillStorage(page, true);
    await app.ask("What is this?");
    await expect(page.getByRole("alert").filter({ hasText: "couldn’t be saved" })).toBeVisible();
    // A page looks for what nothing names when it opens, and deletes what nothing named a while before.
    for (const minutes of [0, 30]) {
      const other = await context.newPage();
      await other.addInitScript((later) => {
        const now = Date.now.bind(Date);
        Date.now = () => now() + later;
      }, minutes * 60_000);
      const opened = new App(other);
      await opened.open();
      await expect(opened.conversation("Hello")).toBeVisible();
      await opened.written();
      await other.close();
    }
    await fillStorage(page, false);
    await app.kept("What is this?");
    await app.reload();
    const picture = app.questions.last().getByRole("button", { name: "Show red.png" }).locator("img");
    await expect.poll(() => picture.evaluate((it: HTMLImageElement) => it.naturalWidth)).toBeGreaterThan(0);
  });

  test("what was said and attached is on disk when it is saved, drafts and settings soon after", async ({ app, page, browserName }) => {
    test.skip(browserName !== "chromium", "other browsers do not tell how safely they write");
    const written = await watchDurability(page);
    await app.openChat();
    await app.attach(png());
    await app.ask("Hello");
    await app.composer.fill("Half a thought");
    await app.kept("Gladly.");
    await app.kept("Half a thought");
    await app.rail.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("radio", { name: "Dark" }).check();
    await app.kept("ark");
    await expect.poll(written).toEqual({
      conversations: ["strict"],
      summaries: ["strict"],
      attachments: ["strict"],
      drafts: ["relaxed"],
      settings: ["relaxed"],
    });
  });

  test("a conversation that can't be read is listed, and its data can be saved", async ({ app, page }) => {
    await app.openChat();
    await app.ask("Hello");
    await app.kept("Gladly.");
    await tear(page, '{"version":2,"torn');
    await app.reload();
    await expect(page.getByRole("heading", { name: "This conversation can’t be read" })).toBeVisible();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save raw data" }).click();
    expect(readFileSync(await (await download).path(), "utf8")).toBe('{"version":2,"torn');
    await page.getByRole("main").getByRole("button", { name: "Delete" }).click();
    await expect(app.conversation("Can’t be read")).toBeHidden();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(app.conversation("Can’t be read")).toBeVisible();
  });
});
