// Speaking to the model. Chromium has a microphone for tests; what other browsers ask of the person cannot be answered.

import type { Page } from "@playwright/test";
import { faults } from "../../support/axe.ts";
import { pressOn, tabTo } from "../../support/keys.ts";
import { expect, test } from "../../support/watch.ts";

/** Waits until the sound card has played seconds of another sound: the clock that recordings go by. */
async function soundPasses(page: Page, seconds: number): Promise<void> {
  await page.evaluate(async (seconds) => {
    const context = new AudioContext();
    const silence = new ConstantSourceNode(context, { offset: 0 });
    silence.connect(context.destination);
    const ended = new Promise((resolve) => (silence.onended = resolve));
    silence.start();
    silence.stop(context.currentTime + seconds);
    await ended;
    await context.close();
  }, seconds);
}

test.beforeEach(({ browserName }) => {
  test.skip(browserName !== "chromium", "only Chromium has a microphone for tests");
});

test.describe("with a microphone", () => {
  test.beforeEach(async ({ context }) => {
    await context.grantPermissions(["microphone", "camera"]);
  });

  test("speech is recorded, paused, heard again and sent", async ({ app, page }) => {
    await app.openChat();
    await app.composer.fill("What did I say?");
    await app.recordButton.click();
    const bar = page.getByRole("group", { name: "Recording" });
    await expect(bar.getByRole("timer")).not.toHaveText("0:00");
    // Somebody speaks: the meter moves.
    await expect.poll(async () => Number(await bar.getByRole("meter").getAttribute("aria-valuenow"))).toBeGreaterThan(30);
    await expect(page.getByText("Finish recording to send.")).toBeVisible();
    await bar.getByRole("button", { name: "Pause recording" }).click();
    await expect(bar).toContainText("Paused");
    const paused = (await bar.getByRole("timer").textContent()) ?? "";
    await soundPasses(page, 1);
    expect(await bar.getByRole("timer").textContent()).toBe(paused);
    await bar.getByRole("button", { name: "Resume recording" }).click();
    await expect(bar.getByRole("timer")).not.toHaveText(paused);
    await bar.getByRole("button", { name: "Done" }).click();
    await expect(app.tray).toContainText("Recording");
    await expect(app.tray.getByRole("button", { name: "Play Recording" })).toBeEnabled();
    await expect(app.tray).toContainText(/(?!0:00)\d:\d\d · \d+ tokens/);
    await expect(app.composer).toHaveValue("What did I say?");
    await app.composer.press("Enter");
    await expect(await app.answered()).toContainText("I was given 0 pictures and 1 sound.");
  });

  test("speech is recorded and sent with the keyboard alone, and axe knows no fault", { tag: "@thorough" }, async ({ app, page }) => {
    await app.openChat();
    await tabTo(page, app.composer);
    await pressOn(page, app.recordButton);
    const bar = page.getByRole("group", { name: "Recording" });
    await expect.poll(async () => Number(await bar.getByRole("meter").getAttribute("aria-valuenow"))).toBeGreaterThan(30);
    expect(await faults(page)).toEqual([]);
    await pressOn(page, bar.getByRole("button", { name: "Pause recording" }));
    await expect(bar).toContainText("Paused");
    await pressOn(page, bar.getByRole("button", { name: "Done" }));
    await expect(app.tray).toContainText(/\d:\d\d · \d+ tokens/);
    await tabTo(page, app.composer);
    await page.keyboard.type("What did I say?");
    await page.keyboard.press("Enter");
    await expect(await app.answered()).toContainText("I was given 0 pictures and 1 sound.");
  });

  test("a recording begins from a new conversation, and from the palette", async ({ app, page }) => {
    await app.openChat();
    await page.getByRole("button", { name: /^gemma4:e2b ?5/ }).click();
    await page.getByRole("button", { name: "Ask by voice" }).click();
    const bar = page.getByRole("group", { name: "Recording" });
    await bar.getByRole("button", { name: "Discard" }).click();
    await expect(bar).toBeHidden();
    await page.keyboard.press("Control+k");
    await app.palette.getByRole("combobox").fill("record");
    await page.keyboard.press("Enter");
    await expect(bar).toBeVisible();
  });

  test("a recording that goes on while another page is shown says so there, and can be stopped", async ({ app, page }) => {
    await app.openChat();
    await app.recordButton.click();
    await expect(page.getByRole("timer")).not.toHaveText("0:00");
    await app.go("Models");
    const note = page.getByRole("complementary", { name: "Recording" });
    await expect(note).toBeVisible();
    expect(await faults(page)).toEqual([]);
    // Who closes the page is asked.
    const held = () =>
      page.evaluate(() => {
        const leaving = new Event("beforeunload", { cancelable: true });
        dispatchEvent(leaving);
        return leaving.defaultPrevented;
      });
    await expect.poll(held).toBe(true);
    await note.getByRole("button", { name: "Stop" }).click();
    await expect(note).toBeHidden();
    await expect.poll(held).toBe(false);
    await page.goBack();
    await expect(app.tray).toContainText("Recording");
  });

  test("a recording is discarded, and leaves nothing behind", async ({ app, page }) => {
    await app.openChat();
    await app.recordButton.click();
    await expect(page.getByRole("timer")).not.toHaveText("0:00");
    await page.getByRole("button", { name: "Discard recording" }).click();
    await expect(page.getByRole("timer")).toBeHidden();
    await expect(app.tray).toBeHidden();
    await expect(app.recordButton).toBeVisible();
  });

  test("a microphone that goes away keeps what it heard", async ({ app, page }) => {
    await page.addInitScript(() => {
      const devices = navigator.mediaDevices;
      const real = devices.getUserMedia.bind(devices);
      devices.getUserMedia = async (wishes) => {
        const stream = await real(wishes);
        const unplug = () => stream.getTracks()[0]?.dispatchEvent(new Event("ended"));
        window.addEventListener("unplug", unplug);
        return stream;
      };
    });
    await app.openChat();
    await app.recordButton.click();
    await expect(page.getByRole("timer")).not.toHaveText("0:00");
    await page.evaluate(() => window.dispatchEvent(new Event("unplug")));
    await expect(page.getByText(/The microphone was disconnected. The recording up to then is kept./).first()).toBeVisible();
    await expect(app.tray).toContainText("Recording");
  });

  test("silence is told, and not attached", async ({ app, page }) => {
    await page.addInitScript(() => {
      navigator.mediaDevices.getUserMedia = async () => new AudioContext().createMediaStreamDestination().stream;
    });
    await app.openChat();
    await app.composer.fill("Half a thought");
    // The buttons beside it move it when they come.
    await expect(page.getByRole("button", { name: "Take a photo" })).toBeVisible();
    const place = await app.recordButton.boundingBox();
    await app.recordButton.click();
    await expect(page.getByRole("timer")).not.toHaveText("0:00");
    // A second press at the same place stops it.
    const stop = page.getByRole("button", { name: "Stop recording" });
    expect(await stop.boundingBox().then((box) => box?.x)).toBe(place?.x);
    await stop.click();
    await expect(page.getByText(/No sound detected. Check whether the microphone is muted/).first()).toBeVisible();
    await expect(app.tray).toBeHidden();
    await expect(app.composer).toHaveValue("Half a thought");
  });

  test("the camera takes a picture", async ({ app, page }) => {
    await app.openChat();
    await page.getByRole("button", { name: "Take a photo" }).click();
    const camera = page.getByRole("dialog", { name: "Take a photo" });
    await camera.getByRole("button", { name: "Take photo" }).click();
    await expect(camera).toBeHidden();
    await expect(app.tray).toContainText("Camera.png");
    await expect(app.tray.getByRole("button", { name: "Show Camera.png" }).locator("img")).not.toHaveJSProperty("naturalWidth", 0);
  });
});

test("what keeps a microphone from recording is told in words, and the draft stays", async ({ app, page }) => {
  await app.openChat();
  await app.composer.fill("Half a thought");
  for (const [name, words] of [
    ["NotAllowedError", /This page isn’t allowed to use the microphone. Allow it in the browser’s settings/],
    ["NotFoundError", /No microphone found. Connect one, then try again./],
    ["NotReadableError", /The microphone can’t be used. Another program may be using it./],
  ] as const) {
    await page.evaluate((name) => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("no", name));
    }, name);
    await app.recordButton.click();
    await expect(page.getByText(words).first()).toBeVisible();
    await expect(app.recordButton).toBeVisible();
    await expect(app.composer).toHaveValue("Half a thought");
  }
});

test("a video becomes pictures with their times", async ({ app, page }) => {
  await app.openChat();
  // The browser makes the video: a canvas that changes for two seconds.
  const bytes = await page.evaluate(async () => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [64, 48];
    const context = canvas.getContext("2d");
    const recorder = new MediaRecorder(canvas.captureStream(20), { mimeType: "video/webm" });
    const parts: Blob[] = [];
    recorder.ondataavailable = (event) => parts.push(event.data);
    const ended = new Promise((resolve) => (recorder.onstop = resolve));
    recorder.start();
    for (let step = 0; step < 40; step++) {
      context?.fillRect(step, step, 20, 20);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    recorder.stop();
    await ended;
    return [...new Uint8Array(await new Blob(parts).arrayBuffer())];
  });
  await app.attach({ name: "film.webm", mimeType: "video/webm", buffer: Buffer.from(bytes) });
  await expect(app.tray).toContainText(/[23] frames, no sound/);
  await expect(app.tray.getByRole("listitem").getByRole("button", { name: "Show film.webm, 0:00" })).toBeVisible();
  const answer = await app.ask("What happens?");
  await expect(answer).toContainText(/I was given [23] pictures and 0 sounds./);
  await expect(app.questions.first().getByRole("list", { name: "Frames of film.webm" })).toBeVisible();
});
