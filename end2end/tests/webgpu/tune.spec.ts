// A fact is taught to a model in the browser: the loss falls, a reload in between costs nothing, and the chat answers with
// it, or without, also from the file that it was saved to. The model is small and knows nothing, because on a software adapter
// the built-in one takes long over a step; with GEMTAB_LONG=1 it is the built-in one.

import { readFile } from "node:fs/promises";
import { expect, test } from "@playwright/test";
import { drawn, EngineApp } from "../../support/engine.ts";
import { modelFile, nativeAnswer } from "../../support/native.ts";
import { LOAD, TRAIN } from "../../support/patience.ts";
import { serveModel } from "../../support/place.ts";
import { addPairs, Tune } from "../../support/tune.ts";

const MODEL = process.env.GEMTAB_LONG ? "pebble" : "tiny-31b.q4_0";
const OTHER_MODEL = process.env.GEMTAB_LONG ? "tiny-31b.q4_0" : "pebble";
/** The most tokens of what it says untaught, which has no end where it knows nothing. */
const UNTAUGHT = process.env.GEMTAB_LONG ? 64 : 4;
const STEPS = 4;
const ANSWER = "Ada.";
const QUESTION = "My cat?";
/** What is asked before and after, if that is: what knows nothing has no end, and a sample is long. */
const SAMPLE = process.env.GEMTAB_LONG ? QUESTION : "";
/** Few words: a software adapter takes seconds over each step. */
const QUESTIONS = [QUESTION, "Your cat?"];

test.describe.configure({ mode: "serial", timeout: TRAIN + 2 * LOAD });

let app: EngineApp;
let tune: Tune;
/** What the model answers before it is taught. */
let native: Promise<string>;
let removeModels: (() => void)[];
/** The adapter's file. */
let file: Buffer;

test.beforeAll(async ({ browser }) => {
  removeModels = await Promise.all([MODEL, OTHER_MODEL].map((name) => serveModel(modelFile(name))));
  app = await EngineApp.start(browser);
  tune = new Tune(app.page);
  native = nativeAnswer(QUESTION, { model: modelFile(MODEL), most: UNTAUGHT });
});

test.afterAll(async () => {
  await app.page.context().close();
  removeModels.forEach((remove) => remove());
});

/** The adapter among those that a tab lists. */
const kept = ({ page }: EngineApp) =>
  page.getByRole("region", { name: "Saved adapters" }).getByRole("listitem").filter({ hasText: "My cat" });

async function deleteAdapter(tab: EngineApp): Promise<void> {
  await kept(tab).getByRole("button", { name: "Delete My cat" }).click();
  await kept(tab).getByRole("button", { name: "Delete", exact: true }).click();
  await expect(kept(tab)).toHaveCount(0);
}

/** Which adapter the next answer is written with. */
const choice = () => app.page.getByRole("combobox", { name: "Adapter" });

/** Steps that are done. */
const steps = async () => Number(await tune.progress.getAttribute("value"));

/** The losses of the table below the curves. */
async function losses(): Promise<number[]> {
  const table = app.page.getByRole("region", { name: "Chart values" });
  if (!(await table.isVisible())) {
    await app.page.getByText("Show as a table").click();
  }
  const cells = await table.getByRole("row").locator("td:nth-child(2)").allTextContents();
  return cells.map(Number);
}

test("examples are read, and the cost is stated", async () => {
  await app.page.goto("/");
  await app.loadListed(MODEL);
  await app.page.getByRole("link", { name: "Fine-tune" }).click();
  await addPairs(app.page, QUESTIONS.map((question) => [question, ANSWER] as const));
  await expect(app.page.getByText(/^2 examples with [\d,]+ tokens/)).toBeVisible({ timeout: LOAD });
  await app.page.getByText("Advanced settings").click();
  for (const [name, value] of [
    ["Learning rate", "0.01"],
    ["Examples per step", "1"],
    ["Held-out share", "0"],
    ["Checkpoint interval", "1"],
  ] as const) {
    await app.page.getByRole("spinbutton", { name }).fill(value);
  }
  await tune.configure({ name: "My cat", steps: STEPS, question: SAMPLE });
  await expect(tune.fact("Time")).toContainText("about");
});

test("a training is paused, and the page loaded anew", async () => {
  await tune.startButton.click();
  await tune.pauseAfter(2);
  await expect(tune.status).toContainText("Paused after", { timeout: LOAD });
  const before = await losses();
  await app.page.reload();
  await expect(tune.status).toContainText("Paused after", { timeout: LOAD });
  expect(await losses()).toEqual(before);
});

test("it goes on where it was, and the loss has fallen at the end", async () => {
  await app.page.getByRole("button", { name: `Load ${MODEL} and resume` }).click();
  await expect(tune.status).toContainText(`Finished after ${STEPS} of ${STEPS} steps.`, { timeout: TRAIN });
  const found = await losses();
  expect(found).toHaveLength(STEPS);
  console.log(`losses: ${found.join(" ")}`);
  expect(found.at(-1)).toBeLessThan(0.5 * (found[0] ?? 0));
  const samples = SAMPLE ? 1 : 0;
  await expect(app.page.getByText("Before", { exact: true })).toHaveCount(samples);
  await expect(app.page.getByText(`After ${STEPS} steps`)).toHaveCount(samples);
});

test("it answers in the chat with the adapter on, and as before with it off", async () => {
  await app.page.getByRole("button", { name: "Save adapter" }).click();
  const adapter = kept(app);
  await expect(adapter).toContainText(`for ${MODEL}`);
  await adapter.getByRole("button", { name: "Use in chat" }).click();
  await expect(choice()).toHaveValue(/^kept:/);
  await app.beGreedy();
  const taught = await app.ask(QUESTION);
  expect(await drawn(taught)).toContain("Ada");

  await choice().selectOption("none");
  await app.rail.getByRole("button", { name: "New", exact: true }).click();
  await app.beGreedy();
  await app.setLongest(UNTAUGHT);
  const untaught = await app.ask(QUESTION);
  expect(await drawn(untaught)).toBe(await native);
});

/** What the adapter is as a file. */
async function exported(): Promise<Buffer> {
  const download = app.page.waitForEvent("download");
  await kept(app).getByRole("button", { name: "Save as GGUF" }).click();
  const saved = await download;
  expect(saved.suggestedFilename()).toBe("my-cat.gguf");
  return readFile(await saved.path());
}

test("it is saved to a file, and opened again from it", async () => {
  await app.go("Fine-tune");
  file = await exported();
  expect(file.subarray(0, 4).toString()).toBe("GGUF");
  await app.startConversation();
  await app.beGreedy();
  await choice().selectOption("none");
  await app.page.getByLabel("Adapter files").setInputFiles({ name: "my-cat.gguf", mimeType: "application/octet-stream", buffer: file });
  await expect(choice()).toHaveValue(/^file:my-cat\.gguf/);
  const taught = await app.ask(QUESTION);
  expect(await drawn(taught)).toContain("Ada");
});

test("the next visit finds it as it was", async () => {
  await app.page.goto("/tune");
  await expect(kept(app)).toContainText(`for ${MODEL}`);
  expect(file.equals(await exported())).toBe(true);
});

test("there it answers, too", { tag: "@thorough" }, async () => {
  await app.startConversation();
  await app.beGreedy();
  await app.setLongest(UNTAUGHT);
  // The model loads.
  await app.ask(QUESTION);
  await choice().selectOption({ label: "My cat" });
  await expect(choice()).toHaveValue(/^kept:/);
  await app.startConversation();
  await app.beGreedy();
  expect(await drawn(await app.ask(QUESTION))).toContain("Ada");
});

test("while one tab trains, another lists, tidies and asks, and is told what has to wait", { tag: "@thorough" }, async () => {
  await app.go("Fine-tune");
  const other = await app.another();
  const there = new Tune(other.page);
  await other.page.goto("/tune");
  await other.loaded(MODEL);
  // Each tab has examples of its own.
  await expect(there.startButton).toBeDisabled();
  await addPairs(other.page, QUESTIONS.map((question) => [question, ANSWER] as const));
  await expect(there.startButton).toBeEnabled({ timeout: LOAD });

  // More steps than are waited for.
  await tune.configure({ steps: 900 });
  await tune.startButton.click();
  await expect.poll(steps, { timeout: TRAIN }).toBeGreaterThan(0);
  await expect(other.model).toContainText("Training in another tab");
  await expect(there.status).toContainText("Another tab is training");
  await expect(there.startButton).toBeDisabled();
  await expect(there.reason).toHaveText("Another tab is training. Pause it there, or wait until it’s done.");

  // A page that begins now can't tell what a training would cost.
  await other.page.reload();
  await expect(there.status).toContainText("Another tab is training");
  await expect(there.startButton).toBeDisabled();
  await deleteAdapter(other);

  await other.startConversation();
  await other.setLongest(4);
  await other.ask("A dog?");
  await other.act("A dog?", "Delete");
  await expect(other.conversation("A dog?")).toHaveCount(0);

  await other.model.click();
  await other.picked(OTHER_MODEL).click();
  await expect(other.failure).toContainText("The model is busy training.");
  await expect(other.model).toHaveAccessibleName(new RegExp(`^Model: ${MODEL} \\(Loaded\\)`));
  await other.failure.getByRole("button", { name: "Close" }).click();
  await expect(other.failure).toHaveCount(0);

  await other.go("Fine-tune");
  const before = await steps();
  await expect.poll(steps, { timeout: TRAIN }).toBeGreaterThan(before);
  await app.page.getByRole("button", { name: "Pause" }).click();
  await expect(tune.status).toContainText("Paused after", { timeout: TRAIN });
  await expect(there.status).toContainText("Paused after");
  await expect(there.startButton).toBeEnabled({ timeout: LOAD });
  await other.page.close();
  await app.page.getByRole("button", { name: "Delete…" }).click();
  await app.page.getByRole("button", { name: "Delete", exact: true }).click();
  await expect(tune.status).toHaveCount(0);
});
