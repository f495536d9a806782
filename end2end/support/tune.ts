// The page of fine-tuning, by role and name.

import { expect, type Locator, type Page } from "@playwright/test";

export class Tune {
  readonly page: Page;
  readonly startButton: Locator;
  /** Why a training can't start. */
  readonly reason: Locator;
  readonly status: Locator;
  readonly progress: Locator;

  constructor(page: Page) {
    this.page = page;
    this.startButton = page.getByRole("button", { name: "Start training" });
    this.reason = page.locator("#tune-reason");
    this.status = page.locator("#tune-status");
    this.progress = page.getByRole("progressbar", { name: "Training progress" });
  }

  /** A figure of the plan. */
  fact(name: string): Locator {
    return this.page.locator("dl.pairs > div").filter({ has: this.page.getByText(name, { exact: true }) }).locator("dd");
  }

  /** The field of a curve. */
  plot(title: string): Locator {
    return this.page.getByRole("img", { name: new RegExp(`^${title}\\.`) });
  }

  /** Pauses the training as soon as so many steps are done: a test that asked for that from outside might come after the last one. */
  async pauseAfter(steps: number): Promise<void> {
    const pause = this.page.getByRole("button", { name: "Pause" });
    await pause.evaluate(
      (pause: HTMLElement, { bar, steps }) =>
        new Promise<void>((resolve) => {
          const look = () => {
            if (bar instanceof HTMLProgressElement && bar.value >= steps) {
              observer.disconnect();
              pause.click();
              resolve();
            }
          };
          const observer = new MutationObserver(look);
          observer.observe(document.body, { attributes: true, subtree: true });
          look();
        }),
      { bar: await this.progress.elementHandle(), steps },
    );
  }

  /** Fills the settings in that matter. */
  async configure(wanted: { name?: string; steps?: number; question?: string }): Promise<void> {
    const section = this.page.getByRole("region", { name: "2. Settings" });
    if (wanted.name !== undefined) {
      await section.getByRole("textbox", { name: "Name" }).fill(wanted.name);
    }
    if (wanted.question !== undefined) {
      await section.getByRole("textbox", { name: "Test prompt" }).fill(wanted.question);
    }
    if (wanted.steps !== undefined) {
      await section.getByRole("combobox", { name: "Duration" }).selectOption("steps");
      await section.getByRole("spinbutton", { name: "How many" }).fill(String(wanted.steps));
    }
    await this.page.keyboard.press("Tab");
    if (wanted.steps !== undefined) {
      await expect(this.fact("Training")).toContainText(`${wanted.steps} steps`);
    }
    await expect(this.startButton).toBeEnabled();
  }
}

/** Writes questions and answers into the table. */
export async function addPairs(page: Page, pairs: readonly (readonly [string, string])[]): Promise<void> {
  for (const [index, [ask, answer]] of pairs.entries()) {
    if (index > 0) {
      await page.getByRole("button", { name: "Add example" }).click();
    }
    await page.getByRole("textbox", { name: `Prompt ${index + 1}` }).fill(ask);
    await page.getByRole("textbox", { name: `Ideal answer ${index + 1}` }).fill(answer);
  }
}
