// Getting a model: the server downloads it, and the page tells how that goes.

import type { Page } from "@playwright/test";
import { faults } from "../../support/axe.ts";
import { listings } from "../../support/models.ts";
import { expect, test } from "../../support/watch.ts";

type Stage = string | Record<string, unknown>;

/** Plays the server's side. */
class Downloads {
  stage: Stage = "asking";
  name: string | undefined;
  id = 1;
  offered = true;
  refusal: Record<string, unknown> | undefined;
  /** Whether the server can't be reached. */
  gone = false;

  async serve(page: Page): Promise<void> {
    // Playwright sees nothing of what a packaged Firefox posts.
    await page.addInitScript(() => {
      const send = window.fetch.bind(window);
      window.fetch = (place, request) => {
        Reflect.set(window, "posted", request?.body);
        return send(place, request);
      };
    });
    const posted = () => page.evaluate(() => String(Reflect.get(window, "posted")));
    await page.route("**/api/pull", async (route) => {
      const request = route.request();
      if (this.gone) {
        return route.abort();
      }
      if (request.method() === "POST") {
        if (this.refusal) {
          return route.fulfill({ status: 409, json: this.refusal });
        }
        this.name = (JSON.parse(request.postData() ?? (await posted())) as { name: string }).name;
        this.stage = "asking";
        this.id += 1;
      } else if (request.method() === "DELETE") {
        this.stage = "stopped";
      }
      const pull = this.name === undefined ? null : { id: this.id, name: this.name, stage: this.stage };
      return route.fulfill({ json: { offered: this.offered, free: this.offered ? 52_300_000_000 : null, pull } });
    });
  }
}

const section = (page: Page) => page.getByRole("region", { name: "Get a model" });

test.describe("getting a model", () => {
  test("is downloaded, stopped, continued, and listed", async ({ app, page }) => {
    const downloads = new Downloads();
    await downloads.serve(page);
    await app.open("instant", "/models");
    await expect(section(page)).toContainText("52.3 GB free.");
    // What is listed need not be had.
    await expect(section(page).getByRole("listitem")).toHaveText([/^gemma4:12b about 7\.6 GB/, /^gemma4:26b about 18\.0 GB/]);
    await section(page).getByRole("button", { name: "Download gemma4:26b" }).click();
    const download = section(page).getByRole("region", { name: "Download" });
    await expect(download).toContainText("Asking the registry…");
    downloads.stage = { running: { done: 4_500_000_000, total: 18_000_000_000, waiting: null } };
    await expect(download).toContainText("4.5 of 18.0 GB");
    await expect(download.getByRole("progressbar")).toHaveAttribute("value", "25");
    await expect(section(page).getByRole("button", { name: "Download gemma4:26b" })).toBeDisabled();
    expect(await faults(page)).toEqual([]);
    downloads.stage = { running: { done: 4_500_000_000, total: 18_000_000_000, waiting: { code: { network: { host: "h.example" } }, english: "It broke." } } };
    await expect(download).toContainText("Waiting to try again: Couldn’t reach h.example.");
    await download.getByRole("button", { name: "Stop" }).click();
    await expect(download).toContainText("Stopped. You can continue the download at any time.");
    await expect(download.getByRole("progressbar")).toHaveCount(0);
    await download.getByRole("button", { name: "Continue" }).click();
    await expect(download).toContainText("Asking the registry…");
    downloads.stage = { checking: { done: 1_500_000_000, total: 4_500_000_000 } };
    await expect(download).toContainText("Checking what was downloaded before…");
    await expect(download).toContainText("1.5 of 4.5 GB");
    const before = await listings(page);
    downloads.stage = "done";
    await expect(download).toContainText("Downloaded. It’s in the list above.");
    await expect.poll(() => listings(page)).toBeGreaterThan(before);
  });

  test("says beforehand about how each model fits this device", async ({ app, page }) => {
    const downloads = new Downloads();
    await downloads.serve(page);
    // The simulated device has 8 GB.
    await app.open("instant,demo", "/models");
    const offer = (name: string) => section(page).getByRole("listitem").filter({ hasText: name });
    await expect(offer("gemma4:e2b")).toContainText("Fits: needs about 7.6 GB of graphics memory.");
    await expect(offer("gemma4:e4b")).toContainText("Tight fit: needs about 10.2 GB.");
    await expect(offer("gemma4:31b")).toContainText("Too large for this graphics card by about 13.2 GB.");
    expect(await faults(page)).toEqual([]);
    await app.open("instant,demo,no-webgpu", "/models");
    await expect(offer("gemma4:e2b")).toBeVisible();
    await expect(offer("gemma4:e2b")).not.toContainText("graphics memory.");
    await app.open("instant,demo,software", "/models");
    await expect(offer("gemma4:e2b")).toContainText("Too slow here: there’s no graphics card.");
  });

  test("says what goes wrong, and takes any name", async ({ app, page }) => {
    const downloads = new Downloads();
    await downloads.serve(page);
    await app.open("instant", "/models");
    const name = section(page).getByRole("textbox", { name: "Another model" });
    await name.fill("hf.co/unsloth/gemma-4-E2B-it-GGUF:Q4_K_M");
    await name.press("Enter");
    const download = section(page).getByRole("region", { name: "Download" });
    await expect(download).toContainText("hf.co/unsloth/gemma-4-E2B-it-GGUF:Q4_K_M");
    const room = { needed: 12_300_000_000, free: 4_000_000_000, folder: "~/models" };
    downloads.stage = { failed: { code: { no_room: room }, english: "Not enough disk space: about that much." } };
    await expect(download).toContainText("Not enough room on the server: 12.3 GB needed, 4.0 GB free in ~/models.");
    await expect(download.getByRole("button", { name: "Try again" })).toBeVisible();
    expect(await faults(page)).toEqual([]);
    // It stays for whoever began it, in the language of the page, until it is dismissed.
    await page.context().addCookies([{ name: "language", value: "de", url: page.url() }]);
    await page.reload();
    await expect(page.getByRole("main")).toContainText("Auf dem Server ist nicht genug Platz: 12,3 GB werden gebraucht");
    await page.context().clearCookies();
    await page.reload();
    await expect(download).toContainText("Not enough room on the server");
    await download.getByRole("button", { name: "Close" }).click();
    await expect(download).toHaveCount(0);
    await page.reload();
    await expect(section(page).getByRole("listitem")).not.toHaveCount(0);
    await expect(download).toHaveCount(0);
  });

  test("of somebody else is of no concern once it is over", async ({ app, page }) => {
    const downloads = new Downloads();
    const failed = { failed: { code: { network: { host: "h.example" } }, english: "It broke." } };
    Object.assign(downloads, { name: "gemma4:31b", stage: failed });
    await downloads.serve(page);
    await app.open("instant", "/models");
    await expect(section(page).getByRole("listitem")).not.toHaveCount(0);
    await expect(section(page).getByRole("region", { name: "Download" })).toHaveCount(0);
  });

  test("is seen by a page that opens later", async ({ app, page }) => {
    const downloads = new Downloads();
    Object.assign(downloads, { name: "gemma4:31b", stage: "joining" });
    await downloads.serve(page);
    await app.open("instant", "/models");
    await expect(section(page)).toContainText("Joining the parts of the model…");
    downloads.stage = "done";
    await expect(section(page)).toContainText("Downloaded.");
  });

  test("mends a listed model that is not whole", async ({ app, page }) => {
    const downloads = new Downloads();
    await downloads.serve(page);
    await app.openChat();
    await app.model.click();
    const picker = page.getByRole("dialog", { name: "Choose a model" });
    await expect(picker).toContainText("The model file is missing.");
    await expect(picker).not.toContainText("ollama pull");
    await picker.getByRole("button", { name: "Download gemma4:e2b-q8" }).click();
    await expect(picker).toBeHidden();
    await expect(section(page).getByRole("region", { name: "Download" })).toContainText("gemma4:e2b-q8");
    expect(downloads.name).toBe("gemma4:e2b-q8");
  });

  test("is offered where there is only the demo model, and nowhere if the server does not", async ({ app, page }) => {
    const downloads = new Downloads();
    await downloads.serve(page);
    await app.open("instant,demo");
    await page.getByRole("main").getByRole("link", { name: "Get a model" }).click();
    await expect(section(page).getByRole("listitem")).toHaveCount(5);
    downloads.offered = false;
    await page.getByRole("button", { name: "Refresh" }).click();
    await expect(section(page)).toHaveCount(0);
  });

  test.describe("without the server", () => {
    // The browser itself logs that.
    test.use({ expectedError: /Failed to load resource/ });

    test("stays in sight, and goes on when the server is back", async ({ app, page }) => {
      const downloads = new Downloads();
      const running = (done: number) => ({ running: { done, total: 18_000_000_000, waiting: null } });
      Object.assign(downloads, { name: "gemma4:26b", stage: running(4_500_000_000) });
      await downloads.serve(page);
      await app.open("instant", "/models");
      const download = section(page).getByRole("region", { name: "Download" });
      await expect(download).toContainText("4.5 of 18.0 GB");
      downloads.gone = true;
      await expect(download).toContainText("Connection lost; trying again.");
      await expect(download).toContainText("4.5 of 18.0 GB");
      await download.getByRole("button", { name: "Stop" }).click();
      await expect(section(page).getByRole("alert")).toBeVisible();
      downloads.gone = false;
      downloads.stage = running(9_000_000_000);
      await expect(download).toContainText("9.0 of 18.0 GB");
      await expect(download).not.toContainText("Connection lost");
      await expect(section(page).getByRole("alert")).toHaveCount(0);
    });
  });

  test.describe("a refusal", () => {
    // The browser itself logs the status.
    test.use({ expectedError: /status of 409/ });

    test("is shown until it is closed, also one that this page doesn't know", async ({ app, page }) => {
      const downloads = new Downloads();
      downloads.refusal = { code: { busy: { model: "gemma4:e2b" } }, english: "It is busy." };
      await downloads.serve(page);
      await app.open("instant", "/models");
      const download = section(page).getByRole("button", { name: "Download gemma4:26b" });
      await download.click();
      const alert = section(page).getByRole("alert");
      await expect(alert).toContainText("gemma4:e2b is being downloaded. Wait until it’s done, or stop it.");
      await alert.getByRole("button", { name: "Close" }).click();
      await expect(alert).toHaveCount(0);
      downloads.refusal = { code: "stolen", english: "It was stolen." };
      await download.click();
      await expect(alert).toContainText("It was stolen.");
    });
  });
});
