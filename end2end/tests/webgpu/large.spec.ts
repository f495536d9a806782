// A model of the real size in a browser. Not part of the usual run: `GEMTAB_LARGE=FILE`, of `probe synth FILE --shape e2b`.

import { basename } from "node:path";
import { expect, test } from "@playwright/test";
import { EngineApp } from "../../support/engine.ts";
import { LOAD } from "../../support/patience.ts";
import { serveModel } from "../../support/place.ts";

const file = process.env.GEMTAB_LARGE ?? "";
/** What the engine's own memory may take, whatever the size of the model. */
const MOST = 128 * 2 ** 20;

test("the engine's own memory stays small with a model of gigabytes @large", async ({ browser }) => {
  test.skip(file === "", "GEMTAB_LARGE names no model");
  test.setTimeout(1_800_000);
  const remove = await serveModel(file);
  try {
    const app = await EngineApp.start(browser);
    await app.page.goto("/");
    const row = app.card.getByRole("listitem").getByRole("button").filter({ hasText: /\d GB/ });
    await row.click();
    const progress = app.page.getByRole("region", { name: "Loading a model" });
    const anyway = app.page.getByRole("button", { name: "Load anyway" });
    await expect(progress.or(anyway)).toBeVisible({ timeout: LOAD });
    // A software adapter has less memory than the page wants to see.
    if (await anyway.isVisible()) {
      await anyway.click();
    }
    await expect(progress).toBeVisible();
    let most = 0;
    await expect
      .poll(
        async () => {
          most = Math.max(most, await app.wasmMemory());
          return progress.isVisible();
        },
        { timeout: 1_500_000, intervals: [1_000] },
      )
      .toBe(false);
    await expect(app.failure).toHaveCount(0);
    console.log(`wasm memory with ${basename(file)}: at most ${(most / 2 ** 20).toFixed(1)} MiB`);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(MOST);
    await app.page.context().close();
  } finally {
    remove();
  }
});
