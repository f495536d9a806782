// Memory for the experts of a mixture. The simulated device has 8 GB; of the model's 7.2 GB, 5.7 are experts.

import type { Locator } from "@playwright/test";
import type { App } from "../../support/app.ts";
import { faults } from "../../support/axe.ts";
import { expect, test } from "../../support/watch.ts";

const card = (app: App): Locator => app.page.getByRole("listitem").filter({ hasText: "gemma4:e2b" }).first();
const memory = (app: App): Locator =>
  card(app).getByRole("group", { name: "gemma4:e2b", exact: true }).getByRole("spinbutton", { name: /^Memory for experts \(GB\)/ });
const figure = (app: App, name: string): Locator =>
  app.drawer.getByRole("term").filter({ hasText: name }).locator("~ dd");

test("a verdict of many words leaves the model's name on one line", async ({ app, page }) => {
  await app.open("instant,mixture");
  await expect(card(app)).toContainText("for experts · slightly slower answers");
  for (const width of [1280, 800, 500]) {
    await page.setViewportSize({ width, height: 720 });
    const name = await card(app).getByText("gemma4:e2b", { exact: true }).boundingBox();
    expect(name?.height).toBeLessThan(40);
  }
});

test.describe("memory for experts", () => {
  test("is set with the keyboard, the verdict follows, and it has its place on a narrow screen", async ({ app, page }) => {
    await test.step("is set with the keyboard, and the verdict follows", async () => {
      await app.open("instant,mixture", "/models");
      const model = card(app);
      await expect(model).toContainText("Fits with 5.4 GB of graphics memory for experts · slightly slower answers");
      await expect(memory(app)).toHaveValue("");
      await expect(memory(app)).toHaveAttribute("placeholder", "Automatic");
      await memory(app).focus();
      await page.keyboard.type("2");
      await page.keyboard.press("Enter");
      await expect(model).toContainText("Fits with 2.0 GB of graphics memory for experts · at least about 4 tokens per second");
      await expect(memory(app)).toBeFocused();
      await model.locator("summary").click();
      await expect(model).toContainText("Experts in graphics memory");
      await expect(model).toContainText("2.0 of 5.7 GB");

      // Too little is told in numbers, and changes nothing.
      await memory(app).fill("0.1");
      await memory(app).press("Enter");
      await expect(memory(app)).toHaveAttribute("aria-invalid", "true");
      await expect(model).toContainText("Must be between 0.36 and 5.73.");
      await expect(model).toContainText("Fits with 2.0 GB of graphics memory for experts");

      // All of them don't fit this device.
      await memory(app).fill("5.73");
      await memory(app).press("Enter");
      await expect(model).toContainText("Too large by 276 MB");
      await memory(app).fill("0.4");
      await memory(app).press("Enter");
      await expect(model).toContainText("Fits with 358 MB of graphics memory for experts · at least about 3 tokens per second");
      await app.kept("400000000");
      await page.reload();
      await expect(memory(app)).toHaveValue("0.4");
      await expect(model).toContainText("Fits with 358 MB of graphics memory for experts");
      await memory(app).fill("");
      await memory(app).press("Enter");
      await expect(model).toContainText("Fits with 5.4 GB of graphics memory for experts");
    });
    await test.step("has its place on a narrow screen", async () => {
      await page.setViewportSize({ width: 320, height: 640 });
      await memory(app).fill("0.1");
      await memory(app).press("Enter");
      await expect(card(app)).toContainText("Must be between");
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
      expect(await faults(page)).toEqual([]);
    });
  });

  test("counts in answers, whose figures have the hit rate", async ({ app }) => {
    await app.open("instant,mixture", "/models");
    await memory(app).fill("2");
    await memory(app).press("Enter");
    await expect(card(app)).toContainText("Fits with 2.0 GB of graphics memory for experts");
    await card(app).getByRole("button").first().click();
    await app.ask("Hello");
    await app.openDrawer();
    await expect(figure(app, "Experts found in graphics memory")).toHaveText("67%");
    await expect(figure(app, "Experts read per token")).toHaveText(/^\d+ MB$/);

    // Another amount takes another load.
    await app.go("Models");
    await expect(card(app).getByRole("button", { name: "Reload" })).toHaveCount(0);
    await memory(app).fill("4");
    await memory(app).press("Enter");
    await expect(card(app)).toContainText("The model is loaded with 2.0 GB for experts.");
    await card(app).getByRole("button", { name: "Reload" }).click();
    await expect(card(app)).toContainText("Fits with 4.0 GB of graphics memory for experts");
    await expect(card(app)).not.toContainText("The model is loaded with");
  });

  test("is less where graphics memory is full, which is said", async ({ app }) => {
    await app.open("instant,mixture,oom", "/models");
    await card(app).getByRole("button").first().click();
    await expect(app.failure).toContainText("Graphics memory was full, so it holds only 2.7 GB of the 5.7 GB of experts.");
    await expect(await app.ask("Hello")).toContainText("A red circle");
  });

  test("is told of a diffusion model by its steps", { tag: "@thorough" }, async ({ app }) => {
    await app.open("instant,mixture,diffusion", "/models");
    await memory(app).fill("2");
    await memory(app).press("Enter");
    await expect(card(app)).toContainText("Fits with 2.0 GB of graphics memory for experts · about 3.8 s per step, up to about 4 min for 256 tokens");
    await card(app).getByRole("button").first().click();
    await app.ask("Hello");
    await app.openDrawer();
    await expect(figure(app, "Experts found in graphics memory")).toHaveText("34%");
    await expect(figure(app, "Experts read per step")).toHaveText("3.8 GB");
    await expect(figure(app, "Experts read per token")).toHaveCount(0);
  });
});
