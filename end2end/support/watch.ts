// Whatever a test is about, it fails when the page logs an error, throws, breaks its content policy, or asks
// anything of another origin.

import { expect, test as base, type BrowserContext } from "@playwright/test";
import { App } from "./app.ts";
import { adapted, fillProperly, isPackaged, labelSafely, logInWords } from "./firefox.ts";
import { listModels } from "./models.ts";
import { removeFilePicker } from "./picked.ts";

/** What went wrong in any page of the context, in order. */
function watch(context: BrowserContext, origin: string, expected: RegExp | undefined): string[] {
  const problems: string[] = [];
  context.on("console", (message) => {
    if (message.type() === "error" && !expected?.test(message.text())) {
      problems.push(`console: ${message.text()}`);
    }
  });
  context.on("weberror", (error) => {
    if (!expected?.test(String(error.error()))) {
      problems.push(`thrown: ${error.error()}`);
    }
  });
  context.on("request", (request) => {
    const url = new URL(request.url());
    const inside = url.origin === origin || url.protocol === "blob:" || url.protocol === "data:";
    if (!inside) {
      problems.push(`request: ${request.url()}`);
    }
  });
  return problems;
}

export const test = base.extend<{ app: App; expectedError: RegExp | undefined; quiet: void }>({
  browser: [async ({ browser }, use) => use(adapted(browser)), { scope: "worker" }],
  page: async ({ page, context, reuseContext, permissions }, use) => {
    // What Playwright leaves of the test before, where contexts are used again.
    if (reuseContext) {
      const session = await context.newCDPSession(page);
      await session.send("Page.resetNavigationHistory");
      await session.detach();
      if (!permissions) {
        await context.clearPermissions();
      }
      await context.setOffline(false);
    }
    const slower = Number(process.env.GEMTAB_THROTTLE ?? 1);
    if (slower > 1) {
      const session = await context.newCDPSession(page);
      await session.send("Emulation.setCPUThrottlingRate", { rate: slower });
    }
    await use(page);
  },
  app: async ({ page }, use) => {
    await use(new App(page));
  },
  /** The one error that the page may log or throw, where a test is about what the browser itself logs as one. */
  expectedError: [undefined, { option: true }],
  quiet: [
    async ({ context, baseURL, browserName, expectedError }, use) => {
      const problems = watch(context, new URL(baseURL ?? "").origin, expectedError);
      await context.addInitScript(() => {
        document.addEventListener("securitypolicyviolation", (event) => {
          console.error(`content policy: ${event.violatedDirective} refused ${event.blockedURI}`);
        });
      });
      await context.addInitScript(removeFilePicker);
      if (isPackaged && browserName === "firefox") {
        for (const script of [fillProperly, labelSafely, logInWords]) {
          await context.addInitScript(script);
        }
      }
      await listModels(context);
      await use();
      expect(problems, "what the page logged, threw, or asked of others").toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };
