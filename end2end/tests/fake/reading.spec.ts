// A reload and Back come back to where one was reading.

import { openArchive, type Said } from "../../support/archive.ts";
import { expect, test } from "../../support/watch.ts";

const messages = Array.from({ length: 60 }, (_, at): Said[] => [
  ["user", `Question ${at}`],
  ["assistant", `Answer ${at}.\n\n- one\n- two\n- three`],
]).flat();

test("a long conversation opens where one was reading, after a reload and with Back", async ({ app, page }) => {
  await app.openChat();
  await app.ask("A short one");
  await openArchive(app, "Many", messages);
  const question = app.questions.filter({ hasText: /Question 10$/ });
  const last = app.questions.filter({ hasText: /Question 59$/ });
  const kept = () => page.evaluate(() => Object.keys(sessionStorage).some((key) => key.startsWith("gemtab-reading-")));
  await expect(last).toBeInViewport();
  // Messages take their height as they come into view, and move what was scrolled to.
  await question.evaluate(async (element) => {
    for (let frame = 0; frame < 10; frame += 1) {
      element.scrollIntoView({ block: "center" });
      await new Promise(requestAnimationFrame);
    }
  });
  await expect(question).toBeInViewport();
  await expect.poll(kept).toBe(true);
  await page.reload();
  await app.ready();
  await expect(question).toBeInViewport();
  await app.conversation("A short one").click();
  await expect(app.questions).toHaveText([/A short one/]);
  await page.goBack();
  await expect(question).toBeInViewport();
  // Opened anew, it is at its end.
  await app.conversation("A short one").click();
  await expect(app.questions).toHaveText([/A short one/]);
  await app.conversation("Many").click();
  await expect(last).toBeInViewport();
});
