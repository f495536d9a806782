// Every state of the page, in light and dark, on a desk and on a phone: no fault that axe knows; with GEMTAB_PICTURES=1 also a
// picture of each in test-results/pictures, to look at.

import { join } from "node:path";
import type { App } from "../../support/app.ts";
import { EMULATES_MEDIA } from "../../support/firefox.ts";
import { faults } from "../../support/axe.ts";
import { openArchive } from "../../support/archive.ts";
import { animatedGif, png, wav } from "../../support/media.ts";
import { expect, test } from "../../support/watch.ts";

const states: Record<string, (app: App) => Promise<void>> = {
  empty: async (app) => {
    await app.openChat();
    await expect(app.page.getByText("Too large by 2.2 GB")).toBeVisible();
  },
  loading: async (app) => {
    await app.openChat("slow");
    await app.send("Hello");
    await expect(app.page.getByText(/Loading weights/)).toBeVisible();
    await app.composer.fill("Meanwhile");
  },
  answering: async (app) => {
    await app.openChat("usual,demo");
    await app.page.getByRole("button", { name: "Think", exact: true }).click();
    await app.send("A long answer");
    await expect(app.answers.first()).toContainText("Part 1");
  },
  "long answer": async (app) => {
    await app.openChat();
    await app.page.getByRole("button", { name: "Think", exact: true }).click();
    await app.ask("Show me everything");
    await app.answers.last().getByRole("button", { name: "Regenerate" }).click();
    await expect(app.answers.last()).toContainText("There is more than one way");
    await app.answered();
    await app.page.getByText("Thought for 1 s").click();
  },
  attachments: async (app) => {
    await app.openChat();
    await app.attach(png(), wav("tone.wav", 2));
    await app.ask("What are these?");
    await app.attach(png("blue.png", 64, 48, [30, 30, 200]), animatedGif(), wav("long.wav", 31));
    await expect(app.tray).toContainText("split into 2 clips");
    await app.attach({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("notes") });
    await expect(app.refusal).toBeVisible();
  },
  picture: async (app) => {
    await app.openChat();
    await app.attach(png());
    await app.tray.getByRole("button", { name: "Show red.png" }).click();
    await expect(app.page.getByRole("dialog", { name: "red.png" }).getByRole("img")).toBeVisible();
  },
  "a model of text": async (app) => {
    await app.openChat("instant,text-only");
    await expect(app.recordButton).toHaveAttribute("aria-disabled", "true");
  },
  drawer: async (app) => {
    await app.openChat();
    await app.ask("Hello");
    await app.openDrawer();
  },
  "an answer that is edited, and one to be continued": async (app) => {
    await app.openChat("usual,demo");
    await app.send("Show me everything");
    await expect(app.answers.first()).toContainText("Read the header");
    await app.stopButton.click();
    await expect(app.answers.first().getByRole("button", { name: "Continue" })).toBeVisible();
    await app.ask("And this?");
    await app.answers.last().getByRole("button", { name: "Edit answer" }).click();
    await expect(app.page.getByRole("textbox", { name: "Edit answer" })).toBeFocused();
  },
  "ways to begin": async (app) => {
    await app.openChat();
    await app.page.getByRole("button", { name: /^gemma4:e2b ?5/ }).click();
    await expect(app.page.getByRole("button", { name: "Describe an image" })).toBeVisible();
  },
  "a question before a load": async (app) => {
    await app.openChat();
    await expect(app.page.getByText("Too large by 2.2 GB")).toBeVisible();
    await app.page.getByRole("button", { name: /^gemma4:31b/ }).click();
    await expect(app.page.getByRole("dialog")).toBeVisible();
  },
  palette: async (app) => {
    await app.openChat();
    await app.ask("Hello");
    await app.page.keyboard.press("Control+k");
    await expect(app.palette.getByRole("option").first()).toBeVisible();
  },
  menu: async (app) => {
    await app.openChat();
    await app.page.setViewportSize({ width: 1280, height: 800 });
    await app.page.getByRole("button", { name: "All conversations" }).click();
    await expect(app.page.getByRole("menu")).toBeVisible();
  },
  notices: async (app) => {
    await app.openChat();
    await app.ask("Hello");
    await app.answers.last().getByRole("button", { name: "Delete this and everything after" }).click();
    await expect(app.page.getByRole("button", { name: "Undo" })).toBeVisible();
    await app.model.click();
    await expect(app.page.getByRole("dialog").getByRole("button", { name: "Undo" })).toBeVisible();
  },
  shortcuts: async (app) => {
    await app.openChat();
    await app.page.getByRole("heading", { level: 1 }).click();
    await app.page.keyboard.press("?");
    await expect(app.page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
  },
  "right to left, and a folded question": async (app) => {
    const size = app.page.viewportSize();
    await app.page.setViewportSize({ width: 1280, height: 800 });
    await app.openChat();
    const answer = "مرحبا بالعالم\n\n- שלום\n- עולם\n\n| א | b |\n| --- | --- |\n| c | ד |";
    await openArchive(app, "שלום עולם", [["user", "שלום ".repeat(300)], ["assistant", answer]]);
    if (size) await app.page.setViewportSize(size);
  },
  "at 400 %": async (app) => {
    await app.page.setViewportSize({ width: 320, height: 256 });
    await app.openChat();
    await app.attach(png(), wav("tone.wav", 2));
    await app.ask("Hello");
    await app.attach(png());
  },
  models: async (app) => {
    await app.open("instant", "/models");
    await app.page.locator("summary").first().click();
    await expect(app.page.getByText("Weights by type").first()).toBeVisible();
  },
  "a mixture of experts": async (app) => {
    await app.open("instant,mixture", "/models");
    const memory = app.page.getByRole("spinbutton", { name: /^Memory for experts/ }).first();
    await memory.fill("0.01");
    await memory.press("Enter");
    await expect(app.page.getByText(/^Must be between/)).toBeVisible();
  },
  settings: async (app) => {
    await app.open("instant", "/settings");
    await app.page.getByRole("button", { name: "Customize for all models" }).click();
  },
  "fine-tuning, before": async (app) => {
    await app.open("instant,demo", "/tune");
    await app.page.locator("summary", { hasText: "Advanced settings" }).click();
    await app.page.getByRole("radio", { name: "File or pasted text" }).check();
    await app.page.getByRole("textbox", { name: "Or paste examples here" }).fill('{"prompt": "a", "completion": "b"}\n{');
    await expect(app.page.getByText("1 row skipped").or(app.page.getByText("Load a model to see tokens"))).toBeVisible();
  },
  "fine-tuning, after": async (app) => {
    await app.openChat("instant,tune-kept");
    await app.ask("Hello");
    await app.page.goto(`/tune?fake=instant,tune-kept`);
    await expect(app.page.getByText("Paused after 8 of 20 steps.")).toBeVisible();
    await app.page.getByText("Show as a table").click();
  },
  diagnostics: async (app) => {
    await app.open("instant", "/diagnostics");
    await expect(app.page.getByText("maxBufferSize")).toBeVisible();
  },
  measured: async (app) => {
    await app.openChat();
    await app.ask("Hello");
    await app.go("Diagnostics");
    await app.page.getByRole("button", { name: "Measure speed" }).click();
    await expect(app.page.getByText("Submits per token")).toBeVisible();
    await app.page.getByRole("button", { name: "Measure kernels" }).click();
    await expect(app.page.getByText("sampling_top_k_1")).toBeVisible();
  },
  "failed load": async (app) => {
    await app.openChat("instant,oom");
    await app.send("Hello");
    await expect(app.failure).toBeVisible();
  },
  crash: async (app) => {
    await app.openChat("instant,demo,crash");
    await app.send("Hello");
    await expect(app.page.getByRole("alert")).toBeVisible();
  },
  "no WebGPU": async (app) => {
    await app.open("instant,no-webgpu");
    await expect(app.page.getByRole("region", { name: "No graphics card" })).toBeVisible();
  },
  software: async (app) => {
    await app.openChat("instant,software");
    await app.page.getByRole("button", { name: /^gemma4:e4b/ }).click();
    await expect(app.page.getByRole("dialog")).toBeVisible();
  },
};

const sizes = { desk: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };

for (const [size, viewport] of Object.entries(sizes)) {
  test.describe(`on a ${size}`, () => {
    test.use({ viewport, contextOptions: { reducedMotion: "reduce" } });

    for (const [name, reach] of Object.entries(states)) {
      test(`${name}: no fault that axe knows`, { tag: EMULATES_MEDIA }, async ({ app, page }, info) => {
        await reach(app);
        const wrong: string[] = [];
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme });
          const picture = `${name.replaceAll(" ", "-")}-${size}-${colorScheme}.png`;
          if (process.env.GEMTAB_PICTURES) {
            await page.screenshot({ path: join(info.project.outputDir, "pictures", picture) });
          }
          // Dark has the same page in other colours.
          const found = await faults(page, { colours: colorScheme === "dark" });
          wrong.push(...found.map((fault) => `${colorScheme}: ${fault}`));
        }
        expect(wrong).toEqual([]);
      });
    }
  });
}
