// The same conversation in two tabs: each follows the other, and neither overwrites what the other has written.

import { App } from "../../support/app.ts";
import { CORE } from "../../support/firefox.ts";
import { expect, test } from "../../support/watch.ts";

test.describe("two tabs", () => {
  test("one follows what the other answers, and changes it meanwhile", async ({ app, context }) => {
    await app.openChat("usual,demo");
    await app.send("A long answer");
    await expect(app.answers.first()).toContainText("Part 1");
    const other = new App(await context.newPage());
    await other.open("instant");
    await other.conversation("A long answer").click();
    await expect(other.answers.first()).toContainText("Being written in another tab");
    await expect(other.answers.first()).toContainText("Part 2");
    await other.act("A long answer", "Rename");
    await other.rail.getByRole("textbox", { name: "New title" }).fill("Planets");
    await other.rail.getByRole("textbox", { name: "New title" }).press("Enter");
    await expect(other.page.locator("#composer-hint")).toHaveText("This conversation is being answered in another tab.");
    await expect(other.answers.first().getByRole("button", { name: "Regenerate" })).toHaveCount(0);
    await other.send("Too early");
    await expect(other.sendButton).toBeDisabled();
    await expect(other.composer).toHaveValue("Too early");
    await expect(app.conversation("Planets")).toBeVisible();
    await app.stopButton.click();
    await expect(other.answers.first()).toContainText("Stopped.");
    await expect(other.answers.first()).not.toContainText("The page was closed");
    await expect(other.answers.first().getByRole("button", { name: "Regenerate" })).toBeVisible();
    await expect(other.sendButton).toBeEnabled();
    await app.kept("Planets");
    await app.kept('"finish":"Cancelled"');
    await app.reload();
    await expect(app.conversation("Planets")).toBeVisible();
    await expect(app.answers.first()).toContainText("Stopped.");
  });

  test("one follows every word that the other writes, not only what is kept every few seconds", async ({ app, context }) => {
    await app.openChat("usual,demo");
    const other = new App(await context.newPage());
    await other.openChat("instant");
    await app.ask("Hello");
    await app.send("A long answer");
    await other.conversation("Hello").click();
    await expect(other.answers.last()).toContainText("Part 1");
    // How often the text changes, and how often something is kept.
    await other.page.evaluate(() => {
      const counts = { texts: 0, kept: 0 };
      const answer = [...document.querySelectorAll(".model-says")].at(-1);
      if (answer) {
        new MutationObserver(() => (counts.texts += 1)).observe(answer, {
          characterData: true,
          childList: true,
          subtree: true,
        });
      }
      const names = ["gemtab-history", "gemtab-simulated-history"];
      const channels = names.map((name) => new BroadcastChannel(name));
      for (const channel of channels) {
        channel.onmessage = () => (counts.kept += 1);
      }
      Object.assign(globalThis, { counts, channels });
    });
    const counts = () =>
      other.page.evaluate(() => (globalThis as unknown as { counts: { texts: number; kept: number } }).counts);
    await expect.poll(async () => (await counts()).kept).toBeGreaterThan(0);
    await expect(other.answers.last()).toContainText("Part 4");
    const { texts, kept } = await counts();
    expect(texts).toBeGreaterThan(4 * kept);
    await app.stopButton.click();
    await app.answered();
    await expect(other.answers.last()).not.toContainText("Being written in another tab");
    expect(await other.answers.last().innerText()).toContain("Part 4");
  });

  test("a message sent in one stays while the other answers", { tag: CORE }, async ({ app, context }) => {
    await app.openChat("usual,demo");
    await app.send("A long answer");
    await expect(app.answers.first()).toContainText("Part 1");
    const other = new App(await context.newPage());
    await other.open("instant");
    await other.conversation("A long answer").click();
    await expect(other.answers.first()).toContainText("Being written in another tab");
    await other.questions.first().getByRole("button", { name: "Edit and resend" }).click();
    await other.questions.first().getByRole("textbox").fill("Which table?");
    await other.page.keyboard.press("Enter");
    await expect(other.answers.first()).toContainText("Mercury");
    // The other tab goes on writing, and keeps what it has written every few seconds.
    await expect(app.answers.first()).toContainText("Part 6");
    await app.kept("Part 6");
    await app.stopButton.click();
    await app.answered();
    await expect(app.questions.first()).toContainText("1/2");
    await app.kept('"finish":"Cancelled"');
    for (const tab of [app, other]) {
      await tab.open("instant");
      await tab.conversation("A long answer").click();
      await expect(tab.questions.first()).toContainText("/2");
    }
    await app.kept("Which table?");
  });

  test("what one deletes the other does not bring back, except by Undo", async ({ app, context }) => {
    await app.openChat("usual,demo");
    await app.send("A long answer");
    await expect(app.answers.first()).toContainText("Part 1");
    await app.kept("Gladly.");
    const other = new App(await context.newPage());
    await other.open("instant");
    await other.act("A long answer", "Delete");
    await expect(other.conversation("A long answer")).toBeHidden();
    await expect(app.page.getByText("This conversation was deleted in another tab.").first()).toBeVisible();
    await expect(app.stopButton).toBeHidden();
    await expect(app.page.getByRole("heading", { name: "This conversation isn’t in this browser" })).toBeVisible();
    await other.reload();
    await other.ready();
    await expect(other.rail).toContainText("Your conversations will appear here.");
    await app.page.getByRole("button", { name: "Undo" }).click();
    await expect(app.answers.first()).toContainText("Part 1");
    await expect(other.conversation("A long answer")).toBeVisible();
  });
});
