import { randomBytes } from "node:crypto";
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { App } from "../../support/app.ts";
import { archive } from "../../support/archive.ts";
import { CORE } from "../../support/firefox.ts";
import { expect, test } from "../../support/watch.ts";

/** Imports a text as a file of conversations. */
async function importText(page: Page, text: string): Promise<void> {
  await page.getByRole("button", { name: "Organize conversations" }).click();
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("menuitem", { name: "Import…" }).click();
  const file = { name: "conversations.json", mimeType: "application/json", buffer: Buffer.from(text) };
  await (await chooser).setFiles(file);
}

/** Withholds what is read of the browser's store until the function that this returns was called. */
async function holdStore(page: Page): Promise<() => Promise<void>> {
  await page.evaluate(() => {
    const told = Object.getOwnPropertyDescriptor(IDBRequest.prototype, "onsuccess");
    const gate = new Promise<void>((freeStore) => Object.assign(globalThis, { freeStore }));
    Object.defineProperty(IDBRequest.prototype, "onsuccess", {
      ...told,
      set(handler: (event: Event) => void) {
        told?.set?.call(this, (event: Event) => void gate.then(() => handler.call(this, event)));
      },
    });
  });
  return () => page.evaluate(() => (globalThis as unknown as { freeStore(): void }).freeStore());
}

test.describe("the history", () => {
  test("keeps a conversation and its draft through a reload", { tag: CORE }, async ({ app, page }) => {
    await app.openChat();
    await app.ask("Show me a table");
    await app.ask("And a list");
    await expect(page).toHaveURL(/\/c\/\w+/);
    await expect(page).toHaveTitle("Show me a table · gemtab");
    await app.composer.fill("Half a thought");
    await app.kept("Half a thought");
    await app.reload();
    await expect(app.questions).toHaveText([/Show me a table/, /And a list/]);
    await expect(app.answers.first().getByRole("cell", { name: "0.72" })).toBeVisible();
    await expect(app.composer).toHaveValue("Half a thought");
  });

  test("keeps conversations apart, renames, deletes and takes it back", async ({ app, page }) => {
    await test.step("keeps conversations apart", async () => {
      await app.openChat();
      await app.ask("First matter");
      await app.rail.getByRole("button", { name: "New", exact: true }).click();
      await expect(app.questions).toHaveCount(0);
      await expect(app.composer).toBeFocused();
      await app.ask("Second matter");
      await expect(app.conversation("Second matter")).toHaveAttribute("aria-current", "page");
      await app.conversation("First matter").click();
      await expect(app.questions).toHaveText(/First matter/);
      await page.goBack();
      await expect(app.questions).toHaveText(/Second matter/);
    });
    await test.step("renames", async () => {
      await app.startConversation();
      await app.ask("Hello");
      await app.act("Hello", "Rename");
      const field = app.rail.getByRole("textbox", { name: "New title" });
      await expect(field).toBeFocused();
      await field.fill("A greeting");
      await field.press("Enter");
      await expect(app.conversation("A greeting")).toBeVisible();
      await expect(page).toHaveTitle("A greeting · gemtab");
      await app.kept("A greeting");
      await app.reload();
      await expect(app.conversation("A greeting")).toBeVisible();
      await app.act("A greeting", "Rename");
      await field.fill("Something else");
      await field.press("Escape");
      await expect(app.conversation("A greeting")).toBeVisible();
    });
    await test.step("deletes, and takes it back", async () => {
      await app.startConversation();
      await app.ask("Hello");
      await app.act("Hello", "Delete");
      await expect(app.conversation("Hello")).toBeHidden();
      await expect(app.questions).toHaveCount(0);
      await expect(page).toHaveURL(/\/\?fake/);
      await page.getByRole("button", { name: "Undo" }).click();
      await app.conversation("Hello").click();
      await expect(app.questions).toHaveText(/Hello/);
      await app.act("Hello", "Delete");
      await expect(app.conversation("Hello")).toBeHidden();
      await app.reload();
      await app.ready();
      await expect(app.conversation("First matter")).toBeVisible();
      await expect(app.conversation("Hello")).toHaveCount(0);
    });
  });

  test("goes on answering in a conversation that is left, and its line stays as one uses it", async ({ app, page }) => {
    await test.step("goes on answering in a conversation that is left", async () => {
      await app.openChat("usual,demo");
      await app.send("First matter");
      await expect(app.answers.first()).toContainText("Gladly.");
      await app.rail.getByRole("button", { name: "New", exact: true }).click();
      await expect(app.questions).toHaveCount(0);
      await app.conversation("First matter").click();
      await expect(app.answers.first()).toContainText("The circle is about twice as wide.");
    });
    await test.step("a line of the list stays while its conversation is answered", async () => {
      await app.startConversation();
      await app.pace(26);
      await app.send("Second matter");
      await expect(app.answers.first()).toContainText("There is");
      await app.act("Second matter", "Rename");
      const field = app.rail.getByRole("textbox", { name: "New title" });
      await field.fill("Half a ti");
      // The end is kept, which changes what the list knows of it.
      await app.answered();
      await app.kept("There is more than one way");
      await expect(field).toHaveValue("Half a ti");
      await expect(field).toBeFocused();
      await field.press("Escape");
      await expect(app.conversation("Second matter")).toBeFocused();
    });
    await test.step("a click that is half made when an answer ends still goes there", async () => {
      await app.startConversation();
      await app.send("A long answer");
      await expect(app.answers.first()).toContainText("Once more");
      await app.rail.getByRole("button", { name: "New", exact: true }).click();
      await expect(app.questions).toHaveCount(0);
      const line = app.conversation("A long answer");
      await line.hover();
      await expect(line.getByLabel("answering")).toBeVisible();
      await page.mouse.down();
      await app.pace(0);
      await expect(line.getByLabel("answering")).toHaveCount(0);
      await app.kept("Part 12");
      await page.mouse.up();
      await expect(app.answers.first()).toContainText("Part 12");
    });
  });

  test("a conversation that comes too late is not shown", async ({ app, page }) => {
    await app.openChat();
    await app.ask("First matter");
    await app.kept("First matter");
    await app.open("instant");
    const line = app.conversation("First matter");
    await expect(line).toBeVisible();
    const release = await holdStore(page);
    await line.click();
    await expect(line).toHaveAttribute("aria-current", "page");
    await app.rail.getByRole("button", { name: "New", exact: true }).click();
    await expect(line).not.toHaveAttribute("aria-current", "page");
    await release();
    // It would come before what is kept from then on, and be in the way of it.
    await app.ask("Second matter");
    await expect(app.conversation("Second matter")).toHaveAttribute("aria-current", "page");
    await expect(app.questions).toHaveText([/Second matter/]);
  });

  test("offers a file for as long as a browser may need to begin with it", async ({ app, page }) => {
    await page.clock.install();
    await page.addInitScript(() => {
      const revoked: string[] = [];
      const revoke = URL.revokeObjectURL.bind(URL);
      URL.revokeObjectURL = (url) => (revoked.push(url), revoke(url));
      Object.assign(globalThis, { revoked });
    });
    const revoked = () => page.evaluate(() => (globalThis as unknown as { revoked: string[] }).revoked);
    await app.openChat();
    await app.ask("Hello");
    const download = page.waitForEvent("download");
    await app.act("Hello", "Export as Markdown");
    expect((await download).suggestedFilename()).toMatch(/^hello-\d{4}-\d\d-\d\d\.md$/);
    const url = (await download).url();
    await (await download).path();
    expect(await revoked()).not.toContain(url);
    await page.clock.fastForward(40_000);
    await expect.poll(revoked).toContain(url);
  });

  test("is searched by title and by content", { tag: CORE }, async ({ app }) => {
    await app.openChat();
    await app.ask("Which table?");
    await app.rail.getByRole("button", { name: "New", exact: true }).click();
    await app.ask("Hello");
    const search = app.rail.getByRole("searchbox", { name: "Search conversations" });
    await search.fill("mercury");
    await expect(app.conversation(/Which table\?/)).toBeVisible();
    await expect(app.conversation(/Which table\?/)).toContainText("Mercury");
    await expect(app.conversation("Hello")).toBeHidden();
    await search.fill("PLANETS nearest méRcury");
    await expect(app.conversation(/Which table\?/)).toBeVisible();
    await expect(app.conversation(/Which table\?/).locator("mark").first()).toHaveText("planets");
    await search.fill("TABLE");
    await expect(app.conversation(/Which table\?/).locator("mark").first()).toHaveText("table");
    await search.fill("nowhere to be found");
    await expect(app.rail).toContainText("No matches");
    await search.fill("");
    await expect(app.conversation("Hello")).toBeVisible();
    await expect(app.conversation("Which table?")).toBeVisible();
  });

  test("is exported and imported without loss, and what is wrong is refused with why", async ({ app, page }) => {
    await test.step("is exported and imported without loss", async () => {
      await app.openChat();
      await app.ask("Hello");
      await app.answers.last().getByRole("button", { name: "Regenerate" }).click();
      await expect(app.answers.last()).toContainText("There is more than one way");
      await app.answered();
      await page.getByRole("button", { name: "Organize conversations" }).click();
      const download = page.waitForEvent("download");
      await page.getByRole("menuitem", { name: "Export all" }).click();
      const file = await download;
      expect(file.suggestedFilename()).toBe("gemtab-conversations.json");
      const text = readFileSync(await file.path(), "utf8");
      expect(JSON.parse(text)).toMatchObject({ format: "gemtab-history", conversations: [{ title: "Hello" }] });
      expect(JSON.parse(text).conversations[0].created).toBeGreaterThan(1_600_000_000_000);

      await importText(page, text);
      await expect(page.getByText("This conversation is already here. Nothing was imported.").first()).toBeVisible();
      await expect(app.conversation("Hello")).toHaveCount(1);
      await app.act("Hello", "Delete");
      await expect(app.conversation("Hello")).toBeHidden();
      await importText(page, text);
      await expect(page.getByText("1 conversation imported.").first()).toBeVisible();
      await app.conversation("Hello").click();
      await expect(app.answers.last()).toContainText("2/2");
      await app.answers.last().getByRole("button", { name: "Previous version" }).click();
      await expect(app.answers.last()).toContainText("Gladly.");
    });
    await test.step("refuses to import what is wrong, says why, and loses nothing", async () => {
      for (const [fault, text, reason] of [
        ["a cut file", "{ \"format\": ", /^Nothing was imported\. The file is incomplete: it ends at line 1\.$/],
        ["broken JSON", "{ \"format\": oops }", /^Nothing was imported\. The file isn’t valid JSON: there’s a mistake on line 1, column \d+\.$/],
        ["another format", '{"format":"other"}', /^Nothing was imported\. The file isn’t an export from gemtab, ChatGPT/],
        ["a newer version", '{"format":"gemtab-history","version":999}', /comes from a newer version of gemtab/],
      ] as const) {
        await test.step(fault, async () => {
          await importText(page, text);
          await expect(page.getByText(reason).first()).toBeVisible();
          await expect(app.conversation("Hello")).toBeVisible();
          await expect(app.questions).toHaveText(/Hello/);
        });
      }
    });
  });

  test("a file too large to be imported is refused before it is read, and nothing is lost", async ({ app, page }, info) => {
    const path = info.outputPath("large.json");
    writeFileSync(path, "");
    // A file with a hole takes no room.
    truncateSync(path, 513 * 2 ** 20);
    await app.openChat();
    await app.ask("Hello");
    await page.getByRole("button", { name: "Organize conversations" }).click();
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("menuitem", { name: "Import…" }).click();
    await (await chooser).setFiles(path);
    await expect(page.getByText("This file is 538 MB, but imports are limited to 537 MB.").first()).toBeVisible();
    await expect(app.questions).toHaveText(/Hello/);
    await expect(app.conversation("Hello")).toBeVisible();
  });

  test("a large export is never one text, and comes back whole", async ({ app, page }) => {
    // Each is more than a part of the file has.
    const attachments = Object.fromEntries(
      ["a", "b", "c"].map((digit) => [digit.repeat(32), randomBytes(3_300_000).toString("base64")]),
    );
    const attached = Object.keys(attachments).map((key) => ({ key, kind: "image", name: "图.png", mime: "image/png", size: 3_300_000 }));
    const file = JSON.parse(archive("Große Bilder", [["user", "Look 👀"], ["assistant", "好"]]));
    file.conversations[0].nodes[1].message.attachments = attached;
    await page.addInitScript(() => {
      const Real = Blob;
      const longest = { text: 0 };
      globalThis.Blob = class extends Real {
        constructor(parts?: BlobPart[], options?: BlobPropertyBag) {
          super(parts, options);
          for (const part of parts ?? []) longest.text = Math.max(longest.text, typeof part === "string" ? part.length : 0);
        }
      };
      Object.assign(globalThis, { longest });
    });
    await app.openChat();
    await importText(page, JSON.stringify({ ...file, attachments }));
    await expect(app.conversation("Große Bilder")).toBeVisible();
    await page.getByRole("button", { name: "Organize conversations" }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: "Export all" }).click();
    const text = readFileSync(await (await download).path(), "utf8");
    const again = JSON.parse(text);
    expect(again.conversations[0]).toMatchObject({ title: "Große Bilder", nodes: { 1: { message: { text: "Look 👀" } } } });
    expect(Object.keys(again.attachments)).toEqual(Object.keys(attachments));
    for (const [key, bytes] of Object.entries(attachments)) {
      expect(again.attachments[key] === bytes, key).toBe(true);
    }
    const longest = await page.evaluate(() => (globalThis as unknown as { longest: { text: number } }).longest.text);
    expect(longest).toBeLessThan(text.length / 2);
  });

  test("is the same in a second tab", async ({ app, context }) => {
    await app.openChat();
    await app.ask("Hello");
    const other = new App(await context.newPage());
    await other.openChat();
    await other.conversation("Hello").click();
    await expect(other.questions).toHaveText(/Hello/);
    await app.ask("And then?");
    await expect(other.questions).toHaveText([/Hello/, /And then\?/]);
    await expect(other.answers.last()).toContainText("There is more than one way");
    await app.act("Hello", "Rename");
    await app.rail.getByRole("textbox", { name: "New title" }).fill("A greeting");
    await app.rail.getByRole("textbox", { name: "New title" }).press("Enter");
    await expect(other.conversation("A greeting")).toBeVisible();
  });
});
