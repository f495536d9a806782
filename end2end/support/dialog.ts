// A dialog that is asked for again before the browser has told of its closing.

import type { JSHandle, Locator } from "@playwright/test";
import { expect } from "./watch.ts";

/** Closes a dialog with `toggle`, opens it again before its close event, and returns once that event has been handled. */
export async function reopenBeforeCloseEvent(dialog: Locator, toggle: JSHandle<() => void>): Promise<void> {
  const closed = await dialog.evaluate(async (dialog: HTMLDialogElement, toggle) => {
    const handled = new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
    toggle();
    // Effects run in microtasks, the event in a task.
    for (let turns = 0; dialog.open && turns < 1000; turns += 1) {
      await Promise.resolve();
    }
    const closed = !dialog.open;
    toggle();
    await handled;
    return closed;
  }, toggle);
  expect(closed, "the dialog closes before its event").toBe(true);
}

/** Closes a dialog as Esc does, acts before its close event, and returns once that event has been handled. */
export async function closeByEscAndThen(dialog: Locator, act: () => void): Promise<void> {
  const page = dialog.page();
  const acting = await page.evaluateHandle(`(${act.toString()})`);
  await dialog.evaluate(async (dialog: HTMLDialogElement, act) => {
    const handled = new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
    // Fires the cancel event, closes the dialog, and leaves the close event to a later task.
    dialog.requestClose();
    // Effects run in microtasks.
    for (let turns = 0; turns < 1000; turns += 1) {
      await Promise.resolve();
    }
    (act as () => void)();
    await handled;
  }, acting);
}
