// Conversations in scripts that run from right to left, and in those without spaces: pictures of the page are compared with
// pictures of the same page on which the test has decided what the page should find out by itself.

import type { Locator } from "@playwright/test";
import { openArchive } from "../../support/archive.ts";
import { amount, differing, expectLetters, laidOut, type Picture, picture, whole } from "../../support/pixels.ts";
import { expect, test } from "../../support/watch.ts";

const DESK = { width: 1280, height: 1000 };
const PHONE = { width: 390, height: 1000 };

test.skip(({ browserName }) => browserName !== "chromium", "for a picture Playwright adds a style, which the content policy of the page refuses");

/** The blocks of an answer. */
const BLOCKS = ":is(p, h3, h4, h5, ul, ol, blockquote, .table-scroll, figure)";
const blocks = (answer: Locator) => answer.locator(`.says ${BLOCKS}:not(.says ${BLOCKS} *)`);

test("scripts of both directions are drawn as if each block had been given its own", async ({ app, page }) => {
  const said = [
    ["rtl", "يمكن تشغيل النموذج Gemma 4 في المتصفح (Chromium 156) دون خادم، ولا يغادر أي نص هذه الصفحة أبدا."],
    ["ltr", "The sign says «مرحبا بالعالم»: hello, world."],
    ["rtl", "# שלום, world!"],
    ["rtl", "- שלום עולם (1)\n- `let x = 1;` כאן\n  - בפנים"],
    ["rtl", "1. واحد\n2. two, اثنان"],
    ["rtl", "> قال: “hello.”"],
    ["rtl", "| עמודה | b |\n| --- | --- |\n| ערך | 1,5 |"],
    ["ltr", '```rust\nlet greeting = "שלום"; // تحية\n```'],
    ["rtl", "הריצו `cargo run --release` עכשיו."],
    ["ltr", "Done."],
  ] as const;
  await page.setViewportSize(DESK);
  await app.openChat();
  await expectLetters(page, ["ع", "م", "ש", "ל"]);
  await openArchive(app, "שלום", [["user", "مرحبا! Hello?"], ["assistant", said.map(([, text]) => text).join("\n\n")]]);
  const [question, answer] = [app.questions.first(), app.answers.first()];
  await expect(blocks(answer)).toHaveCount(said.length);
  for (const size of [DESK, PHONE]) {
    await page.setViewportSize(size);
    await laidOut(page);
    const found = [await whole(question.locator(".bubble-text")), await whole(answer.locator(".says"))];
    const give = (element: Element, dir: string) => {
      for (const within of element.querySelectorAll("[dir=auto]")) within.removeAttribute("dir");
      element.setAttribute("dir", dir);
    };
    await question.locator(".bubble-text").evaluate(give, "rtl");
    for (const [at, [dir]] of said.entries()) {
      await blocks(answer).nth(at).evaluate(give, dir);
    }
    const given = [await whole(question.locator(".bubble-text")), await whole(answer.locator(".says"))];
    for (const [at, one] of found.entries()) {
      expect(differing(one, given[at] ?? one), `${size.width}: ${at}`).toBe(0);
    }
    // Both directions differ where each is given the other one, so the pictures show them.
    await blocks(answer).first().evaluate(give, "ltr");
    expect(differing(await whole(answer.locator(".says")), given[1] ?? ({} as Picture))).toBeGreaterThan(100);
    await blocks(answer).first().evaluate(give, "auto");
  }
});

/** How many pixels with ink have none within a pixel of the same place of the other picture, seen in a mirror. */
function unmirrored(one: Picture, other: Picture): number {
  const strong = 60;
  const near = (x: number, y: number) => {
    for (let dy = -1; dy <= 1; dy += 1)
      for (let dx = -1; dx <= 1; dx += 1) {
        const [at, line] = [x + dx, y + dy];
        if (at >= 0 && line >= 0 && at < other.width && line < other.height && other.ink(at, line) > strong / 2) return true;
      }
    return false;
  };
  let count = 0;
  for (let y = 0; y < one.height; y += 1)
    for (let x = 0; x < one.width; x += 1) if (one.ink(x, y) > strong && !near(one.width - 1 - x, y)) count += 1;
  return count;
}

test("what runs from right to left is the mirror image of what runs from left to right", async ({ app, page }) => {
  // Squares have no direction; a mark before them has.
  const written = (mark: string) => [
    `${mark}■ ■■■ ■■`,
    `# ${mark}■■■`,
    `- ${mark}■■■■\n- ${mark}■\n  - ${mark}■■`,
    `> ${mark}■■■ ■`,
    `| ${mark}■■■■■■ | ${mark}■ |\n| --- | --- |\n| ${mark}■ | ${mark}■■ |`,
  ];
  const [left, right] = [written("\u200e"), written("\u200f")];
  await page.setViewportSize(DESK);
  await app.openChat();
  await openArchive(app, "■", [["user", "Hello"], ["assistant", [...left, ...right].join("\n\n")]]);
  const answer = app.answers.first();
  await expect(blocks(answer)).toHaveCount(2 * left.length);
  for (const size of [DESK, PHONE]) {
    await page.setViewportSize(size);
    await laidOut(page);
    for (const [at, text] of left.entries()) {
      const one = await picture(blocks(answer).nth(at));
      const other = await picture(blocks(answer).nth(at + left.length));
      expect(amount(one), text).toBeGreaterThan(1_000);
      expect([one.width, one.height], text).toEqual([other.width, other.height]);
      expect(unmirrored(one, other), `${size.width}: ${text}`).toBe(0);
      expect(unmirrored(other, one), `${size.width}: ${text}`).toBe(0);
    }
  }
});

/** Shows what an element and those within it cut, and returns what undoes that. */
function showOverflow(part: Element): () => void {
  const changed = [part, ...part.querySelectorAll("*")].flatMap((it) => {
    const { overflow, display, borderRadius } = getComputedStyle(it);
    // Round corners cut what is meant to be cut.
    if (overflow === "visible" || borderRadius !== "0px") return [];
    const { style } = it as HTMLElement;
    const before = style.cssText;
    // What contained its floats and margins still does.
    if (display === "block") style.setProperty("display", "flow-root");
    style.setProperty("overflow", "visible", "important");
    return [{ style, before }];
  });
  return () => {
    for (const { style, before } of changed) style.cssText = before;
  };
}

test("Chinese, Japanese and Korean break into lines that touch neither each other nor an edge", { tag: "@thorough" }, async ({ app, page }) => {
  const paragraphs = [
    "浏览器把模型的权重读进显卡的内存，然后在这个标签页里回答问题，所以没有任何一句话会离开这台电脑。".repeat(3),
    "ブラウザーはモデルの重みを読み込み、このタブの中で質問に答えます。「鬱」や「驫」のような画数の多い文字も、行の間で重なりません。".repeat(2),
    "브라우저가 모델의 가중치를 읽어 이 탭에서 질문에 답하므로, 쓰신 글은 이 컴퓨터를 떠나지 않습니다. 긴 문장도 줄마다 겹치지 않아야 합니다.".repeat(2),
  ];
  const rest = ["# 見出し：한국어 제목", "- 一つ目の項目\n- 第二项", "| 名前 | 값 |\n| --- | --- |\n| 重み | 二十 |", "```js\n// 説明 설명 说明\n```"];
  await page.setViewportSize(DESK);
  await app.openChat();
  await expectLetters(page, ["あ", "漢", "语", "한"]);
  await openArchive(app, "日本語 gjpq 한국어", [["user", paragraphs.join("\n")], ["assistant", [...paragraphs, ...rest].join("\n\n")]]);
  const [question, answer] = [app.questions.first().locator(".bubble-text"), app.answers.first().locator(".says")];
  const parts = [question, answer, app.conversation(/日本語/)];
  for (const size of [DESK, PHONE]) {
    await page.setViewportSize(size);
    await laidOut(page);
    const wide = await page.evaluate(() =>
      [document.documentElement, ...document.querySelectorAll(":is(.says, .bubble-text, .rail) *")]
        .filter((it) => it.scrollWidth > it.clientWidth + 1 && getComputedStyle(it).display !== "inline" && it.clientWidth > 1)
        .map((it) => it.outerHTML.slice(0, 80)),
    );
    expect(wide, `${size.width}`).toEqual([]);

    // Nothing is cut: the same is seen where nothing may be. What is cut differs each time; a late redraw does not.
    for (const part of size === DESK ? parts : parts.slice(0, 2)) {
      const cut = async () => {
        const shown = await whole(part);
        const restore = await part.evaluateHandle(showOverflow);
        const all = await whole(part);
        await restore.evaluate((restore) => restore());
        return differing(shown, all);
      };
      await expect.poll(cut, `${size.width}: ${part}`).toBe(0);
    }

    // Lines further apart have the same ink: no line covers a part of another.
    for (const at of paragraphs.keys()) {
      const paragraph = answer.getByRole("paragraph").nth(at);
      const height = await paragraph.evaluate((it) => it.clientHeight);
      const close = await picture(paragraph, 3);
      await paragraph.evaluate((it) => (it.style.lineHeight = `${2 * Number.parseFloat(getComputedStyle(it).lineHeight)}px`));
      expect(Math.abs((await paragraph.evaluate((it) => it.clientHeight)) - 2 * height)).toBeLessThan(3);
      const apart = await picture(paragraph, 3);
      expect(amount(close)).toBeGreaterThan(10_000);
      expect(Math.abs(amount(close) / amount(apart) - 1), `${size.width}: ${at}`).toBeLessThan(0.002);
      await paragraph.evaluate((it) => it.style.removeProperty("line-height"));
    }
  }
});
