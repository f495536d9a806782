import { expect, test } from "../../support/watch.ts";

test.describe("a browser without WebGPU", () => {
  test("is told so with what to do, and nothing is offered to load", async ({ app, page, browserName }) => {
    await app.open("instant,no-webgpu");
    const notice = page.getByRole("region", { name: "No graphics card" });
    await expect(notice).toContainText("This browser doesn’t support WebGPU, or it’s turned off. You can still read your conversations.");
    if (browserName === "chromium") {
      await expect(notice).toContainText("chrome://settings/system");
    }
    await expect(page.getByRole("button", { name: /^pebble/ })).toBeDisabled();
    await expect(page.getByRole("button", { name: /^pebble/ })).toContainText("Needs WebGPU");
    await app.composer.fill("Hello");
    await expect(app.sendButton).toBeDisabled();
    // Said once.
    await expect(page.locator("#composer-hint")).toBeEmpty();
  });
});

test.describe("a device that computes in software", () => {
  test("is named with what to do, loads the demo at once, and a large model after a question", async ({ app, page }) => {
    await test.step("is named, with what to do about it", async () => {
      await app.openChat("instant,software");
      const notice = page.getByRole("region", { name: "No graphics card in use" });
      await expect(notice).toContainText("No graphics card in use (SwiftShader).");
      await expect(notice).toContainText("The demo runs slowly. Larger models are too slow to use.");
      await notice.getByRole("button", { name: "How to use the graphics card" }).click();
      const advice = page.getByRole("dialog", { name: "Turn on graphics acceleration" });
      await expect(advice.getByRole("listitem").first()).toBeVisible();
      await advice.getByRole("button", { name: "Close" }).click();
      await expect(notice.getByRole("button", { name: "How to use the graphics card" })).toBeFocused();
    });
    await test.step("loads the demo at once, and a large model after a question", async () => {
      await page.getByRole("button", { name: /^gemma4:e4b/ }).click();
      const question = page.getByRole("dialog", { name: "No graphics card in use" });
      await expect(question).toContainText("gemma4:e4b is 9.6 GB.");
      await question.getByRole("button", { name: "Not now" }).click();
      await expect(question).toBeHidden();
      await expect(app.model).toHaveAccessibleName(/\(Not loaded\)\./);
      await page.getByRole("button", { name: /^pebble/ }).click();
      await expect(app.model).toHaveAccessibleName("Model: pebble (Loaded). Choose another.");
      await app.model.click();
      await page.getByRole("dialog", { name: "Choose a model" }).getByRole("button", { name: /^gemma4:e4b/ }).click();
      await question.getByRole("button", { name: "Load anyway" }).click();
      await expect(app.model).toHaveAccessibleName("Model: gemma4:e4b (Loaded). Choose another.");
    });
  });
});

test("diagnostics name the device and can be copied", async ({ app, page }) => {
  await app.open("instant", "/diagnostics");
  await expect(page.getByText("Fake graphics device")).toBeVisible();
  await expect(page.getByRole("row", { name: /^maxBufferSize 4,294,967,296$/ })).toBeVisible();
  await app.allowClipboard();
  await page.getByRole("button", { name: "Copy as text" }).click();
  await expect(page.getByText("Copied.").first()).toBeVisible();
  expect((await app.clipboard()) ?? "maxBufferSize: 4294967296").toContain("maxBufferSize: 4294967296");
});

test.describe("measurements on the page of diagnostics", () => {
  test("want a model but for the self-test, tell speed and kernels, and can be stopped", async ({ app, page }) => {
    await test.step("want a model, but for the self-test", async () => {
      await app.open("instant", "/diagnostics");
      await expect(page.getByRole("button", { name: "Measure speed" })).toBeDisabled();
      await expect(page.getByRole("button", { name: "Measure kernels" })).toBeDisabled();
      await page.getByRole("button", { name: "Test kernels" }).click();
      await expect(page.getByText("Verified on this graphics card: 4 kernels.")).toBeVisible();
    });
    await test.step("tell speed and kernels, sorted by time, and can be copied", async () => {
      await app.rail.getByRole("button", { name: "New", exact: true }).click();
      await app.ask("Hello");
      await app.go("Diagnostics");
      await page.getByRole("button", { name: "Measure speed" }).click();
      await expect(page.getByText(/^78\.4 tok\/s \(/)).toBeVisible();
      await page.getByRole("button", { name: "Measure kernels" }).click();
      const rows = page.getByRole("region", { name: "Kernels" }).getByRole("row");
      await expect(rows.nth(1)).toHaveText(/geglu.*35.*4\.410.*110\.2.*72%/);
      await expect(rows.last()).toHaveText(/sampling_top_k_1.*0\.040.*–/);
      await page.getByRole("button", { name: "Test kernels" }).click();
      await expect(page.getByText("Verified on this graphics card: 4 kernels of the loaded model.")).toBeVisible();
      await app.allowClipboard();
      await page.getByRole("button", { name: "Copy as text" }).click();
      await expect(page.getByText("Copied.").first()).toBeVisible();
      const copied = (await app.clipboard()) ?? "Generation speed: 78.4 tok/s sampling_top_k_1";
      expect(copied).toContain("Generation speed: 78.4 tok/s");
      expect(copied).toContain("sampling_top_k_1");
    });
    await test.step("show how far they are and can be stopped", async () => {
      await app.pace(1_000);
      await page.getByRole("button", { name: "Test kernels" }).click();
      const running = page.getByRole("region", { name: "Measurement" });
      await expect(running.getByRole("progressbar", { name: "Testing kernels" })).toBeVisible();
      await expect(page.getByRole("button", { name: "Test kernels" })).toBeDisabled();
      await running.getByRole("button", { name: "Stop" }).click();
      await expect(running).toBeHidden();
      await expect(page.getByRole("button", { name: "Test kernels" })).toBeEnabled();
    });
  });

  test("name a kernel that the model goes on without", async ({ app, page }) => {
    await app.openChat("instant,miscomputes-packed");
    await app.ask("Hello");
    await app.go("Diagnostics");
    await page.getByRole("button", { name: "Test kernels" }).click();
    await expect(page.getByText("1 of 5 kernels of the loaded model gives wrong results on this graphics card.")).toBeVisible();
    await expect(page.getByText("Integer math that this graphics card gets wrong is now off.")).toBeVisible();
  });
});

test("the models page tells what is in each model", async ({ app, page }) => {
  await app.open("instant", "/models");
  await page.getByRole("group").filter({ hasText: "Details gemma4:e2b" }).locator("summary").first().click();
  await expect(page.getByRole("table", { name: "Graphics memory by context" }).first()).toBeVisible();
  await expect(page.getByRole("cell", { name: "Q6_K" }).first()).toBeVisible();
  await expect(page.getByText("No models saved yet.")).toBeVisible();
  await expect(page.getByText(/The browser may delete saved models/)).toHaveCount(0);
  // Nor is there memory for experts where there are none.
  await expect(page.getByRole("spinbutton")).toHaveCount(0);
});

test("details stay open and in their place while they have the focus, and open when models change places", async ({ app, page }) => {
  await app.open("slow", "/models");
  const cards = page.locator(".model-card");
  await expect(cards.nth(3)).toContainText("pebble");
  const details = cards.filter({ hasText: "pebble" }).getByRole("group");
  const summary = details.locator("summary");
  await summary.focus();
  await summary.press("Enter");
  const table = details.getByRole("table", { name: "Graphics memory by context" });
  await expect(table).toBeVisible();
  await expect(cards.nth(2)).toContainText("Too large by 2.2 GB");
  await expect(summary).toBeFocused();
  await summary.blur();
  // It fits, and goes before one that doesn't.
  await expect(cards.nth(2)).toContainText("pebble");
  await expect(table).toBeVisible();
});
