import { expect, test } from "../../support/watch.ts";

test.describe("loading a model", () => {
  test("shows bytes, rate and time left, and can be cancelled", async ({ app, page }) => {
    await app.openChat("usual");
    await page.getByRole("button", { name: /^gemma4:e4b/ }).click();
    const load = page.getByRole("region", { name: "Loading a model" });
    await expect(load).toContainText("Loading weights");
    await expect(load).toContainText(/\d\.\d of 9\.6 GB · .*B\/s · \d+ s left/);
    await expect(load).toContainText(/\d+%/);
    await expect(app.progress).toHaveAttribute("aria-label", "Loading gemma4:e4b");
    await expect(app.progress).toHaveAttribute("aria-valuetext", /Loading weights: .* of 9\.6 GB/);
    await load.getByRole("button", { name: "Cancel" }).click();
    await expect(load).toBeHidden();
    await expect(page.getByRole("heading", { name: "Choose a model" })).toBeVisible();
    await expect(app.failure).toBeHidden();
  });

  test("lets a message wait, says so, and then answers it", async ({ app, page }) => {
    await app.openChat("usual");
    await app.send("Hello");
    await expect(page.getByText("Your message will be sent when gemma4:e4b is ready.")).toBeVisible();
    await app.composer.fill("And more");
    await expect(app.sendButton).toBeDisabled();
    await expect(page.getByText("One message is already waiting.")).toBeVisible();
    await app.pace(0);
    await expect(app.answers.first()).toContainText("A red circle");
    await expect(app.composer).toHaveValue("And more");
  });

  test("without enough memory says the numbers and what to do, and loses nothing", async ({ app, page }) => {
    await app.openChat("instant,oom");
    await app.send("Hello");
    await expect(app.failure).toContainText("Graphics memory is full: 3.3 GB in use, and no room for 268 MB more.");
    await expect(app.failure.getByRole("button", { name: /^Use a context of 2,048 tokens$/ })).toBeVisible();
    await app.composer.fill("Meanwhile");
    await app.failure.getByRole("button", { name: "Choose another model" }).click();
    const picker = page.getByRole("dialog", { name: "Choose a model" });
    await expect(picker.getByRole("button", { name: /^pebble/ })).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(picker).toBeHidden();
    await expect(app.composer).toHaveValue("Meanwhile");
    await expect(app.questions).toHaveText(/Hello/);
  });

  test("says that the connection is lost, and goes on or is canceled", async ({ app, page }) => {
    await app.openChat("instant,reconnect");
    await app.pace(200);
    await page.getByRole("button", { name: /^gemma4:e2b / }).click();
    const load = page.getByRole("region", { name: "Loading a model" });
    await expect(load).toContainText("Connection lost, trying again…");
    await expect(page.getByRole("status").first()).toHaveText("Connection lost, trying again…");
    await app.pace(5);
    await expect(app.model).toHaveAccessibleName("Model: gemma4:e2b (Loaded). Choose another.");
    await expect(load).toBeHidden();
    await app.pace(200);
    await app.model.click();
    await page.getByRole("dialog", { name: "Choose a model" }).getByRole("button", { name: /^pebble/ }).click();
    await expect(load).toContainText("Connection lost, trying again…");
    await load.getByRole("button", { name: "Cancel" }).click();
    await expect(load).toBeHidden();
    await expect(app.failure).toBeHidden();
  });

  test("cut off from the server says how far it came and tries again", async ({ app }) => {
    await app.openChat("instant,cut,demo");
    await app.send("Hello");
    await expect(app.failure).toContainText("The connection to the server was lost after 6.8 MB.");
    await app.failure.getByRole("button", { name: "Try again" }).click();
    await expect(app.failure).toContainText("The connection to the server was lost after 6.8 MB.");
    await expect(app.questions).toHaveText(/Hello/);
  });
});

test("a model is unloaded, and loaded again with the next message", async ({ app, page }) => {
  await app.openChat("instant,demo");
  await app.ask("Hello");
  await app.rail.getByRole("link", { name: "Models" }).click();
  // A card says what a press does.
  const card = page.getByRole("button", { name: /^pebble/ });
  await expect(card).not.toHaveText(/Load$/);
  await page.getByRole("button", { name: "Unload model" }).click();
  await expect(page.getByRole("button", { name: "Unload model" })).toHaveCount(0);
  await expect(card).toHaveText(/Load$/);
  await app.conversation("Hello").click();
  await expect(app.model).toHaveAccessibleName(/^Model: pebble \(Not loaded\)\./);
  await expect(await app.ask("And again")).toContainText("A red circle");
  await expect(app.model).toHaveAccessibleName("Model: pebble (Loaded). Choose another.");
});
