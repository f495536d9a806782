// What a server learns of a conversation: nothing, also where the graphics device has no room for all of a model.

import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Browser, expect, test } from "@playwright/test";
import { CuttingProxy } from "../../support/cutting.ts";
import { ANSWER, EngineApp, LOAD } from "../../support/engine.ts";
import { graphicsMemory } from "../../support/native.ts";
import { place } from "../../support/place.ts";

const NAME = "tiny-e2b.q4_k_m";
const MODEL = join(import.meta.dirname, `../../../frontend/engine/tests/golden/models/${NAME}.gguf`);

test.describe.configure({ mode: "serial", timeout: 2 * LOAD + 2 * ANSWER });

let here = "";
let proxy: CuttingProxy;
let memory = 0;

test.beforeAll(async ({ baseURL }) => {
  const { models } = await place();
  here = join(models, `${NAME}.gguf`);
  copyFileSync(MODEL, here);
  // A byte less than the model takes with the context that the page asks for.
  memory = (await graphicsMemory(MODEL, 8192)) - 1;
  proxy = await CuttingProxy.before(baseURL ?? "");
});

test.afterAll(() => {
  rmSync(here, { force: true });
  proxy.close();
});

/** A page whose device has no room for the per-layer table. The proxy sees what the server sees. */
async function crowded(browser: Browser, keep: boolean): Promise<EngineApp> {
  const app = await EngineApp.start(browser);
  if (!keep) {
    await app.page.goto(`${proxy.origin}/settings`);
    const kept = app.page.getByRole("switch", { name: /^Keep/ });
    await kept.click();
    await expect(kept).not.toBeChecked();
  }
  await app.page.goto(proxy.origin);
  await expect(row(app)).toContainText("Fits");
  await app.tell(`memory ${memory}`);
  return app;
}

function row(app: EngineApp) {
  return app.card.getByRole("listitem").getByRole("button").filter({ hasText: "tiny-e2b" });
}

/** Asks twice and holds what was asked for from then on against nothing. */
async function asksInSilence(app: EngineApp): Promise<void> {
  await app.beGreedy();
  const [seen, asked] = [proxy.began.length, app.requests.length];
  const first = await app.ask("Say something");
  await expect(first).not.toBeEmpty();
  await app.ask("And something else");
  const later = app.requests.slice(asked).map((request) => request.url());
  expect(later.filter((url) => url.startsWith("http"))).toEqual([]);
  expect(proxy.began.slice(seen)).toEqual([]);
}

// Of the memory that it states, the model needs 0.4 MB more.
test.fixme(true, "the memory that keeps the table off the device is to be found anew");

test("a model that is kept is whole in the browser before the first answer", async ({ browser }) => {
  const app = await crowded(browser, true);
  await row(app).click();
  await app.loaded(NAME);
  await asksInSilence(app);
  await app.page.context().close();
});

test("where nothing is kept the page asks for memory first, and then asks the server nothing", async ({ browser }) => {
  const app = await crowded(browser, false);
  const before = proxy.began.length;
  await row(app).click();
  const question = app.page.getByRole("dialog", { name: "This model needs more memory" });
  await expect(question).toContainText("of ordinary memory as well", { timeout: LOAD });
  // Not more than the header was read.
  const asked = proxy.began.slice(before);
  expect(asked.filter((at) => at > 0)).toEqual([]);
  await question.getByRole("button", { name: "Not now" }).click();
  await expect(app.page.getByRole("button", { name: /, loaded\.$/ })).toHaveCount(0);
  await row(app).click();
  await question.getByRole("button", { name: /^Use .*B of memory$/ }).click();
  await app.loaded(NAME);
  await asksInSilence(app);
  await app.page.context().close();
});
