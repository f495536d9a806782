import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { CORE } from "../../support/firefox.ts";
import { animatedGif, type MediaFile, png, truncated, wav } from "../../support/media.ts";
import { expect, test } from "../../support/watch.ts";
import { withholdAgain, withholdReading } from "../../support/withhold.ts";

/** Drops or pastes a file as a person does. Only the browser can make the event's data. */
async function hand(page: Page, how: "drop" | "paste", file: MediaFile): Promise<void> {
  const given = { how, name: file.name, type: file.mimeType, bytes: [...file.buffer] };
  await page.evaluate(({ how, name, type, bytes }) => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(bytes)], name, { type }));
    const options = { bubbles: true, cancelable: true };
    const event =
      how === "drop"
        ? new DragEvent("drop", { ...options, dataTransfer: data })
        : new ClipboardEvent("paste", { ...options, clipboardData: data });
    document.getElementById("composer")?.dispatchEvent(event);
  }, given);
}

test.describe("a picture", () => {
  test("is attached, seen, sent and answered", { tag: CORE }, async ({ app, page }) => {
    await app.openChat();
    await app.attach(png());
    await expect(app.tray.getByRole("listitem")).toHaveCount(1);
    await expect(app.tray).toContainText("64 × 48 · 282 tokens");
    await app.tray.getByRole("button", { name: "Show red.png" }).click();
    const large = page.getByRole("dialog", { name: "red.png" });
    await expect(large.getByRole("img", { name: "red.png" })).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(large).toBeHidden();
    const answer = await app.ask("What is this?");
    await expect(answer).toContainText("I was given 1 picture and 0 sounds.");
    await expect(app.tray).toBeHidden();
    const shown = app.questions.first().getByRole("button", { name: "Show red.png" });
    await expect(shown.locator("img")).toHaveJSProperty("naturalWidth", 64);
  });

  test("that is being read has the message wait, which writing on takes back", async ({ app, page }) => {
    const readOn = await withholdReading(page);
    await app.openChat();
    await app.pickFiles(png());
    await app.send("What is this?");
    await expect(app.page.locator("#composer-hint")).toHaveText("Your message will be sent when the file is ready.");
    await expect(app.questions).toHaveCount(0);
    await readOn();
    await expect(app.questions).toHaveCount(1);
    await expect(await app.answered()).toContainText("I was given 1 picture");
    await expect(app.tray).toBeHidden();
    await test.step("writing on takes the message back", async () => {
      await app.startConversation();
      await withholdAgain(page);
      await app.pickFiles(png());
      await app.send("What is this");
      await app.composer.press("End");
      await app.composer.pressSequentially("?");
      await readOn();
      await expect(app.tray).toBeVisible();
      await expect(app.composer).toHaveValue("What is this?");
      await expect(app.questions).toHaveCount(0);
    });
    await test.step("without it the message stays", async () => {
      await app.tray.getByRole("button", { name: "Remove red.png" }).click();
      await expect(app.tray).toBeHidden();
      await withholdAgain(page);
      await app.pickFiles(truncated(png()));
      await app.send("What is this?");
      await readOn();
      await expect(app.refusal).toBeVisible();
      await expect(app.composer).toHaveValue("What is this?");
      await expect(app.questions).toHaveCount(0);
    });
  });

  test("can be sent without words, and names the conversation", async ({ app }) => {
    await app.openChat();
    await app.attach(png());
    await expect(app.tray).toBeVisible();
    await app.sendButton.click();
    await expect(await app.answered()).toContainText("1 picture");
    await expect(app.conversation("red.png")).toBeVisible();
  });

  test("is removed and brought back, costs what it is allowed to, is dropped and pasted", async ({ app, page, browserName }) => {
    await test.step("is removed before sending, and comes back", async () => {
      await app.openChat();
      await app.attach(png());
      await app.tray.getByRole("button", { name: "Remove red.png" }).click();
      await expect(app.tray).toBeHidden();
      await expect(app.sendButton).toBeDisabled();
      await page.getByRole("button", { name: "Undo" }).click();
      await expect(app.tray).toContainText("red.png");
    });
    await test.step("costs what it is allowed to", async () => {
      const detail = app.tray.getByRole("combobox", { name: "Detail of red.png, in tokens" });
      await expect(detail.locator("option")).toHaveText(["Auto", "up to 70", "up to 140", "up to 280", "up to 560", "up to 1,120"]);
      await detail.selectOption("up to 1,120");
      await expect(app.tray).toContainText("1,122 tokens");
      await app.attach(png("blue.png"));
      await expect(app.page.getByText("1,404 tokens in total.")).toBeVisible();
    });
    await test.step("is dropped and pasted", async () => {
      await app.composer.fill("Half a thought");
      // Only Chromium lets a script make such an event.
      for (const how of browserName === "chromium" ? (["drop", "paste"] as const) : []) {
        await hand(page, how, png(`by-${how}.png`));
        await expect(app.tray).toContainText(`by-${how}.png`);
        await expect(app.composer).toHaveValue("Half a thought");
      }
    });
  });

  test("waits for its message through a reload, and for another conversation", async ({ app, page }) => {
    await app.openChat();
    await app.ask("Hello");
    await app.attach(png());
    await expect(app.tray).toContainText("64 × 48");
    await app.kept("red.png");
    await app.reload();
    await expect(app.tray).toContainText("red.png");
    await app.rail.getByRole("button", { name: "New", exact: true }).click();
    await expect(app.tray).toBeHidden();
    await app.conversation("Hello").click();
    await expect(app.tray.getByRole("button", { name: "Show red.png" }).locator("img")).toHaveJSProperty("naturalWidth", 64);
  });

  test("stays with its message: reload, edit, once more, deletion undone", async ({ app, page }) => {
    await app.openChat();
    await app.attach(png());
    await app.ask("What is this?");
    await app.reload();
    const thumbnail = app.questions.first().getByRole("button", { name: "Show red.png" }).locator("img");
    await expect(thumbnail).toHaveJSProperty("naturalWidth", 64);
    await app.answers.last().getByRole("button", { name: "Regenerate" }).click();
    await expect(app.answers.last()).toContainText("2/2");
    await expect(await app.answered()).toContainText("I was given 1 picture");
    await app.questions.first().getByRole("button", { name: "Edit and resend" }).click();
    await page.getByRole("textbox", { name: "Edit message" }).fill("And this?");
    await page.getByRole("button", { name: "Send", exact: true }).first().click();
    await expect(app.questions.first()).toContainText("And this?");
    await expect(await app.answered()).toContainText("I was given 1 picture");
    await expect(thumbnail).toHaveJSProperty("naturalWidth", 64);
    await app.questions.first().getByRole("button", { name: "Delete from here on" }).click();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(thumbnail).toBeVisible();
    await app.reload();
    await expect(thumbnail).toHaveJSProperty("naturalWidth", 64);
  });

  test("is exported and imported with its conversation", async ({ app, page }) => {
    await app.openChat();
    await app.attach(png());
    await app.ask("What is this?");
    await page.getByRole("button", { name: "Organize conversations" }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: "Export all" }).click();
    const text = readFileSync(await (await download).path(), "utf8");
    const archive = JSON.parse(text) as { attachments: Record<string, string> };
    expect(Object.values(archive.attachments)).toEqual([png().buffer.toString("base64")]);
    await page.evaluate(async () => {
      for (const { name } of await indexedDB.databases()) {
        indexedDB.deleteDatabase(name ?? "");
      }
    });
    await page.goto("/?fake=instant");
    await app.ready();
    await expect(app.rail).toContainText("Your conversations will appear here.");
    await page.getByRole("button", { name: "Organize conversations" }).click();
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("menuitem", { name: "Import…" }).click();
    await (await chooser).setFiles({ name: "c.json", mimeType: "application/json", buffer: Buffer.from(text) });
    await app.conversation("What is this?").click();
    const thumbnail = app.questions.first().getByRole("button", { name: "Show red.png" }).locator("img");
    await expect(thumbnail).toHaveJSProperty("naturalWidth", 64);
  });

  test("is encoded once, which is said", async ({ app, page }) => {
    await app.openChat("usual,demo");
    await app.attach(png());
    // Both pass in a third of a second, so the page writes down what it shows.
    await page.evaluate(() => {
      const shown: string[] = [];
      Object.assign(globalThis, { shown });
      new MutationObserver(() => shown.push(document.body.innerText)).observe(document.body, {
        childList: true,
        characterData: true,
        subtree: true,
      });
    });
    await app.send("What is this?");
    await app.answered();
    const shown = await page.evaluate(() => (globalThis as unknown as { shown: string[] }).shown);
    for (const words of [/Loading image support/, /^Reading image/m]) {
      expect(shown.filter((text) => words.test(text)), `${words}`).not.toEqual([]);
    }
  });
});

test.describe("what cannot be attached is told, and nothing is lost", () => {
  const faults: [string, MediaFile, RegExp][] = [
    ["an archive", { name: "notes.zip", mimeType: "application/zip", buffer: Buffer.from("PK\x03\x04\0\0") }, /notes.zip: Only images, audio, video, text, PDF, Word and EPUB files/],
    ["a text called a picture", { name: "fake.png", mimeType: "image/png", buffer: Buffer.from("no picture") }, /fake.png: This image can’t be read/],
    ["a truncated picture", truncated(png()), /cut-red.png: This image can’t be read/],
    ["an empty file", { name: "empty.png", mimeType: "image/png", buffer: Buffer.alloc(0) }, /empty.png: The file is empty/],
    ["a huge picture", png("huge.png", 20_000, 1), /huge.png: The image is too large: 20,000 × 1 pixels/],
    ["a picture of an unknown kind", { name: "scan.tiff", mimeType: "image/tiff", buffer: Buffer.from("II*") }, /scan.tiff: This browser can’t read the image/],
    ["sound that is none", { name: "song.mp3", mimeType: "audio/mpeg", buffer: Buffer.from("la la la") }, /song.mp3: This browser can’t read the audio/],
    ["a video that is none", { name: "film.mp4", mimeType: "video/mp4", buffer: Buffer.from("frames") }, /film.mp4: This browser can’t play this video/],
  ];
  test("whatever is wrong with it; and an animated picture is taken by its first frame", async ({ app }) => {
    await test.step("whatever is wrong with it", async () => {
      await app.openChat();
      await app.composer.fill("What I was about to say");
      for (const [at, [fault, file, words]] of faults.entries()) {
        await test.step(fault, async () => {
          await app.attach(png(`good-${at}.png`), file);
          await expect(app.refusal).toContainText(words);
          // A line or two, not half of the window.
          expect((await app.refusal.boundingBox())?.height).toBeLessThan(120);
          await expect(app.tray.getByRole("listitem")).toHaveCount(1);
          await expect(app.composer).toHaveValue("What I was about to say");
          await app.refusal.getByRole("button", { name: "Close" }).click();
          await expect(app.refusal).toBeHidden();
          await app.tray.getByRole("button", { name: `Remove good-${at}.png` }).click();
          await expect(app.tray).toBeHidden();
        });
      }
    });
    await test.step("an animated picture is taken by its first frame, which is said", async () => {
      await app.attach(animatedGif());
      await expect(app.tray).toContainText("Animated: only the first frame is used.");
    });
  });

  test("a model's file is still opened as one", async ({ app, page }) => {
    await app.openChat();
    const file = { name: "own.gguf", mimeType: "", buffer: Buffer.from("GGUF") };
    test.skip(page.context().browser()?.browserType().name() !== "chromium", "only Chromium lets a script drop");
    await hand(page, "drop", file);
    await expect(page.getByRole("button", { name: /^Model: own.gguf/ })).toBeVisible();
  });
});

test.describe("sound", () => {
  test("is decoded, resampled, shown, played, and cut into clips", { tag: CORE }, async ({ app }) => {
    await test.step("is decoded, resampled, shown and played", async () => {
      await app.openChat();
      await app.attach(wav("tone.wav", 2));
      await expect(app.tray).toContainText("0:02 · 52 tokens");
      const wave = app.tray.locator(".wave-rest");
      // Not silence, which is a row of dots.
      await expect(wave).not.toHaveAttribute("d", /^M1 11.5V12.5/);
      const play = app.tray.getByRole("button", { name: "Play tone.wav" });
      await expect(play).toBeEnabled();
      await play.click();
      await expect(app.tray.getByRole("button", { name: "Pause tone.wav" }).or(play)).toBeVisible();
      const answer = await app.ask("What do you hear?");
      await expect(answer).toContainText("I was given 0 pictures and 1 sound.");
      await expect(app.questions.first().getByRole("button", { name: "Play tone.wav" })).toBeVisible();
    });
    await test.step("that is long is cut into clips, and silence is told", async () => {
      await app.startConversation();
      await app.attach(wav("long.wav", 61, { rate: 8_000, channels: 1 }), wav("still.wav", 1, { frequency: 0 }));
      await expect(app.tray).toContainText("Longer than 30 s: split into 3 clips.");
      await expect(app.tray).toContainText("No sound detected.");
    });
  });
});

test.describe("a model that lacks a sense", () => {
  test("says so where something would be attached", async ({ app, page }) => {
    await app.openChat("instant,text-only");
    await expect(app.recordButton).toHaveAttribute("aria-disabled", "true");
    // It is there for the keyboard and the reader of screens, and says why it does nothing.
    await app.recordButton.click({ force: true });
    await expect(page.getByText(/only takes text/).first()).toBeVisible();
    await app.attach(png());
    await expect(app.refusal).toContainText(/red.png: .* only takes text/);
  });
});

test("the parts for pictures and sound can be freed", async ({ app, page }) => {
  await app.openChat("instant,demo");
  await app.attach(png());
  await app.ask("What is this?");
  await app.rail.getByRole("link", { name: "Models" }).click();
  const memory = page.getByRole("listitem").filter({ hasText: "Graphics memory:" });
  await expect(memory).toContainText("including 320 MB for images and audio");
  await memory.getByRole("button", { name: "Unload image and audio support" }).click();
  await expect(memory).toContainText("Image and audio support loads on first use.");
});
