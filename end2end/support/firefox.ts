// A Firefox as a distribution packages it, which Playwright drives through WebDriver BiDi.

import type { Browser, PlaywrightTestOptions, PlaywrightWorkerOptions } from "@playwright/test";

/** What the fake engine is tested with: a page's wasm is compiled anew for each test, for which the quick compiler will do. */
const QUICK = { "javascript.options.wasm_optimizingjit": false };

/** What Firefox needs to offer WebGPU on a software adapter. */
const WEBGPU = { "dom.webgpu.enabled": true, "gfx.webgpu.ignore-blocklist": true };

/** Starts Firefox: the one that `FIREFOX` names, or Playwright's own. */
function started(prefs: Record<string, boolean>): Partial<PlaywrightTestOptions & PlaywrightWorkerOptions> {
  const executablePath = process.env.FIREFOX;
  const driver = process.env.GEMTAB_PROBE_DRIVER;
  const launchOptions = {
    firefoxUserPrefs: prefs,
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

/** Marks tests that pick files twice in one page: of this Firefox, Playwright hears of the first dialog alone. */
export const PICKS_TWICE = "@picks-twice";

/** Marks tests that download: of this Firefox, Playwright passes over a download that no navigation began. */
export const DOWNLOADS = "@downloads";

const EMULATE_MEDIA = "emulation.setMediaFeaturesOverride";
const CREATE_PAGE = "browsingContext.create";

interface Session {
  send: (method: string, ...rest: unknown[]) => Promise<unknown>;
}

interface Inner {
  _connection: { toImpl?: (browser: Browser) => { _browserSession?: Session } };
}

/**
 * Playwright 1.65 sends every new context the media features to emulate, a command that Firefox does not know before
 * version 154: without this no context would open. It also opens a window for each page, which takes Firefox longer than
 * most tests: the first page of a context is a tab here. Others stay windows, since a tab behind another is hidden.
 */
export function adapted(browser: Browser): Browser {
  const session = (browser as unknown as Inner)._connection.toImpl?.(browser)._browserSession;
  if (session) {
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
 * Makes up for how Playwright fills fields of a packaged Firefox: by script, of which Firefox makes no `change` when the
 * field is left; and in a field for a number, whose text no script can select, behind what stands there. Runs in the page.
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
  addEventListener("focusin", note);
  addEventListener("change", note);
  addEventListener("focusout", ({ target }) => {
    if (value(target) !== before.get(target)) {
      target?.dispatchEvent(new Event("change", { bubbles: true }));
    }
    before.delete(target);
  });
}
