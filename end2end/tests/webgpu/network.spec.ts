// A connection that breaks while a model loads.

import { expect, test } from "@playwright/test";
import { CuttingProxy } from "../../support/cutting.ts";
import { EngineApp } from "../../support/engine.ts";
import { LOAD } from "../../support/patience.ts";

const DRAFT = "What I was about to say";

test.describe.configure({ mode: "serial", timeout: 2 * LOAD });

let app: EngineApp;
let proxy: CuttingProxy;

test.beforeAll(async ({ browser, baseURL }) => {
  proxy = await CuttingProxy.before(baseURL ?? "");
  app = await EngineApp.start(browser);
  await app.page.goto(proxy.origin);
  await expect(app.card.getByRole("listitem").getByText("Fits")).toBeVisible();
});

test.afterAll(async () => {
  await app.page.context().close();
  proxy.close();
});

test("a connection that breaks and stays away is said in words", async () => {
  await app.composer.fill(DRAFT);
  proxy.cutAfter(3_000_000, true);
  await app.card.getByRole("button", { name: /^pebble/ }).click();
  await expect(app.failure).toContainText("The connection to the server was lost", { timeout: LOAD });
  expect(proxy.cuts).toBe(1);
  await expect(app.composer).toHaveValue(DRAFT);
});

test("trying again loads the model, over another break in the middle", async () => {
  proxy.mend();
  proxy.cutAfter(1_500_000, false);
  const before = proxy.began.length;
  await app.failure.getByRole("button", { name: "Try again" }).click();
  await app.loaded("pebble");
  expect(proxy.cuts).toBe(2);
  // The reading went on where it broke, and what had come the first time was not asked for again.
  expect(proxy.began.slice(before).some((at) => at > 1_000_000)).toBe(true);
  await expect(app.composer).toHaveValue(DRAFT);
});
