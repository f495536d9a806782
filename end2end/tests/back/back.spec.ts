// A page that the browser keeps for the way back is frozen, with its worker and its locks. The engine here is the real one as
// far as it needs no graphics device.

import { App } from "../../support/app.ts";
import { expect, test } from "../../support/watch.ts";

/** What the page says when an engine has listed what is kept, here or in another tab. */
const LISTED = "No models saved yet.";
/** A place that isn't the page. */
const AWAY = "/favicon.svg";

// For a picture alone the browser looks for an icon where there is none.
test.use({ expectedError: /404/ });

/** Opens a tab that speaks to an engine. */
async function open(app: App): Promise<void> {
  await app.page.goto("/models");
  await expect(app.page.getByText(LISTED)).toBeVisible();
}

/** Has a tab say nothing to others. A browser gives up a page that it keeps as soon as somebody speaks to it. */
async function silence({ page }: App): Promise<void> {
  await page.evaluate(() => {
    BroadcastChannel.prototype.postMessage = () => {};
  });
}

/** Goes to another place, so that the browser keeps the page. */
async function leave({ page }: App): Promise<void> {
  await page.evaluate(() => addEventListener("pageshow", ({ persisted }) => Object.assign(globalThis, { persisted })));
  await page.goto(AWAY);
}

/** Goes back. Whether the page is the one that was left. */
async function goBack({ page }: App): Promise<boolean> {
  // Playwright waits for a load, and a page that was kept isn't loaded. The call has returned before its page goes.
  await page.evaluate(() => void setTimeout(() => history.back()));
  await expect(page.getByRole("heading", { level: 1, name: "Models" })).toBeVisible();
  return page.evaluate(() => (globalThis as { persisted?: boolean }).persisted === true);
}

test("a page that is alone comes back with its engine", async ({ app }) => {
  await open(app);
  await leave(app);
  expect(await goBack(app)).toBe(true);
  // The engine is asked again.
  await app.go("Settings");
  await app.go("Models");
  await expect(app.page.getByText(LISTED)).toBeVisible();
});

test("another tab gets the engine when the one that runs it is left, which joins again when it comes back", async ({ app, context }) => {
  await open(app);
  const other = new App(await context.newPage());
  await open(other);
  expect([app, other].map(({ page }) => page.workers().length)).toEqual([1, 0]);
  await silence(other);
  await leave(app);
  await expect.poll(() => other.page.workers().length).toBe(1);
  expect(await goBack(app)).toBe(false);
  await expect(app.page.getByText(LISTED)).toBeVisible();
  expect([app, other].map(({ page }) => page.workers().length)).toEqual([0, 1]);
});

test("a tab that has joined and is left doesn't stand in the way of the next", async ({ app, context }) => {
  await open(app);
  const [left, last] = [new App(await context.newPage()), new App(await context.newPage())];
  await open(left);
  await open(last);
  for (const tab of [app, last]) {
    await silence(tab);
  }
  await leave(left);
  await app.page.close();
  await expect.poll(() => last.page.workers().length).toBe(1);
  expect(await goBack(left)).toBe(false);
  await expect(left.page.getByText(LISTED)).toBeVisible();
  expect(left.page.workers()).toEqual([]);
});
