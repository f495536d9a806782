// A system's voices, for browsers without any. What they speak is noted, and ends when the test says so.

import type { Page } from "@playwright/test";

export interface Said {
  text: string;
  lang: string;
  voice: string;
  rate: number;
}

declare global {
  interface Window {
    voices: { said: Said[]; now: { text: string; end: () => void } | undefined; held: boolean; hushed: number };
  }
}

/** Gives the page three voices: two on the device and one that sends text away. Has to come before the page is opened. */
export async function giveVoices(page: Page, names: readonly string[] = ["Anna", "Karl", "Cloud"]): Promise<void> {
  await page.addInitScript((names) => {
    const all = [
      { name: "Anna", lang: "en-US", localService: true, default: true },
      { name: "Karl", lang: "de-DE", localService: true, default: false },
      { name: "Cloud", lang: "en-US", localService: false, default: false },
    ].map((voice) => ({ ...voice, voiceURI: `urn:${voice.name}` }));
    const voices: Window["voices"] = { said: [], now: undefined, held: false, hushed: 0 };
    window.voices = voices;
    class Utterance {
      voice: { name: string } | undefined;
      lang = "";
      rate = 1;
      onend: ((event: { type: string }) => void) | undefined;
      onerror: ((event: { type: string }) => void) | undefined;
      readonly text: string;
      constructor(text: string) {
        this.text = text;
      }
    }
    let now: Utterance | undefined;
    const end = (type: "end" | "error") => {
      const ended = now;
      now = voices.now = undefined;
      ended?.[`on${type}`]?.({ type });
    };
    const synthesis = {
      getVoices: () => all.filter(({ name }) => names.includes(name)),
      speak(utterance: Utterance) {
        now = utterance;
        const { text, lang, rate } = utterance;
        voices.said.push({ text, lang, rate, voice: utterance.voice?.name ?? "" });
        voices.now = { text, end: () => end("end") };
        if (!voices.held) {
          setTimeout(() => !voices.held && now === utterance && end("end"));
        }
      },
      cancel() {
        voices.hushed++;
        end("error");
      },
    };
    Object.defineProperty(window, "speechSynthesis", { value: synthesis });
    Object.defineProperty(window, "SpeechSynthesisUtterance", { value: Utterance });
  }, names);
}

/** What was spoken so far. */
export function said(page: Page): Promise<Said[]> {
  return page.evaluate(() => window.voices.said);
}

/** Has sentences last until the test ends them, also the one that is being spoken. */
export async function hold(page: Page): Promise<void> {
  await page.evaluate(() => void (window.voices.held = true));
}

/** Waits until a sentence is being spoken. */
export async function speaking(page: Page): Promise<void> {
  await page.waitForFunction(() => window.voices.now !== undefined);
}

/** Ends the sentence that is being spoken. */
export async function endSentence(page: Page): Promise<void> {
  await speaking(page);
  await page.evaluate(() => window.voices.now?.end());
}
