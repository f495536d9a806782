// Keeping conversations in order: pins, folders, the archive, selecting several, deleting everything.

import type { Locator, Page } from "@playwright/test";
import { App } from "../../support/app.ts";
import { importFile } from "../../support/archive.ts";
import { faults } from "../../support/axe.ts";
import { isPackaged } from "../../support/firefox.ts";
import { expect, test } from "../../support/watch.ts";

/** Conversations with these titles, the last one first in the list. */
async function ask(app: App, ...titles: string[]): Promise<void> {
  await app.openChat();
  for (const title of titles) {
    await app.startConversation();
    await app.ask(title);
  }
}

const section = (page: Page, name: string | RegExp) =>
  page.getByRole("navigation", { name: "Conversations" }).locator("section").filter({ has: page.getByRole("heading", { name }) });

const notices = (page: Page) => page.getByRole("region", { name: "Notifications" });

const lines = (page: Page, name: string | RegExp) => section(page, name).getByRole("link");

/** Chooses an action for the whole list. */
async function organize(page: Page, action: string): Promise<void> {
  await page.getByRole("button", { name: "Organize conversations" }).click();
  await page.getByRole("menuitem", { name: action }).click();
}

async function makeFolder(page: Page, name: string, instructions = ""): Promise<void> {
  await organize(page, "New folder…");
  const dialog = page.getByRole("dialog", { name: "New folder" });
  await dialog.getByRole("textbox", { name: "Name" }).fill(name);
  await dialog.getByRole("textbox", { name: "Instructions for this folder" }).fill(instructions);
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(section(page, name)).toBeVisible();
}

async function move(app: App, title: string, folder: string): Promise<void> {
  await app.act(title, "Move to folder…");
  await app.page.getByRole("dialog", { name: "Move to folder" }).getByRole("button", { name: folder, exact: true }).click();
}

test("a conversation is pinned, and stays so for other tabs and visits", async ({ app, page, context }) => {
  await ask(app, "First", "Second");
  const other = new App(await context.newPage());
  await other.openChat();
  await app.act("First", "Pin");
  await expect(lines(page, "Pinned")).toHaveText(["First"]);
  // The other page is in front, so this one is not active.
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("title"))).toBe("First");
  await expect(lines(other.page, "Pinned")).toHaveText(["First"]);
  await app.reload();
  await expect(lines(page, "Pinned")).toHaveText(["First"]);
  await app.act("First", "Unpin");
  await expect(section(page, "Pinned")).toHaveCount(0);
  await expect(lines(page, "Today")).toHaveText(["Second", "First"]);
});

test("the archive is out of sight, is found by a search, and gives back", async ({ app, page }) => {
  await ask(app, "First", "Second");
  await app.act("First", "Archive");
  await expect(app.conversation("First")).toHaveCount(0);
  const archive = page.getByRole("button", { name: /^Archived/ });
  await expect(archive).toHaveAttribute("aria-expanded", "false");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(lines(page, "Today")).toHaveText(["Second", "First"]);
  await app.act("First", "Archive");
  await app.rail.getByRole("searchbox", { name: "Search conversations" }).fill("first");
  await expect(app.conversation("First")).toBeVisible();
  await app.rail.getByRole("searchbox", { name: "Search conversations" }).fill("");
  await archive.click();
  await app.act("First", "Unarchive");
  await expect(lines(page, "Today")).toHaveText(["Second", "First"]);
  await expect(archive).toHaveCount(0);
});

test("a folder holds conversations, is named anew, and goes without them", async ({ app, page, context }) => {
  await ask(app, "First", "Second");
  const other = new App(await context.newPage());
  await other.openChat();
  await makeFolder(page, "Work");
  await move(app, "First", "Work");
  await expect(app.conversation("First")).toHaveCount(0);
  const head = page.getByRole("button", { name: /^Work/ });
  await expect(head).toContainText("1");
  await head.click();
  await expect(lines(page, /^Work/)).toHaveText(["First"]);
  await expect(other.page.getByRole("button", { name: /^Work/ })).toContainText("1");

  await page.getByRole("button", { name: "Actions for folder Work" }).click();
  await page.getByRole("menuitem", { name: "Name and instructions" }).click();
  const dialog = page.getByRole("dialog", { name: "Folder" });
  await dialog.getByRole("textbox", { name: "Name" }).fill("Office");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(other.page.getByRole("button", { name: /^Office/ })).toBeVisible();

  await app.reload();
  await expect(lines(page, /^Office/)).toHaveText(["First"]);
  await page.getByRole("button", { name: "Actions for folder Office" }).click();
  await page.getByRole("menuitem", { name: "Delete folder" }).click();
  await expect(lines(page, "Today")).toHaveText(["Second", "First"]);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(lines(page, /^Office/)).toHaveText(["First"]);
  await move(app, "First", "No folder");
  await expect(lines(page, "Today")).toHaveText(["Second", "First"]);
});

/** Drags something to a place. Playwright's mouse drags nothing in a packaged Firefox: there the page is given the events. */
async function drag(what: Locator, place: Locator, browserName: string): Promise<void> {
  if (!isPackaged || browserName !== "firefox") {
    return what.dragTo(place);
  }
  const dataTransfer = await what.page().evaluateHandle(() => new DataTransfer());
  await what.dispatchEvent("dragstart", { dataTransfer });
  await place.dispatchEvent("dragover", { dataTransfer });
  await place.dispatchEvent("drop", { dataTransfer });
  await what.dispatchEvent("dragend", { dataTransfer });
}

test("a conversation is dragged into a folder and out of it", async ({ app, page, browserName }) => {
  await ask(app, "First", "Second");
  await makeFolder(page, "Work");
  const head = page.getByRole("button", { name: /^Work/ });
  await head.click();
  await drag(app.conversation("First"), head, browserName);
  await expect(lines(page, /^Work/)).toHaveText(["First"]);
  await drag(app.conversation("First"), page.getByRole("heading", { name: "Today" }), browserName);
  await expect(lines(page, "Today")).toHaveText(["Second", "First"]);
});

test("instructions of a folder apply to what is in it, and are shown there", async ({ app, page }) => {
  await app.openChat();
  await makeFolder(page, "Pirates", "Speak like a pirate.");
  await page.getByRole("button", { name: "Actions for folder Pirates" }).click();
  await page.getByRole("menuitem", { name: "New conversation here" }).click();
  const chip = page.getByRole("button", { name: "Folder Pirates adds instructions" });
  await expect(chip).toBeVisible();
  await app.openDrawer();
  await expect(app.drawer).toContainText("Speak like a pirate.");
  await page.keyboard.press("Escape");
  await app.ask("Where is the treasure?");
  await page.getByRole("button", { name: /^Pirates/ }).click();
  await expect(lines(page, /^Pirates/)).toHaveText(["Where is the treasure?"]);
  await app.startConversation();
  await expect(chip).toHaveCount(0);
});

test("several are selected by mouse and keys, archived, moved and deleted", async ({ app, page }) => {
  await ask(app, "One", "Two", "Three", "Four");
  await makeFolder(page, "Work");
  await app.act("Four", "Select");
  const bar = page.getByRole("toolbar", { name: "Selected conversations" });
  await expect(bar).toContainText("1 selected");
  await app.conversation("Two").click({ modifiers: ["Shift"] });
  await expect(bar).toContainText("3 selected");
  await expect(app.questions, "no conversation was opened").toHaveText(/Four/);
  await page.getByRole("checkbox", { name: "Select Three" }).press("Space");
  await expect(bar).toContainText("2 selected");
  await bar.getByRole("button", { name: "Move to folder…" }).click();
  await page.getByRole("dialog", { name: "Move to folder" }).getByRole("button", { name: "Work", exact: true }).click();
  await expect(bar).toHaveCount(0);
  await expect(page.getByRole("button", { name: /^Work/ })).toContainText("2");
  await expect(lines(page, "Today")).toHaveText(["Three", "One"]);

  await organize(page, "Select several");
  await bar.getByRole("checkbox", { name: "Select all" }).click();
  await expect(bar).toContainText("2 selected");
  await page.getByRole("checkbox", { name: "Select One" }).focus();
  await page.keyboard.press("Escape");
  await expect(bar).toHaveCount(0);
  await organize(page, "Select several");
  await app.conversation("One").focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await expect(section(page, "Today")).toHaveCount(0);
  await expect(notices(page)).toContainText("2 conversations deleted.");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(lines(page, "Today")).toHaveText(["Three", "One"]);
});

test("those selected are exported with their folder, and come back with it", async ({ app, page }) => {
  await ask(app, "One", "Two");
  await makeFolder(page, "Work", "Be brief.");
  await move(app, "One", "Work");
  await app.act("Two", "Pin");
  await organize(page, "Select several");
  const bar = page.getByRole("toolbar", { name: "Selected conversations" });
  await page.getByRole("button", { name: /^Work/ }).click();
  await bar.getByRole("checkbox", { name: "Select all" }).click();
  const download = page.waitForEvent("download");
  await bar.getByRole("button", { name: "Export" }).click();
  const path = await (await download).path();
  await organize(page, "Delete everything…");
  const dialog = page.getByRole("dialog", { name: "Delete all conversations?" });
  await expect(dialog).toContainText("All 2 conversations are deleted");
  await dialog.getByRole("button", { name: "Delete everything" }).click();
  await expect(page.getByText("Your conversations will appear here.")).toBeVisible();
  await expect(app.questions).toHaveCount(0);
  await expect.poll(() => app.inStore("Be brief.")).toBe(false);
  await importFile(app, path);
  await expect(lines(page, "Pinned")).toHaveText(["Two"]);
  await expect(lines(page, /^Work/)).toHaveText(["One"]);
});

test("deleting everything reaches other tabs, and can be called off", async ({ app, page, context }) => {
  await ask(app, "One");
  const other = new App(await context.newPage());
  await other.openChat();
  await other.conversation("One").click();
  await expect(other.questions).toHaveText(/One/);
  await organize(page, "Delete everything…");
  const dialog = page.getByRole("dialog", { name: "Delete all conversations?" });
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(app.conversation("One")).toBeVisible();
  await organize(page, "Delete everything…");
  await dialog.getByRole("button", { name: "Delete everything" }).click();
  await expect(other.conversation("One")).toHaveCount(0);
  await expect(notices(other.page)).toContainText("This conversation was deleted in another tab.");
});

test("folders, selection and their dialogs are accessible, also on a narrow screen", async ({ app, page }) => {
  await ask(app, "One", "Two");
  await makeFolder(page, "A folder with quite a long name, longer than the rail is wide", "Be brief.");
  await move(app, "One", "A folder with quite a long name, longer than the rail is wide");
  await app.act("Two", "Pin");
  await page.getByRole("button", { name: /^A folder/ }).click();
  await app.act("Two", "Select");
  expect(await faults(page)).toEqual([]);
  await page.getByRole("toolbar").getByRole("button", { name: "Move to folder…" }).click();
  await expect(page.getByRole("dialog", { name: "Move to folder" })).toBeVisible();
  expect(await faults(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await page.setViewportSize({ width: 320, height: 640 });
  await page.getByRole("button", { name: "Conversations and pages" }).click();
  const sheet = page.getByRole("dialog", { name: "Conversations and pages" });
  await expect(sheet.getByRole("toolbar", { name: "Selected conversations" })).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  expect(await faults(page)).toEqual([]);
});
