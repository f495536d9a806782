// A microphone that hears somebody say five digits, pause, and say them again.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";

/** The recording that the microphone hears. */
export const speech = readFileSync(join(import.meta.dirname, "../../server/models/samples/speech1.wav"));

/** Seconds of silence after the digits. */
const PAUSE = 2;

/** Gives the page this microphone. Has to come before the page is opened. */
export async function giveMicrophone(page: Page): Promise<void> {
  await page.addInitScript(
    ({ file, pause }) => {
      navigator.mediaDevices.getUserMedia = async () => {
        const context = new AudioContext();
        const digits = await context.decodeAudioData(Uint8Array.from(atob(file), (it) => it.charCodeAt(0)).buffer);
        const buffer = context.createBuffer(1, digits.length + pause * context.sampleRate, context.sampleRate);
        buffer.copyToChannel(digits.getChannelData(0), 0);
        const source = new AudioBufferSourceNode(context, { buffer, loop: true });
        const stream = context.createMediaStreamDestination();
        source.connect(stream);
        source.start();
        return stream.stream;
      };
    },
    { file: speech.toString("base64"), pause: PAUSE },
  );
}
