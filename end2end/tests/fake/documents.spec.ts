// Documents in a conversation: attached, read in a worker of their own, given to the model, cited, shown.

import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { faults } from "../../support/axe.ts";
import { pdf, text } from "../../support/documents.ts";
import type { MediaFile } from "../../support/media.ts";
import { App } from "../../support/app.ts";
import { expect, test } from "../../support/watch.ts";

const lease = text("lease.md", "# Rent\n\nThe rent is 900 euros.\n\n# Notice\n\nThe notice period is three months.\n");

async function drop(page: Page, file: MediaFile): Promise<void> {
  const given = { name: file.name, type: file.mimeType, bytes: [...file.buffer] };
  await page.evaluate(({ name, type, bytes }) => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(bytes)], name, { type }));
    document.getElementById("composer")?.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data }));
  }, given);
}

async function pasteText(app: App, pasted: string): Promise<void> {
  await app.composer.evaluate((composer, pasted) => {
    const data = new DataTransfer();
    data.setData("text/plain", pasted);
    composer.dispatchEvent(new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData: data }));
  }, pasted);
}

const preview = (page: Page, name: string) => page.getByRole("dialog", { name });

test("a document is picked, read, sent, cited and opened at the place", async ({ app, page }) => {
  await app.openChat();
  await app.attach(lease);
  await expect(app.tray).toContainText("lease.md");
  await expect(app.tray).toContainText(/7 lines · about \d+ tokens/);
  const answer = await app.ask("What is the notice period?");
  const citation = answer.getByRole("button", { name: "Open lease.md, lines 1 to 3" });
  await expect(citation).toHaveText("line 1");
  // All of it was given.
  await expect(answer.locator(".left-out")).toHaveCount(0);
  await citation.click();
  await expect(preview(page, "lease.md").locator("li.cited")).toHaveText(["# Rent", "", "The rent is 900 euros."]);
  await page.keyboard.press("Escape");
  await app.questions.first().getByRole("button", { name: "Show lease.md" }).click();
  await expect(preview(page, "lease.md")).toContainText("900 euros");
  await expect(preview(page, "lease.md").locator("li.cited")).toHaveCount(0);
});

test("documents of each kind are dropped", async ({ app, page, browserName }) => {
  test.skip(browserName !== "chromium", "only Chromium lets a script make such an event");
  await app.openChat("instant,text-only");
  for (const [file, about] of [
    [text("main.rs", "fn main() {}\n"), "1 line"],
    [text("table.csv", "name,age\nAnn,3\nBob,4\n", "text/csv"), "3 rows"],
    [text("data.json", '{\n  "a": 1\n}\n', "application/json"), "3 lines"],
    [text("page.html", "<h1>Title</h1><p>Words</p>", "text/html"), "paragraph"],
    [pdf("two.pdf", ["One page", "Another page"]), "2 pages"],
  ] as const) {
    await drop(page, file);
    const chip = app.tray.getByRole("listitem").filter({ hasText: file.name });
    await expect(chip).toContainText(about);
  }
});

test("a long paste is attached, and is text again if that is wanted", async ({ app, page, browserName }) => {
  test.skip(browserName !== "chromium", "only Chromium lets a script make such an event");
  await app.openChat();
  await app.composer.fill("Before ");
  const pasted = "A line of a log.\n".repeat(50);
  await pasteText(app, pasted);
  await expect(app.tray).toContainText("Pasted text.txt");
  await expect(app.composer).toHaveValue("Before ");
  await page.getByRole("button", { name: "Paste as text" }).click();
  await expect(app.tray).toBeHidden();
  await expect(app.composer).toHaveValue(`Before ${pasted}`);
});

test("of a long document the fitting pages are given, and that is said", async ({ app, page }) => {
  await app.openChat("instant,demo");
  const pages = Array.from({ length: 48 }, (_, at) => `Animal ${at} eats ${at === 30 ? "zebras" : "grass"} ${"and sleeps ".repeat(40)}`);
  await app.attach(pdf("animals.pdf", pages));
  await expect(app.tray).toContainText("48 pages");
  const answer = await app.ask("zebras?");
  await expect(answer.locator(".left-out")).toHaveText("1 of 48 pages of animals.pdf were given to the model.");
  await answer.getByRole("button", { name: "Open animals.pdf, page 31" }).click();
  await expect(preview(page, "animals.pdf")).toContainText("Animal 30 eats zebras");
  await preview(page, "animals.pdf").getByRole("button", { name: "Next part" }).click();
  await expect(preview(page, "animals.pdf").locator(".numbers")).toHaveText("page 32");
});

test("a document stays with its conversation: reload, regenerate, edit, later questions", async ({ app, page }) => {
  await app.openChat("instant");
  await app.attach(lease);
  await app.ask("What is the notice period?");
  await app.kept("notice period");
  await app.reload();
  await app.ready();
  const citation = app.answers.first().getByRole("button", { name: /Open lease.md/ });
  await citation.click();
  await expect(preview(page, "lease.md")).toContainText("900 euros");
  await page.keyboard.press("Escape");
  await app.answers.first().getByRole("button", { name: "Regenerate" }).click();
  await expect((await app.answered()).getByRole("button", { name: /Open lease.md/ })).toBeVisible();
  await app.questions.first().getByRole("button", { name: "Edit and resend" }).click();
  await page.getByRole("textbox", { name: "Edit message" }).fill("How much is the rent?");
  await page.getByRole("textbox", { name: "Edit message" }).press("Enter");
  await expect((await app.answered()).getByRole("button", { name: /Open lease.md/ })).toBeVisible();
});

test("a document is exported and imported with its conversation", async ({ app, page }) => {
  await app.openChat();
  await app.attach(lease);
  await app.ask("What is the notice period?");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Organize conversations" }).click();
  await page.getByRole("menuitem", { name: "Export all" }).click();
  const file = readFileSync(await (await download).path(), "utf8");
  await app.act("What is the notice period?", "Delete");
  await expect(app.questions).toHaveCount(0);
  await page.getByRole("button", { name: "Organize conversations" }).click();
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("menuitem", { name: /^Import/ }).click();
  await (await chooser).setFiles({ name: "history.json", mimeType: "application/json", buffer: Buffer.from(file) });
  await app.conversation("What is the notice period?").click();
  await app.answers.first().getByRole("button", { name: /Open lease.md/ }).click();
  await expect(preview(page, "lease.md")).toContainText("900 euros");
});

test("what cannot be read is refused, with what to do", async ({ app }) => {
  await app.openChat();
  const hostile = pdf("hostile.pdf", ["text"]);
  const fonts = "/Font << /F << /Type /Font /Subtype /Type0 /Encoding /Identity-H /DescendantFonts [<< /Subtype /CIDFontType2 /W [0 4294967295 5] >>] >> >>";
  const huge = Buffer.from(hostile.buffer.toString("latin1").replace("/Font << /F 3 0 R >>", fonts), "latin1");
  for (const [file, words] of [
    [{ ...hostile, buffer: huge }, /hostile.pdf: This file takes too much memory/],
    [pdf("empty.pdf", ["", ""]), /empty.pdf: There’s no text in this file/],
    [text("blank.txt", " \n"), /blank.txt: There’s no text in this file/],
    [{ name: "broken.docx", mimeType: "", buffer: Buffer.from("PK\x03\x04broken") }, /broken.docx: This file is damaged/],
  ] as const) {
    await app.attach(file);
    await expect(app.refusal).toContainText(words);
    await app.refusal.getByRole("button", { name: "Close" }).click();
  }
  await app.attach(lease);
  await expect(app.tray).toContainText("7 lines");
});

test.describe("a worker", () => {
  test.use({ expectedError: /broken/ });

  test("that breaks or never ends breaks nothing else", async ({ app, page }) => {
    let script = "onmessage = () => setTimeout(() => { throw new Error('broken'); });";
    await page.route(/\/pkg\/documents-worker/, (route) => route.fulfill({ contentType: "text/javascript", body: script }));
    await app.openChat();
    await app.attach(lease);
    await expect(app.refusal).toContainText("lease.md: This file couldn’t be read");
    script = "onmessage = () => {};";
    await app.pickFiles(lease);
    await page.getByRole("button", { name: "Cancel" }).click();
    await expect(page.getByText("Reading lease.md")).toBeHidden();
    await expect(app.tray).toBeHidden();
    await page.unroute(/\/pkg\/documents-worker/);
    await expect(await app.ask("Hello")).toContainText("A red circle");
  });
});

test("at 320 pixels nothing is cut off, and axe finds nothing", async ({ app, page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await app.openChat();
  await app.attach(text(`${"long-name-".repeat(8)}.md`, lease.buffer.toString()));
  await expect(app.tray).toContainText("7 lines");
  expect(await faults(page)).toEqual([]);
  const answer = await app.ask("What is the notice period?");
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(await overflow()).toBe(0);
  await answer.getByRole("button", { name: /^Open long-name/ }).click();
  await expect(page.getByRole("dialog").locator("li.cited").first()).toBeVisible();
  expect(await faults(page)).toEqual([]);
  expect(await overflow()).toBe(0);
});

test("in German", { tag: "@thorough" }, async ({ app, page, context, baseURL }) => {
  await context.addCookies([{ name: "language", value: "de", url: baseURL ?? "" }]);
  await page.goto("/?fake=instant");
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Dateien anhängen" }).click();
  await (await chooser).setFiles(lease);
  await expect(page.getByRole("list", { name: "An Ihre Nachricht angehängt" })).toContainText(/7 Zeilen · etwa \d+ Tokens/);
  await app.page.locator("#composer").fill("Wie lange?");
  await app.page.locator("#composer").press("Enter");
  await expect(page.getByRole("button", { name: "lease.md öffnen, Zeilen 1 bis 3" })).toBeVisible();
});
