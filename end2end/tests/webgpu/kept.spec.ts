// A model comes over a connection that breaks, and is kept: it answers without the server, and damage is found and healed.
// One page, one step a test.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Page, expect, test } from "@playwright/test";
import { CuttingProxy } from "../../support/cutting.ts";
import { EngineApp } from "../../support/engine.ts";
import { modelFile } from "../../support/native.ts";
import { ANSWER, LOAD } from "../../support/patience.ts";
import { serveModel } from "../../support/place.ts";
import { addPairs, Tune } from "../../support/tune.ts";

const OTHER = "tiny-e2b.q4_k_m";
const DRAFT = "What is 2 + 3?";
const DAMAGED = "The copy of the model in this browser is damaged.";

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
  await expect(row("pebble")).toContainText("Fits");
});

test.afterAll(async () => {
  await app.page.context().close();
  proxy.close();
  unlist();
});

interface Record {
  verified?: boolean;
  checked?: number;
  size?: number;
  present?: [number, number][];
}

/** The largest file that is kept: its last record, and whether its journal has digests of chunks. */
async function kept(page: Page): Promise<{ record: Record; chunks: boolean; digest: string; name: string }> {
  return page.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle("blobs");
    const names: string[] = [];
    for await (const name of (folder as unknown as { keys(): AsyncIterable<string> }).keys()) {
      names.push(name);
    }
    const files = await Promise.all(
      names
        .filter((name) => !name.endsWith(".json"))
        .map(async (name) => (await folder.getFileHandle(name)).getFile()),
    );
    const [file] = files.sort((a, b) => b.size - a.size);
    if (!file) {
      return { record: {}, chunks: false, digest: "", name: "" };
    }
    const journal = await (await (await folder.getFileHandle(`${file.name}.json`)).getFile()).text();
    const lines = journal.trimEnd().split("\n").map((line) => JSON.parse(line) as Record & { chunks?: string[] });
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()));
    const digest = [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return {
      record: lines.findLast((line) => "present" in line) ?? {},
      chunks: lines.some((line) => "chunks" in line),
      digest: `sha256-${digest}`,
      name: file.name,
    };
  });
}

/** Turns a bit of a kept file, and has its last check long ago. */
async function damage(page: Page, name: string, record: Record): Promise<void> {
  const line = `${JSON.stringify({ ...record, checked: 0 })}\n`;
  // The worker of the page before may not have closed them yet.
  await expect(() =>
    page.evaluate(
      async ({ name, line }) => {
        const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("blobs");
        const file = await folder.getFileHandle(name);
        const journal = await folder.getFileHandle(`${name}.json`);
        const add = async (handle: FileSystemFileHandle, position: number, data: Uint8Array<ArrayBuffer>) => {
          const writable = await handle.createWritable({ keepExistingData: true });
          await writable.write({ type: "write", position, data });
          await writable.close();
        };
        // First what can be written twice.
        await add(journal, (await journal.getFile()).size, new TextEncoder().encode(line));
        const whole = await file.getFile();
        const at = whole.size - 100;
        const [byte = 0] = new Uint8Array(await whole.slice(at, at + 1).arrayBuffer());
        await add(file, at, new Uint8Array([byte ^ 1]));
      },
      { name, line },
    ),
  ).toPass();
}

/** The button of a model that the server lists. */
function row(name: string) {
  return app.page.getByRole("listitem").filter({ hasText: name }).getByRole("button").first();
}

/** What was asked of a model's files from a request on. */
function fetched(from: number): string[] {
  return app.requests.slice(from).map((request) => request.url()).filter((url) => url.includes("/api/blobs/"));
}

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

test("it is kept, with digests of its chunks, and answers what waited", async () => {
  await app.beGreedy();
  await app.composer.press("Enter");
  await expect(app.answers).toHaveCount(1);
  await expect(await app.answered()).toContainText("2 + 3 = 5.");
  await expect.poll(async () => (await kept(app.page)).record.verified, { timeout: LOAD }).toBe(true);
  const { record, chunks, digest, name } = await kept(app.page);
  expect(chunks).toBe(true);
  expect(digest).toBe(name);
  expect(record.checked).toBeGreaterThan(Date.now() - LOAD);
});

test("the page says what is kept, and when it was checked", async () => {
  await app.page.waitForFunction(() => navigator.serviceWorker.controller?.state === "activated");
  await app.go("Models");
  const card = app.page.getByRole("listitem").filter({ hasText: /pebble/ });
  await expect(card.getByText(/^Saved in this browser: [\d.]+ MB$/)).toBeVisible({ timeout: LOAD });
  await card.locator("summary").click();
  await expect(card.getByText(/^Saved copy checked on .*\d.*\.$/)).toBeVisible({ timeout: LOAD });
});

test("without the server the page opens, and only models that are kept can be chosen", async () => {
  proxy.close();
  await app.page.context().setOffline(true);
  await app.page.goto(`${proxy.origin}/models`);
  await expect(app.page.getByText("The server can’t be reached.")).toBeVisible();
  await expect(row(OTHER)).toContainText("Not saved in this browser");
  await expect(row(OTHER)).toBeDisabled();
  await expect(row("pebble")).toContainText("Fits", { timeout: LOAD });
  await expect(row("pebble")).toBeEnabled();
});

test("the conversation is there, and the model answers", async () => {
  const from = app.requests.length;
  await app.conversation(DRAFT).click();
  await expect(app.answers.first()).toContainText("2 + 3 = 5.");
  await expect(await app.ask("What is 1 + 1?")).toContainText("2");
  expect(fetched(from)).toEqual([]);
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
  await expect(tune.status).toContainText("Finished after 2 of 2 steps.", { timeout: LOAD });
  await app.page.getByRole("button", { name: "Save adapter" }).click();
  const adapter = app.page.getByRole("region", { name: "Saved adapters" }).getByRole("listitem").filter({ hasText: "My cat" });
  const download = app.page.waitForEvent("download");
  await adapter.getByRole("button", { name: "Save as GGUF" }).click();
  expect((await download).suggestedFilename()).toBe("my-cat.gguf");
});

test("with the server again, damage is found after a load, and nothing is fetched", async () => {
  await app.page.context().setOffline(false);
  await proxy.reopen();
  // What is loaded is open.
  await app.page.goto(`${proxy.origin}/models`);
  const before = await kept(app.page);
  await damage(app.page, before.name, before.record);
  expect((await kept(app.page)).digest).not.toBe(before.name);
  await app.page.goto(`${proxy.origin}/models`);
  await expect(row("pebble")).toContainText("Fits", { timeout: LOAD });
  const from = app.requests.length;
  await row("pebble").click();
  await expect(app.page.getByText(DAMAGED).first()).toBeVisible({ timeout: LOAD });
  expect(fetched(from)).toEqual([]);
  const { record } = await kept(app.page);
  expect(record.verified).toBe(false);
  expect(record.present).toEqual([]);
});

test("the next load heals it", { tag: "@thorough" }, async () => {
  await app.page.goto(`${proxy.origin}/models`);
  await expect(row("pebble")).toContainText("Fits", { timeout: LOAD });
  const from = app.requests.length;
  await row("pebble").click();
  await app.loaded("pebble");
  expect(fetched(from)).not.toEqual([]);
  await expect.poll(async () => (await kept(app.page)).record.verified, { timeout: LOAD }).toBe(true);
  const { digest, name } = await kept(app.page);
  expect(digest).toBe(name);
});
