// Weights that the browser has saved, and how long it keeps them.

import type { Page } from "@playwright/test";
import { faults } from "../../support/axe.ts";
import { expect, test } from "../../support/watch.ts";

const SAFARI =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15";
const CHROME_ON_IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0.0.0 Mobile/15E148 Safari/604.1";

const MAY = "The browser may delete saved models when it runs out of space.";
const WEEK = "This browser also deletes them after seven days without a visit";

const section = (page: Page) => page.locator("section").filter({ has: page.getByRole("heading", { name: "Saved in this browser" }) });

test("a browser that has promised nothing may delete saved models when space is short", async ({ app, page }) => {
  await app.open("instant,saved", "/models");
  await expect(section(page)).toContainText(MAY);
  await expect(section(page).getByRole("rowheader", { name: "gemma4:saved" })).toBeVisible();
  await expect(section(page)).not.toContainText(WEEK);
});

for (const [name, userAgent] of [["Safari", SAFARI], ["a browser on an iPhone", CHROME_ON_IPHONE]] as const) {
  test.describe(name, () => {
    test.use({ userAgent });

    test("deletes saved models after seven days, which is said, unless it has promised or the page is installed", async ({ app, page }) => {
      await app.open("instant,saved", "/models");
      await expect(section(page)).toContainText(WEEK);
      expect(await faults(page)).toEqual([]);
      await app.open("instant,promised", "/models");
      await expect(section(page)).toContainText("Saved models stay until you delete them.");
      await expect(section(page)).not.toContainText(WEEK);
      // On the Home Screen or in the Dock.
      await page.addInitScript(() => {
        const match = window.matchMedia.bind(window);
        window.matchMedia = (query) => match(query === "(display-mode: standalone)" ? "all" : query);
      });
      await app.open("instant,saved", "/models");
      await expect(section(page)).toContainText(MAY);
      await expect(section(page)).not.toContainText(WEEK);
    });
  });
}
