// From one conversation to another, and what waits behind a running answer.

import { expect, test } from "../../support/watch.ts";

const LONG = "A long answer, please";
/** How far the messages are from their end, in pixels. */
const toEnd = (log: Element) => log.scrollHeight - log.scrollTop - log.clientHeight;

test.describe("a conversation that is opened", () => {
  test("is shown from its end, also after one that was read further up", async ({ app, page }) => {
    await page.setViewportSize({ width: 900, height: 500 });
    await app.openChat();
    for (const text of ["First", "Second"]) {
      await app.ask(`${text} ${"of many words ".repeat(40)}`);
    }
    await app.kept("Second of many");
    await app.startConversation();
    for (const text of ["One", "Two", "Three", "Four"]) {
      await app.ask(text);
    }
    const log = page.locator("#main .log");
    await log.evaluate((log) => log.scrollTo(0, 0));
    await expect(page.getByRole("button", { name: "Jump to latest" })).toBeVisible();
    await app.conversation(/^First of many/).click();
    await expect(app.questions).toHaveCount(2);
    await expect.poll(() => log.evaluate(toEnd)).toBeLessThan(60);
  });
});

test.describe("Stop", () => {
  test("leaves a message that waits unsent, until it is asked for", async ({ app }) => {
    await app.openChat("usual,demo");
    await app.send(LONG);
    await expect(app.answers.first()).toContainText("Gladly.");
    await app.send("Second matter");
    await expect(app.questions).toHaveCount(2);
    await app.stopButton.click();
    await expect(app.answers.first()).toHaveAttribute("aria-busy", "false");
    const again = app.questions.last().getByRole("button", { name: "Try again" });
    await expect(again).toBeEnabled();
    await expect(app.answers).toHaveCount(1);
    await again.click();
    await expect(app.answers).toHaveCount(2);
  });
});

test.describe("a window as low as at 400 % zoom", () => {
  test("shows a list that can be scrolled", async ({ app, page }) => {
    await app.openChat();
    for (const text of ["One", "Two", "Three"]) {
      await app.ask(text);
      await app.startConversation();
    }
    await page.setViewportSize({ width: 320, height: 256 });
    await page.getByRole("button", { name: "Conversations and pages" }).click();
    const oldest = app.conversation("One");
    await oldest.scrollIntoViewIfNeeded();
    await expect(oldest).toBeInViewport({ ratio: 0.9 });
    await oldest.click();
    await expect(app.questions).toHaveText(/One/);
  });
});
