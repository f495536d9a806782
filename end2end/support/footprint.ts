// What the page, its engine and the browser take: memory, graphics memory, storage, connections. All of it after a garbage
// collection, so that what grows is what is held.

import { readFileSync } from "node:fs";
import type { CDPSession, Worker } from "@playwright/test";
import type { EngineApp } from "./engine.ts";

/** A sample: a number for each thing that could grow. A process that the browser had not started has none. */
export type Footprint = Record<string, number>;

interface Live {
  bytes: number;
  buffers: number;
}

/** Counts the buffers of a worker that are neither destroyed nor collected. Runs in the worker, before it has any. */
function countBuffers(): void {
  type Described = { size: number };
  type Prototypes = {
    GPUDevice: { prototype: { createBuffer(described: Described): object } };
    GPUBuffer: { prototype: { destroy(): void } };
  };
  const { GPUDevice, GPUBuffer } = self as unknown as Prototypes;
  const live: Live = { bytes: 0, buffers: 0 };
  Object.assign(self, { liveBuffers: live });
  const sizes = new Map<symbol, number>();
  const names = new WeakMap<object, symbol>();
  const release = (name: symbol) => {
    live.bytes -= sizes.get(name) ?? 0;
    live.buffers -= sizes.delete(name) ? 1 : 0;
  };
  const collected = new FinalizationRegistry(release);
  const { createBuffer } = GPUDevice.prototype;
  GPUDevice.prototype.createBuffer = function (described) {
    const [buffer, name] = [createBuffer.call(this, described), Symbol()];
    sizes.set(name, described.size);
    names.set(buffer, name);
    collected.register(buffer, name);
    live.bytes += described.size;
    live.buffers += 1;
    return buffer;
  };
  const { destroy } = GPUBuffer.prototype;
  GPUBuffer.prototype.destroy = function () {
    const name = names.get(this);
    if (name) {
      release(name);
    }
    destroy.call(this);
  };
}

/**
 * Bytes of the files in the browser's storage, and what is in its databases. Runs in the page.
 *
 * What the browser says of the space in use is not counted: its databases are logs that it tidies now and then. Beside the
 * files, the same records took 0.3 to 3.5 MB.
 */
async function stored(): Promise<{ files: number; bytes: number; records: number; recordBytes: number }> {
  type Folder = { values(): AsyncIterable<FileSystemFileHandle | FileSystemDirectoryHandle> };
  const found = { files: 0, bytes: 0, records: 0, recordBytes: 0 };
  const walk = async (folder: FileSystemDirectoryHandle): Promise<void> => {
    for await (const entry of (folder as unknown as Folder).values()) {
      if (entry.kind === "directory") {
        await walk(entry as FileSystemDirectoryHandle);
      } else {
        found.files += 1;
        found.bytes += (await (entry as FileSystemFileHandle).getFile()).size;
      }
    }
  };
  await walk(await navigator.storage.getDirectory());
  const done = <T>(request: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  for (const { name } of await indexedDB.databases()) {
    const database = await done(indexedDB.open(name ?? ""));
    // Attachments, and the list of them, go ten minutes after nothing names them: how many there are follows from how fast
    // rounds are.
    for (const name of [...database.objectStoreNames].filter((name) => name !== "attachments")) {
      const store = database.transaction(name).objectStore(name);
      const [keys, records] = await Promise.all([done(store.getAllKeys()), done(store.getAll())]);
      const lasting = records.filter((_, at) => keys[at] !== "loose-attachments");
      found.records += lasting.length;
      found.recordBytes += JSON.stringify(lasting).length;
    }
    database.close();
  }
  return found;
}

/** Speaks with the debugger of a page's worker, through that of the page. */
class WorkerDebugger {
  private readonly page: CDPSession;
  private session = "";
  private asked = 0;
  private readonly waiting = new Map<number, (result: Record<string, unknown>) => void>();

  private constructor(page: CDPSession) {
    this.page = page;
    page.on("Target.attachedToTarget", ({ sessionId, targetInfo }) => {
      if (targetInfo.type === "worker") {
        this.session = sessionId;
      }
    });
    page.on("Target.receivedMessageFromTarget", ({ message }) => {
      const { id, result } = JSON.parse(message) as { id?: number; result?: Record<string, unknown> };
      this.waiting.get(id ?? 0)?.(result ?? {});
    });
  }

  static async of(page: CDPSession): Promise<WorkerDebugger> {
    const worker = new WorkerDebugger(page);
    await page.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
    return worker;
  }

  async send(method: string): Promise<Record<string, unknown>> {
    const id = ++this.asked;
    const answered = new Promise<Record<string, unknown>>((resolve) => this.waiting.set(id, resolve));
    const message = JSON.stringify({ id, method });
    await this.page.send("Target.sendMessageToTarget", { sessionId: this.session, message });
    return answered;
  }
}

/** What has grown by more than its share: the median of the last quarter of its samples against that of the second, since much
 * is made only when it is first needed. */
export function grown(samples: readonly Footprint[], share: (name: string) => number): string[] {
  const names = new Set(samples.flatMap((sample) => Object.keys(sample)));
  return [...names].flatMap((name) => {
    const values = samples.flatMap((sample) => sample[name] ?? []);
    if (values.length < 4) {
      // A browser service that ran in only a few rounds can't be compared. A page always has every figure.
      return [];
    }
    const quarter = Math.floor(values.length / 4);
    const [before, after] = [median(values.slice(quarter, 2 * quarter)), median(values.slice(-quarter))];
    // What could not be measured counts, too.
    return !(after <= before * (1 + share(name))) ? [`${name}: ${before} before, ${after} after`] : [];
  });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

/** Keeps the memory of the page's program at hand. Runs in the page, before it has any. */
function keepMemory(): void {
  const { instantiateStreaming, instantiate } = WebAssembly;
  const keep = <T>(made: T): T => {
    const { memory } = ((made as WebAssembly.WebAssemblyInstantiatedSource).instance ?? made).exports;
    if (memory instanceof WebAssembly.Memory) {
      Object.assign(globalThis, { pageMemory: memory });
    }
    return made;
  };
  WebAssembly.instantiateStreaming = (...args) => instantiateStreaming(...args).then(keep);
  WebAssembly.instantiate = ((...args: Parameters<typeof instantiate>) => instantiate(...args).then(keep)) as typeof instantiate;
}

/** Takes samples of a page that runs the engine. */
export class Scales {
  private readonly app: EngineApp;
  private readonly debug: CDPSession;
  private readonly workerDebug: WorkerDebugger;
  private readonly browser: CDPSession;

  private constructor(app: EngineApp, debug: CDPSession, workerDebug: WorkerDebugger, browser: CDPSession) {
    this.app = app;
    this.debug = debug;
    this.workerDebug = workerDebug;
    this.browser = browser;
  }

  /** For a page that has not been opened yet. */
  static async of(app: EngineApp): Promise<Scales> {
    const { page } = app;
    await page.addInitScript(keepMemory);
    page.on("worker", (worker: Worker) => void worker.evaluate(countBuffers));
    const debug = await page.context().newCDPSession(page);
    const browser = await page.context().browser()?.newBrowserCDPSession();
    if (!browser) {
      throw new Error("the page has no browser");
    }
    return new Scales(app, debug, await WorkerDebugger.of(debug), browser);
  }

  /** A sample. */
  async weigh(): Promise<Footprint> {
    await this.debug.send("HeapProfiler.collectGarbage");
    await this.workerDebug.send("HeapProfiler.collectGarbage");
    const page = await this.debug.send("Runtime.getHeapUsage");
    const worker = await this.workerDebug.send("Runtime.getHeapUsage");
    const { metrics } = await this.debug.send("Performance.enable").then(() => this.debug.send("Performance.getMetrics"));
    const metric = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? NaN;
    const live = await this.app.page.workers()[0]?.evaluate(
      () => (self as unknown as { liveBuffers: Live }).liveBuffers,
    );
    const store = await this.app.page.evaluate(stored);
    const program = await this.app.page.evaluate(
      () => (globalThis as unknown as { pageMemory?: WebAssembly.Memory }).pageMemory?.buffer.byteLength,
    );
    const sample: Footprint = {
      "page heap": page.usedSize,
      "page buffers": page.backingStorageSize ?? NaN,
      "page program": program ?? NaN,
      "page nodes": metric("Nodes"),
      "page listeners": metric("JSEventListeners"),
      "worker heap": Number(worker.usedSize),
      "worker buffers": Number(worker.backingStorageSize),
      "worker program": await this.app.wasmMemory(),
      "gpu bytes": live?.bytes ?? NaN,
      "gpu buffers": live?.buffers ?? NaN,
      "opfs bytes": store.bytes,
      "opfs files": store.files,
      "database records": store.records,
      "database bytes": store.recordBytes,
    };
    const { processInfo } = await this.browser.send("SystemInfo.getProcessInfo");
    for (const { type, id } of processInfo) {
      const name = `${service(id) ?? type.toLowerCase()} processes`;
      sample[name] = (sample[name] ?? 0) + resident(id);
    }
    return sample;
  }
}

/** Connections that are open to a port of this machine, seen from the server's side. */
export function connections(port: number): number {
  const local = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const lines = readFileSync("/proc/net/tcp", "utf8").trim().split("\n").slice(1);
  return lines.map((line) => line.trim().split(/\s+/)).filter(([, at, , state]) => at?.endsWith(local) && state === "01").length;
}

/** The service that a process of the browser was started for, if it is one of those that come and go. */
function service(process: number): string | undefined {
  try {
    return /--utility-sub-type=[\w.]*?(\w+)(?![\w.])/.exec(readFileSync(`/proc/${process}/cmdline`, "utf8"))?.[1];
  } catch {
    return undefined;
  }
}

/** Resident memory of a process in bytes. One that has just ended has none. */
function resident(process: number): number {
  try {
    const [, kilobytes = "0"] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${process}/status`, "utf8")) ?? [];
    return 1024 * Number(kilobytes);
  } catch {
    return 0;
  }
}
