// Conversations that leave no trace.

import { App } from "../../support/app.ts";
import { png } from "../../support/media.ts";
import { expect, test } from "../../support/watch.ts";

const PICTURE = png("trace.png");

test("a temporary conversation is nowhere but on its screen", async ({ app, page, context }) => {
  await app.openChat();
  const other = new App(await context.newPage());
  await other.openChat();
  await page.getByRole("button", { name: "Organize conversations" }).click();
  await page.getByRole("menuitem", { name: "New temporary conversation" }).click();
  const note = page.getByRole("note", { name: "Temporary conversation" });
  await expect(note).toContainText("Nothing of it is saved");
  await app.attach(PICTURE);
  await expect(app.tray).toContainText(PICTURE.name);
  await app.ask("The secret word is xyzzy");
  await expect(note).toContainText("Temporary: not saved");
  await app.composer.fill("Half of plugh");
  // What another conversation says is kept meanwhile, so that there was time.
  await other.ask("Hello");
  await other.kept("Hello");
  await expect(page).toHaveURL(/\/\?fake/);
  await expect(page).toHaveTitle("gemtab");
  await expect(app.conversation("The secret word is xyzzy")).toHaveCount(0);
  await expect(other.conversation(/secret/)).toHaveCount(0);
  expect(await app.inStore("xyzzy")).toBe(false);
  expect(await app.inStore(PICTURE.name)).toBe(false);

  // It outlives a look at another page, and not a new conversation.
  await app.go("Models");
  await page.goBack();
  await expect(app.questions).toHaveText(/xyzzy/);
  await app.rail.getByRole("button", { name: "New", exact: true }).click();
  await expect(note).toHaveCount(0);
  await expect(app.questions).toHaveCount(0);
  await expect(app.composer).toHaveValue("");
  expect(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))).not.toContain("xyzzy");
  expect(await app.inStore("plugh")).toBe(false);
});

test("what was typed for a new conversation stays while a temporary one is on screen", async ({ app }) => {
  await app.openChat();
  await app.composer.fill("Half a thought");
  await app.kept("Half a thought");
  await app.go("Models");
  await app.page.goBack();
  await app.page.keyboard.press("Control+k");
  await app.palette.getByRole("combobox").fill("temporary");
  await app.page.keyboard.press("Enter");
  await expect(app.page.getByRole("note", { name: "Temporary conversation" })).toBeVisible();
  await expect(app.composer).toHaveValue("");
  await app.rail.getByRole("button", { name: "New", exact: true }).click();
  await expect(app.composer).toHaveValue("Half a thought");
});
