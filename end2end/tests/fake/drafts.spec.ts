// What is typed and attached and not sent: each tab has its own, and nothing of it is lost.

import { App } from "../../support/app.ts";
import { CORE } from "../../support/firefox.ts";
import { png } from "../../support/media.ts";
import { expect, test } from "../../support/watch.ts";
import { withholdAgain, withholdReading, withholdStore } from "../../support/withhold.ts";

test.describe("of several tabs", () => {
  test("each keeps its own, whatever another one types and sends", { tag: CORE }, async ({ app, context }) => {
    await app.openChat();
    await app.composer.fill("A long thought");
    await app.attach(png());
    await app.kept("A long thought");
    await app.kept("red.png");
    const other = new App(await context.newPage());
    await other.openChat();
    await expect(other.composer).toHaveValue("");
    await other.composer.fill("Another one");
    await other.kept("Another one");
    await other.ask("Hi");
    await app.reload();
    await expect(app.composer).toHaveValue("A long thought");
    await expect(app.tray).toContainText("red.png");
  });

  test("a new one takes over what a closed one has left", async ({ app, context }) => {
    await app.openChat();
    await app.ask("Hello");
    await app.composer.fill("Half an answer");
    await app.kept("Half an answer");
    await app.startConversation();
    await app.composer.fill("Half a thought");
    await app.kept("Half a thought");
    await app.page.close();
    const other = new App(await context.newPage());
    await other.openChat();
    await expect(other.composer).toHaveValue("Half a thought");
    await other.conversation("Hello").click();
    await expect(other.composer).toHaveValue("Half an answer");
  });

  test("a duplicate is another one", async ({ app, context }) => {
    await app.openChat();
    await app.composer.fill("Half a thought");
    await app.kept("Half a thought");
    const opened = context.waitForEvent("page");
    // It gets a copy of the session's storage.
    await app.page.evaluate(() => void open("/?fake=instant"));
    const other = new App(await opened);
    await other.ready();
    await expect(other.model).toBeVisible();
    await expect(other.composer).toHaveValue("");
    await other.composer.fill("Another one");
    await other.kept("Another one");
    await app.reload();
    await expect(app.composer).toHaveValue("Half a thought");
  });

  test("each has its own examples", async ({ app, context }) => {
    const prompt = (tab: App) => tab.page.getByRole("textbox", { name: "Prompt 1" });
    await app.open("instant,demo", "/tune");
    await prompt(app).fill("Do I have a cat?");
    await app.kept("Do I have a cat?");
    const other = new App(await context.newPage());
    await other.open("instant,demo", "/tune");
    await prompt(other).fill("What is red?");
    await other.kept("What is red?");
    await app.page.clock.install();
    await app.reload();
    await expect(prompt(app)).toHaveValue("Do I have a cat?");
    // Read again is not written again, also once it has rested.
    await app.page.clock.runFor(1_000);
    await app.written();
    await app.page.close();
    await other.page.close();
    const third = new App(await context.newPage());
    await third.open("instant,demo", "/tune");
    await expect(prompt(third)).toHaveValue("What is red?");
  });
});

test("what was typed is kept when the page is hidden, before typing rests", async ({ app, page }) => {
  await page.clock.install();
  await app.openChat();
  // Typing never rests.
  await page.clock.pauseAt(Date.now() + 60_000);
  await app.composer.fill("Half a thought");
  expect(await app.inStore("Half a thought")).toBe(false);
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange", { bubbles: true })));
  await app.kept("Half a thought");
});

test.describe("before the browser's store is open", () => {
  test("what is typed follows what was kept", async ({ app, page }) => {
    await app.openChat();
    await app.ask("Hello");
    await app.composer.fill("Half a thought");
    await app.kept("Half a thought");
    const open = await withholdStore(page);
    await app.reload();
    await app.ready();
    await app.composer.fill("and more");
    await open();
    await expect(app.composer).toHaveValue("Half a thought\nand more");
    await app.kept("Half a thought\\nand more");
  });

  test("examples that are written join those that were kept", async ({ app, page }) => {
    await app.open("instant,demo", "/tune");
    const prompt = (number: number) => page.getByRole("textbox", { name: `Prompt ${number}` });
    await prompt(1).fill("Do I have a cat?");
    await app.kept("Do I have a cat?");
    const open = await withholdStore(page);
    await app.reload();
    // Firefox fills the field with what was in it, which is not to come between.
    await app.ready();
    await prompt(1).fill("What is red?");
    await open();
    await expect(prompt(2)).toHaveValue("Do I have a cat?");
    await expect(prompt(1)).toHaveValue("What is red?");
  });
});

test.describe("an attachment that is being read", () => {
  let readOn: () => Promise<void>;

  test.beforeEach(async ({ app, page }) => {
    readOn = await withholdReading(page);
    await app.openChat();
    await app.ask("Hello");
  });

  test("goes to the message that it was attached to, and nowhere if it is cancelled", async ({ app, page }) => {
    await app.pickFiles(png());
    await expect(page.getByText("Reading red.png")).toBeVisible();
    await app.startConversation();
    await expect(page.getByText("Reading red.png")).toBeHidden();
    await app.composer.fill("Another matter");
    await readOn();
    await app.kept("red.png");
    await expect(app.tray).toBeHidden();
    await app.conversation("Hello").click();
    await expect(app.tray).toContainText("red.png");
    await app.tray.getByRole("button", { name: "Remove red.png" }).click();
    await expect(app.tray).toBeHidden();

    await withholdAgain(page);
    await app.pickFiles(png());
    await app.send("What is this?");
    await expect(page.locator("#composer-hint")).toHaveText("Your message will be sent when the file is ready.");
    await page.getByText("Reading red.png").getByRole("button", { name: "Cancel" }).click();
    await expect(page.getByText("Reading red.png")).toBeHidden();
    await readOn();
    await app.attach(png("blue.png"));
    await expect(app.tray).not.toContainText("red.png");
    await expect(app.composer).toHaveValue("What is this?");
    await expect(app.questions).toHaveCount(1);
  });
});

test("an attachment that was removed comes back to its conversation, unless that was sent", async ({ app, page }) => {
  const undo = page.getByRole("button", { name: "Undo" });
  const remove = async () => {
    await app.tray.getByRole("button", { name: "Remove red.png" }).click();
    await expect(app.tray.getByText("red.png")).toHaveCount(0);
  };
  await app.openChat();
  await app.ask("Hello");
  await app.attach(png());
  await remove();
  await app.startConversation();
  await undo.click();
  await app.kept("red.png");
  await expect(app.tray).toBeHidden();
  await app.conversation("Hello").click();
  await expect(app.tray).toContainText("red.png");

  await remove();
  await app.attach(png("blue.png"));
  await undo.click();
  await expect(app.tray.getByRole("listitem")).toHaveText([/red\.png/, /blue\.png/]);

  await remove();
  await app.ask("And now?");
  await undo.click();
  await app.attach(png("green.png"));
  await expect(app.tray.getByRole("listitem")).toHaveText([/green\.png/]);
});
