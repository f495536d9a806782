// The page of `cargo xtask bench`: gemtab's worker and its peers behind the same two calls. What is to be done comes
// from the server that served this page, and the outcome goes back there.

import init, * as wire from "./wire.js";

const page = location.search.slice(1);

/** Tells the server something. */
async function say(words) {
  await fetch(`/say/${page}`, { method: "POST", body: JSON.stringify(words) });
}

/** The scripts of gemtab's workers: its own, and those that change the device first. */
const WORKERS = {
  gemtab: "./worker.js",
  "gemtab-host": "./small.js",
  "gemtab-late": "./late.js",
  "gemtab-eight-bits": "./worker.js",
  "gemtab-plain": "./plain.js",
  "gemtab-schema": "./worker.js",
};

/** A text of so many tokens: a digit is one in every vocabulary of these models. Other digits each round. */
function digits(length, round) {
  return Array.from({ length }, (_, i) => (i * 7 + ((i * i) % 11) + round) % 10).join("");
}

/** gemtab's worker, by the protocol of the real page. */
class Gemtab {
  #worker;
  #kind;
  #waiting = new Map();
  #next = 1;
  #device = {};
  #schema;

  constructor(kind) {
    this.#worker = new Worker(WORKERS[kind], { type: "module" });
    this.#kind = kind;
    this.#worker.onmessage = ({ data }) => this.#hear(data);
    this.#worker.onerror = (event) => this.#end(event.message);
    this.#worker.postMessage({ bytes: wire.hello() });
  }

  #hear({ bytes, error }) {
    if (error !== undefined) {
      this.#end(error);
      return;
    }
    const message = JSON.parse(wire.decode(bytes));
    if (message.Device) {
      this.#device = message.Device;
    } else if (message.Warning || message.DeviceLost) {
      say({ log: message });
    }
    const { Ok: outcome, Err: failure } = message.Event?.body.Outcome ?? {};
    const waiting = this.#waiting.get(message.Event?.id);
    if (failure) {
      waiting?.reject(new Error(JSON.stringify(failure)));
    } else if (outcome) {
      waiting?.resolve(outcome);
    }
  }

  #end(reason) {
    for (const { reject } of this.#waiting.values()) {
      reject(new Error(reason));
    }
  }

  /** Sends the request that `make` encodes for a fresh id and waits for its outcome. */
  #request(make) {
    const id = this.#next++;
    const { promise, resolve, reject } = Promise.withResolvers();
    this.#waiting.set(id, { resolve, reject });
    this.#worker.postMessage({ bytes: make(id) });
    return promise.finally(() => this.#waiting.delete(id));
  }

  async #load({ size, context }) {
    const mayUseHost = this.#kind === "gemtab-host";
    const eightBits = this.#kind === "gemtab-eight-bits";
    const make = (id) => wire.load(id, "/model", size, context, mayUseHost, eightBits);
    return (await this.#request(make)).Loaded;
  }

  async load(work) {
    const loaded = await this.#load(work);
    if (this.#kind === "gemtab-schema") {
      this.#schema = await (await fetch("./schema.json")).text();
      const began = performance.now();
      await this.#request((id) => wire.prepare(id, this.#schema));
      this.#device.constraint_ready_ms = performance.now() - began;
    }
    return { device: this.#device, context: loaded.context, gpu_bytes: loaded.gpu_bytes, load_ms: loaded.times };
  }

  async round({ prompt, answer }, round) {
    const make = (id) => wire.benchmark(id, prompt, answer, round, this.#schema);
    const { Diagnosed: finding } = await this.#request(make);
    const told = finding.Benchmark;
    return { prompt: told.prompt, answer: told.answer, ...told.rounds[0] };
  }

  /** Answers, loads the model anew and answers once more, from the KV cache that was kept. */
  async reopen(work) {
    const text = digits(work.prompt - 32, 0);
    const answer = async () => (await this.#request((id) => wire.answer(id, text))).Done.timings;
    const read = await answer();
    let kept;
    do {
      kept = (await this.#request((id) => wire.kept_caches(id))).KeptCaches;
    } while (kept.conversations === 0);
    await this.#load(work);
    const reopened = await answer();
    return {
      tokens: read.prompt_tokens,
      bytes: kept.bytes,
      read_ms: read.first_token_ms,
      reopened_ms: reopened.first_token_ms,
      cached_tokens: reopened.cached_tokens,
    };
  }

  async profile({ position, rows }) {
    const { Diagnosed: finding } = await this.#request((id) => wire.profile(id, position, rows));
    return finding.Profile;
  }
}

/** wllama on WebGPU, or on the CPU. */
class Wllama {
  #wllama;
  #log = [];

  async load({ context }, options, onCpu) {
    const { Wllama } = await import("./wllama/index.js");
    const log = (...words) => this.#log.push(words.join(" "));
    const logger = { debug: log, log, warn: log, error: log };
    this.#wllama = new Wllama({ default: "/wllama/wasm/wllama.wasm" }, { logger });
    const model = await (await fetch("/model")).blob();
    const places = { n_ctx: Math.max(context + 8, 1024), n_parallel: 1, ...(onCpu ? { n_gpu_layers: 0 } : {}) };
    await this.#explained(() => this.#wllama.loadModel([model], { ...places, ...options }));
    return {
      version: Wllama.getLibllamaVersion(),
      threads: this.#wllama.getNumThreads(),
      webgpu: !onCpu && this.#wllama.isSupportWebGPU(),
      // Which device it took, and what it left to the CPU, it says here alone.
      log: this.#log.filter((line) => /webgpu|device|offload|buffer size/i.test(line)).slice(0, 40),
    };
  }

  /** Adds to a failure what wllama said before it. */
  async #explained(work) {
    try {
      return await work();
    } catch (error) {
      throw new Error(`${error.stack ?? error}\n${this.#log.slice(-20).join("\n")}`);
    }
  }

  async round({ prompt, answer }, round) {
    // Wllama takes text alone, and puts one token in front.
    const order = { prompt: digits(prompt - 1, round), max_tokens: answer, temperature: 0, ignore_eos: true, cache_prompt: false };
    const told = await this.#explained(() => this.#wllama.createCompletion(order));
    const times = told.timings;
    if (!times) {
      throw new Error(`wllama gave no timings: ${JSON.stringify(told).slice(0, 400)}`);
    }
    return {
      prompt: times.prompt_n,
      prefill_ms: times.prompt_ms,
      answer: times.predicted_n,
      decode_ms: times.predicted_ms,
    };
  }
}

const engines = new Map();

async function carryOut({ action, name, engine: kind, work, wllama, round, tokens }) {
  if (action === "load") {
    const made = kind in WORKERS ? new Gemtab(kind) : new Wllama();
    const about = await made.load(work, wllama, kind === "wllama-cpu");
    engines.set(name, made);
    return about;
  }
  const engine = engines.get(name);
  switch (action) {
    case "profile":
      return engine.profile(tokens);
    case "reopen":
      return engine.reopen(work);
    default:
      return engine.round(work, round);
  }
}

async function adapter() {
  const adapter = await navigator.gpu?.requestAdapter({ powerPreference: "high-performance" });
  const { vendor, architecture, description } = adapter?.info ?? {};
  return adapter ? { vendor, architecture, description, features: [...adapter.features] } : null;
}

globalThis.onerror = (message) => void say({ trouble: String(message) });
globalThis.onunhandledrejection = (event) => void say({ trouble: String(event.reason) });

await init({ module_or_path: new URL("./wire.wasm", import.meta.url) });
await say({
  ready: { agent: navigator.userAgent, isolated: crossOriginIsolated, adapter: await adapter() },
});
for (;;) {
  const answer = await fetch(`/next/${page}`);
  if (answer.status !== 200) {
    continue;
  }
  const order = await answer.json();
  try {
    await say({ id: order.id, value: (await carryOut(order)) ?? null });
  } catch (error) {
    await say({ id: order.id, error: String(error?.message ?? error) });
  }
}
