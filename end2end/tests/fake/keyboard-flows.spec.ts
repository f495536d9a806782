// What people do here, done with the keyboard alone: from where the page puts the focus, by Tab, arrows, Enter and Esc.

import type { Locator, Page } from "@playwright/test";
import type { App } from "../../support/app.ts";
import { archive } from "../../support/archive.ts";
import { pressOn, tabTo } from "../../support/keys.ts";
import { png } from "../../support/media.ts";
import { Tune } from "../../support/tune.ts";
import { expect, test } from "../../support/watch.ts";

/** Why some of it is left out in Firefox. */
const LEAVES = "Firefox's Tab leaves the page for the browser's own buttons after its end";

/** Chooses a line of the palette. */
async function choose(app: App, words: string): Promise<void> {
  await app.page.keyboard.press("Control+k");
  await expect(app.palette.getByRole("combobox")).toBeFocused();
  await app.page.keyboard.type(words);
  await expect(app.palette.getByRole("option", { selected: true })).toContainText(words);
  await app.page.keyboard.press("Enter");
  await expect(app.palette).toBeHidden();
}

/** Writes a message and waits for the end of its answer. */
async function ask(app: App, text: string): Promise<Locator> {
  const before = await app.questions.count();
  await tabTo(app.page, app.composer);
  await app.page.keyboard.type(text);
  await app.page.keyboard.press("Enter");
  await expect(app.questions).toHaveCount(before + 1);
  return app.answered();
}

/** Has a button open the system's dialog for files, and picks some. */
async function pick(page: Page, button: Locator, ...files: { name: string; mimeType: string; buffer: Buffer }[]): Promise<void> {
  const chooser = page.waitForEvent("filechooser");
  await pressOn(page, button);
  await (await chooser).setFiles(files);
}

test.describe("with the keyboard alone", () => {
  test.skip(({ browserName }) => browserName === "webkit", "Safari's Tab passes buttons by unless a person sets it otherwise");

  test("a model is loaded and asked, and its answer regenerated, edited and deleted", async ({ app, page, browserName }) => {
    test.skip(browserName === "firefox", LEAVES);
    await app.openChat("instant,demo");
    await pressOn(page, page.getByRole("button", { name: /^pebble/ }));
    await expect(app.composer).toBeFocused();
    const answer = await ask(app, "Hello");
    await expect(app.composer).toBeFocused();
    await pressOn(page, answer.getByRole("button", { name: "Regenerate" }), { back: true });
    await expect(await app.answered()).toContainText("2/2");
    await pressOn(page, answer.getByRole("button", { name: "Previous version" }));
    await expect(answer).toContainText("1/2");
    await pressOn(page, answer.getByRole("button", { name: "Edit answer" }));
    await page.keyboard.press("Control+a");
    await page.keyboard.type("Mine.");
    await pressOn(page, answer.getByRole("button", { name: "Save" }));
    await expect(answer).toContainText("Mine.");
    await tabTo(page, app.composer);
    await page.keyboard.press("ArrowUp");
    await expect(page.getByRole("textbox", { name: "Edit message" })).toBeFocused();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("Good morning");
    await page.keyboard.press("Enter");
    await expect(app.questions).toHaveText(/Good morning/);
    await app.answered();
    await pressOn(page, app.questions.getByRole("button", { name: "Previous version" }), { back: true });
    await expect(app.questions).toHaveText(/Hello/);
    await pressOn(page, answer.getByRole("button", { name: "Delete from here on" }));
    await expect(answer).not.toContainText("Mine.");
    await pressOn(page, page.getByRole("button", { name: "Undo" }));
    await expect(answer).toContainText("Mine.");
  });

  test("an answer is stopped and goes on, and a conversation gets settings of its own", async ({ app, page }) => {
    await app.openChat("usual,demo");
    await tabTo(page, app.composer);
    await page.keyboard.type("Show me everything");
    await page.keyboard.press("Enter");
    await expect(app.answers.first()).toContainText("Read the header");
    await page.keyboard.press("Escape");
    await expect(app.answers.first()).toContainText("Stopped.");
    await pressOn(page, app.answers.first().getByRole("button", { name: "Continue" }), { back: true });
    await expect(await app.answered()).toContainText("eight times as long.");
    const settings = page.getByRole("button", { name: "Conversation settings" });
    await pressOn(page, settings, { back: true });
    await tabTo(page, app.drawer.getByRole("spinbutton", { name: "Temperature" }));
    await page.keyboard.press("Control+a");
    await page.keyboard.type("0.5");
    await page.keyboard.press("Tab");
    await expect(app.drawer.getByRole("button", { name: "Reset to the model’s defaults" })).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(app.drawer).toBeHidden();
    await expect(settings).toBeFocused();
  });

  test("a picture is attached, taken away, attached again and sent", async ({ app, page }) => {
    await app.openChat();
    await tabTo(page, app.composer);
    await pick(page, app.attachButton, png());
    await expect(app.tray).toContainText("red.png");
    await expect(app.composer).toBeFocused();
    await pressOn(page, app.tray.getByRole("button", { name: "Show red.png" }), { back: true });
    await expect(page.getByRole("dialog", { name: "red.png" })).toBeVisible();
    await page.keyboard.press("Escape");
    await pressOn(page, app.tray.getByRole("button", { name: /^Remove/ }));
    await expect(app.tray).toHaveCount(0);
    await tabTo(page, app.composer);
    await pick(page, app.attachButton, png());
    await expect(app.tray).toContainText("red.png");
    await expect(await ask(app, "What is it?")).toContainText("I was given 1 picture");
  });

  test("conversations are found, renamed, deleted, brought back, exported and imported", async ({ app, page }) => {
    await app.openChat();
    await ask(app, "Hello");
    const actions = (title: string) => page.getByRole("button", { name: `Actions for ${title}` });
    await pressOn(page, actions("Hello"), { back: true });
    await expect(page.getByRole("menuitem", { name: "Rename" })).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(app.rail.getByRole("textbox", { name: "New title" })).toBeFocused();
    await page.keyboard.type("A greeting");
    await page.keyboard.press("Enter");
    await expect(app.conversation("A greeting")).toBeFocused();
    await pressOn(page, app.rail.getByRole("button", { name: "New", exact: true }), { back: true });
    await expect(app.composer).toBeFocused();
    await ask(app, "Which table?");
    await tabTo(page, app.rail.getByRole("searchbox"), { back: true });
    await page.keyboard.type("greeting");
    await expect(app.conversation("Which table?")).toHaveCount(0);
    await pressOn(page, app.conversation("A greeting"));
    await expect(app.questions).toHaveText(/Hello/);
    await tabTo(page, app.rail.getByRole("searchbox"), { back: true });
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Delete");
    await pressOn(page, actions("A greeting"));
    await page.keyboard.press("End");
    await expect(page.getByRole("menuitem", { name: "Delete" })).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(app.conversation("A greeting")).toHaveCount(0);
    await pressOn(page, page.getByRole("button", { name: "Undo" }), { back: true });
    await expect(app.conversation("A greeting")).toBeVisible();
    const download = page.waitForEvent("download");
    await pressOn(page, page.getByRole("button", { name: "Organize conversations" }), { back: true });
    await page.keyboard.press("e");
    await expect(page.getByRole("menuitem", { name: "Export all" })).toBeFocused();
    await page.keyboard.press("Enter");
    await download;
    await pressOn(page, page.getByRole("button", { name: "Organize conversations" }));
    await page.keyboard.press("i");
    const buffer = Buffer.from(archive("Imported", [["user", "Hi"], ["assistant", "Yes."]]));
    const item = page.getByRole("menuitem", { name: "Import…" });
    await expect(item).toBeFocused();
    await pick(page, item, { name: "conversation.json", mimeType: "application/json", buffer });
    await pressOn(page, app.conversation("Imported"));
    await expect(app.answers).toHaveText(/Yes\./);
  });

  test("settings are changed", { tag: "@thorough" }, async ({ app, page }) => {
    await app.open("instant", "/settings");
    const saved = page.getByRole("switch", { name: /^Save models/ });
    const before = await saved.isChecked();
    await pressOn(page, saved, { key: "Space" });
    await expect(saved).toBeChecked({ checked: !before });
    await tabTo(page, page.getByRole("radio", { name: "Match system" }).or(page.getByRole("radio", { checked: true })).first(), { back: true });
    await page.keyboard.press("ArrowDown");
    await expect(page.locator("html")).toHaveAttribute("data-theme", /light|dark/);
    await tabTo(page, page.getByRole("combobox", { name: "Language" }));
    await page.keyboard.press("d");
    await expect(page.getByRole("heading", { name: "Einstellungen", level: 1 })).toBeVisible();
    await expect(page.getByRole("combobox", { name: "Sprache" })).toBeFocused();
  });

  test("a model is looked into, chosen, unloaded, and one is opened from a file", async ({ app, page, browserName }) => {
    test.skip(browserName === "firefox", LEAVES);
    await app.openChat();
    await ask(app, "Hello");
    await choose(app, "Models");
    await pressOn(page, page.getByRole("button", { name: "Unload model" }));
    await expect(page.getByRole("button", { name: "Unload model" })).toHaveCount(0);
    await pressOn(page, page.locator("summary").first());
    await expect(page.getByText("Weights by type").first()).toBeVisible();
    await choose(app, "Choose a model");
    const picker = page.getByRole("dialog", { name: "Choose a model" });
    await pressOn(page, picker.getByRole("button", { name: /^pebble/ }));
    await expect(picker).toBeHidden();
    await choose(app, "Choose a model");
    await pick(page, picker.getByRole("button", { name: /^Open a file/ }), { name: "broken.gguf", mimeType: "", buffer: Buffer.from("NOPE") });
    await expect(app.failure).toContainText("This isn’t a GGUF file.");
    await pressOn(page, app.failure.getByRole("button", { name: "Close" }));
    await expect(app.failure).toHaveCount(0);
  });

  test("an adapter is trained, paused, resumed, kept and exported", { tag: "@thorough" }, async ({ app, page }) => {
    await app.openChat("demo");
    await ask(app, "Hello");
    await choose(app, "Fine-tune");
    const tune = new Tune(page);
    await tabTo(page, page.getByRole("textbox", { name: "Prompt 1" }));
    await page.keyboard.type("Who is Ada?");
    await page.keyboard.press("Tab");
    await page.keyboard.type("A cat.");
    await tabTo(page, page.getByRole("combobox", { name: "Duration" }));
    await page.keyboard.type("s");
    await tabTo(page, page.getByRole("spinbutton", { name: "How many" }));
    await page.keyboard.press("Control+a");
    // More than can be done while somebody looks for a button.
    await page.keyboard.type("500");
    await page.keyboard.press("Tab");
    await expect(tune.fact("Training")).toContainText("500 steps");
    await expect(tune.startButton).toBeEnabled();
    await pressOn(page, tune.startButton);
    await expect(tune.status).toContainText("of 500 steps done.");
    await pressOn(page, page.getByRole("button", { name: "Pause" }));
    await expect(tune.status).toContainText(/^Paused after \d+ of 500 steps/);
    await pressOn(page, page.getByRole("button", { name: "Resume" }));
    await expect(tune.status).toContainText("of 500 steps done.");
    await pressOn(page, page.getByRole("button", { name: "Finish now" }));
    await expect(tune.status).toHaveText(/^Finished after /);
    await tabTo(page, page.getByRole("textbox", { name: "Adapter name" }));
    await page.keyboard.type("Ada");
    await pressOn(page, page.getByRole("button", { name: "Save adapter" }));
    // Ollama doesn't have the demo.
    await expect(page.getByRole("button", { name: "Delete Ada" })).toBeVisible();
    await expect(page.getByText("Use in Ollama")).toHaveCount(0);
    const download = page.waitForEvent("download");
    await pressOn(page, page.getByRole("button", { name: "Save as GGUF" }).first());
    await download;
    await pressOn(page, page.getByRole("button", { name: /^Use in chat/ }).first(), { back: true });
    await expect(app.composer).toBeVisible();
  });

  test("a device is looked at, tried and timed", { tag: "@thorough" }, async ({ app, page }) => {
    await app.openChat();
    await ask(app, "Hello");
    await choose(app, "Diagnostics");
    await pressOn(page, page.getByRole("button", { name: "Test kernels" }));
    await expect(page.getByText("Verified on this graphics card: 4 kernels of the loaded model.")).toBeVisible();
    await pressOn(page, page.getByRole("button", { name: "Measure speed" }));
    await expect(page.getByText("Submits per token")).toBeVisible();
    await pressOn(page, page.getByRole("button", { name: "Measure kernels" }));
    await expect(page.getByText("sampling_top_k_1")).toBeVisible();
  });
});
