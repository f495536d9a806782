// An answer while it is written, and conversations that are very long.

import type { Said } from "../../support/archive.ts";
import { openArchive } from "../../support/archive.ts";
import { expect, test } from "../../support/watch.ts";

test("what is selected in the last block stays selected while it grows", async ({ app, page }) => {
  await app.openChat("instant,demo");
  await app.ask("Hello");
  await app.startConversation();
  await app.pace(500);
  await app.send("Tell me");
  const answer = app.answers.first();
  const paragraph = answer.getByRole("paragraph").filter({ hasText: "A red circle is to" });
  await expect(paragraph).toBeVisible();
  await paragraph.evaluate((element) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const at = node.textContent?.search(/\bred|\bA\b|circle/) ?? -1;
      if (at >= 0) {
        getSelection()?.setBaseAndExtent(node, at, node, at + 1);
        return;
      }
    }
  });
  const selected = () => page.evaluate(() => getSelection()?.toString());
  const before = await selected();
  expect(before).not.toBe("");
  await app.pace(20);
  await expect(paragraph).toContainText("small blue square");
  expect(await selected()).toBe(before);
});

test("what is far away in a long conversation is not laid out, and is found", { tag: "@thorough" }, async ({ app, page }) => {
  await app.openChat();
  const messages = Array.from({ length: 150 }, (_, at): Said[] => [
    ["user", `Question ${at + 1}`],
    ["assistant", `Answer ${at + 1}.`],
  ]).flat();
  await openArchive(app, "Long", messages);
  await expect(app.answers).toHaveCount(150);
  await expect(app.answers.last()).toBeInViewport();
  const skipped = await app.answers
    .first()
    .getByRole("paragraph")
    .evaluate((it) => !it.checkVisibility({ contentVisibilityAuto: true }));
  expect(skipped).toBe(true);
  await app.answers.first().scrollIntoViewIfNeeded();
  await expect(app.answers.first()).toBeInViewport();
});

test("a text full of delimiters, marks and columns does not stop the page", async ({ app, page }) => {
  await app.openChat();
  const width = 20_000;
  const row = (cell: string) => `|${`${cell}|`.repeat(width)}`;
  const messages: Said[] = [
    ["user", `a${"\u0301".repeat(20_000)}`],
    ["assistant", "\\(".repeat(100_000)],
    ["user", "And a table?"],
    ["assistant", [row("a"), row("-"), row("b")].join("\n")],
    ["user", "And marks?"],
    ["assistant", `b${"\u0301".repeat(20_000)} and the end.`],
  ];
  await openArchive(app, "Hostile", messages);
  await expect(app.answers.last()).toContainText("and the end.");
  await expect(app.answers).toHaveCount(3);
  await app.composer.press("x");
  await expect(app.composer).toHaveValue("x");
  await expect(await app.ask("Still here")).not.toBeEmpty();
});
