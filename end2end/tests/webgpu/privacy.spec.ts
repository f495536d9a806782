// What a server learns of a conversation: nothing, also where the graphics device has no room for all of a model.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, expect, test } from "@playwright/test";
import { CuttingProxy } from "../../support/cutting.ts";
import { EngineApp } from "../../support/engine.ts";
import { memoryWithoutTable, writeModel } from "../../support/native.ts";
import { ANSWER, LOAD } from "../../support/patience.ts";
import { place } from "../../support/place.ts";

const NAME = "crowded:small";

test.describe.configure({ mode: "serial", timeout: 2 * LOAD + 2 * ANSWER });

let files: string[] = [];
let proxy: CuttingProxy;
let memory = 0;

/** Puts a model into Ollama's store, whose files have a checksum: no others are kept. */
async function pull(): Promise<string> {
  const { ollama } = await place();
  const [blobs, manifests] = [join(ollama, "blobs"), join(ollama, "manifests/registry.ollama.ai/library/crowded")];
  mkdirSync(blobs, { recursive: true });
  mkdirSync(manifests, { recursive: true });
  const written = join(blobs, "model");
  // So many rows that the table is larger than the buffer which takes its place for a chunk of the prompt, and than what devices
  // differ in.
  await writeModel(written, "e2b-small", 32_768);
  const bytes = readFileSync(written);
  const put = (data: Buffer) => {
    const hash = createHash("sha256").update(data).digest("hex");
    const path = join(blobs, `sha256-${hash}`);
    writeFileSync(path, data);
    return { path, digest: `sha256:${hash}`, size: data.length };
  };
  rmSync(written);
  const model = put(bytes);
  const config = put(Buffer.from(JSON.stringify({ model_format: "gguf", model_family: "gemma4" })));
  const layer = (kind: string, { digest, size }: { digest: string; size: number }) => ({
    mediaType: `application/vnd.ollama.image.${kind}`,
    digest,
    size,
  });
  const manifest = join(manifests, "small");
  const described = { ...layer("config", config), mediaType: "application/vnd.docker.container.image.v1+json" };
  writeFileSync(manifest, JSON.stringify({ schemaVersion: 2, config: described, layers: [layer("model", model)] }));
  files = [manifest, model.path, config.path];
  return model.path;
}

test.beforeAll(async ({ baseURL, request }) => {
  const here = await pull();
  // The list that the server has may be older than the files.
  await expect.poll(async () => (await request.get("/api/models")).text()).toContain(NAME);
  // The context that the page asks for.
  memory = await memoryWithoutTable(here, 8192);
  proxy = await CuttingProxy.before(baseURL ?? "");
});

test.afterAll(() => {
  for (const file of files) {
    rmSync(file, { force: true });
  }
  proxy.close();
});

/** A page whose device has no room for the per-layer table. The proxy sees what the server sees. */
async function crowded(browser: Browser, keep: boolean): Promise<EngineApp> {
  const app = await EngineApp.start(browser);
  if (!keep) {
    await app.page.goto(`${proxy.origin}/settings`);
    const kept = app.page.getByRole("switch", { name: /^Save models/ });
    await kept.click();
    await expect(kept).not.toBeChecked();
    await app.kept("keep_weights");
  }
  await app.page.goto(proxy.origin);
  await expect(row(app)).toContainText("Fits");
  await app.tell(`memory ${memory}`);
  return app;
}

function row(app: EngineApp) {
  return app.card.getByRole("listitem").getByRole("button").filter({ hasText: NAME });
}

/** Asks twice and holds what was asked for from then on against nothing. */
async function asksInSilence(app: EngineApp): Promise<void> {
  // The table is elsewhere.
  const taken = /([\d.]+) MB of graphics memory/.exec(await app.card.innerText());
  expect(Number(taken?.[1]) * 1e6).toBeLessThan(memory);
  await app.beGreedy();
  await app.setLongest(2);
  const [seen, asked] = [proxy.began.length, app.requests.length];
  const first = await app.ask("Say something");
  await expect(first).not.toBeEmpty();
  await app.ask("And something else");
  const later = app.requests.slice(asked).map((request) => request.url());
  expect(later.filter((url) => url.startsWith("http"))).toEqual([]);
  expect(proxy.began.slice(seen)).toEqual([]);
}

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
  await expect(question).toContainText("of system memory", { timeout: LOAD });
  // Not more than the header was read.
  const asked = proxy.began.slice(before);
  expect(asked.filter((at) => at > 0)).toEqual([]);
  await question.getByRole("button", { name: "Not now" }).click();
  await expect(app.page.getByRole("button", { name: /\(Loaded\)\./ })).toHaveCount(0);
  await row(app).click();
  await question.getByRole("button", { name: /^Use .*B of system memory$/ }).click();
  await app.loaded(NAME);
  await asksInSilence(app);
  await app.page.context().close();
});
