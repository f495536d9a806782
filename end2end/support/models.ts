// The list of models that a page with the simulated engine gets in place of the server's.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext } from "@playwright/test";

interface Entry {
  name: string;
  demo: boolean;
  diffusion?: boolean;
  capabilities: Record<string, boolean>;
}

const FILE = join(import.meta.dirname, "../../frontend/fake/models.json");

/** The list in a scenario; none where it cannot be had. */
function listed(words: string[]): object | undefined {
  if (words.includes("offline")) {
    return undefined;
  }
  const catalog = JSON.parse(readFileSync(FILE, "utf8")) as { models: Entry[]; searched: string[] };
  if (words.includes("empty")) {
    catalog.models = [];
  } else if (words.includes("demo")) {
    catalog.models = catalog.models.filter((model) => model.demo);
  }
  if (words.includes("text-only")) {
    for (const model of catalog.models) {
      Object.assign(model.capabilities, { vision: false, audio: false });
    }
  }
  if (words.includes("diffusion")) {
    for (const model of catalog.models) {
      model.diffusion = true;
    }
  }
  return catalog;
}

/** Answers for the server wherever the address of the page asks for the simulated engine. */
export async function listModels(context: BrowserContext): Promise<void> {
  await context.route("**/api/models", async (route) => {
    const words = new URL(route.request().frame().url()).searchParams.get("fake")?.split(",");
    if (!words) {
      return route.fallback();
    }
    const catalog = listed(words);
    return catalog ? route.fulfill({ json: catalog }) : route.abort();
  });
}
