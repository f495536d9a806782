// What the engine keeps of conversations in this browser: how much that is, and how it goes.

import type { Page } from "@playwright/test";
import { faults } from "../../support/axe.ts";
import { expect, test } from "../../support/watch.ts";

/** So long that its cache is kept. */
const LONG = `A long story. ${"Once upon a time. ".repeat(150)}`;
const NONE = "No KV cache saved yet.";

const one = (page: Page) => page.getByText(/^KV cache of 1 conversation: [\d.]+ MB$/);
const two = (page: Page) => page.getByText(/^KV caches of 2 conversations: [\d.]+ MB$/);
const keep = (page: Page) => page.getByRole("switch", { name: /^Save what models have read/ });

test("what is kept is said, and goes with its conversation, or by hand", async ({ app, page }) => {
  await app.openChat();
  await app.ask(LONG);
  await app.startConversation();
  await app.ask(`Another one. ${LONG}`);
  await app.go("Settings");
  await expect(two(page)).toBeVisible();
  expect(await faults(page)).toEqual([]);
  await app.act("A long story", "Delete");
  await expect(one(page)).toBeVisible();
  await page.getByRole("button", { name: "Delete KV caches" }).click();
  await expect(page.getByText(NONE)).toBeVisible();
});

test("a temporary conversation is not kept, nor any once that is switched off, which deletes what there is", async ({ app, page }) => {
  await app.openChat();
  await page.getByRole("button", { name: "Organize conversations" }).click();
  await page.getByRole("menuitem", { name: "New temporary conversation" }).click();
  await app.ask(LONG);
  await app.go("Settings");
  await expect(page.getByText(NONE)).toBeVisible();
  await app.rail.getByRole("button", { name: "New", exact: true }).click();
  await app.ask(LONG);
  await app.go("Settings");
  await expect(one(page)).toBeVisible();
  await expect(keep(page)).toBeChecked();
  await keep(page).click();
  await expect(page.getByText(NONE)).toBeVisible();
  await app.rail.getByRole("button", { name: "New", exact: true }).click();
  await app.ask(LONG);
  await app.go("Settings");
  await expect(keep(page)).not.toBeChecked();
  await expect(page.getByText(NONE)).toBeVisible();
});
