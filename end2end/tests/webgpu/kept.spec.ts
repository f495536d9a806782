// Weights that are kept in the browser: damage is found while the model is idle, and the next load heals it.

import { type Page, expect, test } from "@playwright/test";
import { EngineApp } from "../../support/engine.ts";
import { LOAD } from "../../support/patience.ts";

const DAMAGED = "The copy of the model in this browser is damaged.";

test.describe.configure({ mode: "serial", timeout: 3 * LOAD });

let app: EngineApp;

test.beforeAll(async ({ browser }) => {
  app = await EngineApp.start(browser);
  await app.page.goto("/");
});

test.afterAll(async () => {
  await app.page.context().close();
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
  await page.evaluate(
    async ({ name, line }) => {
      const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("blobs");
      const change = async (name: string, change: (file: File) => Promise<[number, Uint8Array<ArrayBuffer>]>) => {
        const handle = await folder.getFileHandle(name);
        const [position, data] = await change(await handle.getFile());
        const writable = await handle.createWritable({ keepExistingData: true });
        await writable.write({ type: "write", position, data });
        await writable.close();
      };
      await change(name, async (file) => {
        const at = file.size - 100;
        const [byte = 0] = new Uint8Array(await file.slice(at, at + 1).arrayBuffer());
        return [at, new Uint8Array([byte ^ 1])];
      });
      await change(`${name}.json`, async (file) => [file.size, new TextEncoder().encode(line)]);
    },
    { name, line },
  );
}

function row() {
  return app.page.getByRole("listitem").filter({ hasText: /pebble/ }).getByRole("button").first();
}

/** What was asked of a model's files from a request on. */
function fetched(from: number): string[] {
  return app.requests.slice(from).map((request) => request.url()).filter((url) => url.includes("/api/blobs/"));
}

test("a model that was loaded is kept, with digests of its chunks", async () => {
  await app.loadDemo();
  await expect.poll(async () => (await kept(app.page)).record.verified, { timeout: LOAD }).toBe(true);
  const { record, chunks, digest, name } = await kept(app.page);
  expect(chunks).toBe(true);
  expect(digest).toBe(name);
  expect(record.checked).toBeGreaterThan(Date.now() - LOAD);
});

test("the page says when it was checked", async () => {
  await app.page.goto("/models");
  const card = app.page.getByRole("listitem").filter({ hasText: /pebble/ });
  // What is known of the model comes with a card of its own.
  await expect(row()).toContainText("Fits", { timeout: LOAD });
  await card.locator("summary").click();
  await expect(card.getByText(/^Saved copy checked on .*\d.*\.$/)).toBeVisible({ timeout: LOAD });
});

test("damage is found after a load, and nothing is fetched", async () => {
  const before = await kept(app.page);
  await damage(app.page, before.name, before.record);
  expect((await kept(app.page)).digest).not.toBe(before.name);
  await app.page.goto("/models");
  await expect(row()).toContainText("Fits", { timeout: LOAD });
  const from = app.requests.length;
  await row().click();
  await expect(app.page.getByText(DAMAGED).first()).toBeVisible({ timeout: LOAD });
  expect(fetched(from)).toEqual([]);
  const { record } = await kept(app.page);
  expect(record.verified).toBe(false);
  expect(record.present).toEqual([]);
});

test("the next load heals it", async () => {
  await app.page.goto("/models");
  await expect(row()).toContainText("Fits", { timeout: LOAD });
  const from = app.requests.length;
  await row().click();
  await app.loaded("pebble");
  expect(fetched(from)).not.toEqual([]);
  await expect.poll(async () => (await kept(app.page)).record.verified, { timeout: LOAD }).toBe(true);
  const { digest, name } = await kept(app.page);
  expect(digest).toBe(name);
});
