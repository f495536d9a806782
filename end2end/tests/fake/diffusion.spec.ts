import { faults } from "../../support/axe.ts";
import { expect, test } from "../../support/watch.ts";

test.describe("a diffusion model", () => {
  test("says what it is where models are chosen, and in its details", async ({ app, page }) => {
    await app.open("instant,diffusion", "/models");
    const card = page.getByRole("listitem").filter({ hasText: "gemma4:e2b" }).first();
    await expect(card.getByRole("button").first()).toContainText("Diffusion");
    await expect(card).toContainText("Writes a whole block of text at a time");
    await card.locator("summary").click();
    await expect(card.getByText("Diffusion: 256 tokens at a time, at most 48 steps")).toBeVisible();
  });

  test("shows its text while it settles, and stops between steps", async ({ app, page }) => {
    await app.openChat("instant,demo,diffusion");
    await app.ask("Hello");
    await app.startConversation();
    await app.pace(1_000);
    await app.send("A long answer");
    const answer = app.answers.first();
    const canvas = answer.locator(".canvas-text");
    await expect(answer.getByText(/^Block 1, step \d of at most 48, entropy \d\.\d\d$/)).toBeVisible();
    await expect(canvas.locator(".open").first()).toBeVisible();
    await expect(canvas).toHaveAttribute("aria-hidden", "true");
    expect(await faults(page)).toEqual([]);
    await app.pace(100);
    // What is finished stands above the next block.
    await expect(answer.getByText(/^Block ([2-9]|\d\d), step/)).toBeVisible();
    await expect(answer.locator(".says")).toContainText("Part 1");
    await app.stopButton.click();
    await expect(answer).toHaveAttribute("aria-busy", "false");
    await expect(answer).toContainText("Stopped.");
    await expect(canvas).toHaveCount(0);
    await app.kept('"finish":"Cancelled"');
    await page.reload();
    await expect(answer).toContainText("Part 1");
    await expect(answer).not.toContainText("Part 12");
  });

  test("tells its steps, and that it has a sampler of its own", async ({ app }) => {
    await app.openChat("instant,demo,diffusion");
    const answer = await app.ask("Hello");
    await expect(answer.locator(".says")).toContainText("A red circle is to the left of a small blue square.");
    await expect(answer.locator(".canvas")).toHaveCount(0);
    await expect(app.page.getByRole("combobox", { name: "Adapter" })).toHaveCount(0);
    await expect(answer).toContainText(/tok\/s · \d+\.\d s · \d+ steps/);
    await app.openDrawer();
    await expect(app.drawer.getByText(/^8 steps(, 1 block| per block, \d+ blocks)$/)).toBeVisible();
    await expect(app.drawer).toContainText("Only the seed has an effect.");
  });

  test("shows only what comes of the steps, if that is wanted", async ({ app, page }) => {
    await app.open("usual,demo,diffusion", "/settings");
    const steps = page.getByRole("switch", { name: "Show diffusion steps" });
    await expect(steps).toBeChecked();
    await steps.click();
    await app.rail.getByRole("link", { name: "gemtab" }).click();
    await app.send("A long answer");
    const answer = app.answers.first();
    await expect(answer.getByText(/^Block \d+, step/)).toBeVisible();
    await expect(answer.locator(".canvas-text")).toHaveCount(0);
    await expect(answer.locator(".says")).not.toBeEmpty();
  });
});
