// Where things are on the page.

import type { Page } from "@playwright/test";

/**
 * What reaches beyond an edge of the view and cannot be scrolled to within a part of the page, and large parts of the page that
 * scroll sideways.
 */
export const cutOff = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const isWithin = (element: Element) => {
      const { left, right } = element.getBoundingClientRect();
      return left >= -1 && right <= innerWidth + 1;
    };
    const contained = (element: Element) => {
      for (let it = element.parentElement; it && it !== document.body; it = it.parentElement) {
        if (getComputedStyle(it).overflowX !== "visible") return isWithin(it);
      }
      return false;
    };
    return [...document.body.querySelectorAll("*")]
      .filter((element) => element.checkVisibility() && element.getBoundingClientRect().width > 1)
      .filter((element) => !isWithin(element) && !contained(element))
      .map((element) => `${element.tagName.toLowerCase()}.${element.getAttribute("class")}`)
      .concat(document.documentElement.scrollWidth > innerWidth ? ["the document"] : [])
      .concat(
        [...document.querySelectorAll("#main, #main > *, .log, dialog[open], dialog[open] > *")]
          .filter((part) => part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 1)
          .map((part) => `${part.tagName.toLowerCase()}.${part.getAttribute("class")} scrolls sideways`),
      );
  });

/** Buttons and the like whose words don't fit into them. */
export const cramped = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>("button, a, summary, label, h1, h2, h3, select")]
      .filter((element) => element.checkVisibility() && element.clientWidth > 1)
      .filter((element) => element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).textOverflow !== "ellipsis")
      .filter((element) => getComputedStyle(element).display !== "inline")
      .map((element) => `${element.className}: ${element.innerText}`),
  );
