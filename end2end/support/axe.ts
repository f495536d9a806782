// What axe finds wrong with a page.

import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "@playwright/test";

/** The rules that look at colours. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];

/** What is wrong with the page as it is, in words; of the colours alone, if wanted. */
export async function faults(page: Page, { colours = false } = {}): Promise<string[]> {
  const axe = new AxeBuilder({ page });
  const { violations } = await (colours ? axe.withRules(OF_COLOURS) : axe).analyze();
  return violations.flatMap(({ id, help, nodes }) => {
    // Which levels of headings an answer uses, and in which order, is the model's to choose.
    const byModel = (html: string) => id === "heading-order" && html.includes('class="heading-');
    // While an answer grows, axe can report a node that has been replaced since. Its only selector is then the root's.
    const replaced = (html: string, target: string) => target === ":root" && !html.startsWith("<html");
    const ours = nodes.filter(({ html, target }) => !byModel(html) && !replaced(html, target.join(" ")));
    return ours.map(({ target }) => `${id}: ${help}: ${target.join(" ")}`);
  });
}
