// Titles that the model writes.

import type { App } from "../../support/app.ts";
import { expect, test } from "../../support/watch.ts";

/** What the fake engine says to whoever asks after others. */
const WRITTEN = /^(There is more than one way|Once more, in other words)/;

async function turnOn(app: App): Promise<void> {
  await app.written();
  await app.open("instant", "/settings");
  await app.page.getByRole("switch", { name: "Titles by the model" }).check();
  await app.kept('"titles":true');
  await app.openChat();
}

test("the model writes a title once it is idle, and only if it is asked to", async ({ app }) => {
  await app.openChat();
  await app.ask("A red circle");
  await expect(app.conversation("A red circle")).toBeVisible();
  await turnOn(app);
  await app.ask("A blue square");
  await expect(app.conversation(WRITTEN)).toBeVisible();
  await app.reload();
  await expect(app.conversation(WRITTEN)).toBeVisible();
  await expect(app.conversation("A red circle"), "one that isn’t answered anew stays").toBeVisible();
});

test("a title of one's own stays", async ({ app, page }) => {
  await app.openChat();
  await app.ask("A blue square");
  await app.act("A blue square", "Rename");
  await page.getByRole("textbox", { name: "New title" }).fill("Mine");
  await page.keyboard.press("Enter");
  await turnOn(app);
  await app.conversation("Mine").click();
  await expect(app.questions).toHaveCount(1);
  await app.ask("And a red one");
  await expect(app.answers).toHaveCount(2);
  await app.answered();
  await app.startConversation();
  await app.ask("Another");
  // By then the first would have had one, too.
  await expect(app.conversation(WRITTEN)).toHaveCount(1);
  await expect(app.conversation("Mine")).toBeVisible();
});
