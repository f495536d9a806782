import { png } from "../../support/media.ts";
import { expect, test } from "../../support/watch.ts";

test.describe("a failure is told where it happened, and nothing is lost:", () => {
  test("the conversation no longer fits the context", async ({ app, page }) => {
    await app.openChat("instant,context-full");
    await app.send("Hello");
    const answer = await app.answered();
    await expect(answer).toContainText(/Too long: .* tokens, but the limit is 8.192\./);
    await app.composer.fill("A draft");
    await app.kept("A draft");
    await answer.getByRole("button", { name: "New conversation", exact: true }).click();
    await expect(app.questions).toHaveCount(0);
    await app.conversation("Hello").click();
    await expect(app.questions).toHaveText(/Hello/);
    await expect(app.composer).toHaveValue("A draft");
    await app.reload();
    await expect(app.answers.first()).toContainText("Too long:");
  });

  test("a model that isn't kept answers, and what is said of it can be put away", async ({ app, page }) => {
    await app.openChat("instant,demo,unkept");
    await app.ask("Hello");
    await expect(app.failure).toContainText(/The model couldn’t be saved: it needs .*downloaded again next time\./);
    // There is nothing to delete.
    await expect(app.failure.getByRole("button")).toHaveText(["Close"]);
    await app.go("Models");
    await expect(app.failure).toContainText(/The model couldn’t be saved: it needs .*downloaded again next time\./);
    await app.failure.getByRole("button", { name: "Close" }).click();
    await expect(app.failure).toHaveCount(0);
    await page.goBack();
    await expect(app.answers).toHaveCount(1);
    await expect(app.failure).toHaveCount(0);
  });

  test("an answer fails half-way", async ({ app }) => {
    await app.openChat("instant,fail");
    await app.send("Hello");
    const answer = await app.answered();
    await expect(answer).toContainText("Gladly.");
    await expect(answer.getByRole("group", { name: "Something went wrong" })).toContainText(
      "Something went wrong while generating the answer. Try again.",
    );
    // What is for engineers waits until it is asked for.
    await expect(answer.getByText("there is no token 9")).toBeHidden();
    await answer.getByText("Details", { exact: true }).click();
    await expect(answer.getByText("there is no token 9")).toBeVisible();
    await answer.getByRole("button", { name: "Try again" }).click();
    await expect(answer).toContainText("2/2");
    await expect(answer).toContainText("There is more than one way");
  });

  test("the graphics device is lost, restored, and the answer goes on", async ({ app, page }) => {
    await app.openChat("usual,demo,lost");
    await app.send("Hello");
    await expect(page.getByText("The graphics card was reset. Restoring…")).toBeVisible();
    await expect(await app.answered()).toContainText("The circle is about twice as wide.");
    await expect(page.getByText("The graphics card was reset. Restoring…")).toBeHidden();
  });

  test("what the engine stops at is not shown to it again unasked", async ({ app, page }) => {
    await app.openChat("instant,demo,crash-looking");
    await app.attach(png());
    const crash = page.getByRole("alert").filter({ hasText: "The engine stopped unexpectedly." });
    await expect(crash).toBeVisible();
    const note = app.tray.getByText("The engine stopped while reading this");
    await expect(note).toBeVisible();
    await crash.getByRole("button", { name: "Restart" }).click();
    await expect(crash).toBeHidden();
    await expect(note).toBeVisible();
    // Nor after a reload, which brings the draft back.
    await app.kept("red.png");
    await app.reload();
    await expect(note).toBeVisible();
    await app.ask("Hello");
    await expect(crash).toBeHidden();
  });

  test("the engine crashes and is started again, by a message and by a model that is chosen", async ({ app, page }) => {
    await test.step("the engine crashes and is started again", async () => {
      await app.openChat("instant,demo,crash");
      await app.send("Hello");
      const crash = page.getByRole("alert");
      await expect(crash).toContainText("The engine stopped unexpectedly.");
      await expect(crash).toContainText("Your conversation and what you typed are safe.");
      const answer = await app.answered();
      await expect(answer).toContainText("Gladly.");
      await expect(answer).toContainText("This answer was cut off.");
      // One box, with one button.
      await expect(app.failure).toHaveCount(0);
      await expect(crash.getByRole("button")).toHaveText("Try again");
      await expect(page.getByText("unreachable")).toHaveCount(0);
      // What is sent starts the engine, too.
      await app.composer.fill("A draft");
      await app.composer.press("Enter");
      await expect(crash).toBeHidden();
      await expect(app.model).toHaveAccessibleName("Model: pebble (Loaded). Choose another.");
      await expect(app.answers).toHaveCount(2);
      await expect(await app.answered()).toContainText("A red circle");
      await expect(app.questions).toHaveText([/Hello/, /A draft/]);
    });
    await test.step("a model that is chosen after a crash is loaded", async () => {
      await app.crash();
      await expect(page.getByRole("alert")).toContainText("The engine stopped unexpectedly.");
      await app.model.click();
      await page.getByRole("dialog", { name: "Choose a model" }).getByRole("button", { name: /^pebble/ }).click();
      await expect(page.getByRole("alert")).toBeHidden();
      await expect(app.model).toHaveAccessibleName("Model: pebble (Loaded). Choose another.");
    });
  });

  test("an answer is tried again after a crash", { tag: "@thorough" }, async ({ app, page }) => {
    await app.openChat("instant,demo,crash");
    await app.send("Hello");
    await app.answered();
    await page.getByRole("alert").getByRole("button", { name: "Try again" }).click();
    await expect(page.getByRole("alert")).toBeHidden();
    await expect(app.answers.last()).toContainText("A red circle");
  });

  test("an answer that a crash cut off goes on", async ({ app, page }) => {
    await app.openChat("instant,demo,crash");
    await app.send("Hello");
    const answer = await app.answered();
    await expect(answer).toContainText("Gladly.");
    await answer.getByRole("button", { name: "Continue" }).click();
    await expect(page.getByRole("alert")).toBeHidden();
    await expect(answer).toContainText("Gladly.");
    await expect(answer.getByText("This answer was cut off.")).toBeHidden();
    await expect(answer.getByRole("button", { name: "Continue" })).toBeHidden();
    await expect(app.failure).toHaveCount(0);
  });

  test("the engine is of another version, and the page is loaded again", async ({ app, page }) => {
    for (const [word, sentence] of [
      ["version", "The page is out of date. Reload to update."],
      ["old-version", "The engine is out of date. Reload to update."],
    ] as const) {
      await app.open(`instant,${word}`);
      const alert = page.getByRole("alert");
      await expect(alert).toContainText(sentence);
      await expect(alert.getByRole("button")).toHaveText("Reload");
      await page.evaluate(() => Object.assign(window, { same: true }));
      await alert.getByRole("button").click();
      await page.waitForFunction(() => !("same" in window));
      await expect(alert).toContainText(sentence);
    }
  });

  test("the engine never starts", async ({ app, page }) => {
    await page.clock.install();
    await app.open("instant,silent");
    // A model that is chosen meanwhile is told to wait, and can be taken back.
    await page.getByRole("button", { name: /^pebble/ }).click();
    await expect(page.getByText("Starting the engine…")).toBeVisible();
    await page.getByRole("region", { name: "Loading a model" }).getByRole("button", { name: "Cancel" }).click();
    await expect(page.getByText("Starting the engine…")).toBeHidden();
    await page.clock.fastForward(121_000);
    await expect(page.getByRole("alert")).toContainText("The engine didn’t start within 120 seconds.");
  });
});
