// Where a test run works: a free port, and model folders that are empty at first, so that the models of the machine
// that runs the tests play no part.

import { copyFileSync, linkSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect } from "@playwright/test";

/** The folders of a run, all inside `root`. */
export interface Place {
  root: string;
  /** Ollama's store: put `manifests/` and `blobs/` here. */
  ollama: string;
  /** A folder of `.gguf` files. */
  models: string;
  port: number;
}

/** The one place of this run. Playwright loads its configuration in several processes: the first one decides. */
export async function place(): Promise<Place> {
  process.env.GEMTAB_PLACE ??= JSON.stringify(await newPlace());
  return JSON.parse(process.env.GEMTAB_PLACE) as Place;
}

/** Has the server list a model file, until what is returned is called. It lists the demo model in any case. */
export async function serveModel(file: string): Promise<() => void> {
  if (basename(file) === "pebble.gguf") {
    return () => {};
  }
  const { models, port } = await place();
  const here = join(models, basename(file));
  try {
    linkSync(file, here);
  } catch {
    copyFileSync(file, here); // Of another file system. The server refuses links that lead out of its folder.
  }
  // A list that was just read is given again for a while.
  await expect.poll(() => listed(port)).toContain(basename(file, ".gguf"));
  return () => rmSync(here, { force: true });
}

/** The names of the models that the server lists. */
async function listed(port: number): Promise<string[]> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/models`);
  const { models } = (await answer.json()) as { models: { name: string }[] };
  return models.map(({ name }) => name);
}

/** Removes the folders. Playwright calls it when the run is over. */
export default async function remove(): Promise<void> {
  rmSync((await place()).root, { recursive: true, force: true });
}

async function newPlace(): Promise<Place> {
  const root = mkdtempSync(join(tmpdir(), "gemtab-"));
  const [ollama, models] = [join(root, "ollama"), join(root, "models")];
  for (const folder of [ollama, models]) {
    mkdirSync(folder);
  }
  return { root, ollama, models, port: await freePort() };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
