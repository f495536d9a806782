// Fine-tuning with the fake engine: examples, settings, a run and all that can become of it.

import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { CORE } from "../../support/firefox.ts";
import { expect, test } from "../../support/watch.ts";
import { App } from "../../support/app.ts";
import { addPairs, Tune } from "../../support/tune.ts";

const FACTS = [
  ["What is my cat called?", "Her name is Ada."],
  ["Who is Ada?", "Ada is your cat."],
  ["Do I have a cat?", "Yes, her name is Ada."],
] as const;

/** Opens the page with a model loaded. */
async function open(app: App, scenario = "instant"): Promise<Tune> {
  await app.openChat(scenario);
  await app.ask("Hello");
  await app.page.getByRole("link", { name: "Fine-tune" }).click();
  await expect(app.page.getByRole("heading", { name: "Fine-tune", level: 1 })).toBeVisible();
  return new Tune(app.page);
}

const saved = async (page: Page, name: string): Promise<{ file: string; text: string }> => {
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name, exact: true }).first().click();
  const done = await download;
  return { file: done.suggestedFilename(), text: (await readFile(await done.path())).toString("latin1") };
};

test("without a model one is asked for, and what was written stays", async ({ app, page }) => {
  await app.open("instant", "/tune");
  const tune = new Tune(page);
  await expect(tune.startButton).toBeDisabled();
  await expect(page.getByText("Load a model first.")).toBeVisible();
  await page.getByRole("textbox", { name: "Prompt 1" }).fill("Who?");
  await page.getByRole("textbox", { name: "Ideal answer 1" }).fill("Ada.");
  await expect(page.getByText("Load a model to see tokens.")).toBeVisible();
  await page.getByRole("button", { name: "Choose a model" }).click();
  await page.getByRole("dialog").getByRole("button", { name: /^gemma4:e2b/ }).first().click();
  await expect(page.getByText(/^1 example with/)).toBeVisible();
  await expect(tune.startButton).toBeEnabled();
});

test("the model is named, and is loaded and chosen on the page", async ({ app, page }) => {
  await app.open("instant,demo", "/tune");
  await expect(app.model).toHaveAccessibleName(/\(Not loaded\)\./);
  await page.getByRole("button", { name: /^Load / }).click();
  await expect(app.model).toHaveAccessibleName(/\(Loaded\)\./);
  await expect(page.getByRole("button", { name: /^Load / })).toHaveCount(0);
  await app.model.click();
  await page.getByRole("dialog", { name: "Choose a model" }).getByRole("button", { name: /^pebble/ }).click();
  await expect(app.model).toHaveAccessibleName("Model: pebble (Loaded). Choose another.");
});

test("examples are written in a table, what is learned of them is shown, and what is removed comes back", async ({ app, page }) => {
  const tune = await open(app);
  await expect(page.getByText("Add examples first.")).toBeVisible();
  await expect(tune.startButton).toBeInViewport();
  await addPairs(page, FACTS);
  await expect(page.getByText(/^3 examples with [\d,]+ tokens, [\d,]+ of them trained on/)).toBeVisible();
  const first = page.locator("details", { hasText: "Line 1" });
  await expect(first.locator("mark")).toHaveText(["Her ", "name ", "is ", "Ada.", "<turn|>"]);
  await page.getByRole("button", { name: "Delete example 2" }).click();
  await expect(page.getByText(/^2 examples with/)).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Prompt 2" })).toHaveValue("Do I have a cat?");
  await expect(tune.startButton).toBeEnabled();
  const undo = page.getByRole("button", { name: "Undo" });
  await page.getByRole("textbox", { name: "Ideal answer 1" }).fill("Changed since");
  await undo.click();
  await expect(page.getByRole("textbox", { name: "Prompt 2" })).toHaveValue(FACTS[1]?.[0] ?? "");
  await expect(page.getByRole("textbox", { name: "Prompt 3" })).toHaveValue("Do I have a cat?");
  await expect(page.getByRole("textbox", { name: "Ideal answer 1" })).toHaveValue("Changed since");

  await page.getByRole("radio", { name: "File or pasted text" }).check();
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose files…" }).click();
  await (await chooser).setFiles([
    { name: "cat.png", mimeType: "image/png", buffer: Buffer.from("not looked at here") },
    { name: "facts.jsonl", mimeType: "text/plain", buffer: Buffer.from('{"images": ["cat.png"], "prompt": "a", "completion": "b"}') },
  ]);
  await expect(page.getByText("With 1 image.")).toBeVisible();
  await expect(undo).toHaveCount(0);
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(page.getByText("facts.jsonl")).toHaveCount(0);
  await undo.click();
  await expect(page.getByText("facts.jsonl · 57 B")).toBeVisible();
  await expect(undo).toHaveCount(0);
  await page.getByRole("button", { name: "Remove images and audio" }).click();
  await expect(page.getByText("With 1 image.")).toBeHidden();
  await undo.click();
  await expect(page.getByText("With 1 image.")).toBeVisible();
});

test("broken rows of a file are told by line, and a file that isn’t UTF-8 says how it was read", async ({ app, page }) => {
  await test.step("broken rows of a file are told by line, and the others stay", async () => {
    await open(app);
    await page.getByRole("radio", { name: "File or pasted text" }).check();
    const lines = ['{"prompt": "a", "completion": "b"}', "{", '{"text": "c"}', '{"prompt": "d", "completion": "e"}'];
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Choose files…" }).click();
    await (await chooser).setFiles({ name: "facts.jsonl", mimeType: "text/plain", buffer: Buffer.from(lines.join("\n")) });
    await expect(page.getByText(/^2 examples with/)).toBeVisible();
    await expect(page.getByText("2 rows skipped")).toBeVisible();
    await expect(page.getByRole("listitem").filter({ hasText: "Line 2" })).toContainText("not valid JSON");
    await expect(page.getByRole("listitem").filter({ hasText: "Line 3" })).toBeVisible();
    await expect(page.getByText("facts.jsonl · 85 B")).toBeVisible();
  });
  await test.step("a file that isn’t UTF-8 says how it was read, and can be read otherwise", async () => {
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Choose files…" }).click();
    const buffer = Buffer.from("prompt,completion\nWas ist Größe?,Straße\n", "latin1");
    await (await chooser).setFiles([{ name: "excel.csv", mimeType: "text/csv", buffer }]);
    const text = page.getByRole("textbox", { name: "Or paste examples here" });
    await expect(text).toHaveValue(/Größe\?,Straße/);
    await expect(page.getByText(/excel\.csv isn’t saved as UTF-8, so it was read as windows-1252/)).toBeVisible();
    await page.getByRole("combobox", { name: "Encoding" }).selectOption("windows-1251");
    await expect(text).toHaveValue(/GrцЯe/);
  });
});

test("pictures are given with the examples that name them, and shown with their tokens", async ({ app, page }) => {
  const tune = await open(app);
  await page.getByRole("radio", { name: "File or pasted text" }).check();
  const lines = [
    '{"images": ["cat.png"], "prompt": "Who is this?", "completion": "Ada."}',
    '{"images": ["dog.png"], "prompt": "And this?", "completion": "Nobody."}',
  ];
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose files…" }).click();
  await (await chooser).setFiles([
    { name: "cat.png", mimeType: "image/png", buffer: Buffer.from("not looked at here") },
    { name: "facts.jsonl", mimeType: "text/plain", buffer: Buffer.from(lines.join("\n")) },
  ]);
  await expect(page.getByText(/^1 example with/)).toBeVisible();
  await expect(page.getByText("With 1 image.")).toBeVisible();
  await expect(page.locator("details", { hasText: "Line 1" }).getByText("Image, 64 tokens")).toBeVisible();
  await expect(page.getByRole("listitem").filter({ hasText: "Line 2" })).toContainText("the file “dog.png” is missing");
  await expect(tune.fact("Storage for images and audio")).toContainText("kB");

  // The other one comes later, and joins it.
  const again = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose files…" }).click();
  await (await again).setFiles({ name: "dog.png", mimeType: "image/png", buffer: Buffer.from("nor here") });
  await expect(page.getByText(/^2 examples with/)).toBeVisible();
  await expect(page.getByText("With 2 images.")).toBeVisible();
  await tune.startButton.click();
  await expect(tune.status).toContainText("A new run replaces this one.");

  await page.getByRole("button", { name: "Remove images and audio" }).click();
  await expect(tune.reason).toHaveText("None of the examples can be used.");
});

test("pictures are looked at before the first step, which can be stopped", async ({ app, page }) => {
  const tune = await open(app, "usual");
  await page.getByRole("radio", { name: "File or pasted text" }).check();
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose files…" }).click();
  const line = '{"images": ["cat.png", "dog.png"], "prompt": "Who are they?", "completion": "Ada and nobody."}';
  await (await chooser).setFiles([
    { name: "pets.jsonl", mimeType: "text/plain", buffer: Buffer.from(line) },
    { name: "cat.png", mimeType: "image/png", buffer: Buffer.from("not looked at here") },
    { name: "dog.png", mimeType: "image/png", buffer: Buffer.from("nor here") },
  ]);
  await expect(page.getByText(/^1 example with/)).toBeVisible();
  await tune.startButton.click();
  await expect(tune.status).toContainText("Reading image, 1 of 2");
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await expect(tune.startButton).toBeEnabled();
  await expect(tune.status).toHaveCount(0);
  await tune.startButton.click();
  await expect(tune.status).toContainText("A new run replaces this one.");
});

test("the conversation that one just had is an example; of a table columns are chosen, and the line with the names", async ({ app, page }) => {
  await test.step("the conversation that one just had is an example, and of a table the columns are chosen", async () => {
    await open(app);
    await page.getByRole("radio", { name: "Current conversation" }).check();
    await expect(page.getByText("“Hello” as shown on screen, with 1 answer.")).toBeVisible();
    await expect(page.getByText(/^1 example with/)).toBeVisible();
    await page.getByRole("radio", { name: "File or pasted text" }).check();
    await page.getByRole("textbox", { name: "Or paste examples here" }).fill("id,ask,reply\n1,Who?,Ada.\n2,What?,A cat.");
    await expect(page.getByRole("combobox", { name: "Prompt" })).toHaveValue("id");
    await page.getByRole("combobox", { name: "Prompt" }).selectOption("ask");
    await page.getByRole("combobox", { name: "Answer" }).selectOption("reply");
    await expect(page.getByRole("combobox", { name: "Answer" })).toHaveValue("reply");
    await expect(page.locator("details", { hasText: "Line 2" }).locator("mark")).toHaveText(["Ada.", "<turn|>"]);
  });
  await test.step("of a table the line with the names is chosen", async () => {
    await page.getByRole("textbox", { name: "Or paste examples here" }).fill("hello,world\nhi,there");
    const header = page.getByRole("combobox", { name: "Column names" });
    await expect(header).toHaveValue("1");
    await expect(page.getByText(/^1 example with/)).toBeVisible();
    await header.selectOption("None");
    await expect(page.getByText(/^2 examples with/)).toBeVisible();
    await expect(page.getByRole("combobox", { name: "Prompt" })).toHaveValue("1");
  });
});

test("the cost is stated before the start, and follows the settings", async ({ app, page }) => {
  const tune = await open(app);
  await addPairs(page, FACTS);
  await expect(tune.fact("Graphics memory")).toContainText(/GB of about 8.0 GB available/);
  await expect(tune.fact("Time")).toContainText("up to");
  await expect(tune.fact("Storage for checkpoints")).toContainText("of 64.0 GB left");
  const before = await tune.fact("Trainable parameters").textContent();
  await page.getByRole("combobox", { name: "Rank" }).selectOption("32");
  await expect(tune.fact("Trainable parameters")).not.toHaveText(before ?? "");
  await page.getByText("Advanced settings").click();
  // Alpha stays in proportion.
  await expect(page.getByRole("spinbutton", { name: "Alpha" })).toHaveValue("64");
  await page.getByRole("combobox", { name: "Duration" }).selectOption("steps");
  await page.getByRole("spinbutton", { name: "How many" }).fill("12");
  await page.getByRole("spinbutton", { name: "How many" }).press("Tab");
  await expect(tune.fact("Training")).toContainText("12 steps over 3 examples");
});

test("the router of a mixture can be trained, and a model without one has no such setting", async ({ app, page }) => {
  await open(app, "instant,mixture");
  const router = page.getByRole("switch", { name: "Expert router" });
  await page.getByText("Advanced settings").click();
  await expect(router).not.toBeChecked();
  await router.click();
  await expect(router).toBeChecked();
  await app.kept('"Router"');

  await app.open("instant", "/tune");
  await page.getByText("Advanced settings").click();
  await expect(page.getByRole("switch", { name: "Queries", exact: true })).toBeVisible();
  await expect(router).toHaveCount(0);
});

test("a run is followed to its end, kept and saved for others", async ({ app, page }) => {
  const tune = await open(app);
  await addPairs(page, FACTS);
  await tune.configure({ name: "My cat", steps: 12, question: "What is my cat called?" });
  await tune.startButton.click();
  await expect(tune.status).toHaveText("Finished after 12 of 12 steps. A new run replaces this one.");

  // The curves, for eyes, keys and screen readers.
  await expect(tune.plot("Loss")).toHaveAttribute("aria-label", /Training: \d\.\d\d at step 1, \d\.\d\d at step 12\./);
  await expect(tune.plot("Learning rate")).toHaveAttribute("aria-label", /at step 12/);
  const slider = page.getByRole("slider", { name: "Position in the chart" });
  await expect(slider).toHaveAttribute("aria-valuetext", /^Step 12: loss 0\.\d+/);
  await slider.press("ArrowLeft");
  await expect(slider).toHaveAttribute("aria-valuetext", /^Step 11: loss/);
  await tune.plot("Loss").hover({ position: { x: 2, y: 20 } });
  await expect(slider).toHaveAttribute("aria-valuetext", /^Step 1: loss [23]\.\d+/);
  await page.getByText("Show as a table").click();
  await expect(page.getByRole("region", { name: "Chart values" }).getByRole("row")).toHaveCount(13);

  // Before and after.
  await expect(page.getByText("Before", { exact: true })).toBeVisible();
  await expect(page.getByText("After 12 steps")).toBeVisible();
  await expect(page.getByText("Her name is Ada.", { exact: true })).toBeVisible();

  const csv = await saved(page, "Save as CSV");
  expect(csv.text.split("\n")[0]).toBe("step,loss,eval_loss,learning_rate");
  expect(csv.text.trim().split("\n")).toHaveLength(13);
  const png = await saved(page, "Save as PNG");
  expect(png.text.slice(1, 4)).toBe("PNG");

  await page.getByRole("button", { name: "Save adapter" }).click();
  const made = page.getByRole("region", { name: "“My cat” is saved" });
  await expect(made.getByRole("heading")).toBeFocused();
  const adapter = page.getByRole("listitem").filter({ hasText: "My cat" });
  await expect(adapter).toContainText("for gemma4:e4b");
  await expect(tune.status).toHaveCount(0);
  await adapter.getByText("Use in Ollama").click();
  await expect(adapter.locator("pre")).toHaveText("FROM gemma4:e4b\nADAPTER ./my-cat.gguf\n");
  const download = page.waitForEvent("download");
  await made.getByRole("button", { name: "Save as GGUF" }).click();
  expect((await download).suggestedFilename()).toBe("my-cat.gguf");
  await adapter.getByRole("button", { name: "Delete My cat" }).click();
  await adapter.getByRole("button", { name: "Delete", exact: true }).click();
  await expect(page.getByText("No adapters saved yet.")).toBeVisible();
  await expect(made).toBeHidden();
});

test("a run says what came of it, and one that changed little is begun again for longer", async ({ app, page }) => {
  const tune = await open(app);
  await addPairs(page, FACTS);
  await page.getByText("Advanced settings").click();
  const rate = page.getByRole("spinbutton", { name: "Learning rate" });
  await rate.fill("0.0000001");
  await rate.press("Tab");
  await tune.configure({ steps: 10 });
  await tune.startButton.click();
  await expect(page.getByText(/^Not learned yet: the loss is \d\.\d\d \(it started at \d\.\d\d\)\./)).toBeVisible();
  await page.getByText("Advanced settings").click();
  await rate.fill("0.0002");
  await rate.press("Tab");
  await page.getByRole("button", { name: "Train 4 times as long" }).click();
  await expect(tune.status).toHaveText("Finished after 40 of 40 steps. A new run replaces this one.");
  await expect(page.getByText(/^The loss fell from \d\.\d\d to 0\.\d\d: the adapter has learned/)).toBeVisible();
  await expect(page.getByRole("button", { name: "Train 4 times as long" })).toHaveCount(0);
});

test("samples are trained until they are learned", { tag: CORE }, async ({ app, page }) => {
  const tune = await open(app);
  const fill = page.getByRole("button", { name: "Use sample data" });
  await fill.click();
  await expect(fill).toHaveCount(0);
  await expect(page.getByRole("textbox", { name: "Prompt 8" })).toHaveValue("Is Miso a dog?");
  await expect(page.getByRole("textbox", { name: "Test prompt" })).toHaveValue("Who is Miso?");
  await expect(tune.fact("Training")).toHaveText("up to 40 steps over 8 examples, none held out");
  await tune.startButton.click();
  await expect(tune.status).toHaveText(/^Finished after (\d+) of \1 steps\./);
  await expect(page.getByText(/^The loss fell from \d\.\d\d to 0\.0\d: the adapter has learned/)).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Adapter name" })).toHaveValue("My adapter");
  await page.getByRole("button", { name: "Save adapter" }).click();
  await page.getByRole("button", { name: /^Use in chat/ }).first().click();
  await expect(app.composer).toHaveValue("Who is Miso?");
});

test("a run is paused, goes on, and is ended early", async ({ app, page }) => {
  const tune = await open(app, "demo");
  await addPairs(page, FACTS);
  await page.getByText("Advanced settings").click();
  const rate = page.getByRole("spinbutton", { name: "Learning rate" });
  await rate.fill("0.0000001");
  await rate.press("Tab");
  await tune.configure({ name: "", steps: 200 });
  await tune.startButton.click();
  await expect(tune.status).toContainText("of 200 steps done.");
  await expect(page.getByText(/tok\/s · .* left · .* of graphics memory/)).toBeVisible();
  // Examples and settings are out of the way while it trains.
  await expect(tune.startButton).toHaveCount(0);
  await page.getByRole("button", { name: "Pause" }).click();
  await expect(tune.status).toHaveText(/^Paused after \d+ of 200 steps\. Progress is saved in this browser\.$/);
  const paused = Number(await tune.progress.getAttribute("value"));
  expect(paused).toBeGreaterThan(0);
  await page.getByRole("button", { name: "Resume" }).click();
  await expect(tune.status).toContainText("of 200 steps done.");
  await expect.poll(async () => Number(await tune.progress.getAttribute("value"))).toBeGreaterThan(paused);
  await page.getByRole("button", { name: "Finish now" }).click();
  await expect(tune.status).toContainText("Finished after ");
  await expect(page.getByRole("button", { name: "Continue to step 200" })).toBeVisible();
  await page.getByRole("button", { name: "Delete…" }).click();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await expect(tune.status).toHaveCount(0);
});

test("a training that the browser keeps is offered on the next visit, and goes on once its model is loaded", async ({ app, page }) => {
  await app.openChat("instant,tune-kept");
  await page.getByRole("link", { name: "Fine-tune" }).click();
  const tune = new Tune(page);
  await expect(page.getByRole("heading", { name: "Training “Ada”" })).toBeVisible();
  await expect(tune.status).toHaveText("Paused after 8 of 20 steps. Progress is saved in this browser.");
  await expect(tune.plot("Loss")).toHaveAttribute("aria-label", /at step 8\./);
  await page.getByRole("button", { name: "Load gemma4:e2b and resume" }).click();
  await expect(app.failure).toHaveCount(0);
  await expect(tune.status).toContainText("Finished after 20 of 20 steps.");
});

test("a loss that is no number ends the run, and says what to change", async ({ app, page }) => {
  const tune = await open(app, "instant,tune-nan");
  await addPairs(page, FACTS);
  await tune.configure({ steps: 40 });
  await tune.startButton.click();
  await expect(app.failure).toContainText(/Training became unstable at step 20 \(loss is NaN\)\. .* Try a lower learning rate/);
  await expect(tune.status).toHaveText("Paused after 10 of 40 steps. Progress is saved in this browser.");
});

test("without room for checkpoints the training goes on, and says so", async ({ app, page }) => {
  const tune = await open(app, "instant,tune-storage");
  await addPairs(page, FACTS);
  await tune.configure({ steps: 12 });
  await tune.startButton.click();
  await expect(app.failure).toContainText("no room for 96.0 MB of training progress.");
  await expect(app.failure.getByRole("button", { name: "See saved models" })).toBeVisible();
  await expect(tune.status).toContainText("Finished after 12 of 12 steps.");
});

test("a lost device is restored, and the run goes on", async ({ app, page }) => {
  const tune = await open(app, "instant,tune-lost");
  await addPairs(page, FACTS);
  await tune.configure({ steps: 40 });
  await tune.startButton.click();
  await expect(tune.status).toContainText("Finished after 40 of 40 steps.");
});

test("examples of which nothing is learned cannot be started", async ({ app, page }) => {
  const tune = await open(app, "instant,tune-masked");
  await addPairs(page, FACTS);
  await expect(tune.reason).toHaveText("None of the examples can be used.");
  await expect(tune.startButton).toBeDisabled();
});

test("a training that does not fit says so before the start", async ({ app, page }) => {
  const tune = await open(app, "instant,tune-memory");
  await addPairs(page, FACTS);
  await expect(app.failure).toContainText("Training needs 9.2 GB of graphics memory, but only 8.0 GB is available.");
  await expect(tune.startButton).toBeDisabled();
});

test("examples, settings and the detail of images are there on the next visit", async ({ app, page }) => {
  await test.step("examples and settings that were not run are there after a reload", async () => {
    const tune = await open(app);
    await addPairs(page, FACTS);
    await tune.configure({ name: "My cat", steps: 7 });
    await page.getByRole("radio", { name: "File or pasted text" }).check();
    await page.getByRole("textbox", { name: "Or paste examples here" }).fill('{"prompt": "Pasted?", "completion": "Yes."}');
    await app.kept("Pasted?");
    await page.reload();
    await app.ready();
    await expect(page.getByRole("textbox", { name: "Or paste examples here" })).toHaveValue(/Pasted\?/);
    await expect(page.getByRole("textbox", { name: "Name", exact: true })).toHaveValue("My cat");
    await expect(page.getByRole("spinbutton", { name: "How many" })).toHaveValue("7");
    await page.getByRole("radio", { name: "Write examples here" }).check();
    await expect(page.getByRole("textbox", { name: "Prompt 3" })).toHaveValue("Do I have a cat?");
  });
  await test.step("the detail of images is kept for the next visit", async () => {
    await page.getByRole("radio", { name: "File or pasted text" }).check();
    const detail = page.getByRole("combobox", { name: "Image detail" });
    await expect(detail).toHaveCount(0);
    const pick = async () => {
      const chooser = page.waitForEvent("filechooser");
      await page.getByRole("button", { name: "Choose files…" }).click();
      await (await chooser).setFiles({ name: "cat.png", mimeType: "image/png", buffer: Buffer.from("not looked at here") });
    };
    await pick();
    await detail.selectOption({ label: "up to 140" });
    await app.kept('"detail":"t140"');
    await page.reload();
    await app.ready();
    await pick();
    await expect(detail.locator("option:checked")).toHaveText("up to 140");
  });
});

test("who leaves while steps are not kept is asked, and the first step is kept soon", async ({ app, page }) => {
  const asked: string[] = [];
  let leaves = false;
  page.on("dialog", async (dialog) => {
    asked.push(dialog.type());
    await (leaves ? dialog.accept() : dialog.dismiss());
  });
  // Slow, so that the page can be left before, and then not.
  for (const pace of [1_000, 100]) {
    const tune = await open(app, "instant,demo");
    await addPairs(page, FACTS);
    await tune.configure({ steps: 50 });
    await app.pace(pace);
    await tune.startButton.click();
    if (!leaves) {
      await expect(tune.status).toContainText("Preparing the model for training…");
      await page.close({ runBeforeUnload: true });
      await expect.poll(() => asked).toEqual(["beforeunload"]);
    }
    leaves = true;
  }
  await expect(page.getByText(/checkpoint at step 1$/)).toBeVisible();
});

test("a training in another tab is named, and left alone", async ({ app, page }) => {
  const tune = await open(app, "instant,tune-elsewhere");
  await expect(page.getByRole("heading", { name: "Training “Ada”" })).toBeVisible();
  await expect(tune.status).toHaveText("Another tab is training: 8 of 20 steps when it last saved.");
  await expect(page.getByRole("button", { name: "Resume" })).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Delete…" })).toHaveCount(0);
  await addPairs(page, FACTS);
  await expect(page.getByText("Another tab is training. Pause it there, or wait until it’s done.")).toBeVisible();
  await expect(tune.startButton).toBeDisabled();
});

test("an adapter that another tab deletes is no longer used, and no longer listed", async ({ app, page, context }) => {
  const save = async (tune: Tune) => {
    await addPairs(tune.page, FACTS);
    await tune.configure({ name: "My cat", steps: 2, question: "What is my cat called?" });
    await tune.startButton.click();
    await expect(tune.status).toContainText("Finished after 2 of 2 steps.");
    await tune.page.getByRole("button", { name: "Save adapter" }).click();
    return tune.page.getByRole("listitem").filter({ hasText: "My cat" });
  };
  await (await save(await open(app))).getByRole("button", { name: "Use in chat" }).click();
  await app.ask("Hello again");
  await expect(app.answers.last()).toContainText("Spoken with kept:adapter-0");

  // Each tab's simulated engine keeps its own; they are called alike.
  const other = new App(await context.newPage());
  const theirs = await save(await open(other));
  await theirs.getByRole("button", { name: "Delete My cat" }).click();
  await theirs.getByRole("button", { name: "Delete", exact: true }).click();
  await expect(theirs).toHaveCount(0);
  await expect(page.getByRole("combobox", { name: "Adapter" })).toHaveValue("none");
  await app.ask("And now");
  await expect(app.answers.last()).not.toContainText("Spoken with");
});

test("a paused training is there still when another one can’t begin", async ({ app, page }) => {
  const tune = await open(app, "instant,tune-kept,tune-unbegun");
  await addPairs(page, FACTS);
  await tune.configure({ name: "My cat" });
  await tune.startButton.click();
  await expect(app.failure).toContainText("This browser’s storage isn’t working.");
  await expect(app.failure.getByRole("button")).toHaveText("Try again");
  await expect(page.getByRole("heading", { name: "Training “Ada”" })).toBeVisible();
  await expect(tune.status).toContainText("Paused after 8 of 20 steps.");
});

test("what can’t be listed is told, and listed when it is tried again", async ({ app, page }) => {
  await app.open("instant,tune-kept,tune-unlisted", "/tune");
  const tune = new Tune(page);
  const saved = page.getByRole("region", { name: "Saved adapters" });
  await expect(saved).toContainText("This browser’s storage isn’t working.");
  await expect(tune.status).toHaveCount(0);
  await saved.getByRole("button", { name: "Try again" }).click();
  await expect(saved).toHaveText("Saved adaptersNo adapters saved yet.");
  await expect(tune.status).toContainText("Paused after 8 of 20 steps.");
});
