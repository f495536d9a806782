// An example with a picture, on the real engine: it is given with the rows that name it, looked at, and learned from.

import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { EngineApp, LOAD } from "../../support/engine.ts";
import { Tune } from "../../support/tune.ts";

// A software adapter takes minutes over it: only where it is wanted.
test.skip(!process.env.GEMTAB_LONG, "GEMTAB_LONG is not set");

const PICTURE = join(import.meta.dirname, "../../../server/models/samples/digit.png");
const ROW = '{"images": ["digit.png"], "prompt": "What is this?", "completion": "A sign of my aunt."}';

test("an example with a picture is shown, and learned from", async ({ browser }) => {
  test.setTimeout(3 * LOAD);
  const app = await EngineApp.start(browser);
  const tune = new Tune(app.page);
  await app.page.goto("/");
  await app.loadDemo();
  await app.page.getByRole("link", { name: "Fine-tune" }).click();
  await app.page.getByRole("radio", { name: "File or pasted text" }).check();
  await app.page.getByRole("textbox", { name: "Or paste examples here" }).fill(ROW);
  await expect(app.page.getByText("the file “digit.png” is missing")).toBeVisible({ timeout: LOAD });
  const chooser = app.page.waitForEvent("filechooser");
  await app.page.getByRole("button", { name: "Choose files…" }).click();
  await (await chooser).setFiles(PICTURE);
  await expect(app.page.getByText(/^1 example with/)).toBeVisible({ timeout: LOAD });
  await expect(app.page.getByText(/^Image, \d+ tokens$/)).toBeVisible();
  await app.page.getByText("Advanced settings").click();
  await app.page.getByRole("spinbutton", { name: "Learning rate" }).fill("0.01");
  await app.page.getByRole("spinbutton", { name: "Held-out share" }).fill("0");
  await tune.configure({ name: "A sign", steps: 3, question: "" });
  await tune.startButton.click();
  await expect(tune.status).toContainText("Done: 3 of 3 steps.", { timeout: 2 * LOAD });
  await app.page.getByText("Show as a table").click();
  const table = app.page.getByRole("region", { name: "Chart values" });
  const losses = (await table.getByRole("row").locator("td:nth-child(2)").allTextContents()).map(Number);
  console.log(`losses: ${losses.join(" ")}`);
  expect(losses).toHaveLength(3);
  expect(losses.at(-1)).toBeLessThan(losses[0] ?? 0);
  expect(app.requests.filter((request) => request.method() !== "GET")).toEqual([]);
  await app.page.context().close();
});
