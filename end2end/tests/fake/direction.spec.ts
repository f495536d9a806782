// Scripts that run from right to left, beside those that run from left to right.

import type { Locator } from "@playwright/test";
import { openArchive } from "../../support/archive.ts";
import { CORE } from "../../support/firefox.ts";
import { expect, test } from "../../support/watch.ts";

const ARABIC = "مرحبا بالعالم";
const HEBREW = "שלום עולם";
const CHINESE = "你好，世界";

/** How far the text of an element is from its left and right edges. */
const gaps = (of: Locator) =>
  of.evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const [text, outer] = [range.getBoundingClientRect(), element.getBoundingClientRect()];
    return { left: text.left - outer.left, right: outer.right - text.right };
  });

test("words stand at the side where they begin", { tag: CORE }, async ({ app }) => {
  await app.openChat();
  const answer = [
    ARABIC,
    `- ${HEBREW}\n- ${HEBREW}`,
    `> ${ARABIC}`,
    `| ${ARABIC} | b |\n| --- | --- |\n| ${HEBREW} | c |`,
    "Left to right.",
    CHINESE,
  ].join("\n\n");
  await openArchive(app, ARABIC, [["user", `Hello\n${HEBREW}`], ["assistant", answer]]);
  const says = app.answers.first();
  const arabic = await gaps(says.getByRole("paragraph").filter({ hasText: ARABIC }).first());
  expect(arabic.right).toBeLessThan(2);
  expect(arabic.left).toBeGreaterThan(100);
  for (const words of ["Left to right.", CHINESE]) {
    const { left } = await gaps(says.getByRole("paragraph").filter({ hasText: words }));
    expect(left, words).toBeLessThan(2);
  }
  // The bullets are at the right, with room for them.
  const list = says.getByRole("list");
  await expect(list).toHaveCSS("direction", "rtl");
  expect((await gaps(list.getByRole("listitem").first())).right).toBeLessThan(2);
  const padding = await list.evaluate((it) => getComputedStyle(it).paddingRight);
  expect(Number.parseFloat(padding)).toBeGreaterThan(10);
  const quote = says.locator("blockquote");
  expect(await quote.evaluate((it) => getComputedStyle(it).borderRightWidth)).toBe("3px");
  // The first column is the right one.
  const [first, second] = await Promise.all(
    [ARABIC, "b"].map((name) => says.getByRole("columnheader", { name, exact: true }).boundingBox()),
  );
  expect(first?.x ?? 0).toBeGreaterThan(second?.x ?? Number.POSITIVE_INFINITY);
});

test("a title keeps its first words, and a draft runs as it is written", async ({ app, page }) => {
  await app.openChat();
  const title = `${ARABIC} `.repeat(6).trim();
  await openArchive(app, title, [["user", title], ["assistant", ARABIC]]);
  const shown = app.conversation(title).locator(".rail-title");
  await expect(shown).toHaveCSS("direction", "rtl");
  await app.composer.fill(HEBREW);
  await expect(app.composer).toHaveCSS("direction", "rtl");
  await app.composer.fill("Hello");
  await expect(app.composer).toHaveCSS("direction", "ltr");
  // What turns the words behind it stays out of the window's title.
  await app.startConversation();
  await app.ask("Left\u202eto right");
  await expect(page).toHaveTitle("Leftto right · gemtab");
});
