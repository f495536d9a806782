// Files that the page picks by the browser's own dialog. They lie in the storage of the page, where a test can write them; their
// handles are real ones, which the browser stores and gives back.

import type { Page } from "@playwright/test";

/** Takes the browser's own dialog away, in the page: Playwright answers that of a field alone. */
export function removeFilePicker(): void {
  Reflect.deleteProperty(globalThis, "showOpenFilePicker");
}

/** What a person answers when the browser asks whether the page may read a file. */
type Answer = "granted" | "denied";

/** The folder of the files. */
const FOLDER = "disk";

export class Disk {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Stands in for the dialog, which picks all files, for dropped files, and for the question. To be called before the page opens. */
  async prepare(): Promise<void> {
    await this.page.addInitScript((folder) => {
      const disk = async () => (await navigator.storage.getDirectory()).getDirectoryHandle(folder, { create: true });
      const pick = async () => {
        const handles: FileSystemHandle[] = [];
        for await (const handle of (await disk()).values()) {
          handles.push(handle);
        }
        return handles;
      };
      async function drop(this: DataTransferItem): Promise<FileSystemHandle | null> {
        const name = this.getAsFile()?.name ?? "";
        return (await disk()).getFileHandle(name);
      }
      async function ask(): Promise<string> {
        const asked = JSON.parse(localStorage.getItem("asked") ?? "0") as number;
        localStorage.setItem("asked", JSON.stringify(asked + 1));
        return localStorage.getItem("answer") ?? "granted";
      }
      Object.assign(globalThis, { showOpenFilePicker: pick });
      Object.assign(DataTransferItem.prototype, { getAsFileSystemHandle: drop });
      Object.assign(FileSystemHandle.prototype, { requestPermission: ask });
    }, FOLDER);
  }

  /** Writes a file, in place of one with this name. */
  async write(name: string, content: string): Promise<void> {
    await this.page.evaluate(
      async ([folder, name, content]) => {
        const disk = await (await navigator.storage.getDirectory()).getDirectoryHandle(folder, { create: true });
        const file = await (await disk.getFileHandle(name, { create: true })).createWritable();
        await file.write(content);
        await file.close();
      },
      [FOLDER, name, content] as const,
    );
  }

  async remove(name: string): Promise<void> {
    await this.page.evaluate(
      async ([folder, name]) => {
        const disk = await (await navigator.storage.getDirectory()).getDirectoryHandle(folder);
        await disk.removeEntry(name);
      },
      [FOLDER, name] as const,
    );
  }

  /** Drops a file of the disk on the page. */
  async drop(name: string): Promise<void> {
    const data = await this.page.evaluateHandle(
      async ([folder, name]) => {
        const disk = await (await navigator.storage.getDirectory()).getDirectoryHandle(folder);
        const data = new DataTransfer();
        data.items.add(await (await disk.getFileHandle(name)).getFile());
        return data;
      },
      [FOLDER, name] as const,
    );
    await this.page.dispatchEvent("body", "drop", { dataTransfer: data });
  }

  /** What the person will answer. */
  async answer(answer: Answer): Promise<void> {
    await this.page.evaluate((answer) => localStorage.setItem("answer", answer), answer);
  }

  /** For how many files the person was asked. */
  async asked(): Promise<number> {
    return this.page.evaluate(() => Number(localStorage.getItem("asked") ?? "0"));
  }
}
