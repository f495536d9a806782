// Going through a page by its keys.

import { expect, type Locator, type Page } from "@playwright/test";

/** Most presses of Tab from one end of a page to the other, and once around. */
const MOST = 120;

interface Way {
  /** Against the order of the page. */
  back?: boolean;
  /** What is pressed there. */
  key?: string;
}

/** Goes on by Tab until an element has the focus, which then can be seen. */
export async function tabTo(page: Page, element: Locator, { back = false }: Way = {}): Promise<void> {
  await element.waitFor();
  for (let press = 0; press < MOST; press += 1) {
    if (await element.evaluateAll((all) => all.length === 1 && all[0] === document.activeElement)) {
      await expect(element).toBeInViewport();
      return;
    }
    await page.keyboard.press(back ? "Shift+Tab" : "Tab");
  }
  throw new Error(`${element} was not reached by Tab`);
}

/** Goes to an element by Tab and presses a key on it. */
export async function pressOn(page: Page, element: Locator, way: Way = {}): Promise<void> {
  await tabTo(page, element, way);
  await page.keyboard.press(way.key ?? "Enter");
}
