// What axe finds wrong with a page.

import type { Page } from "@playwright/test";
import axe, { type RunOptions } from "axe-core";

/** The rules that look at colours. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];

/** A fault, as far as it is told. */
interface Fault {
  id: string;
  help: string;
  nodes: { html: string; target: string[] }[];
}

/**
 * Runs axe in a page that has no frames that are seen. The package for Playwright gives it to the page anew each time and puts the results
 * together in a page that it opens for that, which takes three times as long.
 */
async function violations(page: Page, options: RunOptions): Promise<Fault[]> {
  const seen = await page.evaluate(() => [...document.querySelectorAll("iframe")].some((it) => it.checkVisibility()));
  if (seen) {
    throw new Error("axe would not look into frames");
  }
  if (!(await page.evaluate(() => "axe" in globalThis))) {
    await page.evaluate(axe.source);
  }
  return page.evaluate(async (options) => {
    const { axe } = globalThis as unknown as { axe: { run(of: Document, options: object): Promise<{ violations: Fault[] }> } };
    const { violations } = await axe.run(document, { ...options, iframes: false });
    return violations.map(({ id, help, nodes }) => ({
      id,
      help,
      nodes: nodes.map(({ html, target }) => ({ html, target: target.flat() })),
    }));
  }, options);
}

/** Fields that pick files, where a screen reader finds them: each has a button of its own that is pressed for it. */
const pickers = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const all = [...document.querySelectorAll<HTMLElement>('input[type="file"]')];
    return all.filter((it) => it.checkVisibility()).map((it) => `a second button: ${it.ariaLabel}`);
  });

/** What is wrong with the page as it is, in words; of the colours alone, if wanted. */
export async function faults(page: Page, { colours = false } = {}): Promise<string[]> {
  // Of what is right only that it is: no elements.
  const found = await violations(page, { resultTypes: ["violations"], ...(colours ? { runOnly: OF_COLOURS } : {}) });
  const ours = found.flatMap(({ id, help, nodes }) => {
    // Which levels of headings an answer uses, and in which order, is the model's to choose.
    const byModel = (html: string) => id === "heading-order" && html.includes('class="heading-');
    // While an answer grows, axe can report a node that has been replaced since. Its only selector is then the root's.
    const replaced = (html: string, target: string) => target === ":root" && !html.startsWith("<html");
    const left = nodes.filter(({ html, target }) => !byModel(html) && !replaced(html, target.join(" ")));
    return left.map(({ target }) => `${id}: ${help}: ${target.join(" ")}`);
  });
  return colours ? ours : [...ours, ...(await pickers(page))];
}
