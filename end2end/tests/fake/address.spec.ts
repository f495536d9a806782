// The address names what is on screen, from the first click of a fresh page on.

import type { Page } from "@playwright/test";
import type { App } from "../../support/app.ts";
import { expect, test } from "../../support/watch.ts";

/** A fresh page at `/`, with a conversation in the rail. */
async function openWithOne(app: App, page: Page): Promise<void> {
  await app.openChat("instant,demo");
  await app.ask("First matter");
  await app.kept("as wide.");
  await page.goto("/?fake=instant,demo");
  await app.ready();
  await expect(app.conversation("First matter")).toBeVisible();
  await expect(app.questions).toHaveCount(0);
}
test("a conversation has its address, by clicks, Back, Forward and a reload, also from another page", async ({ app, page }) => {
  await openWithOne(app, page);
  const before = await page.evaluate(() => history.length);
  await app.conversation("First matter").click();
  await expect(app.questions).toHaveText(/First matter/);
  await expect(page).toHaveURL(/\/c\/\w+\?fake=/);
  expect(await page.evaluate(() => history.length)).toBe(before + 1);
  await expect(app.conversation("First matter")).toHaveAttribute("aria-current", "page");
  await page.goBack();
  await expect(page).toHaveURL(/\/\?fake=/);
  await expect(app.questions).toHaveCount(0);
  await page.goForward();
  await expect(app.questions).toHaveText(/First matter/);
  // The name of the app leads to a new one.
  await app.rail.getByRole("link", { name: "gemtab" }).click();
  await expect(page).toHaveURL(/\/\?fake=/);
  await expect(app.questions).toHaveCount(0);
  await app.rail.getByRole("link", { name: "Models" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Models" })).toBeVisible();
  await app.rail.getByRole("link", { name: "gemtab" }).click();
  await expect(app.composer).toBeVisible();
  await app.conversation("First matter").click();
  await expect(page).toHaveURL(/\/c\/\w+/);
  await app.reload();
  await app.ready();
  await expect(app.questions).toHaveText(/First matter/);
});
