// The pages that are not in the first file: fetched once the page lives, and before they are opened.

import { expect, test } from "../../support/watch.ts";
import { withhold } from "../../support/withhold.ts";

const LATER = /\/pkg\/later\.[0-9a-f]+\.wasm$/;

const PAGES = [
  ["/models", "Models", undefined],
  ["/tune", "Fine-tune", "Prompt 1"],
  ["/settings", "Settings", "Theme"],
  ["/diagnostics", "Diagnostics", undefined],
] as const;

test("the first page does not wait for the others", async ({ app, page }) => {
  const start = await withhold(page, LATER);
  const asked = page.waitForRequest(LATER);
  await app.openChat("instant,demo");
  await asked;
  await app.ask("Said before the rest has come");
  await app.rail.getByRole("link", { name: "Fine-tune" }).click();
  await expect(page.getByText("Loading…")).toBeVisible();
  await expect(page.getByRole("heading", { name: "Fine-tune", level: 1 })).toBeVisible();
  start();
  await expect(page.getByRole("textbox", { name: "Prompt 1" })).toBeVisible();
  await page.goBack();
  await expect(app.questions).toHaveText(/Said before the rest has come/);
});

test("a dialog that is opened early is filled when the rest has come", async ({ app, page }) => {
  const start = await withhold(page, LATER);
  await app.openChat("instant,demo");
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog", { name: "Search and commands" });
  await expect(palette.getByText("Loading…")).toBeVisible();
  start();
  await expect(palette.getByRole("combobox")).toBeVisible();
});

test("formulas are shown as they are written until they can be drawn", async ({ app, page }) => {
  const start = await withhold(page, LATER);
  await app.openChat("instant,demo");
  await app.ask("A formula");
  await expect(app.answers.locator(".math-source").first()).toBeVisible();
  await expect(app.answers.locator("math")).toHaveCount(0);
  start();
  await expect(app.answers.locator("math").first()).toBeVisible();
  await expect(app.answers.locator(".math-source")).toHaveCount(0);
});

test("once the file is here, opening a page asks for nothing", async ({ app, page }) => {
  const fetched = page.waitForResponse(LATER);
  await app.openChat("instant,demo");
  // The file has come.
  await (await fetched).finished();
  // So has the engine.
  await app.ask("Hello");
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  for (const [, name] of PAGES) {
    await app.rail.getByRole("link", { name }).click();
    await expect(page.getByRole("heading", { name, level: 1 })).toBeVisible();
  }
  expect(requests.filter((url) => url.includes("/pkg/"))).toEqual([]);
});

test("each page is there without a script, and lives with one", async ({ app, page, request }) => {
  for (const [path, name, field] of PAGES) {
    const html = await (await request.get(path)).text();
    expect(html).toMatch(new RegExp(`<h1[^>]*>${name}`));
    await app.open("instant", path);
    await expect(page.getByRole("heading", { name, level: 1 })).toHaveCount(1);
    if (field) {
      expect(html).toContain(field);
    }
    // What was hydrated goes on to live: another page, and back.
    await app.rail.getByRole("link", { name: "Models" }).click();
    await expect(page.getByRole("heading", { name: "Models", level: 1 })).toBeVisible();
    await app.rail.getByRole("link", { name }).click();
    await expect(page.getByRole("heading", { name, level: 1 })).toBeVisible();
  }
});

test.describe("a file that cannot be loaded", () => {
  test.use({ expectedError: /Failed to load resource|WebAssembly|TypeError|part of the page could not be loaded/ });

  test("is told where it is needed, and nothing is lost", async ({ app, page }) => {
    await page.route(LATER, (route) => route.fulfill({ status: 500 }));
    await app.openChat("instant,demo");
    await app.ask("Stays");
    await app.rail.getByRole("link", { name: "Fine-tune" }).click();
    await expect(page.getByText("This part of the page couldn’t be loaded.")).toBeVisible();
    await expect(page.getByRole("main").getByRole("link", { name: "Reload" })).toBeVisible();
    await page.unroute(LATER);
    await page.getByRole("button", { name: "Try again" }).click();
    await expect(page.getByRole("textbox", { name: "Prompt 1" })).toBeVisible();
    await page.goBack();
    await expect(app.questions).toHaveText(/Stays/);
  });

  test("is told in a dialog, which tries again", async ({ app, page }) => {
    await page.route(LATER, (route) => route.fulfill({ status: 500 }));
    await app.openChat("instant,demo");
    await page.keyboard.press("Control+k");
    const palette = page.getByRole("dialog", { name: "Search and commands" });
    await expect(palette.getByText("This part of the page couldn’t be loaded.")).toBeVisible();
    await page.unroute(LATER);
    await palette.getByRole("button", { name: "Try again" }).click();
    await expect(palette.getByRole("combobox")).toBeVisible();
  });

  test("is told by a page that begins with it", async ({ page }) => {
    await page.route(LATER, (route) => route.fulfill({ status: 500 }));
    await page.goto("/tune?fake=instant");
    await expect(page.getByText("The page couldn’t start.")).toBeVisible();
    await expect(page.getByRole("link", { name: "Reload" })).toBeVisible();
  });
});
