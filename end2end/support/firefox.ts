// A Firefox as a distribution packages it, which Playwright drives through WebDriver BiDi.

import { renameSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Browser, PlaywrightTestOptions, PlaywrightWorkerOptions } from "@playwright/test";

type Prefs = Record<string, boolean | number>;

/**
 * Whatever machine Firefox runs on, it has a mouse, and touch events as one with a touch screen. A dialog for files is
 * closed at once: another one of the same field would not open while it is there. The list of downloads, which would take the
 * focus from the page, stays closed.
 */
const ALWAYS: Prefs = {
  "ui.primaryPointerCapabilities": 6,
  "ui.allPointerCapabilities": 6,
  "dom.w3c_touch_events.enabled": 1,
  "browser.download.alwaysOpenPanel": false,
  "remote.bidi.dismiss_file_pickers.enabled": true,
};

/** What the fake engine is tested with: a page's wasm is compiled anew for each test, for which the quick compiler will do. */
const QUICK: Prefs = { "javascript.options.wasm_optimizingjit": false };

/** What Firefox needs to offer WebGPU on a software adapter. */
const WEBGPU: Prefs = { "dom.webgpu.enabled": true, "gfx.webgpu.ignore-blocklist": true };

/** Starts Firefox: the one that `FIREFOX` names, or Playwright's own. */
function started(prefs: Prefs): Partial<PlaywrightTestOptions & PlaywrightWorkerOptions> {
  const executablePath = process.env.FIREFOX;
  const driver = process.env.GEMTAB_PROBE_DRIVER;
  const launchOptions = {
    firefoxUserPrefs: { ...ALWAYS, ...prefs },
    ...(driver ? { env: { ...process.env, VK_DRIVER_FILES: driver } } : {}),
  };
  return executablePath ? { channel: "moz-firefox", launchOptions: { ...launchOptions, executablePath } } : { launchOptions };
}

/** Whether a distribution's Firefox is used. */
export const isPackaged = process.env.FIREFOX !== undefined;

export const firefoxForFakes = started(QUICK);
export const firefoxWithWebGpu = started(WEBGPU);

/**
 * Marks the tests that run in Firefox, too, whenever all tests are run, and that any change of the page or the engine runs: one for
 * each thing that browsers do differently.
 */
export const CORE = "@core";

/** Marks tests that emulate a colour scheme, reduced motion or print: this Firefox can't. */
export const EMULATES_MEDIA = "@emulates-media";

const EMULATE_MEDIA = "emulation.setMediaFeaturesOverride";
const CREATE_PAGE = "browsingContext.create";

const DOWNLOAD_BEGINS = "browsingContext.downloadWillBegin";
const DOWNLOAD_ENDS = "browsingContext.downloadEnd";

interface Download {
  url: string;
  navigation: string | null;
  suggestedFilename?: string;
  filepath?: string;
}

interface Message {
  method?: string;
  params?: unknown;
}

interface Session {
  send: (method: string, ...rest: unknown[]) => Promise<unknown>;
  connection: { _transport: { onmessage: (message: Message) => void } };
}

interface Inner {
  _connection: { toImpl?: (browser: Browser) => { _browserSession?: Session } };
}

/**
 * Playwright passes over a download that no navigation began, and looks for a file of the name that was suggested, also
 * where there was one: each download gets a navigation of its own here, and that name.
 */
function identifyDownloads(session: Session): void {
  const transport = session.connection._transport;
  const receive = transport.onmessage.bind(transport);
  const names = new Map<string, string>();
  transport.onmessage = (message) => {
    if (message.method === DOWNLOAD_BEGINS || message.method === DOWNLOAD_ENDS) {
      const download = message.params as Download;
      // A `blob:` address is that of one download.
      download.navigation ??= download.url;
      if (download.suggestedFilename !== undefined) {
        names.set(download.url, download.suggestedFilename);
      }
      const name = names.get(download.url);
      if (download.filepath !== undefined && name !== undefined) {
        renameSync(download.filepath, join(dirname(download.filepath), name));
      }
    }
    receive(message);
  };
}

/**
 * Playwright 1.65 sends every new context the media features to emulate, a command that Firefox does not know before
 * version 154: without this no context would open. It also opens a window for each page, which takes Firefox longer than
 * most tests: the first page of a context is a tab here. Others stay windows, since a tab behind another is hidden.
 */
export function adapted(browser: Browser): Browser {
  const session = (browser as unknown as Inner)._connection.toImpl?.(browser)._browserSession;
  if (session) {
    identifyDownloads(session);
    const send = session.send.bind(session);
    const known = new Set<unknown>();
    session.send = (method, ...rest) => {
      if (method === EMULATE_MEDIA) {
        return Promise.resolve({});
      }
      const [asked, ...more] = rest as [{ userContext?: unknown } | undefined, ...unknown[]];
      if (method === CREATE_PAGE && asked?.userContext && !known.has(asked.userContext)) {
        known.add(asked.userContext);
        return send(method, { ...asked, type: "tab" }, ...more);
      }
      return send(method, ...rest);
    };
  }
  return browser;
}

/**
 * Makes up for how Playwright fills fields of a packaged Firefox: by script, of which Firefox makes no `change` when Enter
 * is pressed or the field is left; and in a field for a number, whose text no script can select, behind what stands there.
 * Runs in the page.
 */
export function fillProperly(): void {
  const before = new Map<EventTarget | null, string>();
  const value = (field: EventTarget | null) =>
    field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement ? field.value : "";
  let insert: ((text: string) => unknown) | undefined;
  Object.defineProperty(window, "__pw_bidiInsertText", {
    set: (given) => (insert = given),
    get: () => (text: string) => {
      const field = document.activeElement;
      if (field instanceof HTMLInputElement && field.type === "number") {
        field.value = "";
      }
      return insert?.(text);
    },
  });
  const note = ({ target }: Event) => before.set(target, value(target));
  const change = (target: EventTarget | null) => {
    if (value(target) !== before.get(target)) {
      target?.dispatchEvent(new Event("change", { bubbles: true }));
    }
  };
  addEventListener("focusin", note);
  addEventListener("change", note);
  addEventListener("keypress", (event) => {
    if (event.key === "Enter" && event.target instanceof HTMLInputElement && !event.defaultPrevented) {
      change(event.target);
    }
  });
  addEventListener("focusout", ({ target }) => {
    change(target);
    before.delete(target);
  });
}

/**
 * Firefox 153 crashes when a page asks for the elements that label one after another world has: Playwright does, to find
 * what has a role and a name, and axe in the page. Gives the page the same elements in another way. Runs in the page.
 */
export function labelSafely(): void {
  Object.defineProperty(Element.prototype, "ariaLabelledByElements", {
    get(this: Element) {
      const ids = this.getAttribute("aria-labelledby")?.split(/\s+/);
      return ids?.flatMap((id) => document.getElementById(id) ?? []) ?? null;
    },
  });
}

/**
 * Of an error that a packaged Firefox logs, Playwright tells no words: has the page log them. What is still being fetched when
 * the page is left ends with an error that the page can log in Firefox: that is no fault. Runs in the page.
 */
export function logInWords(): void {
  if (window === top) {
    const log = console.error.bind(console);
    let left = false;
    addEventListener("beforeunload", () => (left = true));
    const ends = (it: unknown) => left && it instanceof DOMException && it.name === "AbortError";
    console.error = (...all) => {
      if (!all.some(ends)) {
        log(...all.map((it) => (it instanceof Error || it instanceof DOMException ? String(it) : it)));
      }
    };
  }
}
