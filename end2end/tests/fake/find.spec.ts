// A search opens a conversation where it found something, and goes from place to place.

import type { Page } from "@playwright/test";
import { openArchive, type Said } from "../../support/archive.ts";
import { expect, test } from "../../support/watch.ts";

const messages = Array.from({ length: 60 }, (_, at): Said[] => [
  ["user", at === 4 ? "Where is *Bergen*?" : `Question ${at}`],
  ["assistant", at === 4 ? "**Ber**gen is in Norway.\n\n```\nlet city = \"bergen\";\n```" : `Answer ${at}.\n\n- one\n- two\n- three`],
]).flat();

/** The words that are marked as the place one is at, and whether they are in sight. */
const current = (page: Page) =>
  page.evaluate(() => {
    const [range] = (CSS.highlights.get("found-current") ?? new Set()) as Iterable<Range>;
    const view = document.querySelector(".log")?.getBoundingClientRect();
    if (!range || !view) {
      return null;
    }
    const { top, bottom } = range.getBoundingClientRect();
    return { words: range.toString(), seen: top >= view.top && bottom <= view.bottom };
  });

test("a search opens a conversation at its place and goes on from place to place, also from the palette", async ({ app, page }) => {
  await test.step("a conversation that is in sight as a whole has nothing to jump to", async () => {
    await app.openChat();
    await app.ask("A short one");
    await app.rail.getByRole("button", { name: "New", exact: true }).click();
    await app.rail.getByRole("searchbox", { name: "Search conversations" }).fill("short");
    await app.conversation("A short one").click();
    await expect.poll(() => current(page)).toEqual({ words: "short", seen: true });
    await expect(page.getByRole("button", { name: "Jump to latest" })).toBeHidden();
  });
  await test.step("what a search found is opened at its place, and the others follow", async () => {
    // A search leaves nothing else in the list.
    await app.rail.getByRole("searchbox", { name: "Search conversations" }).fill("");
    await openArchive(app, "Many", messages);
    await app.conversation("A short one").click();
    await app.rail.getByRole("searchbox", { name: "Search conversations" }).fill("bergen");
    await app.conversation("Many").click();

    const find = page.getByRole("search", { name: "Search in this conversation" });
    const field = find.getByRole("searchbox", { name: "Search in this conversation" });
    await expect(field).toBeFocused();
    await expect(field).toHaveValue("bergen");
    await expect(find).toContainText("1 of 3");
    await expect(page.getByRole("status").first()).toHaveText("1 of 3");
    await expect.poll(() => current(page)).toEqual({ words: "Bergen", seen: true });

    await field.press("Enter");
    await expect(find).toContainText("2 of 3");
    await expect.poll(() => current(page)).toEqual({ words: "Bergen", seen: true });
    await find.getByRole("button", { name: "Next match" }).click();
    await expect(find).toContainText("3 of 3");
    await expect.poll(() => current(page)).toEqual({ words: "bergen", seen: true });
    await field.press("Enter");
    await expect(find).toContainText("1 of 3");
    await field.press("Shift+Enter");
    await expect(find).toContainText("3 of 3");
    await find.getByRole("button", { name: "Previous match" }).click();
    await expect(find).toContainText("2 of 3");

    await field.fill("oslo");
    await expect(find).toContainText("No matches");
    await field.press("Escape");
    await expect(find).toHaveCount(0);
    expect(await current(page)).toBeNull();
  });
  await test.step("a conversation that was found by its title has nothing to go to", async () => {
    await app.rail.getByRole("searchbox", { name: "Search conversations" }).fill("");
    await app.startConversation();
    await app.ask("Hello");
    await app.act("Hello", "Rename");
    await page.getByRole("textbox", { name: "New title" }).fill("What is at the end of a long title can't be seen in the list: Fjords");
    await page.keyboard.press("Enter");
    await app.startConversation();
    await app.rail.getByRole("searchbox", { name: "Search conversations" }).fill("fjords");
    const line = app.conversation("Fjords");
    const [mark, title] = await Promise.all([line.locator("mark").boundingBox(), line.boundingBox()]);
    expect((mark?.x ?? 0) + (mark?.width ?? 0)).toBeLessThan((title?.x ?? 0) + (title?.width ?? 0));
    await line.click();
    await expect(app.questions).toHaveText(/Hello/);
    await expect(page.getByRole("search", { name: "Search in this conversation" })).toHaveCount(0);
  });
  await test.step("the palette searches within the conversation, and another conversation ends it", async () => {
    await app.rail.getByRole("searchbox", { name: "Search conversations" }).fill("");
    await app.startConversation();
    await app.ask("Which table?");
    await page.keyboard.press("Control+k");
    await app.palette.getByRole("combobox").fill("search in this");
    await page.keyboard.press("Enter");
    const find = page.getByRole("search", { name: "Search in this conversation" });
    await find.getByRole("searchbox").fill("table");
    await expect(find).toContainText(/1 of \d/);
    await app.startConversation();
    await expect(find).toHaveCount(0);
  });
});
