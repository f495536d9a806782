// A Firefox as a distribution packages it, which Playwright drives through WebDriver BiDi.

import type { Browser, PlaywrightTestOptions, PlaywrightWorkerOptions } from "@playwright/test";

/** The options that start the Firefox that `FIREFOX` names; none where it names none. */
export const packagedFirefox: Partial<PlaywrightTestOptions & PlaywrightWorkerOptions> | undefined = process.env.FIREFOX
  ? { channel: "moz-firefox", launchOptions: { executablePath: process.env.FIREFOX } }
  : undefined;

/** Marks tests that emulate a colour scheme, reduced motion or print: this Firefox can't. */
export const EMULATES_MEDIA = "@emulates-media";

const EMULATE_MEDIA = "emulation.setMediaFeaturesOverride";

interface Session {
  send: (method: string, ...rest: unknown[]) => Promise<unknown>;
}

interface Inner {
  _connection: { toImpl?: (browser: Browser) => { _browserSession?: Session } };
}

/**
 * Playwright 1.65 sends every new context the media features to emulate, a command that Firefox does not know before
 * version 154. Without this no context would open.
 */
export function withoutMediaFeatures(browser: Browser): Browser {
  const session = (browser as unknown as Inner)._connection.toImpl?.(browser)._browserSession;
  if (session) {
    const send = session.send.bind(session);
    session.send = (method, ...rest) => (method === EMULATE_MEDIA ? Promise.resolve({}) : send(method, ...rest));
  }
  return browser;
}
