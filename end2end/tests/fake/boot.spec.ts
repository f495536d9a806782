// What happens before the page lives, and when it never does.

import type { Page } from "@playwright/test";
import { EVERY_BROWSER } from "../../support/firefox.ts";
import { expect, test } from "../../support/watch.ts";

const TEXTS = /\/pkg\/texts\.en\.[0-9a-f]+\.txt$/;
const WASM = /\/pkg\/page\.[0-9a-f]+\.wasm$/;

/** Withholds the page's program until the function that this returns was called. */
async function holdProgram(page: Page): Promise<() => void> {
  let start = () => {};
  const started = new Promise<void>((resolve) => (start = resolve));
  await page.route(WASM, async (route) => {
    await started;
    await route.continue();
  });
  return () => start();
}

test("what is typed and pressed before the page lives is not lost", { tag: EVERY_BROWSER }, async ({ app, page }) => {
  const start = await holdProgram(page);
  await page.goto("/?fake=instant,demo", { waitUntil: "commit" });
  await app.composer.fill("Typed early");
  await page.getByRole("button", { name: "Conversation settings" }).click();
  await expect(app.drawer).toBeHidden();
  start();
  await app.ready();
  await expect(app.drawer).toBeVisible();
  await expect(app.composer).toHaveValue("Typed early");
  await app.composer.press("Enter");
  await expect(app.questions).toHaveText(/Typed early/);
});

test("what is typed early in a conversation stays in it", async ({ app, page }) => {
  await app.openChat("instant,demo");
  await app.ask("First matter");
  await app.kept("as wide.");
  const start = await holdProgram(page);
  await page.reload({ waitUntil: "commit" });
  await app.composer.fill("Typed early");
  start();
  await app.ready();
  await expect(app.questions).toHaveText(/First matter/);
  await expect(app.composer).toHaveValue("Typed early");
});

test("a message sent before the list of models has come goes to the model when it has", async ({ app, page }) => {
  let answer = () => {};
  const listed = new Promise<void>((resolve) => (answer = resolve));
  await page.route("**/api/models", async (route) => {
    await listed;
    await route.continue();
  });
  await app.open("instant,demo");
  await app.send("Sent early");
  await expect(app.questions).toHaveText(/Sent early/);
  answer();
  await app.answered();
});

test("a page that takes long says so", async ({ app, page }) => {
  const start = await holdProgram(page);
  await page.goto("/?fake=instant,demo", { waitUntil: "commit" });
  const slow = page.getByText("Still loading.");
  await expect(slow).toBeAttached();
  await expect(slow).toBeHidden();
  // It comes after some seconds, which need not pass here.
  await slow.evaluate((it) => it.getAnimations().forEach((animation) => animation.finish()));
  await expect(slow).toBeVisible();
  start();
  await app.ready();
  await expect(slow).toBeHidden();
});

test.describe("a page whose program cannot be loaded", () => {
  test.use({ expectedError: /Failed to load resource|failed to fetch Wasm|^Error$|texts\.en/ });

  for (const [part, address] of [["program", WASM], ["words", TEXTS]] as const) {
    test(`says so without its ${part}`, async ({ page }) => {
      await page.route(address, (route) => route.fulfill({ status: 500 }));
      await page.goto("/?fake=instant,demo");
      await expect(page.getByText("The page couldn’t start.")).toBeVisible();
      await expect(page.getByRole("link", { name: "Reload" })).toBeVisible();
    });
  }
});
