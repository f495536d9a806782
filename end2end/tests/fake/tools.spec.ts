import { card, switchOn } from "../../support/tools.ts";
import { expect, test } from "../../support/watch.ts";

test.describe("tools", () => {
  test("are called, their results are shown and kept, and the answer goes on behind them", async ({ app }) => {
    await app.openChat("instant,demo");
    await switchOn(app, "Calculator", "Search conversations");
    await app.send('call calculate {"expression": "0.1 + 0.2"} call calculate {"expression": "1 / 0"}');
    await expect(app.answers).toHaveCount(2);
    await app.answered();
    const [calls, goesOn] = [app.answers.first(), app.answers.last()];
    await expect(card(calls, 0)).toContainText("Calculator");
    await expect(card(calls, 0)).toContainText("Done");
    await expect(card(calls, 1)).toContainText("Failed");
    await expect(goesOn).toContainText("calculate says: 0.3");
    await expect(goesOn).toContainText("division-by-zero");
    // The model reads JSON, the user a sentence.
    await card(calls, 1).getByText("Calculator").click();
    await expect(card(calls, 1).getByText("Can’t divide by zero.", { exact: true })).toBeVisible();
    await expect(card(calls, 1)).not.toContainText("division-by-zero");
    // Folded at first.
    await expect(card(calls, 0).getByText("0.1 + 0.2")).toBeHidden();
    await card(calls, 0).getByText("Calculator").click();
    await expect(card(calls, 0).getByText("0.1 + 0.2")).toBeVisible();
    await expect(card(calls, 0).getByText("0.3", { exact: true })).toBeVisible();

    await app.reload();
    await expect(card(calls, 1)).toContainText("Failed");
    await expect(goesOn).toContainText("calculate says: 0.3");

    // An answer that goes on can be given once more, and the one that called stays.
    await goesOn.getByRole("button", { name: "Regenerate" }).click();
    await expect(goesOn.getByText("2/2")).toBeVisible();
    await app.answered();
    await expect(card(calls, 0)).toContainText("Done");

    // Another conversation finds this one.
    await app.written();
    await app.openChat("instant,demo");
    await switchOn(app, "Search conversations");
    await app.send('call search_conversations {"words": "division"}');
    await expect(app.answers).toHaveCount(2);
    await expect(app.answers.last()).toContainText("division-by-zero");
  });

  test("are called so many times, and again when the user says so", async ({ app }) => {
    await app.openChat("instant,demo");
    await switchOn(app, "Date and time");
    await app.send("again and again call current_time {}");
    // Eight rounds, and one that waits.
    await expect(app.answers).toHaveCount(9);
    const last = app.answers.nth(8);
    await expect(card(last, 0)).toContainText("Not run");
    await last.getByRole("button", { name: "Run and continue" }).click();
    await expect(card(last, 0)).toContainText("Done");
    await expect(app.answers).toHaveCount(10);
  });
});

test("an answer has the format that is set, and a schema is checked while it is written", async ({ app }) => {
  await app.openChat("instant,demo");
  await app.openDrawer();
  await app.drawer.getByRole("combobox", { name: "Answer format" }).selectOption("JSON schema");
  const schema = app.drawer.getByRole("textbox", { name: "JSON schema" });
  await schema.fill('{"type":"array","uniqueItems":true}');
  await expect(app.drawer.getByText(/can’t be guaranteed: “uniqueItems”/)).toBeVisible();
  await schema.fill("{");
  await expect(app.drawer.getByText("The schema isn’t valid JSON.")).toBeVisible();
  await schema.fill('{"type":"object","properties":{"color":{"enum":["red"]}}}');
  await expect(app.drawer.getByText("Answers will match this schema.")).toBeVisible();
  await app.page.keyboard.press("Escape");
  await expect(app.drawer).toBeHidden();
  await expect(await app.ask("Which color?")).toContainText('{"color":"red"}');
});
