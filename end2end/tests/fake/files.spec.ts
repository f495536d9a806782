// Files of one's own: models that are broken, adapters that are dropped like models.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { CORE } from "../../support/firefox.ts";
import { expect, test } from "../../support/watch.ts";

const ADAPTER = join(import.meta.dirname, "../../../frontend/engine/tests/golden/adapters/exported/adapter.gguf");

/** Drops files anywhere on the page. */
async function drop(page: Page, ...files: [name: string, content: Buffer][]): Promise<void> {
  const data = await page.evaluateHandle(
    (files) => {
      const data = new DataTransfer();
      for (const [name, base64] of files) {
        data.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], name));
      }
      return data;
    },
    files.map(([name, content]) => [name, content.toString("base64")] as const),
  );
  await page.dispatchEvent("body", "dragover", { dataTransfer: data });
  await page.dispatchEvent("body", "drop", { dataTransfer: data });
}

test("files: an adapter needs a model, a broken model leaves the one that is loaded, a good adapter is opened", { tag: CORE }, async ({ app, page }) => {
  await test.step("an adapter without a model says what it needs", async () => {
    await app.openChat("instant,demo");
    await drop(page, ["pirate.gguf", readFileSync(ADAPTER)]);
    await expect(app.failure).toContainText("Load the model for pirate.gguf first, then open the adapter again.");
    await expect(app.model).toHaveAccessibleName(/^Model: pebble \(Not loaded\)\./);
  });
  await test.step("a broken model leaves the one that is loaded, and one message that goes away", async () => {
    await app.failure.getByRole("button", { name: "Close" }).click();
    await app.ask("Hello");
    await drop(page, ["broken.gguf", Buffer.from("NOPE")]);
    await expect(app.failure).toHaveCount(1);
    await expect(app.failure).toContainText("broken.gguf can’t be opened. This isn’t a GGUF file.");
    await expect(app.model).toHaveAccessibleName("Model: pebble (Loaded). Choose another.");
    // It is no choice, neither now nor after the next answer.
    await app.model.click();
    const picker = page.getByRole("dialog", { name: "Choose a model" });
    await expect(picker.getByRole("button", { name: /^pebble/ })).toBeVisible();
    await expect(picker.getByRole("button", { name: /^broken/ })).toHaveCount(0);
    await page.keyboard.press("Escape");
    await expect(await app.ask("And again")).toContainText("A red circle");
    // Every file is named, and what was said of the ones before goes.
    await drop(page, ["empty.gguf", Buffer.alloc(0)], ["note.zip", Buffer.from("PK\x03\x04")]);
    await expect(app.failure).toContainText("empty.gguf can’t be opened. The file is empty.");
    await expect(app.failure).toHaveCount(1);
    await expect(app.refusal).toContainText("note.zip: ");
    await drop(page, ["broken.gguf", Buffer.from("NOPE")]);
    await expect(app.refusal).toHaveCount(0);
    await expect(app.failure).toContainText("broken.gguf");
    await app.failure.getByRole("button", { name: "Close" }).click();
    await expect(app.failure).toHaveCount(0);
  });
  await test.step("an adapter that is dropped is opened as one", async () => {
    await drop(page, ["pirate.gguf", readFileSync(ADAPTER)]);
    await expect(page.getByRole("combobox", { name: "Adapter" }).locator("option:checked")).toHaveText("pirate");
    await expect(app.model).toHaveAccessibleName("Model: pebble (Loaded). Choose another.");
    await expect(await app.ask("Spoken?")).toContainText("Spoken with");
  });
});
