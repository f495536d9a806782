// A model that was loaded once answers without the server.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { CuttingProxy } from "../../support/cutting.ts";
import { EngineApp } from "../../support/engine.ts";
import { modelFile } from "../../support/native.ts";
import { ANSWER, LOAD } from "../../support/patience.ts";
import { serveModel } from "../../support/place.ts";
import { addPairs, Tune } from "../../support/tune.ts";

const OTHER = "tiny-e2b.q4_k_m";
const SUM = "What is 2 + 3?";

test.describe.configure({ mode: "serial", timeout: 3 * LOAD + ANSWER });

let app: EngineApp;
let proxy: CuttingProxy;
let unlist = () => {};

test.beforeAll(async ({ browser, baseURL, request }) => {
  unlist = await serveModel(modelFile(OTHER));
  await expect.poll(async () => (await request.get("/api/models")).text()).toContain(OTHER);
  proxy = await CuttingProxy.before(baseURL ?? "");
  app = await EngineApp.start(browser, [], "allow");
  await app.page.goto(proxy.origin);
});

test.afterAll(async () => {
  await app.page.context().close();
  proxy.close();
  unlist();
});

test("page and model are kept by a visit", async () => {
  await app.loadDemo();
  await app.beGreedy();
  await expect(await app.ask(SUM)).toContainText("2 + 3 = 5.");
  await app.page.waitForFunction(() => navigator.serviceWorker.controller?.state === "activated");
  await app.go("Models");
  const card = app.page.getByRole("listitem").filter({ hasText: /pebble/ });
  await expect(card.getByText(/^Saved in this browser: [\d.]+ MB$/)).toBeVisible({ timeout: LOAD });
});

test("without the server they open, and only models that are kept can be chosen", async () => {
  proxy.close();
  await app.page.context().setOffline(true);
  await app.page.goto(`${proxy.origin}/models`);
  await expect(app.page.getByText("The server can’t be reached.")).toBeVisible();
  const row = (name: string) => app.page.getByRole("listitem").filter({ hasText: name }).getByRole("button").first();
  await expect(row(OTHER)).toContainText("Not saved in this browser");
  await expect(row(OTHER)).toBeDisabled();
  await expect(row("pebble")).toContainText("Fits", { timeout: LOAD });
  await expect(row("pebble")).toBeEnabled();
});

test("the conversation is there, and the model answers", async () => {
  await app.conversation(SUM).click();
  await expect(app.answers.first()).toContainText("2 + 3 = 5.");
  await expect(await app.ask("What is 1 + 1?")).toContainText("2");
});

test("it sees, hears and learns, and what it has learned is exported", async () => {
  test.skip(!process.env.GEMTAB_LONG, "a software adapter takes minutes");
  test.setTimeout(4 * LOAD);
  const samples = join(import.meta.dirname, "../../../server/models/samples");
  const sample = (name: string, mimeType: string) => ({ name, mimeType, buffer: readFileSync(join(samples, name)) });
  await app.attach(sample("shapes1.png", "image/png"));
  await app.tray.getByRole("combobox", { name: "Detail of shapes1.png, in tokens" }).selectOption("up to 280");
  await expect(await app.ask("What can you see in this image?")).toContainText("A purple triangle.");
  await app.attach(sample("speech1.wav", "audio/wav"));
  await expect(app.tray).toContainText("speech1.wav");
  await expect(await app.ask("Transcribe the audio.")).not.toBeEmpty();

  await app.page.getByRole("link", { name: "Fine-tune" }).click();
  const tune = new Tune(app.page);
  await addPairs(app.page, [["My cat?", "Ada."]]);
  await tune.configure({ name: "My cat", steps: 2, question: "My cat?" });
  await tune.startButton.click();
  await expect(tune.status).toContainText("Done: 2 of 2 steps.", { timeout: LOAD });
  await app.page.getByRole("button", { name: "Save adapter" }).click();
  const adapter = app.page.getByRole("region", { name: "Saved adapters" }).getByRole("listitem").filter({ hasText: "My cat" });
  const download = app.page.waitForEvent("download");
  await adapter.getByRole("button", { name: "Save as GGUF" }).click();
  expect((await download).suggestedFilename()).toBe("my-cat.gguf");
});
