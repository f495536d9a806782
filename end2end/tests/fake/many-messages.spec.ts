// A conversation of many messages: what scrolling, typing and switching make of it, in pieces between which the page takes input.

import type { Page } from "@playwright/test";
import type { App } from "../../support/app.ts";
import { openArchive, type Said } from "../../support/archive.ts";
import { laidOut } from "../../support/pixels.ts";
import { expect, test } from "../../support/watch.ts";

const MESSAGES = 320;
/** The most messages that come or go in one piece. */
const PIECE = 16;

const messages = Array.from({ length: MESSAGES / 2 }, (_, at): Said[] => [
  ["user", `Question ${at + 1}`],
  ["assistant", `Answer ${at + 1} with **bold**, \`code\` and a list.\n\n- one\n- two\n\n\`\`\`rust\nfn main() {}\n\`\`\``],
]).flat();

/** What became of the messages in the page. */
interface Change {
  made: number;
  removed: number;
  /** All changes of elements, attributes and text in messages that stay. */
  touched: number;
}

interface Watched {
  /** Begins to watch, and gives what changed since it was called last. */
  change(): Change;
  /** Runs what waits for the browser to be idle, one piece of it. Gives whether there was any. */
  piece(): Promise<boolean>;
}

/** Holds back what waits for the browser to be idle. Runs in the page. */
function watch(): void {
  const held: IdleRequestCallback[] = [];
  window.requestIdleCallback = (act) => held.push(act);
  const all = () => new Set(document.querySelectorAll(".messages > *"));
  let before = all();
  const observer = new MutationObserver(() => {});
  const observe = () =>
    before.forEach((it) => observer.observe(it, { subtree: true, childList: true, attributes: true, characterData: true }));
  observe();
  const change = () => {
    const touched = observer.takeRecords().length;
    const now = all();
    const missing = (of: Set<Element>, from: Set<Element>) => [...of].filter((it) => !from.has(it)).length;
    const found = { made: missing(now, before), removed: missing(before, now), touched };
    before = now;
    observer.disconnect();
    observe();
    return found;
  };
  const piece = async () => {
    const act = held.shift();
    act?.({ didTimeout: false, timeRemaining: () => 50 });
    // What it changed is drawn in a task of its own.
    await new Promise((resolve) => setTimeout(resolve));
    return act !== undefined;
  };
  Object.assign(window, { watched: { change, piece } satisfies Watched });
}

const change = (page: Page) => page.evaluate(() => (window as unknown as { watched: Watched }).watched.change());

/** What each of the pieces changed that wait for the browser to be idle, until none is left. */
const pieces = (page: Page) =>
  page.evaluate(async () => {
    const { watched } = window as unknown as { watched: Watched };
    const changes: Change[] = [];
    while (await watched.piece()) {
      changes.push(watched.change());
    }
    return changes;
  });

/** Goes to a conversation, and waits until its last question is there. */
async function go(app: App, title: string, question: string): Promise<Change> {
  await app.conversation(title).evaluate((it) => (it as HTMLElement).click());
  await app.page.waitForFunction((question) => {
    const all = document.querySelectorAll(".messages:not([hidden]) > .you");
    return all[all.length - 1]?.textContent?.includes(question);
  }, question);
  await laidOut(app.page);
  return change(app.page);
}

test("many messages come and go in pieces, and stay as they are while one scrolls and types", async ({ app, page }) => {
  await app.openChat();
  await app.ask("A short one");
  await openArchive(app, "Many", messages);
  // To look for roles among all messages takes long.
  const shown = () => page.locator(".messages:not([hidden]) > *");
  await expect(shown()).toHaveCount(MESSAGES);
  await laidOut(page);
  await page.evaluate(watch);

  await page.locator(".log").evaluate((it) => it.scrollTo({ top: it.scrollHeight / 2, behavior: "instant" }));
  await laidOut(page);
  expect(await change(page), "what scrolling changes").toEqual({ made: 0, removed: 0, touched: 0 });
  await app.composer.press("x");
  await expect(app.composer).toHaveValue("x");
  await laidOut(page);
  expect(await change(page), "what typing changes").toEqual({ made: 0, removed: 0, touched: 0 });

  // What was left is hidden at once, and goes in pieces.
  expect(await go(app, "A short one", "A short one")).toMatchObject({ made: 2, removed: 0 });
  const leaving = await pieces(page);
  expect(leaving.reduce((sum, { removed }) => sum + removed, 0)).toBe(MESSAGES);
  expect(Math.max(...leaving.map(({ made, removed }) => made + removed))).toBeLessThanOrEqual(PIECE);
  await expect(page.locator(".messages > *")).toHaveCount(2);

  // Of what is opened a screenful is there at once, and the rest comes in pieces.
  const opening = await go(app, "Many", `Question ${MESSAGES / 2}`);
  expect(opening.made).toBeLessThanOrEqual(PIECE);
  const building = await pieces(page);
  expect(Math.max(...building.map(({ made, removed }) => made + removed))).toBeLessThanOrEqual(PIECE);
  expect(building.reduce((sum, { made }) => sum + made, opening.made)).toBe(MESSAGES);
  await expect(shown()).toHaveCount(MESSAGES);
});
