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

/** Has IndexedDB open nothing in a page, which is loaded after this, until the function that this returns is called. */
export async function withholdStore(page: Page): Promise<() => Promise<void>> {
  await page.addInitScript(() => {
    const handler = Object.getOwnPropertyDescriptor(IDBRequest.prototype, "onsuccess");
    const released = new Promise<void>((resolve) => addEventListener("release-store", () => resolve()));
    Object.defineProperty(IDBRequest.prototype, "onsuccess", {
      ...handler,
      set(this: IDBRequest, listen: ((event: Event) => void) | null) {
        const later = (event: Event) => void released.then(() => listen?.(event));
        handler?.set?.call(this, listen && this instanceof IDBOpenDBRequest ? later : listen);
      },
    });
  });
  return () => page.evaluate(() => void dispatchEvent(new Event("release-store")));
}

/** Keeps a page that is loaded after this from reading files until the returned function is called, and again after `withholdAgain`. */
export async function withholdReading(page: Page): Promise<() => Promise<void>> {
  await page.addInitScript(() => {
    const read = Blob.prototype.arrayBuffer;
    let released: Promise<unknown>;
    const hold = () => (released = new Promise((resolve) => addEventListener("read-on", resolve, { once: true })));
    addEventListener("withhold-again", hold);
    hold();
    Blob.prototype.arrayBuffer = async function () {
      await released;
      return read.call(this);
    };
  });
  return () => page.evaluate(() => void dispatchEvent(new Event("read-on")));
}

/** Keeps such a page from reading files again, until it is released once more. */
export const withholdAgain = (page: Page): Promise<void> => page.evaluate(() => void dispatchEvent(new Event("withhold-again")));
