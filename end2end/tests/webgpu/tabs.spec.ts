// Several tabs share one engine: one worker, one set of weights, and answers that go on when the tab of the engine is closed.

import { expect, test } from "@playwright/test";
import { drawn, EngineApp, figures } from "../../support/engine.ts";
import { modelFile } from "../../support/native.ts";
import { ANSWER, LOAD } from "../../support/patience.ts";

const COUNT = "Count from 1 to 10.";
const PICKED = modelFile("tiny-e2b.q4_k_m");

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

/** Opens another tab and waits until it shows the model that is loaded. */
async function open(name: string): Promise<EngineApp> {
  const app = await tab(0).another();
  tabs.push(app);
  await app.page.goto("/");
  await app.loaded(name);
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
  await tab(0).loadDemo();
});

test.afterAll(async () => {
  await tab(0).page.context().close();
});

let whole = "";

test("the engine of one tab answers in all three", async () => {
  const bytes = await tab(0).countBytes();
  for (const app of [await open("pebble"), await open("pebble")]) {
    expect(app.requests.map((request) => request.url()).filter((url) => url.includes("engine"))).toEqual([]);
  }
  expect(engines()).toBe(1);
  for (const app of tabs) {
    await app.beGreedy();
  }
  // What one asks the others wait for, and see.
  await tab(0).send(COUNT);
  await expect(tab(0).answers.first()).toContainText("1, 2", { timeout: ANSWER });
  await expect(tab(1).model).toContainText("Answering in another tab");
  await tab(1).send(COUNT);
  await expect(tab(1).answers.first()).toContainText("Waiting for another tab");
  await tab(2).send("What is 2 + 3?");
  whole = await drawn(await tab(0).answered());
  expect(whole).toContain("8, 9, 10");
  expect(await drawn(await tab(1).answered())).toBe(whole);
  expect(await drawn(await tab(2).answered())).toBe("2 + 3 = 5.");
  await expect(tab(1).model).not.toContainText("another tab");
  // The self-test may still make buffers, of 2 to 6 MB in all. The weights are 13.6 MB.
  expect(await bytes(), "no second set of weights").toBeLessThan(13_000_000);
});

test("a tab that can't get the list of models uses the model that is loaded", async () => {
  const app = await tab(0).another();
  await app.page.route("**/api/models", (route) => route.abort());
  await app.page.goto("/");
  await app.loaded("pebble");
  await app.beGreedy();
  expect(await drawn(await app.ask("What is 2 + 3?"))).toBe("2 + 3 = 5.");
  await app.page.close();
});

test("when its tab is closed in the middle of an answer, another goes on to the same text", async () => {
  await tab(1).send(COUNT);
  await tab(2).send(COUNT);
  await expect(tab(1).answers.last()).toContainText("1, 2, 3", { timeout: ANSWER });
  await expect(tab(1).answers.last()).toHaveAttribute("aria-busy", "true");
  await closeFirst();
  for (const app of tabs) {
    const answer = await app.answered();
    expect(await drawn(answer)).toBe(whole);
    const tokens = (await figures(answer)).drawn;
    expect(tokens).toBe((await figures(tab(0).answers.first())).drawn);
  }
  expect(engines()).toBe(1);
});

test("when the next tab is closed, too, before it has loaded the model, a third goes on to the same text", { tag: "@thorough" }, async () => {
  const [next, last] = [tab(1), await open("pebble")];
  await last.beGreedy();
  await last.send(COUNT);
  await expect(last.answers.last()).toContainText("1, 2, 3", { timeout: ANSWER });
  const started = next.page.waitForEvent("worker", { timeout: LOAD });
  await closeFirst();
  await started;
  await expect(next.page.getByRole("button", { name: "Model: pebble (Loaded)." })).toHaveCount(0);
  await closeFirst();
  expect(await drawn(await last.answered())).toBe(whole);
  expect(engines()).toBe(1);
  await open("pebble");
});

test("a file that one tab has picked is loaded for all, and again when its tab is closed", async () => {
  const holder = tab(0);
  await holder.go("Models");
  await holder.pick(PICKED);
  await holder.loaded("tiny-e2b.q4_k_m.gguf");
  await tab(1).loaded("tiny-e2b.q4_k_m.gguf");
  await expect(tab(1).page.getByText("Another tab has loaded tiny-e2b.q4_k_m.gguf.")).toBeAttached();
  await closeFirst();
  await expect.poll(engines).toBe(1);
  await tab(0).loaded("tiny-e2b.q4_k_m.gguf");
  await tab(0).setLongest(4);
  await expect(await tab(0).ask("Once upon a time")).toContainText("Stopped at the maximum answer length.");
});
