import type { Page } from "@playwright/test";

/** Withholds what a page asks for at an address, until the function that this returns is called. */
export async function withhold(page: Page, address: RegExp): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(address, async (route) => {
    await released;
    await route.continue();
  });
  return () => release();
}
