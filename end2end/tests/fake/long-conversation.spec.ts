// A conversation that is longer than the model's context goes on: what is oldest is left out, or summarized. The small model of
// the simulated engine holds 2,048 tokens, of four letters each; of "What do you read?" it says what it was given.

import type { Locator, Page } from "@playwright/test";
import type { App } from "../../support/app.ts";
import { faults } from "../../support/axe.ts";
import { expect, test } from "../../support/watch.ts";

/** A message of about so many tokens. */
const long = (begin: string, tokens: number) => `${begin} ${"word".repeat(tokens)}`;

const place = (page: Page) => ({
  question: page.getByRole("group", { name: "The conversation has become too long. What should happen to the oldest messages?" }),
  hint: page.locator("#composer-hint"),
  line: page.getByRole("heading", { name: "The model no longer sees the messages above." }),
  /** The message after the line. */
  first: page.locator(".reading-start + article"),
  undo: page.getByRole("button", { name: "Undo" }).last(),
});

/** Says as much as fits, and writes a message that fits without the first one. */
async function fill(app: App): Promise<void> {
  await app.openChat("instant,demo");
  await app.ask(long("First", 1_100));
  await app.ask(long("Second", 350));
  await app.composer.fill(long("What do you read?", 600));
}

/** Expects what the model was given, in order and nothing else. */
async function reads(answer: Locator, ...texts: string[]): Promise<void> {
  await expect(answer).toContainText("I read: ");
  const said = (await answer.locator(".says").textContent()) ?? "";
  expect(said.split("|").map((text) => text.replace("I read:", "").trim().split(/[\s.]/)[0])).toEqual(texts);
}

test("the oldest messages are left out, after asking once", async ({ app, page }) => {
  const { question, hint, line, first, undo } = place(page);
  await test.step("asks", async () => {
    await fill(app);
    await expect(question).toBeVisible();
    await expect(hint).toHaveText(/^2,1\d\d of 2,048 tokens$/);
    await expect(app.sendButton).toBeDisabled();
    expect(await faults(page)).toEqual([]);
    await question.getByRole("button", { name: "Leave out" }).click();
    await expect(question).toHaveCount(0);
    await expect(hint).toHaveText("The oldest messages will be left out.");
    await expect(app.composer).toBeFocused();
    await expect(line).toHaveCount(0);
    await app.composer.press("Enter");
    await reads(await app.answered(), "Second", "There");
    await expect(first).toContainText("Second");
  });
  await test.step("goes on by itself, without what is not pinned", async () => {
    await app.questions.nth(1).getByRole("button", { name: "Keep in context" }).click();
    await expect(app.questions.nth(1)).toContainText("Pinned");
    await app.composer.fill(long("What do you read? Again", 900));
    await expect(hint).toHaveText(/^[\d,]+ of 2,048 tokens$/);
    await app.composer.press("Enter");
    await expect(app.answers).toHaveCount(4);
    await reads(await app.answered(), "Second", "There");
    await expect(first).toContainText("Again");
    await undo.click();
    await expect(first).toContainText("Second");
  });
  await test.step("stays, until everything is to be read again", async () => {
    await app.reload();
    await expect(first).toContainText("Second");
    await app.questions.nth(1).getByRole("button", { name: "Unpin" }).click();
    await expect(app.questions.nth(1)).not.toContainText("Pinned");
    await page.getByRole("button", { name: "Include all messages" }).click();
    await expect(line).toHaveCount(0);
    await undo.click();
    await expect(line).toBeVisible();
    await page.getByRole("button", { name: "Include all messages" }).click();
  });
  await test.step("asks again, where the engine finds it too long", async () => {
    await app.send("What do you read? Now");
    await expect(app.failure).toContainText("Too long");
    await app.answers.last().getByRole("button", { name: "Leave out" }).click();
    await reads(await app.answered(), "What", "Second");
    await expect(app.answers).toHaveCount(5);
    await expect(first).toContainText("Again");
  });
});

test("a summary takes the place of the oldest messages", async ({ app, page }) => {
  const { question, hint, line, first } = place(page);
  const card = page.getByRole("group").filter({ has: page.getByRole("heading", { name: "Summary of the messages above" }) });
  await test.step("is written before the answer, and can be stopped", async () => {
    await fill(app);
    await question.getByRole("button", { name: "Summarize" }).click();
    await expect(hint).toHaveText("The oldest messages will be summarized.");
    await app.pace(1_000);
    await app.composer.press("Enter");
    await expect(app.answers.last()).toContainText("Summarizing the oldest messages");
    await app.stopButton.click();
    await app.pace(0);
    await expect(app.answers.last()).toContainText("Stopped.");
    await expect(page.locator(".reading-start")).toHaveCount(0);
    await app.answers.last().getByRole("button", { name: "Regenerate" }).click();
    await reads(await app.answered(), "summary", "Second", "There");
    await expect(app.answers.last()).toContainText("A summary of 2 messages.");
    await expect(first).toContainText("Second");
    await expect(line).toHaveCount(0);
  });
  await test.step("is shown, and can be changed", async () => {
    const text = card.getByText("A summary of 2 messages.");
    await expect(text).toBeHidden();
    await card.getByText("Summary of the messages above").click();
    await expect(text).toBeVisible();
    const edit = card.getByRole("button", { name: "Edit" });
    await edit.click();
    const field = card.getByRole("textbox", { name: "Summary of the messages above" });
    await expect(field).toBeFocused();
    await field.fill("Nothing");
    await field.press("Escape");
    await expect(text).toBeVisible();
    await expect(edit).toBeFocused();
    await edit.press("Enter");
    await expect(field).toHaveValue("A summary of 2 messages.");
    expect(await faults(page)).toEqual([]);
    await field.fill("They spoke of trees.");
    await field.press("Control+Enter");
    await expect(card).toContainText("They spoke of trees.");
    await app.kept("They spoke of trees.");
    await app.reload();
    await expect(card).toBeVisible();
    await expect(await app.ask("What do you read? Now")).toContainText("They spoke of trees.");
  });
});

test("an answer that fills the context goes on", async ({ app, page }) => {
  const { first } = place(page);
  const choice = app.answers.last().getByRole("button", { name: "Leave out" });
  await app.openChat("instant,demo,filled");
  await expect(await app.ask(long("First", 1_100))).toContainText("Stopped because the context is full.");
  await expect(choice).toHaveCount(0);
  await app.ask(long("Second", 750));
  await choice.click();
  await expect(await app.answered()).toContainText(/another\.\s*A red circle is to the left of a small blue square\..*twice as wide\./);
  await expect(app.answers).toHaveCount(2);
  await expect(first).toContainText("Second");
  await expect(choice).toHaveCount(0);
});

test.describe("in German, with a model that fails", () => {
  test.use({ locale: "de-DE" });

  test("what can't be summarized is left out, and that is said", async ({ app, page }) => {
    await page.setViewportSize({ width: 320, height: 640 });
    await app.open("instant,demo,fail");
    const field = page.getByRole("textbox", { name: "Nachricht", exact: true });
    const answers = page.getByRole("article", { name: /^Antwort von / });
    for (const [index, text] of [long("Erstens", 1_100), long("Zweitens", 350)].entries()) {
      await field.fill(text);
      await field.press("Enter");
      await expect(answers.nth(index)).toHaveAttribute("aria-busy", "false");
      await expect(answers.nth(index).getByRole("group").first()).toBeVisible();
    }
    await field.fill(long("Drittens", 600));
    await page.getByRole("group", { name: /^Die Unterhaltung ist zu lang geworden\./ }).getByRole("button", { name: "Zusammenfassen" }).click();
    await expect(page.locator("#composer-hint")).toHaveText("Die ältesten Nachrichten werden zusammengefasst.");
    await field.press("Enter");
    await expect(page.getByText("Das Zusammenfassen ist misslungen, daher wurden die ältesten Nachrichten weggelassen.").last()).toBeVisible();
    await expect(page.getByRole("heading", { name: "Das Modell sieht die Nachrichten darüber nicht mehr." })).toBeVisible();
    await expect(page.getByRole("button", { name: "Alle Nachrichten einbeziehen" })).toBeVisible();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(wide).toBeLessThanOrEqual(0);
  });
});
