// Every state of the page, light on a desk and dark on a phone: no fault that axe knows. With GEMTAB_THOROUGH=1 the colours also
// the other way round; with GEMTAB_PICTURES=1 also a picture of each, in all four ways, in test-results/pictures, to look at.

import { join } from "node:path";
import type { Locator, Page } from "@playwright/test";
import type { App } from "../../support/app.ts";
import { EMULATES_MEDIA } from "../../support/firefox.ts";
import { faults } from "../../support/axe.ts";
import { openArchive } from "../../support/archive.ts";
import { animatedGif, png, wav } from "../../support/media.ts";
import { expect, test } from "../../support/watch.ts";

const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

/** Reaches a state, and gives what shows that the page is in it, in any size. */
type Reach = (app: App) => Promise<Locator>;

/** States that follow one another on one page: each begins where the one before has ended. */
const flows: Record<string, Reach>[] = [
  {
    empty: async (app) => {
      await app.openChat();
      await expect(app.page.getByText("Too large by 2.2 GB")).toBeVisible();
      return app.page.getByText("Too large by 2.2 GB");
    },
    "a question before a load": async (app) => {
      await expect(app.page.getByText("Too large by 2.2 GB")).toBeVisible();
      await app.page.getByRole("button", { name: /^gemma4:31b/ }).click();
      await expect(app.page.getByRole("dialog")).toBeVisible();
      return app.page.getByRole("dialog");
    },
    shortcuts: async (app) => {
      await app.page.getByRole("button", { name: "Not now" }).click();
      await app.page.getByRole("heading", { level: 1 }).click();
      await app.page.keyboard.press("?");
      await expect(app.page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
      return app.page.getByRole("dialog", { name: "Keyboard shortcuts" });
    },
    picture: async (app) => {
      await app.page.keyboard.press("Escape");
      await app.attach(png());
      await app.tray.getByRole("button", { name: "Show red.png" }).click();
      await expect(app.page.getByRole("dialog", { name: "red.png" }).getByRole("img")).toBeVisible();
      return app.page.getByRole("dialog", { name: "red.png" });
    },
    "ways to begin": async (app) => {
      await app.page.keyboard.press("Escape");
      await app.page.getByRole("button", { name: /^gemma4:e2b ?5/ }).click();
      await expect(app.page.getByRole("button", { name: "Describe an image" })).toBeVisible();
      return app.page.getByRole("button", { name: "Describe an image" });
    },
    palette: async (app) => {
      await app.composer.fill("");
      await app.ask("Hello");
      await app.page.keyboard.press("Control+k");
      await expect(app.palette.getByRole("option").first()).toBeVisible();
      return app.palette.getByRole("option").first();
    },
    drawer: async (app) => {
      await app.page.keyboard.press("Escape");
      await expect(app.palette).toBeHidden();
      await app.openDrawer();
      return app.drawer;
    },
    notices: async (app) => {
      await app.drawer.getByRole("button", { name: "Close" }).click();
      await expect(app.drawer).toBeHidden();
      await app.answers.last().getByRole("button", { name: "Delete from here on" }).click();
      await expect(app.page.getByRole("button", { name: "Undo" })).toBeVisible();
      await app.model.click();
      await expect(app.page.getByRole("dialog").getByRole("button", { name: "Undo" })).toBeVisible();
      return app.page.getByRole("dialog").getByRole("button", { name: "Undo" });
    },
  },
  {
    "long answer": async (app) => {
      await app.openChat();
      await app.page.getByRole("button", { name: "Think", exact: true }).click();
      await app.ask("Show me everything");
      await app.answers.last().getByRole("button", { name: "Regenerate" }).click();
      await expect(app.answers.last()).toContainText("There is more than one way");
      await app.answered();
      await app.page.getByText("Thought for 1 s").click();
      return app.answers.last().getByText("Thought for 1 s");
    },
    diagnostics: async (app) => {
      await app.go("Diagnostics");
      await expect(app.page.getByText("maxBufferSize")).toBeVisible();
      return app.page.getByText("maxBufferSize");
    },
    measured: async (app) => {
      await app.page.getByRole("button", { name: "Measure speed" }).click();
      await expect(app.page.getByText("Submits per token")).toBeVisible();
      await app.page.getByRole("button", { name: "Measure kernels" }).click();
      await expect(app.page.getByText("sampling_top_k_1")).toBeVisible();
      return app.page.getByText("sampling_top_k_1");
    },
    settings: async (app) => {
      await app.go("Settings");
      await app.page.getByRole("button", { name: "Customize for all models" }).click();
      return app.page.getByRole("heading", { level: 1 });
    },
    models: async (app) => {
      await app.go("Models");
      // Until all models have been inspected, their order may change.
      await expect(app.page.getByText("Recommended", { exact: true })).toBeVisible();
      await app.page.locator("summary").first().click();
      await expect(app.page.getByText("Weights by type").first()).toBeVisible();
      return app.page.getByText("Weights by type").first();
    },
  },
  {
    "a model of text": async (app) => {
      await app.openChat("instant,text-only,software");
      await expect(app.recordButton).toHaveAttribute("aria-disabled", "true");
      return app.recordButton;
    },
    software: async (app) => {
      await app.page.getByRole("button", { name: /^gemma4:e4b/ }).click();
      await expect(app.page.getByRole("dialog")).toBeVisible();
      return app.page.getByRole("dialog");
    },
  },
  {
    loading: async (app) => {
      await app.openChat("slow");
      await app.send("Hello");
      await expect(app.page.getByText(/Loading weights/)).toBeVisible();
      await app.composer.fill("Meanwhile");
      return app.page.getByText(/Loading weights/);
    },
  },
  {
    answering: async (app) => {
      await app.openChat("usual,demo");
      await app.page.getByRole("button", { name: "Think", exact: true }).click();
      await app.send("A long answer");
      await expect(app.answers.first()).toContainText("Part 1");
      return app.answers.first();
    },
  },
  {
    attachments: async (app) => {
      await app.openChat();
      await app.attach(png(), wav("tone.wav", 2));
      await app.ask("What are these?");
      await app.attach(png("blue.png", 64, 48, [30, 30, 200]), animatedGif(), wav("long.wav", 31));
      await expect(app.tray).toContainText("split into 2 clips");
      await app.attach({ name: "notes.zip", mimeType: "application/zip", buffer: Buffer.from("PK\x03\x04") });
      await expect(app.refusal).toBeVisible();
      return app.refusal;
    },
  },
  {
    "an answer that is edited, and one to be continued": async (app) => {
      await app.openChat("usual,demo");
      await app.send("Show me everything");
      await expect(app.answers.first()).toContainText("Read the header");
      await app.stopButton.click();
      await expect(app.answers.first().getByRole("button", { name: "Continue" })).toBeVisible();
      await app.ask("And this?");
      await app.answers.last().getByRole("button", { name: "Edit answer" }).click();
      await expect(app.page.getByRole("textbox", { name: "Edit answer" })).toBeFocused();
      return app.page.getByRole("textbox", { name: "Edit answer" });
    },
  },
  {
    "right to left, and a folded question": async (app) => {
      await app.openChat();
      const answer = "مرحبا بالعالم\n\n- שלום\n- עולם\n\n| א | b |\n| --- | --- |\n| c | ד |";
      await openArchive(app, "שלום עולם", [["user", "שלום ".repeat(300)], ["assistant", answer]]);
      return app.answers.last();
    },
  },
  {
    "a mixture of experts": async (app) => {
      await app.open("instant,mixture", "/models");
      const memory = app.page.getByRole("spinbutton", { name: /^Memory for experts/ }).first();
      await memory.fill("0.01");
      await memory.press("Enter");
      await expect(app.page.getByText(/^Must be between/)).toBeVisible();
      return app.page.getByText(/^Must be between/);
    },
  },
  {
    "fine-tuning, before": async (app) => {
      await app.open("instant,demo", "/tune");
      await app.page.locator("summary", { hasText: "Advanced settings" }).click();
      await app.page.getByRole("radio", { name: "File or pasted text" }).check();
      await app.page.getByRole("textbox", { name: "Or paste examples here" }).fill('{"prompt": "a", "completion": "b"}\n{');
      await expect(app.page.getByText("1 row skipped").or(app.page.getByText("Load a model to see tokens"))).toBeVisible();
      return app.page.getByRole("textbox", { name: "Or paste examples here" });
    },
  },
  {
    "fine-tuning, after": async (app) => {
      await app.openChat("instant,tune-kept");
      await app.ask("Hello");
      await app.page.goto(`/tune?fake=instant,tune-kept`);
      await expect(app.page.getByText("Paused after 8 of 20 steps.")).toBeVisible();
      await app.page.getByText("Show as a table").click();
      return app.page.getByRole("region", { name: "Chart values" });
    },
  },
  {
    "failed load": async (app) => {
      await app.openChat("instant,oom");
      await app.send("Hello");
      await expect(app.failure).toBeVisible();
      return app.failure;
    },
  },
  {
    crash: async (app) => {
      await app.openChat("instant,demo,crash");
      await app.send("Hello");
      await expect(app.page.getByRole("alert")).toBeVisible();
      return app.page.getByRole("alert");
    },
  },
  {
    "no WebGPU": async (app) => {
      await app.open("instant,no-webgpu");
      await expect(app.page.getByRole("region", { name: "No graphics card" })).toBeVisible();
      return app.page.getByRole("region", { name: "No graphics card" });
    },
  },
];

/** What is opened once more on a phone, where it is something else. */
const openedAnew: Record<string, Reach> = {
  drawer: async (app) => {
    await app.drawer.getByRole("button", { name: "Close" }).click();
    await expect(app.drawer).toBeHidden();
    await app.openDrawer();
    return app.drawer;
  },
};

/** States of one size. */
const ofOneSize: Record<string, { size: { width: number; height: number }; reach: Reach }> = {
  menu: {
    size: DESK,
    reach: async (app) => {
      await app.openChat();
      await app.page.getByRole("button", { name: "Organize conversations" }).click();
      return app.page.getByRole("menu");
    },
  },
  "at 400 %": {
    size: { width: 320, height: 256 },
    reach: async (app) => {
      await app.openChat();
      await app.attach(png(), wav("tone.wav", 2));
      await app.ask("Hello");
      await app.attach(png());
      return app.tray;
    },
  },
};

type Colours = "light" | "dark";
const THOROUGH = process.env.GEMTAB_THOROUGH !== undefined;
const PICTURES = process.env.GEMTAB_PICTURES !== undefined;

/** What axe finds once the page has these colours; where only the colours are wanted, nothing unless all is tested. */
async function look(page: Page, size: string, colorScheme: Colours, what: "all" | "colours", picture: string): Promise<string[]> {
  if (what === "colours" && !THOROUGH && !PICTURES) {
    return [];
  }
  await page.emulateMedia({ colorScheme });
  if (PICTURES) {
    await page.screenshot({ path: `${picture}-${size}-${colorScheme}.png` });
  }
  const found = await faults(page, { colours: what === "colours" });
  return found.map((fault) => `${colorScheme} on a ${size}: ${fault}`);
}

test.describe("no fault that axe knows:", () => {
  test.use({ viewport: DESK, contextOptions: { reducedMotion: "reduce" } });

  for (const states of flows) {
    test(Object.keys(states).join(", "), { tag: EMULATES_MEDIA }, async ({ app, page }, info) => {
      for (const [name, reach] of Object.entries(states)) {
        await test.step(name, async () => {
          const picture = join(info.project.outputDir, "pictures", name.replaceAll(" ", "-"));
          await page.setViewportSize(DESK);
          const sign = await reach(app);
          await expect(sign).toBeVisible();
          const wrong = await look(page, "desk", "light", "all", picture);
          // The same page in other colours.
          wrong.push(...(await look(page, "desk", "dark", "colours", picture)));
          await page.setViewportSize(PHONE);
          await openedAnew[name]?.(app);
          await expect(sign).toBeVisible();
          wrong.push(...(await look(page, "phone", "light", "colours", picture)));
          wrong.push(...(await look(page, "phone", "dark", "all", picture)));
          expect.soft(wrong, name).toEqual([]);
        });
      }
    });
  }

  for (const [name, { size, reach }] of Object.entries(ofOneSize)) {
    test(name, { tag: EMULATES_MEDIA }, async ({ app, page }, info) => {
      const picture = join(info.project.outputDir, "pictures", name.replaceAll(" ", "-"));
      await page.setViewportSize(size);
      await expect(await reach(app)).toBeVisible();
      const wrong = await look(page, "screen", "light", "all", picture);
      wrong.push(...(await look(page, "screen", "dark", "all", picture)));
      expect(wrong).toEqual([]);
    });
  }
});
