// What happens before the page lives, and when it never does.

import { CORE } from "../../support/firefox.ts";
import { expect, test } from "../../support/watch.ts";
import { withhold, withholdStore } from "../../support/withhold.ts";

const BOOT = /\/pkg\/boot\.[0-9a-f]+\.js$/;
const TEXTS = /\/pkg\/texts\.en\.[0-9a-f]+\.txt$/;
const WASM = /\/pkg\/page\.[0-9a-f]+\.wasm$/;

test("what is typed and pressed before the page lives is not lost", { tag: CORE }, async ({ app, page }) => {
  const start = await withhold(page, WASM);
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

test("what is chosen before the page lives is not lost", { tag: CORE }, async ({ app, page }) => {
  const start = await withhold(page, WASM);
  await page.goto("/settings?fake=instant,demo", { waitUntil: "commit" });
  const saves = page.getByRole("switch", { name: /^Save models/ });
  const theme = (name: string) => page.getByRole("radio", { name, exact: true });
  const [light, dark] = [theme("Light"), theme("Dark")];
  const context = page.getByLabel("Context length");
  await expect(saves).toBeChecked();
  await saves.click();
  await light.click();
  await dark.click();
  await context.fill("2048");
  await context.blur();
  start();
  await app.ready();
  const isAsChosen = async () => {
    await expect(saves).not.toBeChecked();
    await expect(dark).toBeChecked();
    await expect(context).toHaveValue("2048");
  };
  await isAsChosen();
  await app.kept("keep_weights");
  await app.reload();
  await app.ready();
  await isAsChosen();
});

test("what is typed early in a conversation stays in it", async ({ app, page }) => {
  await app.openChat("instant,demo");
  await app.ask("First matter");
  await app.kept("as wide.");
  const start = await withhold(page, WASM);
  await page.reload({ waitUntil: "commit" });
  await app.composer.fill("Typed early");
  start();
  await app.ready();
  await expect(app.questions).toHaveText(/First matter/);
  await expect(app.composer).toHaveValue("Typed early");
});

test("a setting that is changed before the browser's store is open is kept", async ({ app, page }) => {
  const open = await withholdStore(page);
  await app.open("instant,demo", "/settings");
  const saves = page.getByRole("switch", { name: /^Save models/ });
  await saves.click();
  await open();
  await app.kept("keep_weights");
  await app.open("instant,demo", "/settings");
  await open();
  await expect(saves).not.toBeChecked();
});

test("a message sent before the list of models has come goes to the model when it has", async ({ app, page }) => {
  const answer = await withhold(page, /\/api\/models$/);
  await app.open("instant,demo");
  await app.send("Sent early");
  await expect(app.questions).toHaveText(/Sent early/);
  answer();
  await app.answered();
});

test("a page that takes long says so", async ({ app, page }) => {
  const start = await withhold(page, WASM);
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
  test.use({ expectedError: /Failed to load resource|failed to fetch Wasm|^Error$|texts\.en|Loading module from/ });

  for (const [part, address] of [["program", WASM], ["words", TEXTS]] as const) {
    test(`says so without its ${part}`, async ({ page }) => {
      await page.route(address, (route) => route.fulfill({ status: 500 }));
      await page.goto("/?fake=instant,demo");
      await expect(page.getByText("The page couldn’t start.")).toBeVisible();
      await expect(page.getByRole("link", { name: "Reload" })).toBeVisible();
    });
  }

  for (const failure of ["missing", "unreachable"] as const) {
    test(`says so when its first script is ${failure}`, async ({ page }) => {
      await page.route(BOOT, (route) => (failure === "missing" ? route.fulfill({ status: 404 }) : route.abort()));
      await page.goto("/?fake=instant,demo");
      const failed = page.getByText("The page couldn’t start.");
      await expect(failed).toBeAttached();
      // It comes after some seconds, which need not pass here.
      await failed.evaluate((it) => it.getAnimations().forEach((animation) => animation.finish()));
      await expect(failed).toBeVisible();
      await expect(page.getByRole("link", { name: "Reload" })).toBeVisible();
      await expect(page.getByText("Still loading.")).toBeHidden();
    });
  }
});
