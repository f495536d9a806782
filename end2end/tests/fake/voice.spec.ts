// Reading aloud, with voices that the test gives.

import { faults } from "../../support/axe.ts";
import { endSentence, giveVoices, hold, said, speaking } from "../../support/voices.ts";
import { expect, test } from "../../support/watch.ts";

test("an answer is read sentence by sentence, without code, tables and formulas, paused and stopped", async ({ app, page }) => {
  await giveVoices(page);
  await app.openChat();
  const answer = await app.ask("Show me everything");
  const bar = page.getByRole("group", { name: "Reading aloud" });
  await answer.getByRole("button", { name: "Read aloud" }).click();
  const last = async () => (await said(page)).at(-1)?.text;
  await expect.poll(last).toBe("So four times the distance takes eight times as long.");
  await expect(bar).toBeHidden();
  const spoken = await said(page);
  expect(spoken.map(({ text }) => text).join("\n")).not.toMatch(/[|$`*#{}]|fn |sqrt/);
  expect(spoken.map(({ text }) => text)).toEqual(
    expect.arrayContaining(["Gladly.", "Read the header of the file.", "Code block.", "Table.", "formula", "Nothing leaves this tab."]),
  );
  expect(new Set(spoken.map(({ voice }) => voice))).toEqual(new Set(["Anna"]));

  await hold(page);
  await answer.getByRole("button", { name: "Read aloud" }).click();
  await endSentence(page);
  await expect.poll(async () => (await said(page)).length).toBe(spoken.length + 2);
  expect(await faults(page)).toEqual([]);
  // A pause ends the sentence; going on begins it again.
  await bar.getByRole("button", { name: "Pause reading" }).click();
  await expect(bar).toContainText("Paused");
  await bar.getByRole("button", { name: "Resume reading" }).click();
  await expect.poll(async () => (await said(page)).length).toBe(spoken.length + 3);
  const [before, again] = (await said(page)).slice(-2);
  expect(again?.text).toBe(before?.text);
  await app.composer.focus();
  await page.keyboard.press("Escape");
  await expect(bar).toBeHidden();
  await expect(answer.getByRole("button", { name: "Read aloud" })).toBeVisible();
});

test("sentences are spoken while the answer is written, in the chosen voice, and one tab at a time", async ({ app, page, context }) => {
  await giveVoices(page);
  await app.open("usual", "/settings");
  const voice = page.getByRole("combobox", { name: "Voice" });
  await expect(voice.getByRole("option")).toHaveText(["Default for the text’s language", /Anna/, /Karl/]);
  await expect(page.getByText("1 voice that sends text off this device is left out.")).toBeVisible();
  await page.getByRole("switch", { name: "Read answers aloud" }).check();
  await voice.selectOption({ label: "en-US: Anna" });
  await page.getByRole("spinbutton", { name: "Speed" }).fill("1.5");
  await page.keyboard.press("Tab");
  expect(await faults(page)).toEqual([]);
  await app.rail.getByRole("button", { name: "New", exact: true }).click();
  await app.send("A long answer, please");
  await expect.poll(async () => (await said(page)).length).toBeGreaterThan(2);
  // It is far from its end.
  await expect(app.answers.last()).toHaveAttribute("aria-busy", "true");
  expect((await said(page))[0]).toMatchObject({ voice: "Anna", rate: 1.5, lang: "en-US" });

  // What is spoken goes on when no more is written.
  await hold(page);
  await speaking(page);
  const bar = page.getByRole("group", { name: "Reading aloud" });
  await app.stopButton.click();
  await app.answered();
  await expect(bar).toBeVisible();
  const other = await context.newPage();
  await giveVoices(other);
  await other.goto(`${page.url().split("?")[0]}?fake=instant`);
  await other.getByRole("button", { name: "Read aloud" }).last().click();
  await expect(bar).toBeHidden();
});

test("without a voice of the device nothing is read, which is said", async ({ app, page }) => {
  await giveVoices(page, ["Cloud"]);
  await app.openChat();
  const answer = await app.ask("Hello");
  await answer.getByRole("button", { name: "Read aloud" }).click();
  await expect(page.getByText(/This device has no voice for the language of this text/).first()).toBeVisible();
  await expect(page.getByRole("group", { name: "Reading aloud" })).toBeHidden();
  expect(await said(page)).toEqual([]);
});
