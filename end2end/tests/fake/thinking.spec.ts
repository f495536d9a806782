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
    const most = app.drawer.getByRole("spinbutton", { name: "Maximum thinking length" });
    await most.fill("4");
    await most.press("Tab");
    await page.keyboard.press("Escape");
    const answer = await app.ask("Hello");
    await expect(answer).toContainText("A red circle");
    await answer.getByText("Thought for 1 s").click();
    await expect(answer).toContainText("The person");
    await expect(answer).not.toContainText(END);
  });
});
