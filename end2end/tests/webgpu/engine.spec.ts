// The engine when it cannot start, or ends: said in words, and nothing is lost.

import { expect, test } from "@playwright/test";
import { EngineApp } from "../../support/engine.ts";
import { SOON } from "../../support/patience.ts";

/** Takes WebGPU away, in the page and in its workers. */
async function withoutWebGpu(app: EngineApp, how: string): Promise<void> {
  await app.page.addInitScript(`{ const scope = Navigator; ${how} }`);
  await app.page.route(/\/worker\.\w+\.js/, async (route) => {
    const response = await route.fetch();
    const body = `{ const scope = WorkerNavigator; ${how} }\n${await response.text()}`;
    await route.fulfill({ response, body });
  });
}

const MISSING = "delete scope.prototype.gpu;";
const NO_ADAPTER = "if (globalThis.GPU) GPU.prototype.requestAdapter = () => Promise.resolve(null);";

for (const [what, how, why] of [
  ["without WebGPU", MISSING, "This browser doesn’t support WebGPU, or it’s turned off."],
  ["without a graphics adapter", NO_ADAPTER, "No graphics card was found, so models can’t run here."],
] as const) {
  test(`a browser ${what} is told what to do, and downloads nothing`, async ({ browser }) => {
    const app = await EngineApp.start(browser);
    await withoutWebGpu(app, how);
    await app.page.goto("/");
    const notice = app.page.getByRole("region", { name: "No graphics card" });
    await expect(notice).toContainText(why);
    await expect(notice.getByRole("listitem").first()).toContainText("chrome://settings/system");
    await expect(app.card.getByRole("button", { name: /^pebble/ })).toBeDisabled();
    expect(app.requests.filter((request) => request.url().includes("/api/blobs/"))).toEqual([]);
    await app.page.context().close();
  });
}

test("an engine that ends is told of, and starts again", async ({ browser }) => {
  const app = await EngineApp.start(browser);
  await app.page.goto("/");
  await expect(app.card.getByRole("listitem").getByText("Fits")).toBeVisible({ timeout: SOON });
  await app.composer.fill("What I was about to say");
  const [worker] = app.page.workers();
  await worker?.evaluate(() => {
    setTimeout(() => {
      throw new Error("a test ends it");
    });
  });
  const told = app.page.getByRole("alert").filter({ hasText: "The engine stopped" });
  await expect(told).toContainText("Your conversation and what you typed are safe.");
  await told.getByRole("button", { name: "Restart" }).click();
  await expect(told).toHaveCount(0);
  await expect(app.composer).toHaveValue("What I was about to say");
  await app.page.goto("/diagnostics");
  await expect(app.page.getByText("Running (protocol version")).toBeVisible();
  await app.page.context().close();
});
