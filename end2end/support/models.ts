// The list of models that a page with the simulated engine gets in place of the server's.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext, Page } from "@playwright/test";

interface Entry {
  name: string;
  demo: boolean;
  diffusion?: boolean;
  capabilities: Record<string, boolean>;
}

interface Catalog {
  models: Entry[];
  searched: string[];
}

const FILE = join(import.meta.dirname, "../../frontend/fake/models.json");

/**
 * Answers for the server wherever the address of the page asks for the simulated engine. Within the page: whoever intercepts a
 * request turns off the cache of the context, and then each page compiles the bundles anew.
 */
export async function listModels(context: BrowserContext): Promise<void> {
  const catalog = JSON.parse(readFileSync(FILE, "utf8")) as Catalog;
  await context.addInitScript(answerForServer, catalog);
}

/** How often a page has asked for the list. */
export function listings(page: Page): Promise<number> {
  return page.evaluate(() => performance.getEntriesByName("models").length);
}

/** Runs in the page, so it uses nothing from outside. */
function answerForServer(catalog: Catalog): void {
  const ask = window.fetch;
  window.fetch = async (resource, options) => {
    const words = new URL(location.href).searchParams.get("fake")?.split(",");
    const address = new URL(resource instanceof Request ? resource.url : resource, location.href);
    if (!words || address.pathname !== "/api/models") {
      return ask(resource, options);
    }
    performance.mark("models");
    if (words.includes("offline")) {
      throw new TypeError("Failed to fetch");
    }
    let { models } = structuredClone(catalog);
    if (words.includes("empty")) {
      models = [];
    } else if (words.includes("demo")) {
      models = models.filter((model) => model.demo);
    }
    for (const model of models) {
      if (words.includes("text-only")) {
        Object.assign(model.capabilities, { vision: false, audio: false });
      }
      if (words.includes("diffusion")) {
        model.diffusion = true;
      }
    }
    return Response.json({ ...catalog, models });
  };
}
