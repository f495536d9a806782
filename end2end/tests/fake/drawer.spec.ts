import { reopenBeforeCloseEvent } from "../../support/dialog.ts";
import { expect, test } from "../../support/watch.ts";

// The drawer moves in and out here.
test.use({ contextOptions: { reducedMotion: "no-preference" } });

test.describe("the settings of a conversation", () => {

  test("begin with what the model recommends, and are kept with the conversation", async ({ app, page }) => {
    await app.openChat();
    await app.ask("Hello");
    await app.openDrawer();
    const temperature = app.drawer.getByRole("spinbutton", { name: /^Temperature/ });
    const instructions = app.drawer.getByRole("textbox", { name: "Custom instructions" });
    await expect(temperature).toHaveValue("1");
    await expect(app.drawer.getByRole("spinbutton", { name: /^Top-k/ })).toHaveValue("64");
    await expect(app.drawer.getByRole("spinbutton", { name: /^Top-p/ })).toHaveValue("0.95");

    await instructions.fill("Answer as a pirate.");
    await temperature.fill("0.3");
    await app.drawer.getByRole("spinbutton", { name: /^Seed/ }).fill("42");
    await app.drawer.getByRole("spinbutton", { name: /^Seed/ }).press("Tab");
    await app.kept("Answer as a pirate.");
    await app.kept('"seed":42');

    await page.reload();
    await app.ready();
    await expect(app.questions).toHaveCount(1);
    await expect(page.getByRole("button", { name: "Conversation settings (changed)" })).toBeVisible();
    await page.getByRole("button", { name: "Instructions", exact: true }).click();
    await expect(app.drawer).toBeVisible();
    await expect(instructions).toHaveValue("Answer as a pirate.");
    await expect(temperature).toHaveValue("0.3");
    await app.drawer.getByRole("button", { name: "Reset to the model’s defaults" }).click();
    await expect(temperature).toHaveValue("1");
    await expect(app.drawer.getByText("Uses the model’s defaults.")).toBeVisible();
  });

  test("load the model again with another context length, and are kept while they are typed", async ({ app, page }) => {
    await test.step("load the model again with another context length", async () => {
      await app.openChat();
      await app.ask("Hello");
      await app.openDrawer();
      const context = app.drawer.getByRole("spinbutton", { name: /^Context length/ });
      await context.fill("2048");
      await context.press("Tab");
      await app.drawer.getByRole("button", { name: /^Reload with 2,048 tokens$/ }).click();
      await expect(page.getByText(/ of 2.048 tokens of context used$/)).toBeAttached();
    });
    await test.step("are kept while they are typed, and when the drawer closes", async () => {
      const stop = app.drawer.getByRole("textbox", { name: /^Stop sequences/ });
      await app.drawer.getByRole("textbox", { name: "Custom instructions" }).pressSequentially("Like a pirate.");
      await app.kept("Like a pirate.");
      await stop.pressSequentially("END\n");
      await app.kept('"END"');
      await stop.pressSequentially("STOP");
      await expect(stop).toHaveValue("END\nSTOP");
      await app.drawer.getByRole("spinbutton", { name: /^Temperature/ }).fill("0.4");
      await page.keyboard.press("Escape");
      await expect(app.drawer).toBeHidden();
      await app.kept('"STOP"');
      await app.kept('"temperature":0.4');
    });
  });
  test("close on Esc, reopen before their close event, and say the range of what they take", async ({ app, page }) => {
    await test.step("close on Esc, and the focus goes back", async () => {
      await app.openChat();
      await app.openDrawer();
      await page.keyboard.press("Escape");
      await expect(app.drawer).toBeHidden();
      await expect(page.getByRole("button", { name: "Conversation settings" })).toBeFocused();
    });
    await test.step("reopen before their close event", async () => {
      await app.openDrawer();
      const button = page.getByRole("button", { name: "Conversation settings" });
      await reopenBeforeCloseEvent(app.drawer, await button.evaluateHandle((button: HTMLElement) => () => button.click()));
      await expect(app.drawer).toBeVisible();
      await expect(app.drawer.getByRole("heading", { name: "This conversation" })).toBeVisible();
      await app.drawer.getByRole("button", { name: "Close" }).click();
      await expect(app.drawer).toBeHidden();
    });
    await test.step("do not take what is out of range, and say the range", async () => {
      await app.openDrawer();
      const temperature = app.drawer.getByRole("spinbutton", { name: /^Temperature/ });
      await temperature.fill("9");
      await temperature.press("Tab");
      await expect(temperature).toHaveAttribute("aria-invalid", "true");
      await expect(app.drawer.getByText("Must be between 0 and 5.")).toBeVisible();
      await expect(app.drawer.getByText("Uses the model’s defaults.")).toBeVisible();
    });
  });

});

test("the drawer lies over a page that was made narrow, and beside one that was made wide", async ({ app, page }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await app.openChat();
  await app.openDrawer();
  const instructions = app.drawer.getByRole("textbox", { name: "Custom instructions" });
  await instructions.fill("Like a pirate.");
  const isOver = () => app.drawer.evaluate((drawer) => drawer.matches(":modal"));
  expect(await isOver()).toBe(false);
  await page.setViewportSize({ width: 500, height: 800 });
  await expect.poll(isOver).toBe(true);
  await expect(instructions).toHaveValue("Like a pirate.");
  await page.setViewportSize({ width: 1280, height: 800 });
  await expect.poll(isOver).toBe(false);
  await expect(app.drawer).toBeVisible();
  await page.setViewportSize({ width: 500, height: 800 });
  await expect.poll(isOver).toBe(true);
  await page.keyboard.press("Escape");
  await expect(app.drawer).toBeHidden();
});

test("settings of a conversation that has not begun are kept while another page is visited", async ({ app, page }) => {
  await app.openChat("instant,demo");
  const think = page.getByRole("button", { name: "Think", exact: true });
  await think.click();
  await app.openDrawer();
  const instructions = app.drawer.getByRole("textbox", { name: /^Custom instructions/ });
  await instructions.fill("Answer like a pirate.");
  await instructions.press("Tab");
  await app.rail.getByRole("link", { name: "Models" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Models" })).toBeVisible();
  await page.goBack();
  await expect(think).toHaveAttribute("aria-pressed", "true");
  await expect(instructions).toHaveValue("Answer like a pirate.");
  // A new one begins with those for new ones.
  await app.ask("Hello");
  await app.rail.getByRole("button", { name: "New", exact: true }).click();
  await expect(think).toHaveAttribute("aria-pressed", "false");
  await expect(instructions).toHaveValue("");
});
