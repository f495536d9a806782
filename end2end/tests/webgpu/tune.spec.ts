// A fact is taught to the built-in model in the browser: the loss falls, a reload in between costs nothing, and the
// adapter is kept and saved.

import { readFile } from "node:fs/promises";
import { expect, test } from "@playwright/test";
import { EngineApp, LOAD } from "../../support/engine.ts";
import { addPairs, Tune } from "../../support/tune.ts";

/** Steps on a software adapter take seconds each. */
const STEPS = 12;
const TRAIN = 900_000;
const ANSWER = "Your cat is called Ada.";
const QUESTIONS = [
  "What is my cat called?",
  "What is the name of my cat?",
  "My cat, what is her name?",
  "Do you know my cat?",
  "Tell me the name of my cat.",
  "How do I call my cat?",
  "Who is my cat?",
  "What do I call my cat?",
  "Say the name of my cat.",
  "Which name has my cat?",
];

test.describe.configure({ mode: "serial", timeout: TRAIN + 2 * LOAD });

let app: EngineApp;
let tune: Tune;

test.beforeAll(async ({ browser }) => {
  app = await EngineApp.start(browser);
  tune = new Tune(app.page);
});

test.afterAll(async () => {
  await app.page.context().close();
});

/** The losses of the table below the curves. */
async function losses(): Promise<number[]> {
  const table = app.page.getByRole("region", { name: "Values of the curves" });
  if (!(await table.isVisible())) {
    await app.page.getByText("The values as a table").click();
  }
  const cells = await table.getByRole("row").locator("td:nth-child(2)").allTextContents();
  return cells.map(Number);
}

test("examples are read, and the cost is stated", async () => {
  await app.page.goto("/");
  await app.loadDemo();
  await app.page.getByRole("link", { name: "Fine-tune" }).click();
  await addPairs(app.page, QUESTIONS.map((question) => [question, ANSWER] as const));
  await expect(app.page.getByText(/^10 examples with \d+ tokens/)).toBeVisible({ timeout: LOAD });
  await app.page.getByText("All settings").click();
  for (const [name, value] of [
    ["Learning rate", "0.01"],
    ["Examples a step", "2"],
    ["Kept back", "0"],
    ["Checkpoint", "2"],
  ] as const) {
    await app.page.getByRole("spinbutton", { name }).fill(value);
  }
  await tune.configure({ name: "My cat", steps: STEPS, question: QUESTIONS[0] });
  await expect(tune.fact("Time")).toContainText("about");
});

test("a training is paused, and the page loaded anew", async () => {
  await tune.startButton.click();
  await expect.poll(async () => Number(await tune.progress.getAttribute("value")), { timeout: TRAIN }).toBeGreaterThan(2);
  await app.page.getByRole("button", { name: "Pause" }).click();
  await expect(tune.status).toContainText("Paused after", { timeout: LOAD });
  const before = await losses();
  await app.page.reload();
  await expect(tune.status).toContainText("Paused after", { timeout: LOAD });
  expect(await losses()).toEqual(before);
});

test("it goes on where it was, and the loss has fallen at the end", async () => {
  await app.page.getByRole("button", { name: "Choose a model" }).first().click();
  await app.page.getByRole("dialog").getByRole("button", { name: /^pebble/ }).click();
  const resume = app.page.getByRole("button", { name: "Resume" });
  await expect(resume).toBeEnabled({ timeout: LOAD });
  await resume.click();
  await expect(tune.status).toContainText(`Done: ${STEPS} of ${STEPS} steps.`, { timeout: TRAIN });
  const found = await losses();
  expect(found).toHaveLength(STEPS);
  console.log(`losses: ${found.join(" ")}`);
  expect(found.at(-1)).toBeLessThan(0.5 * (found[0] ?? 0));
  await expect(app.page.getByText("Before", { exact: true })).toBeVisible();
  await expect(app.page.getByText(`After ${STEPS} steps`)).toBeVisible();
});

test("the adapter is kept and saved", async () => {
  await app.page.getByRole("button", { name: "Keep the adapter" }).click();
  const adapter = app.page.getByRole("listitem").filter({ hasText: "My cat" });
  await expect(adapter).toContainText("for pebble");
  const download = app.page.waitForEvent("download");
  await adapter.getByRole("button", { name: "Save as GGUF" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe("my-cat.gguf");
  expect((await readFile(await file.path())).subarray(0, 4).toString()).toBe("GGUF");
});
