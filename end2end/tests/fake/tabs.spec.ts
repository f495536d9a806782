// What one tab does to another. The engine here is the real one as far as it needs no graphics device.

import { App } from "../../support/app.ts";
import { expect, test } from "../../support/watch.ts";

test("the worker knows of a training in another tab", async ({ context, page }) => {
  await page.goto("/favicon.svg");
  // As the worker of a tab that trains.
  const locked = await page.evaluate(
    () =>
      new Promise<boolean>((resolve) => {
        void navigator.locks.request("gemtab-training", () => {
          resolve(true);
          return new Promise((release) => Object.assign(globalThis, { release }));
        });
      }),
  );
  expect(locked).toBe(true);
  const other = await context.newPage();
  await other.goto("/tune");
  await expect(other.getByText("Another tab is training.", { exact: true })).toBeVisible();
  await page.evaluate(() => (globalThis as unknown as { release(): void }).release());
  await other.getByRole("button", { name: "Check again" }).click();
  await expect(other.getByText("Another tab is training.", { exact: true })).toHaveCount(0);
});

test("what the simulated engine says is not among a person's conversations", async ({ app, page }) => {
  await app.openChat("instant,demo");
  await app.ask("First matter");
  await app.kept("as wide.");
  await page.goto("/");
  const own = new App(page);
  await expect(own.rail.getByText("Your conversations will appear here.")).toBeVisible();
  await expect(own.conversation("First matter")).toHaveCount(0);
});
