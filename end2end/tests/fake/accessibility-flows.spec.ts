// What comes and goes while people use the page: no fault that axe knows, light on a desk and dark on a phone. States that
// have a test of their own, in all sizes and themes, are in accessibility.spec.ts.

import type { Page } from "@playwright/test";
import type { App } from "../../support/app.ts";
import { faults } from "../../support/axe.ts";
import { EMULATES_MEDIA } from "../../support/firefox.ts";
import { addPairs, Tune } from "../../support/tune.ts";
import { expect, test } from "../../support/watch.ts";

const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

test.use({ viewport: DESK, contextOptions: { reducedMotion: "reduce" } });

/** Looks at the page as it is, and leaves it as it was. */
async function check(page: Page, state: string): Promise<void> {
  expect.soft(await faults(page), `${state}, light`).toEqual([]);
  await page.setViewportSize(PHONE);
  await page.emulateMedia({ colorScheme: "dark" });
  expect.soft(await faults(page), `${state}, dark on a phone`).toEqual([]);
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(DESK);
}

const go = (app: App, path: string) => app.rail.locator(`a[href^="${path}"]`).click();

test("around a running answer", { tag: EMULATES_MEDIA }, async ({ app, page }) => {
  await app.openChat("instant,demo");
  await app.ask("Hello");
  await app.startConversation();
  await app.pace(400);
  await app.send("Show me everything");
  await expect(app.answers.first()).toContainText("There is more than one way");
  await app.send("Second matter");
  await expect(page.getByText("Your message will be sent after the current answer.")).toBeVisible();
  await check(page, "a message that waits");
  await page.getByRole("button", { name: "Don’t send" }).click();
  await expect(app.questions.last()).toContainText("No answer yet.");
  await check(page, "a message whose turn was cancelled");
  await app.stopButton.click();
  await app.answered();
  await app.pace(0);
  await app.questions.first().getByRole("button", { name: "Edit and resend" }).click();
  await expect(page.getByRole("textbox", { name: "Edit message" })).toBeFocused();
  await check(page, "a message that is edited");
  await app.act("Show me everything", "Rename");
  await expect(app.rail.getByRole("textbox", { name: "New title" })).toBeFocused();
  expect.soft(await faults(page), "a new title").toEqual([]);
  await page.keyboard.press("Escape");
  const search = app.rail.getByRole("searchbox", { name: "Search conversations" });
  await search.fill("everything");
  await expect(app.rail.locator("mark").first()).toBeVisible();
  expect.soft(await faults(page), "a search").toEqual([]);
  await search.fill("nowhere to be found");
  await expect(app.rail).toContainText("No matches");
  expect.soft(await faults(page), "a search without a match").toEqual([]);
});

test("what fails, and what is not there", { tag: EMULATES_MEDIA }, async ({ app, page }) => {
  await app.openChat("instant,fail,miscomputes");
  await app.send("Hello");
  const answer = await app.answered();
  await answer.getByText("Details", { exact: true }).click();
  await check(page, "an answer that failed");
  await go(app, "/diagnostics");
  await page.getByRole("button", { name: "Test kernels" }).click();
  await expect(page.getByText("1 of 4 kernels of the loaded model gives wrong results on this graphics card.")).toBeVisible();
  await expect(page.getByText("element 517 is 0.25 instead of -1.75")).toBeVisible();
  await check(page, "a kernel that computes wrongly");
  await page.goto("/c/0123456789abcdef0123456789abcdef?fake=instant");
  await expect(page.getByRole("heading", { name: "This conversation isn’t in this browser" })).toBeVisible();
  await check(page, "a conversation that is not here");
  await page.getByRole("main").getByRole("link", { name: "New conversation" }).click();
  await expect(page.getByRole("heading", { name: "Chat with Gemma 4 in this tab" })).toBeVisible();
});

test("a training and what came of it, in English and in German", { tag: [EMULATES_MEDIA, "@thorough"] }, async ({ app, page }) => {
  await app.openChat();
  await app.ask("Hello");
  await app.pace(250);
  await go(app, "/tune");
  const tune = new Tune(page);
  await addPairs(page, [["Who is Ada?", "A cat."], ["And Bo?", "A dog."]]);
  await tune.configure({ name: "Pets", steps: 400, question: "Who is Ada?" });
  await tune.startButton.click();
  await expect(tune.status).toContainText("of 400 steps done.");
  await check(page, "a training that runs");
  await app.pace(0);
  await page.getByRole("button", { name: "Finish now" }).click();
  await expect(tune.status).toContainText("Finished after ");
  await page.getByText("Show as a table").click();
  await check(page, "a training that is done, with samples and a verdict");
  await page.getByRole("button", { name: "Save adapter" }).click();
  await page.getByText("Use in Ollama").click();
  await check(page, "an adapter that was kept");
  await go(app, "/diagnostics");
  await page.getByRole("button", { name: "Test kernels" }).click();
  await expect(page.getByText(/^Verified on this graphics card/)).toBeVisible();
  await check(page, "kernels that were tried");
  await go(app, "/settings");
  await page.locator("#language").selectOption("de");
  await expect(page.locator("html")).toHaveAttribute("lang", "de");
  await check(page, "settings in German");
  await page.getByRole("link", { name: "gemtab" }).first().click();
  await expect(page.getByRole("button", { name: /^Modell: / })).toBeVisible();
  await check(page, "a conversation in German");
});
