// Hours of chat, pictures, sound, training, tabs and reloads with the demo model: nothing grows. With GEMTAB_LONG, for two
// hours or for GEMTAB_MINUTES. The first half is one page that lives on, so that what its engine holds would add up; the
// second half loads the page anew in every round, so that what an engine leaves behind would.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { drawn, EngineApp } from "../../support/engine.ts";
import { connections, type Footprint, grown, Scales } from "../../support/footprint.ts";
import type { MediaFile } from "../../support/media.ts";
import { ANSWER, LOAD } from "../../support/patience.ts";
import { addPairs, Tune } from "../../support/tune.ts";

const MINUTES = Number(process.env["GEMTAB_MINUTES"] ?? 120);
const HALF = (MINUTES * 60_000) / 2;
/** A round that has begun is done to its end. */
const ROUND = 1_800_000;
const TRAIN = 900_000;

const COUNT = "Count from 1 to 40.";
const SEEN = "What can you see in this image?";
const HEARD = "Which digits do you hear?";
const PAIRS = [["My cat?", "Ada."], ["Your cat?", "Ada."]] as const;

const samples = join(import.meta.dirname, "../../../server/models/samples");
const sample = (name: string, mimeType: string): MediaFile => ({ name, mimeType, buffer: readFileSync(join(samples, name)) });

test.skip(!process.env["GEMTAB_LONG"], "takes hours");
test.setTimeout(HALF + LOAD + ROUND);
// A trace of hours would fill the disk.
test.use({ trace: "off" });

/** Loads the demo model where there is none. */
async function load(app: EngineApp): Promise<void> {
  await app.model.click();
  await app.page.getByRole("dialog", { name: "Choose a model" }).getByRole("button", { name: /^pebble/ }).click();
  await app.loaded("pebble");
}

/** An answer that is stopped, given again, and followed by another. */
async function chat(app: EngineApp): Promise<string> {
  await app.startConversation();
  await app.beGreedy();
  await app.send(COUNT);
  await expect(app.answers.last()).toContainText("3, 4", { timeout: ANSWER });
  await app.stopButton.click();
  await expect(await app.answered()).toContainText("Stopped.");
  await app.answers.last().getByRole("button", { name: "Regenerate" }).click();
  await expect(app.answers.last()).toContainText("2/2", { timeout: ANSWER });
  const counted = await drawn(await app.answered());
  return `${counted} ${await drawn(await app.ask("What is 2 + 3?"))}`;
}

/** A picture and a sound, pasted: Playwright would keep the elements of a page in which it picks files. */
async function seeAndHear(app: EngineApp): Promise<string> {
  await app.startConversation();
  await app.beGreedy();
  await app.paste(sample("shapes1.png", "image/png"));
  await app.tray.getByRole("combobox", { name: "Detail of shapes1.png, in tokens" }).selectOption("up to 70");
  await expect(app.tray).toContainText(/\d+ tokens/);
  const seen = await drawn(await app.ask(SEEN));
  await app.startConversation();
  await app.beGreedy();
  await app.paste(sample("speech2.wav", "audio/wav"));
  await expect(app.tray).toContainText(/\d+ tokens/);
  return `${seen} ${await drawn(await app.ask(HEARD))}`;
}

/** A training of two steps, whose adapter is saved and deleted. The page keeps its examples and settings for the next one. */
async function train(app: EngineApp, isFirst: boolean): Promise<void> {
  const { page } = app;
  const tune = new Tune(page);
  await page.getByRole("link", { name: "Fine-tune" }).click();
  if (isFirst) {
    await addPairs(page, PAIRS);
    await tune.configure({ name: "My cat", steps: 2, question: "My cat?" });
  }
  await expect(tune.startButton).toBeEnabled({ timeout: LOAD });
  await tune.startButton.click();
  await expect(tune.status).toContainText("Finished after 2 of 2 steps.", { timeout: TRAIN });
  await page.getByRole("button", { name: "Save adapter" }).click();
  const adapter = page.getByRole("region", { name: "Saved adapters" }).getByRole("listitem").filter({ hasText: "My cat" });
  await adapter.getByRole("button", { name: "Delete My cat" }).click();
  await adapter.getByRole("button", { name: "Delete", exact: true }).click();
  await expect(adapter).toHaveCount(0);
  await app.startConversation();
}

/** Another tab that asks, is loaded anew, asks again and is closed. */
async function visit(app: EngineApp): Promise<void> {
  const other = await app.another();
  await other.page.goto("/");
  for (const _ of ["a visit", "a reload"]) {
    await other.loaded("pebble");
    await other.startConversation();
    await other.beGreedy();
    await expect(await other.ask("What is 2 + 3?")).toContainText("2 + 3 = 5.");
    await other.reload();
  }
  await other.page.close();
}

/** Deletes every conversation. */
async function tidy(app: EngineApp): Promise<void> {
  const lines = app.page.getByRole("navigation", { name: "Conversations" }).getByRole("link");
  for (let left = await lines.count(); left > 0; left = await lines.count()) {
    await app.page.getByRole("button", { name: /^Actions for / }).first().click();
    await app.page.getByRole("menuitem", { name: "Delete", exact: true }).click();
    await expect(lines).toHaveCount(left - 1);
  }
}

function megabytes(value: number): string {
  return value < 100_000 ? `${value}` : `${(value / 1e6).toFixed(2)}M`;
}

/**
 * What a figure may grow by.
 *
 * What is counted after a garbage collection is the same after each round, but for what the engine
 * of JavaScript compiles meanwhile. Allocators of a process keep some of what was freed.
 */
function share(name: string): number {
  return name.endsWith("processes") ? 0.1 : 0.05;
}

/** Rounds until the time is over: what was taken after each. */
async function rounds(app: EngineApp, port: number, reloads: boolean): Promise<void> {
  const scales = await Scales.of(app);
  await app.page.goto("/");
  await app.loadDemo();
  const begun = Date.now();
  const taken: Footprint[] = [];
  const said = new Set<string>();
  const requests: string[] = [];
  const open: number[] = [];
  while (Date.now() - begun < HALF) {
    const from = app.requests.length;
    said.add(`${await chat(app)} ${await seeAndHear(app)}`);
    await train(app, taken.length === 0);
    const asked = app.requests.slice(from).map((request) => request.url()).filter((url) => url.startsWith("http"));
    await visit(app);
    await tidy(app);
    if (reloads) {
      await app.reload();
      await load(app);
    }
    const sample = await scales.weigh();
    taken.push(sample);
    open.push(connections(port));
    requests.push(...asked);
    const words = Object.entries(sample).map(([name, value]) => `${name} ${megabytes(value)}`);
    const minutes = ((Date.now() - begun) / 60_000).toFixed(1);
    console.log(`${new Date().toISOString()} round ${taken.length} after ${minutes} min: ${words.join(", ")}, connections ${open.at(-1)}, requests ${asked.length}`);
    expect([...said], "every round is answered as the first").toHaveLength(1);
  }
  expect(taken.length, "rounds that can be compared").toBeGreaterThanOrEqual(4);
  expect(grown(taken, share)).toEqual([]);
  expect(requests, "what the server was asked for while a model was ready").toEqual([]);
  // What a browser opens to one server at most.
  expect(Math.max(...open)).toBeLessThanOrEqual(6);
}

for (const reloads of [false, true]) {
  test(reloads ? "a page that is loaded anew in every round" : "a page that lives on", async ({ browser, baseURL }) => {
    const app = await EngineApp.start(browser);
    await rounds(app, Number(new URL(baseURL ?? "").port), reloads);
    await app.page.context().close();
  });
}
