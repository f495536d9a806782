// A conversation that is opened again after a reload: the engine takes its KV cache from the browser's storage.

import { type Page, expect, test } from "@playwright/test";
import { EngineApp, figures } from "../../support/engine.ts";
import { ANSWER, LOAD } from "../../support/patience.ts";

/** Some 600 tokens, so many that they are kept. */
const LONG = `${"The boat lies in the harbor. ".repeat(75)}What is 2 + 3?`;
const MORE = "And what is 4 + 4?";

test.describe.configure({ timeout: 3 * LOAD + 3 * ANSWER });

/** The files of kept caches. */
async function kept(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle("caches", { create: true });
    const names: string[] = [];
    for await (const name of (folder as unknown as { keys(): AsyncIterable<string> }).keys()) {
      names.push(name);
    }
    return names;
  });
}

test("a conversation goes on after a reload without being read again", async ({ browser }) => {
  const app = await EngineApp.start(browser);
  await app.page.goto("/");
  await expect(app.card.getByText("Fits")).toBeVisible();
  await app.loadDemo();
  await app.beGreedy();
  await app.setLongest(4);
  const before = await figures(await app.ask(LONG));
  expect(before.prompt).toBeGreaterThan(520);
  expect(before.known).toBe(0);
  await expect.poll(async () => (await kept(app.page)).some((name) => name.endsWith(".head")), { timeout: LOAD }).toBe(true);

  await app.page.reload();
  await expect(app.answers).toHaveCount(1);
  const answer = await app.ask(MORE);
  const after = await figures(answer);
  // All but the last token of the answer, which was not read.
  expect(after.known).toBeGreaterThanOrEqual(before.prompt + before.drawn - 1);
  expect(after.prompt).toBeGreaterThan(after.known);

  // From the ready model on, nothing is requested.
  const requests = app.requests.length;
  await app.ask(MORE);
  expect(app.requests.slice(requests).map((request) => request.url()).filter((url) => url.startsWith("http"))).toEqual([]);

  await app.go("Settings");
  await expect(app.page.getByText(/^KV cache of 1 conversation: [\d.]+ [MK]B$/)).toBeVisible();
  await app.page.getByRole("button", { name: "Delete KV caches" }).click();
  await expect(app.page.getByText("No KV cache saved yet.")).toBeVisible();
  expect(await kept(app.page)).toEqual([]);
  await app.page.context().close();
});
