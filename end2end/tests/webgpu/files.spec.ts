// Files of the person's: some that cannot work, said in words, then one that does.

import { expect, test } from "@playwright/test";
import { EngineApp, type ModelFile } from "../../support/engine.ts";
import { PEBBLE } from "../../support/native.ts";
import { changed, claimTensors, rename, retype } from "../../support/gguf.ts";
import { LOAD, SOON } from "../../support/patience.ts";

const QUESTION = "What is 7 times 8?";
const DRAFT = "What I was about to say";

test.describe.configure({ mode: "serial", timeout: 2 * LOAD });

let app: EngineApp;

test.beforeAll(async ({ browser }) => {
  app = await EngineApp.start(browser);
  await app.page.goto("/");
  await expect(app.card.getByRole("listitem").first()).toBeVisible();
  await app.composer.fill(DRAFT);
});

test.afterAll(async () => {
  await app.page.context().close();
});

/** Files that are no use, and what the page has to say of each. */
const BAD: [what: string, file: () => ModelFile, words: RegExp][] = [
  [
    "cut in the middle",
    () => changed("cut.gguf", (bytes) => bytes.subarray(0, bytes.length / 2)),
    /incomplete: 2\.3 MB is missing after 2\.3 MB/,
  ],
  [
    "of another format",
    () => changed("page.gguf", () => Buffer.from("<!doctype html><title>Not found</title>")),
    /This isn’t a GGUF file\./,
  ],
  [
    "of another architecture",
    () => changed("other.gguf", (bytes) => rename(bytes, "gemma4", "qwen99")),
    /This is a “qwen99” model\. gemtab runs Gemma 4\./,
  ],
  [
    "in an unknown quantization",
    () => changed("iq.gguf", (bytes) => retype(bytes, "blk.0.ffn_gate.weight")),
    /blk\.0\.ffn_gate\.weight uses IQ4_XS/,
  ],
  [
    "without a tensor",
    () => changed("gap.gguf", (bytes) => rename(bytes, "blk.0.ffn_gate.weight", "blk.0.ffn_gone.weight")),
    /blk\.0\.ffn_gate\.weight/,
  ],
  [
    "with an absurd count in its header",
    () => changed("absurd.gguf", (bytes) => claimTensors(bytes, 1n << 60n)),
    /1152921504606846976/,
  ],
];

for (const [what, file, words] of BAD) {
  test(`a file ${what} is refused in words`, async () => {
    await app.pick(file());
    await expect(app.failure).toContainText(words, { timeout: SOON });
    await app.failure.getByRole("button", { name: "Close" }).click();
    await expect(app.failure).toHaveCount(0);
    await expect(app.composer).toHaveValue(DRAFT);
  });
}

test("a file that is no model's is refused at once", async () => {
  await app.pick({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("notes") });
  await expect(app.page.getByText("This isn’t a GGUF file.").first()).toBeVisible();
  await expect(app.composer).toHaveValue(DRAFT);
});

test("after bad files a good one loads, and answers", async () => {
  const before = app.requests.length;
  await app.pick(PEBBLE);
  await expect(app.composer).toHaveValue(DRAFT);
  // A message can be sent while the model loads: it waits.
  await app.composer.fill(QUESTION);
  await app.composer.press("Enter");
  await app.loaded("pebble.gguf");
  await expect(app.answers).toHaveCount(1);
  await expect(await app.answered()).toContainText("56");
  // Read where it is: nothing was fetched from the server.
  const fetched = app.requests.slice(before).filter((request) => request.url().includes("/api/blobs/"));
  expect(fetched.map((request) => request.url())).toEqual([]);
});
