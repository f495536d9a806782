import { CORE } from "../../support/firefox.ts";
import { expect, test } from "../../support/watch.ts";

test.describe("after an answer", () => {
  test("another one can be had, the message edited by ↑, and both copied", { tag: CORE }, async ({ app, page }) => {
    await test.step("another one can be had, and the earlier one stays beside it", async () => {
      await app.openChat();
      await app.ask("Hello");
      const answer = app.answers.last();
      await expect(answer).toContainText("Gladly.");
      await answer.getByRole("button", { name: "Regenerate" }).click();
      await expect(answer).toContainText("There is more than one way");
      await expect(answer).toContainText("2/2");
      await expect(answer.getByRole("button", { name: "Next version" })).toBeDisabled();
      await answer.getByRole("button", { name: "Previous version" }).click();
      await expect(answer).toContainText("1/2");
      await expect(answer).toContainText("Gladly.");
      await expect(answer.getByRole("button", { name: "Previous version" })).toBeDisabled();
      await answer.getByRole("button", { name: "Next version" }).click();
      await expect(answer).toContainText("There is more than one way");
      await app.reload();
      await expect(answer).toContainText("2/2");
      await answer.getByRole("button", { name: "Previous version" }).click();
      await expect(answer).toContainText("Gladly.");
    });
    await test.step("↑ in an empty field edits the last message, and Esc leaves it as it was", async () => {
      await app.startConversation();
      await app.ask("Hello");
      await app.composer.press("ArrowUp");
      const field = page.getByRole("textbox", { name: "Edit message" });
      await expect(field).toBeFocused();
      await field.fill("Something else");
      await field.press("Escape");
      await expect(field).toBeHidden();
      await expect(app.questions).toHaveText(/Hello/);
      await expect(app.composer).toBeFocused();
      await app.composer.press("ArrowUp");
      await field.fill("Something else");
      await field.press("Enter");
      await expect(app.questions).toHaveText(/Something else/);
      await expect(await app.answered()).toContainText("There is more than one way");
    });
    await test.step("messages can be copied as they were written", async () => {
      await app.startConversation();
      await app.allowClipboard();
      const answer = await app.ask("Show me the formula");
      await answer.getByRole("button", { name: "Copy", exact: true }).click();
      await expect(app.page.getByRole("status").filter({ hasText: "Copied." })).toBeAttached();
      expect((await app.clipboard()) ?? "$T^2 \\propto a^3$").toContain("$T^2 \\propto a^3$");
      await app.questions.first().getByRole("button", { name: "Copy", exact: true }).click();
      await expect.poll(async () => (await app.clipboard()) ?? "Show me the formula").toBe("Show me the formula");
    });
  });

  test("a message can be put in other words, and deleted, and what followed comes back", async ({ app, page }) => {
    await test.step("a message can be put in other words, and what followed the old one is not lost", async () => {
      await app.openChat();
      await app.ask("Hello");
      await app.ask("And then?");
      const first = app.questions.first();
      await first.getByRole("button", { name: "Edit and resend" }).click();
      const field = first.getByRole("textbox", { name: "Edit message" });
      await expect(field).toBeFocused();
      await expect(field).toHaveValue("Hello");
      await field.fill("Good morning");
      await first.getByRole("button", { name: "Send" }).click();
      await expect(app.questions).toHaveCount(1);
      await expect(first).toContainText("Good morning");
      await expect(first).toContainText("2/2");
      await expect(await app.answered()).toContainText("Once more, in other words.");
      await first.getByRole("button", { name: "Previous version" }).click();
      await expect(app.questions).toHaveText([/Hello/, /And then\?/]);
      await expect(app.answers).toHaveText([/Gladly\./, /There is more than one way/]);
    });
    await test.step("a message can be deleted with what follows it, and brought back", async () => {
      await app.startConversation();
      await app.ask("Hello");
      await app.ask("And then?");
      await app.questions.last().getByRole("button", { name: "Delete from here on" }).click();
      await expect(app.questions).toHaveCount(1);
      await expect(app.answers).toHaveCount(1);
      await page.getByRole("button", { name: "Undo" }).click();
      await expect(app.questions).toHaveText([/Hello/, /And then\?/]);
      await app.answers.last().getByRole("button", { name: "Delete from here on" }).click();
      await expect(app.answers).toHaveCount(1);
      await app.reload();
      await expect(app.questions).toHaveCount(2);
      await expect(app.answers).toHaveCount(1);
    });
  });
});
