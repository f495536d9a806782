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

const ID = "0123456789abcdef0123456789abcdef";
const OLD = {
  id: ID,
  title: "Old",
  created: 1,
  updated: 2,
  nodes: { 0: { parent: null, message: { role: "user", text: "Hi", created: 1 } } },
  roots: [0],
  active_root: 0,
};
/** Stores of older pages: what they are, their versions and how they kept a conversation. */
const OLD_RECORDS: [string, number, string][] = [
  ["that of the first page", 100, JSON.stringify({ ...OLD, next: 1 })],
  ["that of the second version", 200, JSON.stringify({ version: 2, revision: 5, conversation: OLD })],
  ["that of the second version, which was repaired", 203, JSON.stringify({ version: 2, revision: 5, conversation: OLD })],
  ["that of the third version, with a folder", 300, JSON.stringify({ version: 3, revision: 5, conversation: OLD })],
];

/** Makes a store as an older page did, with one conversation. */
async function makeOld(page: Page, version: number, record: string): Promise<void> {
  await page.goto(BESIDE);
  await page.evaluate(
    ([name, version, id, record]) =>
      new Promise<void>((resolve, reject) => {
        const opening = indexedDB.open(name, version);
        opening.onerror = () => reject(opening.error);
        opening.onupgradeneeded = () => {
          for (const table of ["conversations", "summaries", "attachments", "drafts", "settings"]) {
            opening.result.createObjectStore(table);
          }
          const upgrade = opening.transaction;
          if (version >= 300) {
            const folder = JSON.stringify({ id, name: "Work", created: 1 });
            opening.result.createObjectStore("named").put(folder, `folder-${id}`);
          }
          upgrade?.objectStore("conversations").put(record, id);
          const summary = { id, title: "Old", updated: 2, snippet: "Hi" };
          upgrade?.objectStore("summaries").put(JSON.stringify(summary), id);
        };
        opening.onsuccess = () => {
          opening.result.close();
          resolve();
        };
      }),
    [NAME, version, ID, record] as const,
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
    // Nor does that page block the next upgrade.
    await hold(beside, (await schema(beside)).version + 1);
    await letGo(beside);
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
      "named",
      "settings",
      "summaries",
    ]);
  });

  test("is given the tables that an upgrade has left out", async ({ app, page, context }) => {
    const beside = await context.newPage();
    // What a page left behind whose upgrade was blocked: the version without its tables.
    await hold(beside, 400);
    await letGo(beside);
    await app.openChat();
    await app.ask("Kept");
    await app.kept("Kept");
    await app.reload();
    await expect(app.conversation("Kept")).toBeVisible();
    expect(await schema(page)).toMatchObject({ version: 401 });
  });

  for (const [name, version, record] of OLD_RECORDS) {
    test(`${name} is upgraded with all that is in it`, async ({ app, page, context }) => {
      const beside = await context.newPage();
      await makeOld(beside, version, record);
      await app.openChat();
      await app.conversation("Old").click();
      await expect(app.questions).toHaveText(/Hi/);
      await app.act("Old", "Pin");
      await app.ask("Still there?");
      await app.kept('"pinned":true');
      await app.reload();
      await expect(app.questions).toHaveText([/Hi/, /Still there/]);
      expect(await schema(page)).toMatchObject({ version: 400 });
      expect((await schema(page)).tables).toContain("named");
      await expect(page.getByRole("button", { name: /^Work/ })).toHaveCount(version >= 300 ? 1 : 0);
    });
  }

  test("of a newer page keeps what it doesn't know", async ({ app, page, context }) => {
    const beside = await context.newPage();
    const newer = '{"version":99,"revision":7,"conversation":{"what":"nobody knows"}}';
    await makeOld(beside, 500, newer);
    await app.openChat();
    await expect(page.getByText(/comes from a newer version of gemtab/).first()).toBeVisible();
    await expect(app.conversation("Old")).toHaveCount(0);
    await app.ask("Not kept");
    expect(await schema(beside)).toMatchObject({ version: 500 });
    expect(await app.inStore(newer)).toBe(true);
    expect(await app.inStore("Not kept")).toBe(false);
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
