// Several tabs share one engine: one worker, one set of weights, and an answer that goes on when the engine's tab is closed.

import { type Browser, expect, type Page, test } from "@playwright/test";
import { ANSWER, EngineApp, LOAD } from "../../support/engine.ts";

test.describe.configure({ mode: "serial", timeout: 3 * LOAD + 3 * ANSWER });

/** The workers of a page that run an engine. */
function engines(page: Page): number {
  return page.workers().filter((worker) => worker.url().includes("worker")).length;
}

test("three tabs have one engine, and hand it over in the middle of an answer", async ({ browser }) => {
  const first = await EngineApp.start(browser, []);
  await first.page.goto("/");
  await first.loadDemo();
  await first.beGreedy();
  console.log("loaded", engines(first.page));
  const second = await first.another();
  second.page.on("console", (message) => console.log("second:", message.text()));
  await second.page.goto("/");
  await expect(second.model).toHaveAccessibleName(/Loaded/, { timeout: LOAD });
  console.log("second", engines(first.page), engines(second.page));
  await second.beGreedy();
  console.log(await (await second.ask("What is 2 + 3?")).innerText());
  await second.send("Count from 1 to 40.");
  await expect(second.answers.last()).toContainText("1, 2", { timeout: ANSWER });
  await first.page.close();
  const answer = await second.answered();
  console.log(await answer.innerText(), engines(second.page));
});
