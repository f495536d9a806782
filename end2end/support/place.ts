// Where a test run works: a free port, and model folders that are empty at first, so that the models of the machine
// that runs the tests play no part.

import { copyFileSync, linkSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

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
  const here = join((await place()).models, basename(file));
  try {
    linkSync(file, here);
  } catch {
    copyFileSync(file, here); // Of another file system. The server refuses links that lead out of its folder.
  }
  return () => rmSync(here, { force: true });
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
