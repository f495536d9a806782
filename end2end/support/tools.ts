// Tools of a conversation.

import { expect, type Locator } from "@playwright/test";
import type { App } from "./app.ts";

/** Switches tools on in the drawer, and closes it. */
export async function switchOn(app: App, ...names: string[]): Promise<void> {
  await app.openDrawer();
  for (const name of names) {
    await app.drawer.getByRole("switch", { name }).check();
  }
  await app.page.keyboard.press("Escape");
  await expect(app.drawer).toBeHidden();
}

/** The card of a call, by its place. */
export const card = (answer: Locator, place: number): Locator =>
  answer.getByRole("region", { name: "Tools used" }).locator("details.call").nth(place);

/** A message upon which the simulated engine runs these programs. */
export const code = (...programs: string[]): string => programs.map((code) => `call run_javascript ${JSON.stringify({ code })}`).join(" ");
