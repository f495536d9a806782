// Files of conversations, for what the fake engine does not say.

import { expect } from "@playwright/test";
import type { App } from "./app.ts";

/** Who speaks, and what is said. */
export type Said = ["user" | "assistant", string];

/** A conversation as an export has it: one message after another. */
export function archive(title: string, messages: Said[]): string {
  const nodes = messages.map(([role, text], at) => [
    at + 1,
    {
      parent: at === 0 ? null : at,
      children: at + 1 < messages.length ? [at + 2] : [],
      active: at + 1 < messages.length ? at + 2 : null,
      message: { role, text, created: 1, ...(role === "assistant" ? { model: "pebble", finish: "EndOfTurn" } : {}) },
    },
  ]);
  const conversation = {
    id: "0123456789abcdef0123456789abcdef",
    title,
    created: 1,
    updated: 2,
    nodes: Object.fromEntries(nodes),
    roots: [1],
    active_root: 1,
    next: messages.length + 1,
  };
  return JSON.stringify({ format: "gemtab-history", version: 1, conversations: [conversation] });
}

/** Imports a file of conversations, by its path or with its text. */
export async function importFile({ page }: App, file: string | { text: string }): Promise<void> {
  await page.getByRole("button", { name: "Organize conversations" }).click();
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("menuitem", { name: "Import…" }).click();
  const text = (text: string) => ({ name: "conversation.json", mimeType: "application/json", buffer: Buffer.from(text) });
  await (await chooser).setFiles(typeof file === "string" ? file : text(file.text));
}

/** Imports a conversation and opens it. */
export async function openArchive(app: App, title: string, messages: Said[]): Promise<void> {
  const { page } = app;
  await importFile(app, { text: archive(title, messages) });
  await app.conversation(title).click();
  await page.getByRole("article").last().waitFor();
  // The notice would cover part of a screenshot, or vanish between two. A dispatched click leaves the pointer where it is.
  await page.getByRole("region", { name: "Notifications" }).getByRole("button", { name: "Close" }).dispatchEvent("click");
  await expect(page.getByRole("region", { name: "Notifications" })).toHaveCount(0);
}
