// What must hold in every language: that all is translated, that it fits a phone, and that lines run its way.

import type { Page } from "@playwright/test";
import { faults } from "../../support/axe.ts";
import { EMULATES_MEDIA } from "../../support/firefox.ts";
import { cramped, cutOff } from "../../support/layout.ts";
import { expect, test } from "../../support/watch.ts";

const LANGUAGES = ["ar", "de", "es", "zh"];

/** What a model, a person or a file has said. */
const OTHERS =
  "code, pre, kbd, script, noscript, svg, .fake-note, .boot-note, .log .says, .bubble, [lang]:not(html), .questions, .rail-title, .live, [aria-live], .pairs dd";

/** Names, and words that other languages have from English. */
const SAME =
  /^(gemtab|example|fake|Fake graphics device|gemma4.*|pebble|hf\.co.*|max[A-Z].*|subgroups|timestamp-query|Hello|Alpha|Details|Dropout|Engine|Kernels|Keys|Demo|Name|Presets|Prompts?|Prompt 1|Queries|Tokens|Values|Warm-up)$/;

/** What people read or hear on the page, as it is drawn now, if it has Latin letters. */
const words = (page: Page) =>
  page.evaluate((others) => {
    const said: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode())
      if (!node.parentElement?.closest(others)) said.push(node.textContent?.trim() ?? "");
    for (const name of ["aria-label", "title", "placeholder", "aria-valuetext"])
      for (const element of document.querySelectorAll(`[${name}]`))
        if (!element.closest(others)) said.push(element.getAttribute(name) ?? "");
    return said.filter((text) => /[a-z]{3}/i.test(text));
  }, OTHERS);

/** Opens a path in a language. */
async function open(page: Page, language: string, path: string): Promise<void> {
  await page.context().addCookies([{ name: "language", value: language, url: new URL(page.url()).origin }]);
  await page.goto(`${path}?fake=instant`);
  await expect(page.locator("html")).toHaveAttribute("lang", language);
  await expect(page.locator("html")).toHaveAttribute("data-boot", "done");
  await expect(page.locator(".fake-note")).toBeVisible();
}

/** Goes through the page in a language. `see` is told where it is. */
async function tour(page: Page, language: string, see: (place: string) => Promise<void>): Promise<void> {
  const dialogs = page.locator("dialog[open]");
  for (const path of ["/models", "/settings", "/tune", "/diagnostics", "/"]) {
    await open(page, language, path);
    await see(path);
  }
  await page.locator("#composer").fill("Hello");
  await page.locator("#composer").press("Enter");
  await expect(page.getByRole("article").last()).toHaveAttribute("aria-busy", "false");
  await see("an answer");
  for (const key of ["Control+k", "?"]) {
    await page.locator("#composer").blur();
    await page.keyboard.press(key);
    await expect(dialogs).toHaveCount(1);
    await see(key);
    await page.keyboard.press("Escape");
    await expect(dialogs).toHaveCount(0);
  }
}

test("every language is complete and fits a phone", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto("/?fake=instant");
  const english = new Map<string, Set<string>>();
  await tour(page, "en", async (place) => void english.set(place, new Set(await words(page))));
  expect(english.get("/settings")?.size).toBeGreaterThan(20);
  for (const language of LANGUAGES) {
    await tour(page, language, async (place) => {
      const at = `${language}, ${place}`;
      expect.soft(await cutOff(page), at).toEqual([]);
      expect.soft(await cramped(page), at).toEqual([]);
      const same = (await words(page)).filter((text) => english.get(place)?.has(text) && !SAME.test(text));
      expect.soft(same, at).toEqual([]);
    });
  }
});

test("Arabic runs from right to left", { tag: EMULATES_MEDIA }, async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto("/?fake=instant");
  await open(page, "ar", "/");
  const middle = async (selector: string) => {
    const box = await page.locator(selector).first().boundingBox();
    return box ? box.x + box.width / 2 : Number.NaN;
  };
  await expect(page.locator("html")).toHaveAttribute("dir", "rtl");
  expect(await middle(".rail")).toBeGreaterThan(640);
  // English code within stays as it is.
  await page.locator("#composer").fill("Show me everything");
  await page.locator("#composer").press("Enter");
  await expect(page.getByRole("article").last()).toHaveAttribute("aria-busy", "false");
  await expect(page.locator(".log pre").first()).toHaveCSS("direction", "ltr");
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await faults(page)).toEqual([]);
  }
  // The other languages' words are here: choosing one asks nobody.
  await open(page, "ar", "/settings");
  await page.locator("#language").selectOption("es");
  await expect(page.locator("html")).toHaveAttribute("dir", "ltr");
  expect(await middle(".rail")).toBeLessThan(640);
});
