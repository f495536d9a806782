// What the model has coded, as it looks and runs: beside the conversation, in its versions, with its console.

import { readFileSync } from "node:fs";
import type { Locator, Page } from "@playwright/test";
import { faults } from "../../support/axe.ts";
import type { App } from "../../support/app.ts";
import { openArchive } from "../../support/archive.ts";
import { expect, test } from "../../support/watch.ts";

const fenced = (language: string, code: string) => `Here:\n\n\`\`\`${language}\n${code}\n\`\`\`\n`;

/** The program in the frame within the frame. */
const program = (panel: Locator) => panel.frameLocator("iframe").frameLocator("iframe");

/** Opens a conversation with code, and the preview of its last block. */
async function preview(app: App, ...answers: string[]): Promise<Locator> {
  await app.openChat();
  await openArchive(app, "Holiday planner", answers.flatMap((answer) => [["user", "Code it"], ["assistant", answer]] as const));
  await app.answers.last().getByRole("button", { name: "Preview" }).last().click();
  return panelOf(app.page);
}

const panelOf = (page: Page) => page.getByRole("dialog", { name: "Preview" });

/** What was downloaded: its name and its text. */
async function downloaded(page: Page, press: Locator): Promise<[string, string]> {
  const begins = page.waitForEvent("download");
  await press.click();
  const download = await begins;
  return [download.suggestedFilename(), readFileSync(await download.path(), "utf8")];
}

test.describe("a page", () => {
  test("runs beside the conversation, in versions, and follows the answer that is written", async ({ app, page }) => {
    await app.openChat();
    await app.ask("A web page");
    await app.answers.getByRole("button", { name: "Preview" }).click();
    const panel = panelOf(page);
    const heading = program(panel).getByRole("heading");
    await expect(heading).toHaveText("Counter 1");
    await program(panel).getByRole("button").click();
    await expect(program(panel).getByRole("button")).toHaveText("1");
    await expect(app.composer).toBeVisible();
    // The next answer has another version, which is shown once it is whole.
    await app.ask("Another web page");
    await expect(heading).toHaveText("Counter 2");
    await expect(panel.getByText("2/2")).toBeVisible();
    await panel.getByRole("button", { name: "Previous version" }).click();
    await expect(heading).toHaveText("Counter 1");
    await panel.getByRole("button", { name: "Source" }).click();
    await expect(panel.getByText("<title>Counter</title>")).toBeVisible();
    await panel.getByRole("button", { name: "Source" }).click();
    await panel.getByRole("button", { name: "Stop", exact: true }).click();
    expect(await faults(page)).toEqual([]);
    const [name, text] = await downloaded(page, panel.getByRole("button", { name: "Download" }));
    expect(name).toMatch(/\.html$/);
    expect(text).toContain("Counter 1");
    await app.composer.press("Escape");
    await expect(panel).toBeHidden();
  });

  test.describe("with an error", () => {
    test.use({ expectedError: /broken is not defined/ });

    test("has it in the console, and a message that asks to fix it", async ({ app }) => {
      const panel = await preview(app, fenced("html", "<p>One</p>\n<script>\nconsole.log('Hello', { a: 1 });\nbroken();\n</script>"));
      const console = panel.getByRole("region", { name: "Console" });
      await expect(console.getByText('Hello {"a":1}')).toBeVisible();
      await expect(console.getByText("broken is not defined")).toBeVisible();
      await expect(console.getByText("line 4")).toBeVisible();
      await console.getByRole("button", { name: "Fix this error" }).click();
      await expect(app.composer).toBeFocused();
      await expect(app.composer).toHaveValue(/broken is not defined\nFix it/);
      await panel.getByRole("button", { name: "Stop" }).click();
      await expect(panel.getByText("The preview is stopped.")).toBeVisible();
      await expect(panel.locator("iframe")).toHaveCount(0);
      await panel.getByRole("button", { name: "Run again" }).click();
      await expect(program(panel).getByText("One")).toBeVisible();
    });
  });
});

test("a form and a link within the page are those of the program", async ({ app }) => {
  const code = `<a href="#end">Down</a><form><input required aria-label="Task"><button>Add</button></form>
    <p style="height: 3000px"></p><p id="end">End</p><p><a href="https://elsewhere.example/">Away</a></p>
    <script>document.forms[0].onsubmit = (it) => { it.preventDefault(); console.log("Added " + it.target[0].value); };</script>`;
  const panel = await preview(app, fenced("html", code));
  await program(panel).getByRole("textbox").fill("Pack");
  await program(panel).getByRole("textbox").press("Enter");
  await expect(panel.getByText("Added Pack")).toBeVisible();
  await program(panel).getByRole("link", { name: "Down" }).click();
  await expect(program(panel).getByText("End")).toBeInViewport();
  await program(panel).getByRole("link", { name: "Away" }).click();
  await expect(panel.getByText("Not loaded, because previews have no network: https://elsewhere.example/")).toBeVisible();
});

test("a script draws, a picture is seen, values become a table", async ({ app, page }) => {
  const script = "const c = document.querySelector('canvas').getContext('2d'); c.fillStyle = '#00f'; c.fillRect(0, 0, 9, 9); console.log([...c.getImageData(1, 1, 1, 1).data].join());";
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4" cy="4" r="4"/></svg>';
  const panel = await preview(app, fenced("js", script) + fenced("svg", svg) + fenced("csv", 'City;Days\n"Oslo; Bergen";5'));
  await expect(panel.getByRole("cell", { name: "Oslo; Bergen" })).toBeVisible();
  await expect(panel.locator("iframe")).toHaveCount(0);
  const buttons = app.answers.getByRole("button", { name: "Preview" });
  await buttons.nth(1).click();
  await expect(program(panel).locator("circle")).toBeVisible();
  await buttons.nth(0).click();
  await expect(panel.getByText("0,0,255,255")).toBeVisible();
});

test("on a phone it is a sheet, without a line that is too long", async ({ app, page }) => {
  const panel = await preview(app, fenced("html", "<h1>Small</h1>"));
  await expect(program(panel).getByRole("heading", { name: "Small" })).toBeVisible();
  await page.setViewportSize({ width: 320, height: 640 });
  await expect(program(panel).getByRole("heading", { name: "Small" })).toBeVisible();
  const wide = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(await wide()).toBeLessThanOrEqual(0);
  expect((await panel.boundingBox())?.width).toBe(320);
  await panel.getByRole("button", { name: "Stop", exact: true }).click();
  expect(await faults(page)).toEqual([]);
  await panel.getByRole("button", { name: "Close" }).click();
  await expect(app.answers.getByRole("button", { name: "Preview" })).toBeFocused();
  expect(await wide()).toBeLessThanOrEqual(0);
});

test("code and conversations are kept under names that fit", async ({ app, page, context, browserName }) => {
  const answer = `**Bold** and $x^2$\n\n${fenced("python", "# src/app.py\nprint(1)")}\n${fenced("rust", "fn main() {}")}`;
  await app.openChat();
  await openArchive(app, "Holiday planner", [["user", "<b>Code</b>"], ["assistant", answer]]);
  const buttons = app.answers.getByRole("button", { name: "Download" });
  expect(await downloaded(page, buttons.nth(0))).toEqual(["app.py", "# src/app.py\nprint(1)"]);
  expect((await downloaded(page, buttons.nth(1)))[0]).toBe("holiday-planner.rs");

  await page.getByRole("button", { name: "Actions for Holiday planner" }).click();
  const [name, html] = await downloaded(page, page.getByRole("menuitem", { name: "Export as HTML" }));
  expect(name).toMatch(/^holiday-planner-\d{4}-\d\d-\d\d\.html$/);
  for (const part of ["<h1 dir=\"auto\">Holiday planner</h1>", "&lt;b&gt;Code&lt;/b&gt;", "<strong>Bold</strong>", "<msup>"]) {
    expect(html).toContain(part);
  }

  await page.evaluate(() => Object.assign(window, { print: () => document.documentElement.toggleAttribute("data-printed") }));
  await page.goto(page.url().replace(/\/c\/.*\?/, "/?"));
  await app.ready();
  await page.evaluate(() => Object.assign(window, { print: () => document.documentElement.toggleAttribute("data-printed") }));
  await app.act("Holiday planner", "Print or save as PDF");
  await expect(page.locator("html[data-printed]")).toBeVisible();
  await expect(page).toHaveTitle(/^Holiday planner/);

  test.skip(browserName !== "chromium", "only Chromium lets a test read the clipboard");
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await app.answers.getByRole("button", { name: "Copy", exact: true }).last().click();
  const copied = () =>
    page.evaluate(async () => {
      const [item] = await navigator.clipboard.read();
      const text = async (kind: string) => (item?.types.includes(kind) ? (await item.getType(kind)).text() : "");
      return [await text("text/html"), await text("text/plain")];
    });
  // It can't be read while it changes.
  await expect(async () => {
    const [html, text] = await copied();
    expect(html).toContain("<strong>Bold</strong>");
    expect(text).toContain("**Bold** and $x^2$");
  }).toPass();
});
