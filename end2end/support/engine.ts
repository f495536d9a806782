// The page with the real engine: loading models, greedy answers, what the engine has seen and heard.

import { expect, type Browser, type Locator, type Page, type Request } from "@playwright/test";
import { App } from "./app.ts";
import { fillProperly, isPackaged } from "./firefox.ts";
import { ANSWER, LOAD, SOON } from "./patience.ts";
import { removeFilePicker } from "./picked.ts";

/** Gives the engine's worker `?test` in its address, which opens its hooks for tests. A blob's address takes no query. */
function openHooks(): void {
  const Plain = Worker;
  globalThis.Worker = class extends Plain {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(`${url}`.startsWith("blob:") ? url : `${url}?test`, options);
    }
  };
}

/** What the tests need of WebGPU, whose types are not among theirs, and what they add. */
interface WorkerWithWebGpu {
  GPUDevice: { prototype: Record<string, (described: unknown) => unknown> };
  bufferBytes: number;
  pipelineCounts: { asked: number; ahead: number };
}

/** A file to be picked. */
export interface ModelFile {
  name: string;
  mimeType: string;
  buffer: Buffer;
}

/** Figures of an answer, as the page tells them. */
export interface Figures {
  prompt: number;
  known: number;
  drawn: number;
}

export class EngineApp extends App {
  /** Every request of the page and its workers, in order. */
  readonly requests: Request[] = [];
  /** Where there is no model yet: the card of a first visit. */
  readonly card: Locator;

  private constructor(page: Page) {
    super(page);
    this.card = page.getByRole("region", { name: "Conversation" });
    page.on("request", (request) => this.requests.push(request));
  }

  /** A page of its own, with storage of its own. Service workers would keep the whole site in each. */
  static async start(
    browser: Browser,
    more: string[] = [],
    serviceWorkers: "allow" | "block" = "block",
  ): Promise<EngineApp> {
    const isChromium = browser.browserType().name() === "chromium";
    const permissions = isChromium ? ["clipboard-read", "clipboard-write", ...more] : more;
    const context = await browser.newContext({ permissions, serviceWorkers });
    if (isPackaged && !isChromium) {
      await context.addInitScript(fillProperly);
    }
    await context.addInitScript(openHooks);
    await context.addInitScript(removeFilePicker);
    const page = await context.newPage();
    page.setDefaultTimeout(SOON);
    return new EngineApp(page);
  }

  /** Another tab of the same visitor. */
  async another(): Promise<EngineApp> {
    const page = await this.page.context().newPage();
    page.setDefaultTimeout(SOON);
    return new EngineApp(page);
  }

  /**
   * Delays every readback of the engine by 100 ms, as a browser that polls the graphics card does, until the function
   * that this returns is called. It gives the number of them.
   */
  async delayReadbacks(): Promise<() => Promise<number>> {
    const worker = this.page.workers()[0];
    if (!worker) {
      throw new Error("there is no engine");
    }
    await worker.evaluate(() => {
      type Buffers = { prototype: { mapAsync(...given: unknown[]): Promise<void> } };
      const { prototype } = (self as unknown as { GPUBuffer: Buffers }).GPUBuffer;
      const { mapAsync } = prototype;
      let delayed = 0;
      prototype.mapAsync = async function (...given) {
        await mapAsync.apply(this, given);
        delayed += 1;
        await new Promise((resolve) => setTimeout(resolve, 100));
      };
      const inTime = () => {
        prototype.mapAsync = mapAsync;
        return delayed;
      };
      Object.assign(self, { inTime });
    });
    return () => worker.evaluate(() => (self as unknown as { inTime: () => number }).inTime());
  }

  /** Loads the built-in model from the card of a first visit. */
  async loadDemo(): Promise<void> {
    await this.loadListed("pebble");
  }

  /** Loads a model from the card of a first visit. */
  async loadListed(name: string): Promise<void> {
    const row = this.card.getByRole("listitem").getByRole("button", { name: new RegExp(`^${name}`) });
    // What is known of the device moves the row: a click is not to be half made then.
    await expect(row.getByText("Fits")).toBeVisible();
    await row.click();
    await this.loaded(name);
  }

  /** A model in the dialog that offers all. */
  picked(name: string): Locator {
    return this.page.getByRole("dialog").getByRole("button", { name: new RegExp(`^${name}`) });
  }

  /** Waits until a model is loaded. */
  async loaded(name: string): Promise<void> {
    const button = this.page.getByRole("button", { name: `Model: ${name} (Loaded).` });
    await expect(button.or(this.failure)).toBeVisible({ timeout: LOAD });
    // What went wrong says more than a button that is not there.
    await expect(this.failure).toHaveCount(0);
  }

  /** Has the page of diagnostics test the kernels: those of the model, if one is loaded. */
  async testKernels(): Promise<void> {
    await this.page.getByRole("button", { name: "Test kernels" }).click();
    // A kernel that does not compute what it should would be named.
    const outcome = this.page.getByText(/wrong results on this graphics card|^Verified on this graphics card/);
    await expect(outcome.or(this.failure)).toBeVisible({ timeout: LOAD });
    await expect(outcome).toHaveText(/^Verified on this graphics card: \d\d+ kernels( of the loaded model)?\.$/);
  }

  /** Makes the answers of this conversation the likeliest words. */
  async beGreedy(): Promise<void> {
    await this.openDrawer();
    const temperature = this.drawer.getByRole("spinbutton", { name: "Temperature" });
    await temperature.fill("0");
    await temperature.press("Tab");
    await expect(this.drawer.getByRole("button", { name: "Reset to the model’s defaults" })).toBeVisible();
    await this.drawer.getByRole("button", { name: "Close" }).click();
  }

  /** Ends the answers of this conversation after so many tokens: random weights know no end. */
  async setLongest(tokens: number): Promise<void> {
    await this.openDrawer();
    const longest = this.drawer.getByRole("spinbutton", { name: "Maximum answer length" });
    await longest.fill(`${tokens}`);
    await longest.press("Tab");
    await this.drawer.getByRole("button", { name: "Close" }).click();
  }

  /** Sends a message and waits for its answer, before which a model may have to load. */
  override async ask(text: string): Promise<Locator> {
    const before = await this.answers.count();
    await this.send(text);
    await expect(this.answers).toHaveCount(before + 1, { timeout: LOAD });
    return this.answered();
  }

  override async answered(): Promise<Locator> {
    const answer = this.answers.last();
    await expect(answer).toHaveAttribute("aria-busy", "false", { timeout: ANSWER });
    return answer;
  }

  /** Picks files as a person does, through the button that opens the system's dialog. */
  async pick(files: ModelFile | string | string[]): Promise<void> {
    const chooser = this.page.waitForEvent("filechooser");
    await this.page.getByRole("button", { name: "Open a file…" }).click();
    await (await chooser).setFiles(files);
  }

  /** Sends the engine a message that only tests may send. */
  async tell(test: string): Promise<void> {
    const worker = this.page.workers()[0];
    expect(worker, "the page has an engine").toBeDefined();
    await worker?.evaluate((test) => self.dispatchEvent(new MessageEvent("message", { data: { test } })), test);
  }

  /** From now on, counts the pipelines that the engine asks for, and those of them that were made ahead. */
  async countPipelines(): Promise<() => Promise<{ asked: number; ahead: number }>> {
    const worker = this.page.workers()[0];
    await worker?.evaluate(() => {
      const counts = { asked: 0, ahead: 0 };
      const made = new Set<unknown>();
      const { prototype } = (self as unknown as WorkerWithWebGpu).GPUDevice;
      const { createComputePipeline, createComputePipelineAsync } = prototype;
      prototype.createComputePipelineAsync = async function (described) {
        const pipeline = await createComputePipelineAsync?.call(this, described);
        made.add(pipeline);
        return pipeline;
      };
      prototype.createComputePipeline = function (described) {
        const pipeline = createComputePipeline?.call(this, described);
        counts.asked += 1;
        counts.ahead += made.has(pipeline) ? 1 : 0;
        return pipeline;
      };
      Object.assign(self, { pipelineCounts: counts });
    });
    return async () => {
      const counts = await worker?.evaluate(() => (self as unknown as WorkerWithWebGpu).pipelineCounts);
      return counts ?? { asked: 0, ahead: 0 };
    };
  }

  /** From now on, counts the bytes of the buffers that the engine makes. */
  async countBytes(): Promise<() => Promise<number>> {
    const worker = this.page.workers()[0];
    expect(worker, "the page has an engine").toBeDefined();
    await worker?.evaluate(() => {
      const { prototype } = (self as unknown as WorkerWithWebGpu).GPUDevice;
      const { createBuffer } = prototype;
      Object.assign(self, { bufferBytes: 0 });
      prototype.createBuffer = function (described) {
        (self as unknown as WorkerWithWebGpu).bufferBytes += (described as { size: number }).size;
        return createBuffer?.call(this, described);
      };
    });
    return async () => (await worker?.evaluate(() => (self as unknown as WorkerWithWebGpu).bufferBytes)) ?? NaN;
  }

  /** The soft tokens of what the engine has seen and heard, the latest last. */
  async softTokens(): Promise<number[][]> {
    const worker = this.page.workers()[0];
    expect(worker, "the page has an engine").toBeDefined();
    const all = await worker?.evaluate(
      () =>
        new Promise<number[][]>((resolve) => {
          const post = self.postMessage;
          self.postMessage = ((message: { soft_tokens?: Float32Array[] }, more?: StructuredSerializeOptions) => {
            if (message.soft_tokens) {
              self.postMessage = post;
              resolve(message.soft_tokens.map((rows) => [...rows]));
            } else {
              post.call(self, message, more);
            }
          }) as typeof self.postMessage;
          self.dispatchEvent(new MessageEvent("message", { data: { test: "soft-tokens" } }));
        }),
    );
    return all ?? [];
  }

  /** Bytes of wasm memory that the engine takes. */
  async wasmMemory(): Promise<number> {
    const worker = this.page.workers()[0];
    const script = this.requests.map((request) => request.url()).find((url) => /\/engine\.\w+\.js$/.test(url));
    expect(script, "the page has asked for the engine").toBeDefined();
    // The module that runs already: its initialiser gives what it has made.
    return (
      (await worker?.evaluate(async (script) => {
        const engine = (await import(script)) as { default(): Promise<{ memory: WebAssembly.Memory }> };
        return (await engine.default()).memory.buffer.byteLength;
      }, script ?? "")) ?? 0
    );
  }
}

/** The text of an answer as the model drew it, by the button that copies it. */
export async function drawn(answer: Locator): Promise<string> {
  // Behind those of code in it.
  await answer.getByRole("button", { name: "Copy" }).last().click();
  await expect(answer.page().getByText("Copied.")).toBeAttached();
  return answer.page().evaluate(() => navigator.clipboard.readText());
}

/** The figures below an answer. */
export async function figures(answer: Locator): Promise<Figures> {
  const words = (await answer.getByText(/^[\d,]+ tokens, the first after/).textContent()) ?? "";
  const [, ...numbers] = /^([\d,]+) tokens,.* prompt of ([\d,]+) tokens, ([\d,]+) from cache/.exec(words) ?? [];
  const [drawn = NaN, prompt = NaN, known = NaN] = numbers.map((number) => Number(number.replaceAll(",", "")));
  return { drawn, prompt, known };
}
