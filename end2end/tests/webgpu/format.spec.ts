// Answers of the built-in model that must have a format: what constrains them is fetched when the format is set.

import { expect, test } from "@playwright/test";
import { EngineApp } from "../../support/engine.ts";
import { LOAD } from "../../support/patience.ts";

test.describe.configure({ timeout: 2 * LOAD });

test("an answer has the format that is set, and asks the server for nothing", async ({ browser }) => {
  const app = await EngineApp.start(browser);
  const { page } = app;
  await page.goto("/");
  await app.loadDemo();
  await app.openDrawer();
  const { drawer } = app;
  await drawer.getByRole("combobox", { name: "Answer format" }).selectOption("JSON schema");
  const schema = drawer.getByRole("textbox", { name: "JSON schema" });
  await schema.fill('{"type":"array","uniqueItems":true}');
  await expect(drawer.getByText(/can’t be guaranteed: “uniqueItems”/)).toBeVisible();
  await schema.fill('{"type":"object","properties":{"sum":{"type":"integer"},"odd":{"type":"boolean"}},"required":["sum","odd"]}');
  await expect(drawer.getByText("Answers will match this schema.")).toBeVisible();
  await page.keyboard.press("Escape");
  const before = app.requests.length;
  const answer = await app.ask("What is 2 + 3?");
  const said = JSON.parse((await answer.locator(".says").innerText()).trim());
  expect(Object.keys(said)).toEqual(["sum", "odd"]);
  expect(Number.isInteger(said.sum) && typeof said.odd === "boolean").toBe(true);
  expect(app.requests.slice(before)).toEqual([]);
  await page.context().close();
});
