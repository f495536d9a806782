// Messages that are put in other words, and keys that are not meant for the page.

import type { Locator } from "@playwright/test";
import type { App } from "../../support/app.ts";
import { png } from "../../support/media.ts";
import { expect, test } from "../../support/watch.ts";

const edit = async (app: App): Promise<Locator> => {
  await app.questions.first().getByRole("button", { name: "Edit and resend" }).click();
  return app.page.getByRole("textbox", { name: "Edit message" });
};

test.describe("what a message is changed to", () => {
  test("stays when its conversation or the page is left", async ({ app, page }) => {
    await app.openChat();
    await app.ask("Hello");
    await (await edit(app)).fill("Good morning");
    await app.startConversation();
    await app.conversation("Hello").click();
    await expect(page.getByRole("textbox", { name: "Edit message" })).toBeHidden();
    const field = await edit(app);
    await expect(field).toHaveValue("Good morning");
    await field.fill("Good morning to you");
    await app.go("Models");
    await page.goBack();
    await expect(field.or(app.questions.first().getByRole("button", { name: "Edit and resend" }))).toBeVisible();
    if (await field.isHidden()) await edit(app);
    await expect(field).toHaveValue("Good morning to you");
    await app.kept("Good morning to you");
    await app.reload();
    await expect(await edit(app)).toHaveValue("Good morning to you");
    await field.press("Enter");
    await expect(app.questions.first()).toContainText("Good morning to you");
    // What was sent is no longer in the way.
    await expect(await edit(app)).toHaveValue("Good morning to you");
  });

  test("is discarded by Esc, comes back, and gives the focus to the next message once it is sent", async ({ app, page }) => {
    await test.step("is discarded by Esc, and comes back", async () => {
      await app.openChat();
      await app.ask("Hello");
      const field = await edit(app);
      await field.press("Escape");
      await expect(field).toBeHidden();
      await (await edit(app)).fill("Good morning");
      // As nothing was changed, there was nothing to bring back.
      await expect(field).toHaveValue("Good morning");
      await expect(page.getByRole("button", { name: "Undo" })).toHaveCount(0);
      await field.press("Escape");
      await expect(page.getByText("Edit discarded.").first()).toBeVisible();
      await page.getByRole("button", { name: "Undo" }).click();
      await expect(field).toHaveValue("Good morning");
      await expect(field).toBeFocused();
    });
    await test.step("gives the focus to the next message once it is sent", async () => {
      await app.startConversation();
      await app.ask("Hello");
      const field = await edit(app);
      await field.fill("Good morning");
      await field.press("Enter");
      await expect(field).toBeHidden();
      await expect(app.composer).toBeFocused();
    });
  });
});

test("what cannot be asked while another conversation is answered says why, and loses nothing", async ({ app, page }) => {
  await app.openChat("usual,demo");
  await app.ask("Hello");
  await app.startConversation();
  await app.send("A long answer");
  await expect(app.answers.first()).toContainText("Part 1");
  await app.conversation("Hello").click();
  const why = page.getByRole("region", { name: "Notifications" }).getByText(/^The model is still answering/);
  await app.answers.first().getByRole("button", { name: "Regenerate" }).click();
  await expect(why.first()).toBeVisible();
  const field = await edit(app);
  await field.fill("Good morning");
  await field.press("Enter");
  await expect(field).toHaveValue("Good morning");
  await expect(app.questions).toHaveText([/You/]);
});

test.describe("Enter that ends a word of an input method", () => {
  // As Safari says it: after the composition, by its code alone.
  const confirm = (field: Locator, key = "Enter") =>
    field.evaluate((it, key) => {
      it.dispatchEvent(new KeyboardEvent("keydown", { key, keyCode: 229, bubbles: true, cancelable: true }));
    }, key);

  test("sends nothing, names nothing, and chooses nothing", async ({ app, page }) => {
    await test.step("sends nothing", async () => {
      await app.openChat();
      await app.ask("Hello");
      await app.composer.fill("日本");
      await confirm(app.composer);
      await app.composer.press("End");
      await expect(app.composer).toHaveValue("日本");
      const field = await edit(app);
      await field.fill("日本語");
      await confirm(field);
      await confirm(field, "Escape");
      await expect(field).toHaveValue("日本語");
      await expect(app.questions).toHaveCount(1);
    });
    await test.step("names nothing, and chooses nothing", async () => {
      await app.startConversation();
      await app.ask("Greeting");
      await app.act("Greeting", "Rename");
      const title = app.rail.getByRole("textbox", { name: "New title" });
      await title.fill("日本");
      await confirm(title);
      await confirm(title, "Escape");
      await expect(title).toHaveValue("日本");
      await title.press("Enter");
      await expect(app.conversation("日本")).toBeVisible();
      await page.keyboard.press("Control+k");
      const search = app.palette.getByRole("combobox");
      await search.fill("Models");
      await confirm(search);
      await expect(search).toHaveValue("Models");
      await expect(app.palette).toBeVisible();
    });
  });
});

test.describe("Esc while an answer runs", () => {
  test.beforeEach(async ({ app }) => {
    await app.openChat("usual,demo");
    await app.send("A long answer");
    await expect(app.answers.first()).toContainText("Part 1");
  });

  test("is for the field or the drawer that has the focus, and stops it elsewhere", async ({ app, page }) => {
    await test.step("is for the field or the drawer that has the focus", async () => {
      await page.getByRole("searchbox").press("Escape");
      await app.openDrawer();
      await app.drawer.getByRole("textbox").first().focus();
      await page.keyboard.press("Escape");
      await expect(app.drawer).toBeHidden();
      await expect(app.stopButton).toBeVisible();
    });
    await test.step("stops it from the message field and from the log", async () => {
      await page.getByRole("region", { name: "Conversation" }).focus();
      await page.keyboard.press("Escape");
      await expect(app.answers.first()).toContainText("Stopped.");
      await app.send("Another one");
      await expect(app.answers).toHaveCount(2);
      await app.composer.press("Escape");
      await expect(app.answers.last()).toContainText("Stopped.");
    });
  });
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 700 } });

  test("a message that waits for a file says so, to see and to hear", async ({ app, page }) => {
    await page.addInitScript(() => {
      Blob.prototype.arrayBuffer = () => new Promise(() => {});
    });
    await app.openChat();
    await app.pickFiles(png());
    await app.send("What is this?");
    const hint = page.locator("#composer-hint");
    await expect(hint).toHaveText("Your message will be sent when the file is ready.");
    await expect.poll(() => hint.evaluate((it) => it.clientHeight)).toBeGreaterThan(10);
    await expect(page.locator("[aria-live] , [role=status]").filter({ hasText: "Your message will be sent when the file is ready." })).toHaveCount(1);
  });
});
