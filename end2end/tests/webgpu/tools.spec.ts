// The built-in model calls the page's tools: what it asks for is computed, and it says what came of it.

import { expect, test } from "@playwright/test";
import { EngineApp } from "../../support/engine.ts";
import { LOAD } from "../../support/patience.ts";
import { card, switchOn } from "../../support/tools.ts";

test.describe.configure({ mode: "serial", timeout: 2 * LOAD });

let app: EngineApp;

test.beforeAll(async ({ browser }) => {
  app = await EngineApp.start(browser);
  await app.page.goto("/");
  await app.loadDemo();
  await app.beGreedy();
});

test.afterAll(async () => {
  await app.page.context().close();
});

/** Sends a message that is answered by a call, and returns the answer behind its result. */
async function ask(text: string): Promise<string> {
  const before = await app.answers.count();
  await app.send(text);
  await expect(app.answers).toHaveCount(before + 2, { timeout: LOAD });
  return (await (await app.answered()).locator(".says").innerText()).trim();
}

/** Begins a conversation in which these tools are on. */
async function begin(...tools: string[]): Promise<void> {
  await app.rail.getByRole("button", { name: "New", exact: true }).click();
  await expect(app.answers).toHaveCount(0);
  await switchOn(app, ...tools);
}

test("a calculation", async () => {
  await switchOn(app, "Calculator");
  const before = app.requests.length;
  expect(await ask("What is 12.5 * 8?")).toBe("12.5 * 8 = 100.");
  await expect(card(app.answers.first(), 0)).toContainText("Done");
  expect(app.requests.slice(before)).toEqual([]);
});

test("a calculation that fails", { tag: "@thorough" }, async () => {
  expect(await ask("What is 5 / 0?")).toBe("I can't divide by zero.");
  await expect(card(app.answers.nth(2), 0)).toContainText("Failed");
});

test("two calls in one turn", { tag: "@thorough" }, async () => {
  await begin("Calculator", "Date and time");
  const answer = await ask("What year is it, and what is 12 * 7?");
  expect(answer).toBe(`It is ${new Date().getFullYear()}. 12 * 7 = 84.`);
  await expect(card(app.answers.first(), 1)).toContainText("Done");
});

test("a chart", { tag: "@thorough" }, async () => {
  await begin("JavaScript");
  expect(await ask("Make a bar chart: cats 3, dogs 5")).toBe("Here is the bar chart.");
  await expect(app.answers.first().getByRole("img", { name: "Bar chart: Bar chart" })).toBeVisible();
});

test("a search in other conversations, and a question that needs no call", { tag: "@thorough" }, async () => {
  await app.written();
  await begin("Search conversations");
  expect(await ask("Have we talked about cats before?")).toContain('I found "Make a bar chart');
  await expect(await app.ask("What is the capital of France?")).toContainText("The capital of France is Paris.");
});
