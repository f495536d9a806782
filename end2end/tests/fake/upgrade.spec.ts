// The store of conversations, when another page holds it, upgrades it, or has left it half made.

import type { Page } from "@playwright/test";
import { App } from "../../support/app.ts";
import { expect, test } from "../../support/watch.ts";

const NAME = "gemtab-simulated";
/** The version of an older page, and one of a page that is yet to come. */
const OLDER = 2;
const NEWER = 100_000;

/** A page of the same origin that isn't gemtab. */
const BESIDE = "/favicon.svg";

/** Opens the store at a version, makes no tables, and keeps it open, heedless of who waits for it. */
async function hold(page: Page, version: number): Promise<void> {
  await page.goto(BESIDE);
  await page.evaluate(
    ([name, version]) =>
      new Promise<void>((resolve, reject) => {
        const opening = indexedDB.open(name, version);
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          Object.assign(globalThis, { held: opening.result });
          resolve();
        };
      }),
    [NAME, version] as const,
  );
}

async function letGo(page: Page): Promise<void> {
  await page.evaluate(() => (globalThis as unknown as { held: IDBDatabase }).held.close());
}

/** The version of the store, and its tables. */
async function schema(page: Page): Promise<{ version: number; tables: string[] }> {
  return page.evaluate(
    (name) =>
      new Promise((resolve, reject) => {
        const opening = indexedDB.open(name);
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const { version, objectStoreNames } = opening.result;
          opening.result.close();
          resolve({ version, tables: [...objectStoreNames] });
        };
      }),
    NAME,
  );
}

const older = (page: Page) => page.getByText(/Another tab has an older version of this page open/);

test.describe("the store of conversations", () => {
  test("is upgraded once an older tab no longer blocks it, whatever became of the page that asked", async ({
    app,
    page,
    context,
  }) => {
    const beside = await context.newPage();
    await hold(beside, OLDER);
    await app.openChat();
    await expect(older(page).first()).toBeVisible();
    // The page works meanwhile.
    await app.ask("Not kept");
    await letGo(beside);
    // The upgrade takes place now, and nobody waits for it any more.
    await expect.poll(async () => (await schema(beside)).tables).toContain("conversations");
    await app.openChat();
    await app.ask("Kept");
    await app.kept("Kept");
    await app.reload();
    await expect(app.conversation("Kept")).toBeVisible();
    await expect(older(page)).toHaveCount(0);
  });

  test("is whole after upgrades that were blocked and cut at twenty moments", async ({ app, page, context }) => {
    await app.openChat();
    await app.ask("From before");
    await app.kept("From before");
    const beside = await context.newPage();
    for (let moment = 0; moment < 20; moment += 1) {
      // A version ahead for each, as if tables had to be added.
      await beside.goto(BESIDE);
      const { version } = await schema(beside);
      await beside.evaluate(
        ([name, version, moment]) => {
          const opening = indexedDB.open(name, version + 1);
          opening.onupgradeneeded = () => {
            const upgrade = opening.transaction;
            if (opening.result.objectStoreNames.contains("settings")) opening.result.deleteObjectStore("settings");
            // Cut: before anything is written, or after so many writes.
            for (let write = 0; write < moment; write += 1) {
              upgrade?.objectStore("drafts").put("{}", `cut-${write}`);
            }
            if (moment % 2 === 0) upgrade?.abort();
          };
        },
        [NAME, version, moment] as const,
      );
      // Goes in the middle of it.
      await beside.goto("about:blank");
    }
    await beside.close();
    await app.openChat();
    await app.conversation("From before").click();
    await expect(app.questions).toHaveText(/From before/);
    await app.ask("And after");
    await app.kept("And after");
    expect((await schema(page)).tables.sort()).toEqual([
      "attachments",
      "conversations",
      "drafts",
      "settings",
      "summaries",
    ]);
  });

  test("is given the tables that an upgrade has left out", async ({ app, page, context }) => {
    const beside = await context.newPage();
    // What a page left behind whose upgrade was blocked: the version without its tables.
    await hold(beside, 200);
    await letGo(beside);
    await app.openChat();
    await app.ask("Kept");
    await app.kept("Kept");
    await app.reload();
    await expect(app.conversation("Kept")).toBeVisible();
    expect(await schema(page)).toMatchObject({ version: 201 });
  });

  test("of a newer page is left alone, which is said", async ({ app, page, context }) => {
    const beside = await context.newPage();
    await hold(beside, NEWER);
    await app.openChat();
    await expect(page.getByText(/comes from a newer version of gemtab/).first()).toBeVisible();
    await app.ask("Not kept");
    expect(await schema(beside)).toEqual({ version: NEWER, tables: [] });
  });

  test("goes on after a newer tab took it and gave it back", async ({ app, page, context }) => {
    await app.openChat();
    await app.ask("Before");
    await app.kept("Before");
    const beside = await context.newPage();
    // The page closes its connection, so that this one isn't blocked.
    await hold(beside, (await schema(page)).version + 1);
    await letGo(beside);
    await app.ask("After");
    await app.kept("After");
    const other = new App(await context.newPage());
    await other.openChat();
    await other.conversation("Before").click();
    await expect(other.questions).toHaveText([/Before/, /After/]);
  });
});
