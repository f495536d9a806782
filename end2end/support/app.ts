// The page as a person sees it: places by role and name, and the few things that most tests do.

import { expect, type Locator, type Page } from "@playwright/test";
import type { MediaFile } from "./media.ts";
import { patience } from "./patience.ts";

export class App {
  readonly page: Page;
  readonly composer: Locator;
  readonly sendButton: Locator;
  readonly stopButton: Locator;
  readonly rail: Locator;
  readonly drawer: Locator;
  readonly palette: Locator;
  readonly progress: Locator;
  readonly model: Locator;
  readonly attachButton: Locator;
  readonly recordButton: Locator;
  /** What is attached to the next message. */
  readonly tray: Locator;
  /** What could not be attached, and why. */
  readonly refusal: Locator;
  /** Messages of the person's. */
  readonly questions: Locator;
  /** Messages of the model's. */
  readonly answers: Locator;

  constructor(page: Page) {
    this.page = page;
    this.composer = page.getByRole("textbox", { name: "Message", exact: true });
    this.sendButton = page.getByRole("form", { name: "Write a message" }).getByRole("button", { name: "Send" });
    this.stopButton = page.getByRole("button", { name: "Stop", exact: true });
    this.rail = page.getByRole("complementary", { name: "Conversations and pages" });
    this.drawer = page.getByRole("dialog", { name: "This conversation" });
    this.palette = page.getByRole("dialog", { name: "Search and commands" });
    this.progress = page.getByRole("progressbar");
    this.model = page.getByRole("button", { name: /^Model: / });
    this.attachButton = page.getByRole("button", { name: "Attach files", exact: true });
    this.recordButton = page.getByRole("button", { name: /^Record audio/ });
    this.tray = page.getByRole("list", { name: "Attached to your message" });
    this.refusal = page.getByRole("group", { name: "Not attached" });
    this.questions = page.getByRole("article", { name: "You", exact: true });
    this.answers = page.getByRole("article", { name: /^Answer from / });
  }

  /** Opens a path with the fake engine in a scenario, and waits until the page lives. */
  async open(scenario = "instant", path = "/"): Promise<void> {
    await this.page.goto(`${path}?fake=${scenario}`);
    await this.ready();
  }

  /** Waits until the page lives: only then is the note of the fake engine there. */
  async ready(): Promise<void> {
    await expect(this.page.locator(".fake-note")).toBeVisible();
  }

  /**
   * Sets how many milliseconds each further step of the simulated engine takes, whatever its scenario says. A test that looks at
   * something brief slows it down, and speeds it up again once it has seen that.
   */
  async pace(milliseconds: number): Promise<void> {
    await this.tellEngine(milliseconds);
  }

  /** Crashes the simulated engine. */
  async crash(): Promise<void> {
    await this.tellEngine("crash");
  }

  /** Tells the simulated engine something. */
  private async tellEngine(message: number | "crash"): Promise<void> {
    await this.page.evaluate(
      (message) =>
        new Promise<void>((resolve) => {
          const [engine, heard] = [new BroadcastChannel("fake"), new BroadcastChannel("fake-heard")];
          // It hears once it has begun.
          const again = setInterval(() => engine.postMessage(message), 20);
          heard.onmessage = () => {
            clearInterval(again);
            engine.close();
            heard.close();
            resolve();
          };
          engine.postMessage(message);
        }),
      message,
    );
  }

  /** Opens the chat, with a model selected and not loaded. */
  async openChat(scenario = "instant"): Promise<void> {
    await this.open(scenario);
    await expect(this.model).toBeVisible();
  }

  async send(text: string): Promise<void> {
    await this.composer.fill(text);
    await this.composer.press("Enter");
  }

  /** Sends a message and waits for the end of its answer, which it returns. */
  async ask(text: string): Promise<Locator> {
    const before = await this.questions.count();
    await this.send(text);
    await expect(this.questions).toHaveCount(before + 1);
    return this.answered();
  }

  /** Waits for the end of the last answer, which it returns. */
  async answered(): Promise<Locator> {
    const answer = this.answers.last();
    // The slow engine takes longer over an answer than other waits allow.
    await expect(answer).toHaveAttribute("aria-busy", "false", { timeout: patience(60_000, 150_000) });
    return answer;
  }

  /** Leaves the conversation that is shown for a new one. */
  async startConversation(): Promise<void> {
    await this.rail.getByRole("button", { name: "New", exact: true }).click();
    await expect(this.questions).toHaveCount(0);
  }

  /** The line of a conversation in the rail. */
  conversation(title: string | RegExp): Locator {
    return this.page.getByRole("navigation", { name: "Conversations" }).getByRole("link", { name: title });
  }

  /** Chooses an action from a conversation's menu. */
  async act(title: string, action: string): Promise<void> {
    await this.page.getByRole("button", { name: `Actions for ${title}` }).click();
    await this.page.getByRole("menuitem", { name: action, exact: true }).click();
  }

  /** Picks files to attach, through the button that opens the system's dialog, and waits until each is attached or refused. */
  async attach(...files: MediaFile[]): Promise<void> {
    await this.pickFiles(...files);
    for (const { name } of files) {
      await expect(this.page.getByText(`Reading ${name}`)).toHaveCount(0);
      const shown = async () => [...(await this.tray.allTextContents()), ...(await this.refusal.allTextContents())].join();
      await expect.poll(shown).toContain(name);
    }
  }

  /** Picks files to attach, and does not wait for them. */
  async pickFiles(...files: MediaFile[]): Promise<void> {
    const chooser = this.page.waitForEvent("filechooser");
    await this.attachButton.click();
    await (await chooser).setFiles(files);
  }

  /** Pastes a file into the message. */
  async paste({ name, mimeType: type, buffer }: MediaFile): Promise<void> {
    const file = { name, type, bytes: [...buffer] };
    await this.composer.evaluate((composer, { name, type, bytes }) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(bytes)], name, { type }));
      composer.dispatchEvent(new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData: data }));
    }, file);
    await expect(this.tray).toContainText(name);
  }

  /** Goes to a place without loading the page anew. */
  async go(place: string): Promise<void> {
    await this.page.keyboard.press("Control+k");
    // The palette shows the first dozen of what it knows.
    await this.palette.getByRole("combobox").fill(place);
    await this.palette.getByRole("option").filter({ has: this.page.getByText(place, { exact: true }) }).click();
    await expect(this.page.getByRole("heading", { level: 1, name: place })).toBeVisible();
  }

  /** A section of what went wrong. */
  get failure(): Locator {
    return this.page.getByRole("group", { name: "Something went wrong" });
  }

  async openDrawer(): Promise<void> {
    await this.page.getByRole("button", { name: "Conversation settings" }).click();
    await expect(this.drawer).toBeVisible();
  }

  /** Waits until a text is in the browser's store, which is written after a rest. */
  async kept(text: string): Promise<void> {
    await expect.poll(() => this.page.evaluate(stored)).toContain(text);
  }

  /** Whether a text is in the browser's store. */
  async inStore(text: string): Promise<boolean> {
    return (await this.page.evaluate(stored)).includes(text);
  }

  /** Loads the page anew, once the browser's store has written what was saved before: a reload breaks off what is under way. */
  async reload(): Promise<void> {
    await this.written();
    await this.page.reload();
  }

  /** Waits until the browser's store has written what was saved before. */
  async written(): Promise<void> {
    // What is saved meanwhile comes second.
    await this.page.evaluate(written);
    await this.page.evaluate(written);
  }

  /** What is on the clipboard. Only Chromium lets a test read it; elsewhere none. */
  async clipboard(): Promise<string | undefined> {
    if (this.page.context().browser()?.browserType().name() !== "chromium") {
      return undefined;
    }
    return this.page.evaluate(() => navigator.clipboard.readText());
  }

  /** Lets this page read the clipboard, where a browser asks. */
  async allowClipboard(): Promise<void> {
    const context = this.page.context();
    if (context.browser()?.browserType().name() === "chromium") {
      await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    }
  }
}

/** Waits for a turn to write into each of the page's stores, where transactions run one after another. Runs in the page. */
async function written(): Promise<void> {
  for (const { name } of await indexedDB.databases()) {
    await new Promise<void>((resolve, reject) => {
      const opening = indexedDB.open(name ?? "");
      opening.onerror = () => reject(opening.error);
      opening.onsuccess = () => {
        const database = opening.result;
        const stores = [...database.objectStoreNames];
        const end = () => (database.close(), resolve());
        if (stores.length === 0) {
          return end();
        }
        const turn = database.transaction(stores, "readwrite");
        turn.oncomplete = end;
        turn.onabort = () => reject(turn.error);
        turn.objectStore(stores[0] ?? "").count();
      };
    });
  }
}

/** All that the browser's store holds, as text. Runs in the page. */
async function stored(): Promise<string> {
  const done = <T>(request: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const found: unknown[] = [];
  for (const { name } of await indexedDB.databases()) {
    const database = await done(indexedDB.open(name ?? ""));
    for (const store of database.objectStoreNames) {
      found.push(...(await done(database.transaction(store).objectStore(store).getAll())));
    }
    database.close();
  }
  return found.map((it) => (typeof it === "string" ? it : JSON.stringify(it))).join("\n");
}
