// Model files that were opened on an earlier visit, where the browser has handles of files.

import { writeFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { App } from "../../support/app.ts";
import { faults } from "../../support/axe.ts";
import { Disk } from "../../support/picked.ts";
import { expect, test } from "../../support/watch.ts";

const before = (page: Page) => page.getByRole("region", { name: "Recently opened" });
const row = (page: Page, name: string) => before(page).getByRole("listitem").filter({ hasText: name });
const openFile = (page: Page) => page.getByRole("button", { name: "Open a file…" });
const loaded = (page: Page, name: string) => page.getByRole("button", { name: `Model: ${name} (Loaded).` });

/** Opens what is on the disk, and comes back on another visit. */
async function openAndReturn(app: App): Promise<void> {
  await openFile(app.page).click();
  await expect(loaded(app.page, "mine.gguf")).toBeVisible();
  await expect.poll(() => remembered(app.page)).toBe(1);
  await app.page.reload();
  await expect(row(app.page, "mine.gguf")).toBeVisible();
}

/** How many models the browser remembers. */
async function remembered(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const done = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const database = await done(indexedDB.open("gemtab-simulated-files"));
    const has = database.objectStoreNames.contains("models");
    const count = has ? await done(database.transaction("models").objectStore("models").count()) : 0;
    database.close();
    return count;
  });
}

test.describe("a file that was opened before", () => {
  test.skip(({ browserName }) => browserName !== "chromium", "Chromium alone has handles of files");

  let disk: Disk;

  test.beforeEach(async ({ app, page }) => {
    disk = new Disk(page);
    await disk.prepare();
    await app.openChat();
    await disk.write("mine.gguf", "GGUF");
  });

  test("is opened again with one press, with its projector", async ({ app, page }) => {
    await disk.write("mmproj-mine.gguf", "GGUF and more");
    await openAndReturn(app);
    await expect(row(page, "mine.gguf")).toContainText("2 files · 17 B");
    expect(await disk.asked()).toBe(0);
    expect(await faults(page)).toEqual([]);
    await before(page).getByRole("button", { name: "Open mine.gguf" }).click();
    await expect(loaded(page, "mine.gguf")).toBeVisible();
    expect(await disk.asked()).toBe(2);
    // Now it is among the models.
    await app.model.click();
    const picker = page.getByRole("dialog", { name: "Choose a model" });
    await expect(picker.getByRole("button", { name: /^mine\.gguf/ })).toBeVisible();
    await expect(before(page)).toHaveCount(0);
  });

  test("is removed from the list while another model is loaded, and isn’t offered again", async ({ app, page }) => {
    await openFile(page).click();
    await expect(loaded(page, "mine.gguf")).toBeVisible();
    await expect.poll(() => remembered(page)).toBe(1);
    const card = page.getByRole("listitem").filter({ has: page.getByRole("button", { name: /^mine\.gguf/ }) });
    const remove = card.getByRole("button", { name: "Remove from this list: mine.gguf" });
    await page.getByRole("link", { name: "Models" }).click();
    await expect(card).toBeVisible();
    // It is in use.
    await expect(remove).toHaveCount(0);
    await page.getByRole("button", { name: /^pebble/ }).click();
    await expect(loaded(page, "pebble")).toBeVisible();
    await page.getByRole("link", { name: "Models" }).click();
    await remove.click();
    await expect(card).toHaveCount(0);
    await expect(page.getByText("mine.gguf is no longer in the list. The file stays where it is.")).toBeAttached();
    await expect.poll(() => remembered(page)).toBe(0);
    await app.reload();
    await expect(page.getByRole("button", { name: /^pebble/ }).first()).toBeVisible();
    await expect(row(page, "mine.gguf")).toHaveCount(0);
  });

  test("is remembered if it was dropped, and offered on the models page and in the dialog", async ({ app, page }) => {
    await disk.drop("mine.gguf");
    await expect(loaded(page, "mine.gguf")).toBeVisible();
    await expect.poll(() => remembered(page)).toBe(1);
    await app.open("instant", "/models");
    await expect(row(page, "mine.gguf")).toBeVisible();
    await app.open("instant");
    await page.getByRole("button", { name: /^pebble/ }).click();
    await app.model.click();
    const picker = page.getByRole("dialog", { name: "Choose a model" });
    await picker.getByRole("button", { name: "Open mine.gguf" }).click();
    await expect(picker).toBeHidden();
    await expect(loaded(page, "mine.gguf")).toBeVisible();
  });

  test("needs the person’s permission, and says that it has changed or is gone", async ({ app, page }) => {
    await test.step("needs the person's permission", async () => {
      await openAndReturn(app);
      await disk.answer("denied");
      await before(page).getByRole("button", { name: "Open mine.gguf" }).click();
      await expect(row(page, "mine.gguf")).toContainText("The browser needs your permission to read mine.gguf.");
      await disk.answer("granted");
      await before(page).getByRole("button", { name: "Open mine.gguf" }).click();
      await expect(loaded(page, "mine.gguf")).toBeVisible();
    });
    await test.step("says that it has changed, and is remembered as it is now", async () => {
      await app.reload();
      await expect(row(page, "mine.gguf")).toBeVisible();
      await disk.write("mine.gguf", "GGUF, but longer");
      await before(page).getByRole("button", { name: "Open mine.gguf" }).click();
      await expect(row(page, "mine.gguf")).toContainText("mine.gguf has changed since you last opened it.");
      await row(page, "mine.gguf").getByRole("button", { name: "Open anyway: mine.gguf" }).click();
      await expect(loaded(page, "mine.gguf")).toBeVisible();
      await app.reload();
      await expect(row(page, "mine.gguf")).toHaveCount(1);
      await expect(row(page, "mine.gguf")).toContainText("16 B");
      await expect.poll(() => remembered(page)).toBe(1);
    });
    await test.step("says that it is gone, and can be removed from the list", async () => {
      await disk.remove("mine.gguf");
      await before(page).getByRole("button", { name: "Open mine.gguf" }).click();
      await expect(row(page, "mine.gguf")).toContainText("mine.gguf can’t be found. It was moved, renamed or deleted.");
      expect(await faults(page)).toEqual([]);
      await row(page, "mine.gguf").getByRole("button", { name: "Remove from this list: mine.gguf" }).click();
      await expect(before(page)).toHaveCount(0);
      await expect.poll(() => remembered(page)).toBe(0);
    });
  });

  test("is in the list of another tab, and out of it when it is removed", async ({ app, context, page }) => {
    const other = new App(await context.newPage());
    await other.openChat();
    await expect(before(other.page)).toHaveCount(0);
    await openFile(page).click();
    await expect(loaded(page, "mine.gguf")).toBeVisible();
    // The other tab has no dialog, and so it remembers nothing.
    await expect.poll(() => remembered(page)).toBe(1);
    await expect(before(other.page)).toHaveCount(0);
    const third = await context.newPage();
    await new Disk(third).prepare();
    await new App(third).openChat();
    await expect(row(third, "mine.gguf")).toBeVisible();
    await app.reload();
    await row(page, "mine.gguf").getByRole("button", { name: "Remove from this list: mine.gguf" }).click();
    await expect(before(third)).toHaveCount(0);
    await openFile(page).click();
    await expect(row(third, "mine.gguf")).toBeVisible();
  });
});

test("a browser without handles of files remembers none", async ({ app, page }, info) => {
  await app.openChat();
  const file = info.outputPath("mine.gguf");
  writeFileSync(file, "GGUF");
  const chooser = page.waitForEvent("filechooser");
  await openFile(page).click();
  await (await chooser).setFiles(file);
  await expect(loaded(page, "mine.gguf")).toBeVisible();
  await app.reload();
  await app.ready();
  await expect(openFile(page)).toBeVisible();
  await expect(before(page)).toHaveCount(0);
  const databases = await page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name));
  expect(databases).not.toContain("gemtab-simulated-files");
});
