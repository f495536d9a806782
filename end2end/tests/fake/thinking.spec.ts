import { expect, test } from "../../support/watch.ts";

const END = "A list and an example are enough.";

test.describe("thinking", () => {
  test("is folded into a line that opens, and stays so", async ({ app, page }) => {
    await app.openChat("instant,demo");
    const think = page.getByRole("button", { name: "Think", exact: true });
    await expect(think).toHaveAttribute("aria-pressed", "false");
    await think.click();
    await expect(think).toHaveAttribute("aria-pressed", "true");
    const answer = await app.ask("Hello");
    const line = answer.getByText("Thought for 1 s");
    await expect(answer.getByText(END)).toBeHidden();
    await line.click();
    await expect(answer.getByText(END)).toBeVisible();
    await expect(answer).toContainText("A red circle");
    await app.reload();
    await line.click();
    await expect(answer.getByText(END)).toBeVisible();
  });

  test("ends with “Answer now”, and keeps what was thought", async ({ app, page }) => {
    await app.openChat("instant,demo");
    await page.getByRole("button", { name: "Think", exact: true }).click();
    await page.getByRole("button", { name: /^pebble/ }).click();
    await expect(app.model).toHaveAccessibleName("Model: pebble (Loaded). Choose another.");
    await app.pace(300);
    await app.send("Hello");
    const answer = app.answers.first();
    await answer.getByText("Thinking…").click();
    await expect(answer).toContainText("The person asks");
    await answer.getByRole("button", { name: "Answer now" }).click();
    await app.pace(0);
    await expect(answer.getByText(/^Thought for \d+ s$/)).toBeVisible();
    await expect(answer).toContainText("A red circle");
    await expect(answer.getByRole("button", { name: "Answer now" })).toBeHidden();
    await answer.getByText(/^Thought for \d+ s$/).click();
    await expect(answer).toContainText("The person asks");
    await expect(answer).not.toContainText(END);
  });

  test("is as long as the conversation allows", async ({ app, page }) => {
    await app.openChat("instant,demo");
    await page.getByRole("button", { name: "Think", exact: true }).click();
    await page.getByRole("button", { name: "Conversation settings" }).click();
    const length = app.drawer.getByRole("combobox", { name: "Maximum thinking length" });
    const own = app.drawer.getByRole("spinbutton", { name: "Thinking length in tokens" });
    await expect(length.getByRole("option", { selected: true })).toHaveText("No limit");
    await expect(own).toBeHidden();
    // From the keyboard: “Other…” keeps the number, and the next key gets to its field.
    await length.focus();
    await page.keyboard.type("Med");
    await expect(length.getByRole("option", { selected: true })).toHaveText("Medium (1,024 tokens)");
    await page.keyboard.press("End");
    await expect(own).toHaveValue("1024");
    await page.keyboard.press("Tab");
    await expect(own).toBeFocused();
    await own.fill("256");
    await own.press("Tab");
    await expect(own).toHaveValue("256");
    await own.fill("4");
    await own.press("Tab");
    await page.keyboard.press("Escape");
    const answer = await app.ask("Hello");
    await expect(answer).toContainText("A red circle");
    await answer.getByText("Thought for 1 s").click();
    await expect(answer).toContainText("The person");
    await expect(answer).not.toContainText(END);
    await app.reload();
    await app.openDrawer();
    await expect(length.getByRole("option", { selected: true })).toHaveText("Other…");
    await expect(own).toHaveValue("4");
    await length.selectOption("Short (256 tokens)");
    await expect(own).toBeHidden();
  });
});
