// Presets of settings, and prompts behind `/`.

import { readFileSync } from "node:fs";
import type { Locator, Page } from "@playwright/test";
import { App } from "../../support/app.ts";
import { faults } from "../../support/axe.ts";
import { EMULATES_MEDIA } from "../../support/firefox.ts";
import { expect, test } from "../../support/watch.ts";

const dialog = (page: Page, name: string) => page.getByRole("dialog", { name, exact: true });

/** What differs from the defaults, beside the composer. */
const chips = (page: Page) => page.locator(".chips").getByRole("button");

/** Does what the palette calls so. */
async function command(app: App, name: string): Promise<void> {
  await app.page.keyboard.press("Control+k");
  await app.palette.getByRole("combobox").fill(name);
  await app.palette.getByRole("option", { name }).first().click();
}

interface Settings {
  instructions?: string;
  temperature?: string;
  think?: boolean;
}

async function makePreset(app: App, name: string, { instructions = "", temperature, think = false }: Settings): Promise<void> {
  const { page } = app;
  await command(app, "Presets");
  await dialog(page, "Presets").getByRole("button", { name: "New preset" }).click();
  const form = dialog(page, "New preset");
  await expect(form.getByRole("textbox", { name: "Name" })).toBeFocused();
  await form.getByRole("textbox", { name: "Name" }).fill(name);
  await form.getByRole("textbox", { name: "Custom instructions" }).fill(instructions);
  if (think) await form.getByRole("switch", { name: "Think before answering" }).check();
  if (temperature) {
    await form.getByRole("switch", { name: /^Own sampling/ }).check();
    await form.getByRole("spinbutton", { name: /^Temperature/ }).fill(temperature);
  }
  await form.getByRole("radio", { name: "Light bulb" }).check({ force: true });
  await form.getByRole("button", { name: "Save" }).click();
  await expect(dialog(page, "Presets").getByRole("button", { name, exact: true })).toBeVisible();
}

async function makePrompt(app: App, name: string, text: string): Promise<void> {
  const { page } = app;
  await command(app, "Prompts");
  await dialog(page, "Prompts").getByRole("button", { name: "New prompt" }).click();
  const form = dialog(page, "New prompt");
  await form.getByRole("textbox", { name: "Name" }).fill(name);
  await form.getByRole("textbox", { name: "Text" }).fill(text);
  await form.getByRole("button", { name: "Save" }).click();
  await expect(dialog(page, "Prompts").getByRole("button", { name, exact: true })).toBeVisible();
}

async function act(list: Locator, name: string, action: string): Promise<void> {
  await list.getByRole("button", { name: `Actions for ${name}` }).click();
  await list.page().getByRole("menuitem", { name: action, exact: true }).click();
}

/** Adds the presets and prompts of a file. */
async function importText(page: Page, list: Locator, text: string): Promise<void> {
  const chooser = page.waitForEvent("filechooser");
  await list.getByRole("button", { name: "Import…" }).click();
  await (await chooser).setFiles({ name: "presets.json", mimeType: "application/json", buffer: Buffer.from(text) });
}

test("a preset is taken over, seen, left, switched and undone, in every tab", async ({ app, page, context }) => {
  await app.openChat();
  const other = new App(await context.newPage());
  await other.openChat();
  await page.bringToFront();
  await expect(chips(page)).toHaveCount(0);
  await makePreset(app, "Translator", { instructions: "Translate into French.", temperature: "1.3", think: true });
  const list = dialog(page, "Presets");
  await list.getByRole("button", { name: "Translator", exact: true }).click();
  await expect(list).toBeHidden();
  await expect(app.composer).toBeFocused();
  await expect(chips(page)).toHaveText(["Preset: Translator"]);
  await expect(page.getByRole("button", { name: "Think", exact: true })).toHaveAttribute("aria-pressed", "true");
  const differences = ["Instructions", "Temperature 0.2", "Maximum thinking length", "Tools", "Answer format"];
  await app.openDrawer();
  await expect(app.drawer.getByRole("textbox", { name: "Custom instructions" })).toHaveValue("Translate into French.");
  await app.drawer.getByRole("spinbutton", { name: /^Temperature/ }).fill("0.2");
  await app.drawer.getByRole("textbox", { name: "Custom instructions" }).fill("Translate into Norwegian.");
  await app.drawer.getByRole("switch", { name: "Calculator" }).check();
  await app.drawer.getByRole("combobox", { name: "Answer format" }).selectOption("JSON");
  await app.drawer.getByRole("combobox", { name: "Maximum thinking length" }).selectOption("Short (256 tokens)");
  await page.keyboard.press("Escape");
  await expect(chips(page)).toHaveText(["Preset: Translator", ...differences]);
  await app.ask("Good morning");
  await app.kept("Norwegian");

  // The preset is in the other tab's list, for its new conversation.
  await expect(chips(other.page)).toHaveText(["Choose a preset"]);
  await chips(other.page).click();
  const there = dialog(other.page, "Presets");
  await act(there, "Translator", "Edit");
  await dialog(other.page, "Preset").getByRole("textbox", { name: "Name" }).fill("Interpreter");
  await dialog(other.page, "Preset").getByRole("button", { name: "Save" }).click();
  await expect(chips(page).first()).toHaveText("Preset: Interpreter");
  await app.reload();
  await expect(chips(page)).toHaveText(["Preset: Interpreter", ...differences]);

  // Chosen again, it is as it was made; without one, the conversation is as new ones are.
  await chips(page).first().click();
  await list.getByRole("button", { name: "Interpreter", exact: true }).click();
  await expect(chips(page)).toHaveText(["Preset: Interpreter"]);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(chips(page)).toHaveText(["Preset: Interpreter", ...differences]);

  // One that is made of the conversation has all of its settings, and the form shows them.
  await chips(page).first().click();
  await list.getByRole("button", { name: "New from this conversation" }).click();
  const form = dialog(page, "New preset");
  await form.getByRole("textbox", { name: "Name" }).fill("Norwegian");
  await expect(form.getByRole("switch", { name: "Calculator" })).toBeChecked();
  await expect(form.getByRole("combobox", { name: "Answer format" })).toHaveValue("json");
  await form.getByRole("combobox", { name: "Answer format" }).selectOption("JSON schema");
  await form.getByRole("textbox", { name: "JSON schema" }).fill('{"type":"object"}');
  await form.getByRole("switch", { name: "Date and time" }).check();
  await expect(form.getByRole("combobox", { name: "Maximum thinking length" })).toHaveValue("256");
  await form.getByRole("button", { name: "Save" }).click();
  await list.getByRole("button", { name: "Norwegian", exact: true }).click();
  await expect(chips(page)).toHaveText(["Preset: Norwegian"]);
  await app.openDrawer();
  await expect(app.drawer.getByRole("textbox", { name: "JSON schema" })).toHaveValue('{"type":"object"}');
  await expect(app.drawer.getByRole("switch", { name: "Date and time" })).toBeChecked();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(chips(page)).toHaveText(["Preset: Interpreter", ...differences]);
  await chips(page).first().click();
  await act(list, "Norwegian", "Delete");
  await expect(list.getByRole("button", { name: "Interpreter", exact: true })).toHaveAttribute("aria-current", "true");
  await list.getByRole("button", { name: "Use no preset" }).click();
  await expect(chips(page)).toHaveCount(0);

  await command(app, "Presets");
  await act(list, "Interpreter", "Duplicate");
  await act(list, "Interpreter (2)", "Delete");
  await expect(list.getByRole("listitem")).toHaveCount(1);
  await list.getByRole("button", { name: "Undo" }).click();
  await expect(list.getByRole("listitem")).toHaveCount(2);
});

test("prompts are written into the message from the keyboard", async ({ app, page }) => {
  await app.openChat();
  await makePrompt(app, "Sum up", "Sum this up:");
  await page.keyboard.press("Escape");
  await makePrompt(app, "Translate", "Translate {{text}} into {{language}}. {{text}}");
  await page.keyboard.press("Escape");
  await expect(dialog(page, "Prompts")).toBeHidden();
  const menu = page.getByRole("listbox", { name: "Prompts" });
  // While the dialog closes, the message can't be focused. A click waits for that.
  await app.composer.click();
  await expect(app.composer).toBeFocused();
  await page.keyboard.type("/");
  await expect(menu.getByRole("option")).toHaveText([/^Sum up/, /^Translate/, "All prompts…"]);
  await page.keyboard.press("ArrowDown");
  await expect(menu.getByRole("option", { selected: true })).toHaveText(/^Translate/);
  await page.keyboard.press("Escape");
  await expect(menu).toBeHidden();
  await expect(app.composer).toHaveValue("/");
  await app.composer.fill("");
  await page.keyboard.type("/sum");
  await expect(menu.getByRole("option")).toHaveText([/^Sum up/, "All prompts…"]);
  await page.keyboard.press("Enter");
  await expect(app.composer).toHaveValue("Sum this up:");
  await expect(menu).toBeHidden();

  await app.composer.fill("/trans");
  await page.keyboard.press("Enter");
  const form = dialog(page, "Fill in the prompt");
  await expect(form.getByRole("textbox", { name: "text" })).toBeFocused();
  await page.keyboard.type("{{language}}");
  await page.keyboard.press("Tab");
  await page.keyboard.type("German");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(app.composer).toHaveValue("Translate {{language}} into German. {{language}}");
  await expect(app.composer).toBeFocused();

  // What no prompt is called is a message.
  await app.composer.fill("/etc/passwd?");
  await expect(menu).toBeHidden();
  await page.keyboard.press("Enter");
  await expect(app.questions).toHaveText(/\/etc\/passwd\?/);
});

test("presets and prompts are files, and go with everything", async ({ app, page }) => {
  await app.openChat();
  await makePrompt(app, "Sum up", "Sum this up:");
  await page.keyboard.press("Escape");
  await makePreset(app, "Pirate", { instructions: "Like a pirate." });
  const list = dialog(page, "Presets");
  const download = page.waitForEvent("download");
  await list.getByRole("button", { name: "Export presets and prompts" }).click();
  const file = readFileSync(await (await download).path(), "utf8");
  expect(file).toContain("Like a pirate.");
  const notice = page.getByRole("region", { name: "Notifications" });
  await importText(page, list, file);
  await expect(notice).toContainText("Presets imported: 0, prompts: 0. Already here: 2.");
  await importText(page, list, file.replace("Like a pirate.", "Like a captain."));
  await expect(notice).toContainText("Presets imported: 1, prompts: 0. Already here: 1.");
  await expect(list.getByRole("button", { name: "Pirate (2)", exact: true })).toBeVisible();
  for (const [hostile, words] of [
    [file.slice(0, 50), /The file isn’t a gemtab export/],
    ["{}", "The file has no presets or prompts from gemtab."],
    [file.replace('"version": 2', '"version": 9'), /newer version of gemtab/],
    [file.replace("Like a pirate.", "a".repeat(300_000)), /The text of “Pirate” is 300 kB/],
  ] as const) {
    await importText(page, list, hostile);
    await expect(notice).toContainText(words);
  }
  await page.keyboard.press("Escape");

  await app.ask("Hello");
  await page.getByRole("button", { name: "Organize conversations" }).click();
  await page.getByRole("menuitem", { name: "Delete everything…" }).click();
  await page.getByRole("button", { name: "Delete everything", exact: true }).click();
  await expect.poll(() => app.inStore("Like a pirate.")).toBe(false);
  await expect.poll(() => app.inStore("Sum this up:")).toBe(false);
  await expect(chips(page)).toHaveCount(0);
});

for (const [theme, width] of [
  ["dark", 1280],
  ["light", 320],
] as const) {
  test(`their dialogs have no faults in the ${theme} theme at ${width} pixels`, { tag: EMULATES_MEDIA }, async ({ app, page }) => {
    await page.emulateMedia({ colorScheme: theme });
    await app.openChat();
    await makePrompt(app, "Translate", "Translate {{text}} into {{language}}.");
    await page.setViewportSize({ width, height: 640 });
    const whole = async () => {
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      expect(await faults(page)).toEqual([]);
    };
    await whole();
    await act(dialog(page, "Prompts"), "Translate", "Edit");
    await whole();
    await dialog(page, "Prompt").getByRole("button", { name: "Cancel" }).click();
    await page.keyboard.press("Escape");
    await makePreset(app, "A preset with a name that is as long as names may be, more or less", { temperature: "0.2" });
    await whole();
    await act(dialog(page, "Presets"), "A preset", "Edit");
    await whole();
    await dialog(page, "Preset").getByRole("button", { name: "Cancel" }).click();
    await dialog(page, "Presets").getByRole("button", { name: /^A preset/ }).first().click();
    await expect(chips(page)).toHaveCount(1);
    await app.composer.fill("/");
    await expect(page.getByRole("listbox", { name: "Prompts" })).toBeVisible();
    await whole();
    await page.keyboard.press("Enter");
    await expect(dialog(page, "Fill in the prompt")).toBeVisible();
    await whole();
  });
}
