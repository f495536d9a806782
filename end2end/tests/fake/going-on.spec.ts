import { expect, test } from "../../support/watch.ts";
import { addPairs, Tune } from "../../support/tune.ts";

const SHORT = /Gladly\..*A red circle is to the left of a small blue square\. The circle is about twice as wide\./s;
/** What takes some seconds to be said. */
const LONG = "Show me everything";
const WHOLE = /Gladly\..*Read the header of the file.*eight times as long\./s;

test.describe("an answer goes on", () => {
  test("after Stop, as the same message", async ({ app, page }) => {
    await app.openChat("usual,demo");
    await app.send(LONG);
    const answer = app.answers.last();
    await expect(answer).toContainText("Read the header");
    await app.stopButton.click();
    await expect(answer).toContainText("Stopped.");
    await expect(answer).not.toContainText("eight times as long");
    await answer.getByRole("button", { name: "Continue" }).click();
    await expect(await app.answered()).toContainText(WHOLE);
    await expect(app.answers).toHaveCount(1);
    expect((await answer.textContent())?.split("Gladly.")).toHaveLength(2);
    await expect(answer.getByRole("button", { name: "Continue" })).toHaveCount(0);
    await app.kept("eight times as long.");
    await page.reload();
    await expect(answer).toContainText(WHOLE);
  });

  test("after the page was closed in the middle of it", async ({ app, page }) => {
    await app.openChat("usual,demo");
    await app.send("A long answer");
    const answer = app.answers.last();
    await app.kept("Part 1");
    await page.goto(page.url().replace("usual", "instant"));
    await expect(answer).toContainText("Interrupted when the page closed.");
    await answer.getByRole("button", { name: "Continue" }).click();
    await expect(await app.answered()).toContainText("Part 12");
    await expect(answer).not.toContainText("The page was closed");
  });

  test("from words of the person's", async ({ app, page }) => {
    await app.openChat();
    await app.ask("Hello");
    const answer = app.answers.last();
    await answer.getByRole("button", { name: "Edit answer" }).click();
    const field = answer.getByRole("textbox", { name: "Edit answer" });
    await expect(field).toBeFocused();
    await expect(field).toHaveValue(SHORT);
    await field.fill("A blue circle,");
    // An answer has many lines.
    await field.press("Enter");
    await expect(field).toHaveValue("A blue circle,\n");
    await field.fill("A blue circle,");
    await field.press("Control+Enter");
    await expect(answer).toContainText("A blue circle,");
    await expect(answer).toContainText("edited");
    await expect(answer).toContainText("2/2");
    await answer.getByRole("button", { name: "Continue" }).click();
    await expect(await app.answered()).toContainText(/A blue circle,\s+There is more than one way/);
    await answer.getByRole("button", { name: "Previous version" }).click();
    await expect(answer).toContainText(SHORT);
    await expect(page.getByText("edited")).toHaveCount(0);
  });
});

test.describe("a conversation is copied", () => {
  test("up to an answer", async ({ app, page }) => {
    await app.openChat();
    await app.ask("First matter");
    await app.ask("Second matter");
    const before = page.url();
    await app.answers.first().getByRole("button", { name: "Branch into a new conversation" }).click();
    await expect(app.questions).toHaveText([/First matter/]);
    expect(page.url()).not.toBe(before);
    await expect(page.getByText("You’re now in the copy.").first()).toBeVisible();
    await app.ask("Another matter");
    await expect(app.conversation("First matter")).toHaveCount(2);
    await expect(app.conversation("First matter (2)")).toHaveCount(1);
    await app.written();
    await page.goto(before);
    await expect(app.questions).toHaveText([/First matter/, /Second matter/]);
  });

  test("whole, from the list, and it stays after a reload", async ({ app, page }) => {
    await app.openChat();
    await app.ask("First matter");
    await app.kept("First matter");
    await app.act("First matter", "Duplicate");
    await expect(app.conversation("First matter")).toHaveCount(2);
    await app.ask("Only in the copy");
    await app.kept("Only in the copy");
    await page.reload();
    await expect(app.questions).toHaveText([/First matter/, /Only in the copy/]);
    const original = app.rail.getByRole("link", { name: "First matter" }).and(page.locator(":not([aria-current])"));
    await original.click();
    await expect(app.questions).toHaveText([/First matter/]);
  });
});

test.describe("the next message", () => {
  test("waits for the running answer, and can be taken back while it does", async ({ app, page }) => {
    await test.step("waits for the running answer", async () => {
      await app.openChat("usual,demo");
      await app.send(LONG);
      await expect(app.answers.first()).toContainText("Gladly.");
      await app.send("Second matter");
      await expect(app.page.getByText("Your message will be sent after the current answer.")).toBeVisible();
      await expect(app.questions).toHaveCount(2);
      await expect(app.composer).toHaveValue("");
      await app.pace(0);
      await expect(app.answers).toHaveCount(2);
      await expect(app.answers.first()).toContainText(WHOLE);
      await expect(await app.answered()).toContainText("There is more than one way");
    });
    await test.step("that waits can be taken back", async () => {
      await app.startConversation();
      await app.pace(26);
      await app.send(LONG);
      await expect(app.answers.first()).toContainText(/\S/);
      await app.send("Second matter");
      await page.getByRole("button", { name: "Don’t send" }).click();
      await app.pace(0);
      await expect(app.answers.first()).toHaveAttribute("aria-busy", "false");
      await expect(app.answers).toHaveCount(1);
      await expect(app.questions.last().getByRole("button", { name: "Try again" })).toBeVisible();
    });
  });

  test("is counted while it is written, and not sent when it is too long", async ({ app, page }) => {
    await app.openChat();
    await app.ask("Hello");
    await app.composer.fill("How many tokens are these?");
    const hint = page.locator("#composer-hint");
    await expect(hint).toContainText(/\d+ of [\d,]+ tokens/);
    await app.composer.fill("word ".repeat(120_000));
    await expect(hint).toHaveText(/^Too long: [\d,]+ tokens, but the limit is [\d,]+\. Shorten it, or load the model with a longer context\.$/);
    await expect(app.sendButton).toBeDisabled();
    await app.composer.press("Enter");
    await expect(app.questions).toHaveCount(1);
    await app.composer.fill("Short");
    await expect(app.sendButton).toBeEnabled();
    await app.composer.press("Enter");
    await expect(app.questions).toHaveCount(2);
  });

  test("has a training wait, which then goes on", async ({ app, page }) => {
    await app.openChat("usual,demo");
    await app.ask("Hello");
    await page.getByRole("link", { name: "Fine-tune" }).click();
    const tune = new Tune(page);
    await addPairs(page, [["What is 1 + 1?", "2"], ["What is 1 + 2?", "3"]]);
    await tune.configure({ name: "sums", steps: 400 });
    await tune.startButton.click();
    await expect(tune.status).toContainText("of 400 steps done.");
    await app.rail.getByRole("button", { name: "New", exact: true }).click();
    await expect(page.locator("#composer-hint")).toHaveText(/^Fine-tuning is at step \d+ of 400\. Sending a message pauses it/);
    await expect(app.rail.getByRole("link", { name: /^Fine-tune \d+\/400/ })).toBeVisible();
    await app.send("A long answer");
    await expect(app.answers.last()).toContainText("Part 1");
    await app.rail.getByRole("link", { name: /^Fine-tune/ }).click();
    await expect(tune.status).toHaveText(/steps done\. Paused while a message is answered\.$/);
    await app.conversation("A long answer").click();
    await app.stopButton.click();
    await app.rail.getByRole("link", { name: /^Fine-tune/ }).click();
    await expect(tune.status).toHaveText(/^\d+ of 400 steps done\.$/);
  });
});
