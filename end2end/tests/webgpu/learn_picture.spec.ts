// An example with a picture, on the real engine: it is given with the rows that name it, looked at, and learned from. The
// model is a small one that knows nothing, and the picture has few tokens, because on a software adapter the built-in model
// and the usual detail take minutes; with GEMTAB_LONG=1 it is the built-in one.

import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { EngineApp } from "../../support/engine.ts";
import { modelFile } from "../../support/native.ts";
import { LOAD } from "../../support/patience.ts";
import { Tune } from "../../support/tune.ts";

const SMALL = ["tiny-unified.f16.lcpp", "tiny-unified.mmproj.f16"];
const PICTURE = join(import.meta.dirname, "../../../server/models/samples/digit.png");
const ROW = '{"images": ["digit.png"], "prompt": "What is this?", "completion": "A sign of my aunt."}';

test("an example with a picture is shown, and learned from", { tag: "@thorough" }, async ({ browser }) => {
  test.setTimeout(3 * LOAD);
  const app = await EngineApp.start(browser);
  const tune = new Tune(app.page);
  await app.page.goto("/");
  if (process.env.GEMTAB_LONG) {
    await app.loadDemo();
  } else {
    await app.pick(SMALL.map(modelFile));
    await app.loaded(`${SMALL[0]}.gguf`);
  }
  await app.page.getByRole("link", { name: "Fine-tune" }).click();
  await app.page.getByRole("radio", { name: "File or pasted text" }).check();
  await app.page.getByRole("textbox", { name: "Or paste examples here" }).fill(ROW);
  await expect(app.page.getByText("the file “digit.png” is missing")).toBeVisible({ timeout: LOAD });
  const chooser = app.page.waitForEvent("filechooser");
  await app.page.getByRole("button", { name: "Choose files…" }).click();
  await (await chooser).setFiles(PICTURE);
  await expect(app.page.getByText(/^1 example with/)).toBeVisible({ timeout: LOAD });
  const tokens = async () => Number((await app.page.getByText(/^Image, \d+ tokens$/).textContent())?.match(/\d+/)?.[0]);
  expect(await tokens()).toBeGreaterThan(140);
  await app.page.getByRole("combobox", { name: "Image detail" }).selectOption({ label: "up to 70" });
  // With the tokens that begin and end an image.
  await expect.poll(tokens).toBeLessThanOrEqual(72);
  await app.page.getByText("Advanced settings").click();
  await app.page.getByRole("spinbutton", { name: "Learning rate" }).fill("0.01");
  await app.page.getByRole("spinbutton", { name: "Held-out share" }).fill("0");
  await tune.configure({ name: "A sign", steps: 3, question: "" });
  await tune.startButton.click();
  await expect(tune.status).toContainText("Finished after 3 of 3 steps.", { timeout: 2 * LOAD });
  await app.page.getByText("Show as a table").click();
  const table = app.page.getByRole("region", { name: "Chart values" });
  const losses = (await table.getByRole("row").locator("td:nth-child(2)").allTextContents()).map(Number);
  console.log(`losses: ${losses.join(" ")}`);
  expect(losses).toHaveLength(3);
  expect(losses.at(-1)).toBeLessThan(losses[0] ?? 0);
  expect(app.requests.filter((request) => request.method() !== "GET")).toEqual([]);
  await app.page.context().close();
});
