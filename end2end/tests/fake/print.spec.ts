import { EMULATES_MEDIA } from "../../support/firefox.ts";
import type { Said } from "../../support/archive.ts";
import { openArchive } from "../../support/archive.ts";
import { expect, test } from "../../support/watch.ts";

const turns = 60;
const messages = Array.from({ length: turns }, (_, at): Said[] => [
  ["user", `Question ${at + 1}`],
  ["assistant", `Answer ${at + 1}.\n\n- one\n- two\n- three`],
]).flat();

test.describe("on paper", () => {
  test("all messages are there, nothing to press, and a PDF has as many pages as they need", { tag: EMULATES_MEDIA }, async ({ app, page, browserName }) => {
    await test.step("all messages are there, and nothing to press", async () => {
      await app.openChat();
      await openArchive(app, "Paper", messages);
      await expect(app.answers).toHaveCount(turns);
      await page.emulateMedia({ media: "print" });
      // Nothing scrolls: the document itself is as long as the conversation.
      const cut = await page.evaluate(() => {
        const all = [...document.querySelectorAll(".messages > .message")].map((it) => it.getBoundingClientRect());
        const end = document.documentElement.getBoundingClientRect().bottom;
        return all.filter((it) => it.height < 10 || it.bottom > end + 1).length;
      });
      expect(cut).toBe(0);
      await expect(app.rail).toBeHidden();
      await expect(app.composer).toBeHidden();
      await expect(page.getByRole("button", { name: "Copy" })).toHaveCount(0);
    });
    await test.step("a PDF has as many pages as the conversation needs", async () => {
      await page.emulateMedia({ media: null });
      // Only Chromium prints for a test.
      if (browserName !== "chromium") return;
      const pdf = (await page.pdf({ format: "A4" })).toString("latin1");
      const pages = Math.max(...[...pdf.matchAll(/\/Count (\d+)/g)].map(([, count]) => Number(count)));
      expect(pages).toBeGreaterThanOrEqual(6);
    });
  });
});
