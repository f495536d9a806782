// Dictation, conversations by voice and transcripts.

import { readFileSync } from "node:fs";
import { faults } from "../../support/axe.ts";
import { pressOn } from "../../support/keys.ts";
import { giveMicrophone, speech } from "../../support/speech.ts";
import { giveVoices, hold } from "../../support/voices.ts";
import { expect, test } from "../../support/watch.ts";

test.skip(({ browserName }) => browserName !== "chromium", "only Chromium has a microphone for tests");
test.beforeEach(({ page }) => giveMicrophone(page));

test("speech is dictated into the field, and neither sent nor stored as sound", async ({ app, page }) => {
  await app.openChat();
  await app.ask("Hello");
  await app.composer.fill("Note:");
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await pressOn(page, page.getByRole("button", { name: "Dictate", exact: true }));
  const bar = page.getByRole("group", { name: "Dictate" });
  await expect(bar).toContainText("Listening");
  await expect(page.getByText("Stop dictating to send.")).toBeVisible();
  // The text appears while somebody speaks.
  await expect(app.composer).toHaveValue(/^Note: This is sentence 1 of the recording\./);
  await expect(bar).toBeVisible();
  expect(await faults(page)).toEqual([]);
  await app.composer.focus();
  await page.keyboard.press("Escape");
  await expect(bar).toBeHidden();
  await expect(app.questions).toHaveCount(1);
  await expect(app.tray).toBeHidden();
  // The microphone's own program is kept by the browser with the page.
  expect(asked.filter((url) => !/\/recorder\.|^blob:/.test(url))).toEqual([]);
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await app.answered();
  await expect(app.questions.last()).toContainText("Note: This is sentence 1");
});

test("a conversation by voice: what is said is sent, the answer is spoken, and who talks over it stops it", async ({ app, page }) => {
  await giveVoices(page);
  await app.openChat();
  await app.ask("Hello");
  await hold(page);
  await page.getByRole("button", { name: "Voice conversation" }).click();
  const dialog = page.getByRole("dialog", { name: "Voice conversation" });
  await expect(dialog).toContainText("Listening");
  // The answer is spoken, and shown for those who don't hear it.
  await page.waitForFunction(() => window.voices.now !== undefined);
  await expect(dialog.locator(".talk-sentence")).not.toBeEmpty();
  const hushed = await page.evaluate(() => window.voices.hushed);
  // The microphone goes on to speak: the voice stops.
  await page.waitForFunction((hushed) => window.voices.hushed > hushed, hushed);
  expect(await faults(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(app.questions.last().getByRole("button", { name: "Play Recording" })).toBeVisible();
});

test("a recording is written down with times, as text and as subtitles", async ({ app, page }) => {
  await app.openChat();
  await app.ask("Hello");
  await app.attach({ name: "talk.wav", mimeType: "audio/wav", buffer: speech });
  await app.tray.getByRole("button", { name: "Transcribe talk.wav" }).click();
  const dialog = page.getByRole("dialog", { name: "Transcript" });
  await expect(dialog.getByRole("listitem").first()).toContainText("This is sentence 1 of the recording.");
  await expect(dialog.locator(".waiting")).toBeHidden();
  expect(await faults(page)).toEqual([]);
  for (const [format, pattern] of [
    ["TXT", /^This is sentence 1 of the recording\.\n/],
    ["SRT", /^1\n00:00:0\d,\d{3} --> 00:00:0\d,\d{3}\nThis is sentence 1 of the recording\.\n/],
    ["VTT", /^WEBVTT\n\n00:00:0\d\.\d{3} --> /],
  ] as const) {
    const download = page.waitForEvent("download");
    await dialog.getByRole("button", { name: `Download as ${format}` }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe(`talk.${format.toLowerCase()}`);
    expect(readFileSync(await file.path(), "utf8")).toMatch(pattern);
  }
  await page.keyboard.press("Escape");
  await expect(app.questions).toHaveCount(1);
});

test("a model that hears nothing says what is needed", async ({ app, page }) => {
  await app.openChat("instant,text-only");
  await page.getByRole("button", { name: /^Dictate\. / }).click({ force: true });
  await expect(page.getByText(/ only takes text\. Choose a model that supports images or audio\./).first()).toBeVisible();
});
