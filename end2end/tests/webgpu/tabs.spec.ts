// Several tabs share one engine: one worker, one set of weights, and answers that go on when the tab of the engine is closed.

import { expect, test } from "@playwright/test";
import { drawn, EngineApp, figures } from "../../support/engine.ts";
import { PEBBLE } from "../../support/native.ts";
import { ANSWER, LOAD } from "../../support/patience.ts";

const COUNT = "Count from 1 to 100.";
const SUM = "What is 2 + 3?";
/** The demo model, as a file of the person's. */
const PICKED = "pebble.gguf";
/** Tokens of an answer: so many that a tab can be closed in the middle of them, also where a graphics card computes. */
const MOST = process.env.GEMTAB_GPU_FLAGS ? 200 : 12;
/** Tokens of an answer that only has its turn. */
const FEW = 5;

test.describe.configure({ mode: "serial", timeout: 3 * LOAD + 2 * ANSWER });

let tabs: EngineApp[] = [];

/** How many engines run in all tabs. */
const engines = () => tabs.flatMap((tab) => tab.page.workers()).length;

/** A tab that is open still. */
function tab(place: number): EngineApp {
  const app = tabs[place];
  if (!app) {
    throw new Error(`there are only ${tabs.length} tabs`);
  }
  return app;
}

/** Opens another tab. */
async function open(): Promise<EngineApp> {
  const app = await tab(0).another();
  tabs.push(app);
  await app.page.goto("/");
  return app;
}

/** Closes the tab that runs the engine. */
async function closeFirst(): Promise<void> {
  await tab(0).page.close();
  tabs = tabs.slice(1);
}

test.beforeAll(async ({ browser }) => {
  tabs = [await EngineApp.start(browser)];
  await tab(0).page.goto("/");
});

test.afterAll(async () => {
  await tab(0).page.context().close();
});

let whole = "";
let length = 0;
let sum = "";

test("a file that one tab has picked is loaded for all", async () => {
  const other = await open();
  await expect(other.card).toContainText("Fits");
  expect(other.requests.map((request) => request.url()).filter((url) => url.includes("engine"))).toEqual([]);
  await tab(0).pick(PEBBLE);
  await tab(0).loaded(PICKED);
  await other.loaded(PICKED);
});

test("the engine of one tab answers in all three, also where the list of models can't be had", async () => {
  const bytes = await tab(0).countBytes();
  const last = await tab(0).another();
  tabs.push(last);
  await last.page.route("**/api/models", (route) => route.abort());
  await last.page.goto("/");
  await last.loaded(PICKED);
  expect(last.requests.map((request) => request.url()).filter((url) => url.includes("engine"))).toEqual([]);
  expect(engines()).toBe(1);
  for (const app of tabs) {
    await app.beGreedy();
  }
  for (const [at, app] of tabs.entries()) {
    await app.setLongest(at < 2 ? MOST : FEW);
  }
  // What one asks the others wait for, and see.
  await tab(0).send(COUNT);
  await expect(tab(0).answers.first()).toContainText("1, 2", { timeout: ANSWER });
  await expect(tab(1).model).toContainText("Answering in another tab");
  await tab(1).send(COUNT);
  await expect(tab(1).answers.first()).toContainText("Waiting for another tab");
  await last.send(SUM);
  whole = await drawn(await tab(0).answered());
  length = (await figures(tab(0).answers.first())).drawn;
  expect(whole).toMatch(/^1, 2, 3/);
  expect(await drawn(await tab(1).answered())).toBe(whole);
  sum = await drawn(await last.answered());
  expect(sum).toMatch(/^2 \+/);
  await expect(tab(1).model).not.toContainText("another tab");
  // The self-test may still make buffers, of 2 to 6 MB in all. The weights are 13.6 MB.
  expect(await bytes(), "no second set of weights").toBeLessThan(13_000_000);
});

test("when its tab is closed in the middle of an answer, another loads the file and goes on to the same text", { tag: "@thorough" }, async () => {
  await tab(1).send(COUNT);
  await tab(2).send(SUM);
  const answer = tab(1).answers.last();
  await expect(answer).toContainText("1, 2", { timeout: ANSWER });
  await expect(answer).toHaveAttribute("aria-busy", "true");
  await closeFirst();
  expect(await drawn(await tab(0).answered())).toBe(whole);
  expect((await figures(answer)).drawn).toBe(length);
  expect(await drawn(await tab(1).answered())).toBe(sum);
  expect(engines()).toBe(1);
});

test("when the next tab is closed, too, before it has loaded the model, a third goes on to the same text", { tag: "@thorough" }, async () => {
  // A model that the server lists.
  await tab(0).model.click();
  await tab(0).picked("pebble(?!\\.gguf)").click();
  await tab(0).loaded("pebble");
  await expect(tab(1).page.getByText("Another tab has loaded pebble.")).toBeAttached();
  const [next, last] = [tab(1), await open()];
  await last.loaded("pebble");
  await last.beGreedy();
  await last.setLongest(MOST);
  await last.send(COUNT);
  await expect(last.answers.last()).toContainText("1, 2", { timeout: ANSWER });
  const started = next.page.waitForEvent("worker", { timeout: LOAD });
  await closeFirst();
  await started;
  await expect(next.page.getByRole("button", { name: "Model: pebble (Loaded)." })).toHaveCount(0);
  await closeFirst();
  expect(await drawn(await last.answered())).toBe(whole);
  expect(engines()).toBe(1);
});
