// `cargo xtask test --only e2e,webgpu` builds what these tests need and runs them. To run them alone, after a
// `cargo xtask build` and a `cargo build`: `npx playwright test`.
//
// GEMTAB_SERVER and GEMTAB_SITE name the server and the site; CHROMIUM names the browser, CHROMIUM_SHELL one that draws no
// window around the page. GEMTAB_PROBE names the native
// engine, and GEMTAB_PROBE_DRIVER its Vulkan driver. FIREFOX names a Firefox as a system packages it, 153 or
// newer, for the projects fake-engine-firefox and webgpu-firefox.
//
// What takes a software adapter many minutes is left out unless it is asked for: pictures in detail, recorded speech,
// fine-tuning the demo model or on pictures, fifty lost devices (tests/webgpu/tabs_long.spec.ts) and two hours of everything, or
// GEMTAB_MINUTES of it (tests/webgpu/two_hours.spec.ts) with GEMTAB_LONG=1, and a model of gigabytes with GEMTAB_LARGE=FILE
// (tests/webgpu/large.spec.ts). With a graphics card all but the two hours takes minutes: GEMTAB_GPU_FLAGS are the browser's
// arguments that reach it.
//
// GEMTAB_THOROUGH=1 also runs the tests that are tagged @thorough: those that guard against a browser that changes, and those of what
// others cover in part.
//
// GEMTAB_SLOW=1 waits several times as long for what has to come, on a machine that is slow or busy. GEMTAB_THROTTLE=8 gives pages
// an eighth of the processor's time (Chromium): tests that count on a quick page fail then.
//
// GEMTAB_PICTURES=1 keeps a picture of every state of the page (tests/fake/accessibility.spec.ts).

import { existsSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, devices, firefox, webkit } from "@playwright/test";
import { EMULATES_MEDIA, CORE, firefoxForFakes, firefoxWithWebGpu, isPackaged } from "./support/firefox.ts";
import { patience, SOON } from "./support/patience.ts";
import { place } from "./support/place.ts";

const root = join(import.meta.dirname, "..");
const server = process.env.GEMTAB_SERVER ?? join(root, "target/debug/server");
const site = process.env.GEMTAB_SITE ?? join(root, "target/site");
const { ollama, models, port } = await place();
const baseURL = `http://127.0.0.1:${port}`;

const installed = (name: string) => [`/usr/bin/${name}`].find((path) => existsSync(path));
const whole = process.env.CHROMIUM ?? installed("chromium");
/** Without a window, tests take a third of the time less. Without one there is no microphone either. */
const shell = process.env.CHROMIUM_SHELL ?? process.env.CHROMIUM ?? installed("chromium-headless-shell") ?? whole;

const browser = (executablePath: string | undefined, ...args: string[]) => ({
  ...devices["Desktop Chrome"],
  launchOptions: {
    ...(executablePath ? { executablePath } : {}),
    args: [
      ...args,
      // A camera that shows a test card, and a microphone that hears somebody say five digits.
      "--use-fake-device-for-media-stream",
      `--use-file-for-fake-audio-capture=${join(root, "server/models/samples/speech1.wav")}`,
      "--no-sandbox",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-quic",
      "--disable-sync",
    ],
  },
});

/**
 * Debian's Chromium on its own software adapter, unless told otherwise: the same WebGPU on every machine. There the zeros that
 * a browser writes into a workgroup's memory take three quarters of all time, and the limits that it puts on indices a sixth of
 * what is left. Without them a kernel that counted on zeros or limits would be found out.
 */
const software = [
  "--use-webgpu-adapter=swiftshader",
  "--enable-dawn-features=disable_workgroup_init,disable_robustness",
  "--disable-dawn-features=use_vulkan_memory_model",
  // The adapter has enough to do without drawing the page.
  "--disable-gpu-compositing",
  "--disable-gpu-rasterization",
];
const adapter = process.env.GEMTAB_GPU_FLAGS?.split(" ") ?? software;
/** Of the tests that are left out, some need a microphone. */
const chromium = browser(process.env.GEMTAB_LONG ? whole : shell, "--enable-unsafe-webgpu", ...adapter);

/**
 * The same without a graphics device, which draws pages sooner, without traces, which take time too, and without motion, which
 * takes a seventh of all time. Tests that are about motion ask for it.
 */
const plain = (executablePath: string | undefined) =>
  ({
    ...browser(executablePath, "--disable-gpu"),
    contextOptions: { reducedMotion: "reduce" },
    trace: "off",
    screenshot: "only-on-failure",
  }) as const;
/** The browser that keeps pages for the way back, which Playwright has it not do. Without a window it never does. */
const keepsPages = (use: ReturnType<typeof plain>) => ({
  ...use,
  launchOptions: { ...use.launchOptions, ignoreDefaultArgs: ["--disable-back-forward-cache"] },
});
/** Tests of what a browser without a window lacks: a microphone, and looking hosts up before they are wanted. */
const WHOLE = /(recording|links)\.spec/;
/** Tests that are left out unless all are wanted. */
const leftOut = process.env.GEMTAB_THOROUGH ? [] : ["@thorough"];
/** The same, as an expression that matches nothing if there are none. */
const not = (...tags: string[]) => (tags.length > 0 ? new RegExp(tags.join("|")) : []);

/** Other browsers are tested where Playwright has installed them or a variable names one. */
const hasFirefox = isPackaged || existsSync(firefox.executablePath());
const desktopFirefox = { ...devices["Desktop Firefox"], trace: "off" } as const;
const others = [
  {
    name: "fake-engine-firefox",
    there: hasFirefox,
    testDir: "tests/fake",
    use: { ...desktopFirefox, ...firefoxForFakes },
    grepInvert: not(...leftOut, ...(isPackaged ? [EMULATES_MEDIA] : [])),
  },
  {
    name: "firefox",
    there: hasFirefox,
    testDir: "tests/fake",
    use: { ...desktopFirefox, ...firefoxForFakes },
    grep: new RegExp(CORE),
  },
  { name: "webgpu-firefox", there: hasFirefox, testDir: "tests/firefox", use: { ...desktopFirefox, ...firefoxWithWebGpu } },
  {
    name: "fake-engine-webkit",
    there: existsSync(webkit.executablePath()),
    testDir: "tests/fake",
    use: { ...devices["Desktop Safari"], trace: "off" } as const,
  },
].filter(({ there }) => there);

export default defineConfig({
  testDir: "tests",
  outputDir: "test-results",
  // On two cores: with five the same tests took as long and a quarter more of the processor, with two they would wait for the
  // simulated engine, which answers by the clock.
  workers: 3,
  retries: 0,
  forbidOnly: true,
  timeout: patience(90_000, 360_000),
  // What is awaited usually comes at once. A slow machine is no failure, so only what never comes ends here.
  expect: { timeout: patience(20_000, 150_000) },
  // Who broke much need not wait for all of it.
  maxFailures: 10,
  grepInvert: not(...leftOut),
  reporter: [["list"]],
  // Pictures of each moment would take half of the machine.
  // What a service worker answers, tests cannot route. Those that are about it allow it.
  use: { baseURL, serviceWorkers: "block", trace: { mode: "retain-on-failure", screenshots: false } },
  projects: [
    // Two software adapters would only wait for each other.
    { name: "webgpu", testDir: "tests/webgpu", use: chromium, timeout: 3 * SOON, expect: { timeout: SOON }, workers: 1 },
    // Tests of a file do not wait for one another: else the longest file would end alone.
    {
      name: "fake-engine",
      testDir: "tests/fake",
      testIgnore: WHOLE,
      // A context that is emptied for the next test takes a quarter less than another one.
      use: { ...plain(shell), reuseContext: true },
      fullyParallel: true,
    },
    { name: "back", testDir: "tests/back", use: keepsPages(plain(whole)) },
    { name: "microphone", testDir: "tests/fake", testMatch: WHOLE, use: plain(whole) },
    ...others.map(({ there: _, ...project }) => project),
  ],
  webServer: {
    command: [server, "--port", port, "--site-root", site, "--ollama-models", ollama, "--models", models]
      .map((word) => JSON.stringify(String(word)))
      .join(" "),
    url: baseURL,
    stdout: "ignore",
    stderr: "pipe",
  },
  globalTeardown: "./support/place.ts",
});
