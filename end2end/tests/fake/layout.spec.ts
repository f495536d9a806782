// Where things stand, on views of several sizes.

import type { Locator, Page } from "@playwright/test";
import { EMULATES_MEDIA } from "../../support/firefox.ts";
import { openArchive } from "../../support/archive.ts";
import { png, wav } from "../../support/media.ts";
import { expect, test } from "../../support/watch.ts";

/** The box of what is on screen. */
async function box(of: Locator) {
  const found = await of.boundingBox();
  if (!found) throw new Error(`${of} is not on screen`);
  return { ...found, right: found.x + found.width, bottom: found.y + found.height };
}

/** How high the view is. */
const height = (page: Page) => page.viewportSize()?.height ?? 0;

const lines = (count: number) => Array.from({ length: count }, (_, at) => `Line ${at + 1}`).join("\n");

test.describe("the composer", () => {
  test("keeps its buttons in view, on a desk and on a phone", async ({ app, page }) => {
    await page.setViewportSize({ width: 1280, height: 600 });
    await app.openChat();
    const form = page.getByRole("form", { name: "Write a message" });
    await app.composer.fill(lines(30));
    const fits = async (high: number) => {
      await expect.poll(async () => (await box(app.composer)).height).toBeGreaterThan(150);
      await expect.poll(async () => (await box(app.sendButton)).bottom).toBeLessThanOrEqual(high);
    };
    await fits(600);
    await app.attach(png("a.png"), png("b.png"), png("c.png"), png("d.png"), wav("e.wav", 1), png("f.png"), wav("g.wav", 2));
    const last = app.tray.getByRole("listitem").last();
    for (const [width, high] of [[1280, 600], [390, 844]] as const) {
      await page.setViewportSize({ width, height: high });
      await expect(app.tray.getByRole("listitem")).toHaveCount(7);
      await expect.poll(async () => (await box(app.sendButton)).bottom).toBeLessThanOrEqual(high);
      expect((await box(form)).height).toBeLessThanOrEqual(high / 2 + 1);
      // What was attached last is in sight, above the field.
      if (width === 1280) await expect(last).toBeInViewport({ ratio: 0.5 });
      await expect(app.composer).toBeInViewport();
    }
  });

  test("leaves half of the view at 400 %", async ({ app, page }) => {
    await page.setViewportSize({ width: 320, height: 256 });
    await app.openChat();
    await app.ask("Hello");
    const form = page.getByRole("form", { name: "Write a message" });
    await app.composer.fill(lines(10));
    await expect.poll(async () => (await box(form)).height).toBeLessThanOrEqual(height(page) / 2);
    expect((await box(app.sendButton)).bottom).toBeLessThanOrEqual(height(page));
    expect((await box(page.getByRole("region", { name: "Conversation" }))).height).toBeGreaterThanOrEqual(60);
  });
});

test.describe("the end of a long answer is seen", () => {
  test("when its actions appear, and after Stop", async ({ app, page }) => {
    await test.step("when its actions appear", async () => {
      await page.setViewportSize({ width: 1280, height: 480 });
      await app.openChat("usual,demo");
      const answer = await app.ask("Show me everything");
      const actions = answer.getByRole("button", { name: "Copy", exact: true }).last();
      await expect(actions).toBeVisible();
      const log = page.getByRole("region", { name: "Conversation" });
      await expect.poll(async () => (await box(actions)).bottom).toBeLessThanOrEqual((await box(log)).bottom);
    });
    await test.step("after Stop", async () => {
      await app.startConversation();
      await app.send("A long answer");
      await expect(app.answers.last()).toContainText("Part 3");
      await app.stopButton.click();
      await app.answered();
      await expect(app.answers.last().getByText("Stopped.")).toBeVisible();
      const log = page.getByRole("region", { name: "Conversation" });
      const copy = app.answers.last().getByRole("button", { name: "Copy", exact: true }).last();
      await expect.poll(async () => (await box(copy)).bottom).toBeLessThanOrEqual((await box(log)).bottom);
    });
  });
});

test("a sound beside the message takes one line, and is sought in by keys", async ({ app, page }) => {
  for (const width of [1280, 390, 320]) {
    await page.setViewportSize({ width, height: 800 });
    await app.openChat();
    await app.attach(wav("a-recording-with-quite-a-long-name.wav", 8));
    const chip = app.tray.getByRole("listitem");
    await expect(chip).toContainText("tokens");
    expect((await box(chip)).height, `at ${width}`).toBeLessThanOrEqual(64);
    await page.getByRole("button", { name: /^Remove/ }).click();
    await expect(chip).toBeHidden();
  }
  await app.attach(wav("tone.wav", 8));
  const place = app.tray.getByRole("slider", { name: "Position in tone.wav" });
  await place.focus();
  await page.keyboard.press("End");
  await expect(place).toHaveAttribute("aria-valuetext", "0:08 of 0:08");
  await page.keyboard.press("Home");
  // A tenth of 8 seconds each.
  await page.keyboard.press("PageUp");
  await page.keyboard.press("PageUp");
  await expect(place).not.toHaveAttribute("aria-valuetext", /^0:00 of/);
});

test("the drawer's title stays while its content scrolls", async ({ app, page }) => {
  await page.setViewportSize({ width: 1280, height: 500 });
  await app.openChat();
  await app.openDrawer();
  await app.drawer.evaluate((drawer) => {
    drawer.scrollTop = drawer.scrollHeight;
  });
  await expect.poll(() => app.drawer.evaluate((drawer) => drawer.scrollTop)).toBeGreaterThan(50);
  await expect(app.drawer.getByRole("heading", { name: "This conversation" })).toBeInViewport();
  await expect(app.drawer.getByRole("button", { name: "Close" })).toBeInViewport();
});

test("the boxes of an example have labels on a phone", async ({ app, page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await app.open("instant,demo", "/tune");
  const label = page.getByText("Prompt 1", { exact: true });
  await expect(label).toBeVisible();
  const field = page.getByRole("textbox", { name: "Prompt 1" });
  expect((await box(label)).bottom).toBeLessThanOrEqual((await box(field)).y + 1);
  await expect(page.getByText("Ideal answer 1", { exact: true })).toBeVisible();
});

test("a long question is folded, and opens", async ({ app, page }) => {
  await app.openChat();
  await openArchive(app, "Long", [["user", `\`first\` ${"word ".repeat(9_000)}`], ["assistant", "Yes."]]);
  const question = app.questions.first();
  await expect.poll(async () => (await box(question)).height).toBeLessThan(500);
  await question.getByRole("button", { name: "Show more" }).click();
  await expect.poll(async () => (await box(question)).height).toBeGreaterThan(2_000);
  await expect(question.getByRole("button", { name: "Show less" })).toHaveAttribute("aria-expanded", "true");
  // What of it is out of sight is not laid out.
  const isLaidOut = () => question.locator("code").evaluate((it) => it.checkVisibility({ contentVisibilityAuto: true }));
  await expect.poll(isLaidOut).toBe(false);
  await question.getByRole("button", { name: "Show less" }).click();
  await expect.poll(async () => (await box(question)).height).toBeLessThan(500);
  await app.ask(lines(12));
  await expect(page.getByRole("button", { name: "Show more" })).toHaveCount(1);
});

test("two tables do not stretch each other", async ({ app, page }) => {
  await app.open("instant", "/models");
  // Until all models have been inspected, their order may change.
  await expect(page.getByText("Recommended", { exact: true })).toBeVisible();
  await page.locator("summary").first().click();
  await expect(page.getByText("Weights by type").first()).toBeVisible();
  const tables = page.locator("details[open] .tables table");
  await expect(tables).toHaveCount(2);
  for (const table of await tables.all()) {
    const rows = table.locator("tr");
    const heights = await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));
    expect(Math.max(...heights)).toBeLessThan(45);
  }
});

/** How many pixels of what is chosen, or may be, a closed list cuts off: beside, and above or below. */
const cutOff = (list: Locator, all: boolean) =>
  list.evaluate((list: HTMLSelectElement, all) => {
    const style = getComputedStyle(list);
    const canvas = document.createElement("canvas").getContext("2d");
    if (!canvas) throw new Error("there is no canvas");
    canvas.font = style.font;
    const said = canvas.measureText(list.selectedOptions[0]?.textContent?.trim() ?? "");
    const letters = canvas.measureText("Ågjpqy|");
    // As wide as the browser makes such a list where it may, its arrow included.
    const free = list.cloneNode(false) as HTMLSelectElement;
    free.append(...[...(all ? list.options : list.selectedOptions)].map((option) => option.cloneNode(true)));
    Object.assign(free.style, { position: "absolute", width: "auto", minWidth: "0", maxWidth: "none" });
    list.after(free);
    const wanted = free.getBoundingClientRect().width;
    free.remove();
    const inside = list.clientHeight - Number.parseFloat(style.paddingTop) - Number.parseFloat(style.paddingBottom);
    return {
      text: said.width,
      beside: Math.max(0, wanted - list.getBoundingClientRect().width),
      above: Math.max(0, letters.actualBoundingBoxAscent + letters.actualBoundingBoxDescent - inside),
    };
  }, all);

test("closed lists show all of what is chosen, on a desk and on a phone", async ({ app, page }) => {
  const check = async (list: Locator, all = true, widths = [390, 1280]) => {
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      const { text, beside, above } = await cutOff(list, all);
      expect(text).toBeGreaterThan(10);
      expect(beside, `${list}, at ${width}: beside`).toBeLessThan(1);
      expect(above, `${list}, at ${width}: above or below`).toBeLessThan(1);
    }
  };
  await app.openChat();
  await app.ask("Hello");
  await app.openDrawer();
  await app.drawer.getByLabel("Adapter files").setInputFiles({ name: "pirate.gguf", mimeType: "", buffer: Buffer.from("pirate") });
  await page.keyboard.press("Escape");
  // What opens a file is never chosen.
  await check(page.getByRole("combobox", { name: "Adapter" }), false);
  await app.attach(png());
  await check(app.tray.getByRole("combobox"));
  await app.go("Settings");
  await check(page.getByRole("combobox", { name: "Language" }));
  await app.go("Fine-tune");
  await page.getByText("Advanced settings").click();
  await page.getByRole("radio", { name: "File or pasted text" }).check();
  await page.getByRole("textbox", { name: "Or paste examples here" }).fill("Question,reply\nWho?,Ada.\nWhat?,A cat.");
  await expect(page.getByRole("combobox", { name: "Prompt" })).toBeVisible();
  const lists = await page.getByRole("main").getByRole("combobox").all();
  expect(lists.length).toBeGreaterThanOrEqual(5);
  for (const list of lists) {
    await check(list);
  }
});

/** The contrast of a control's border to what is around it. */
const contrast = (control: Locator) =>
  control.evaluate((element) => {
    const canvas = document.createElement("canvas").getContext("2d");
    const light = (colour: string) => {
      if (!canvas) return 0;
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      const parts = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((part) => {
        const share = part / 255;
        return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * (parts[0] ?? 0) + 0.7152 * (parts[1] ?? 0) + 0.0722 * (parts[2] ?? 0);
    };
    let around = element.parentElement;
    while (around && getComputedStyle(around).backgroundColor === "rgba(0, 0, 0, 0)") {
      around = around.parentElement;
    }
    const ground = light(getComputedStyle(around ?? document.documentElement).backgroundColor);
    const border = light(getComputedStyle(element).borderTopColor);
    return (Math.max(ground, border) + 0.05) / (Math.min(ground, border) + 0.05);
  });

test("borders of fields can be told from the ground, light and dark", { tag: EMULATES_MEDIA }, async ({ app, page }) => {
  await app.openChat();
  await app.ask("Hello");
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const control of [page.getByRole("searchbox"), page.locator(".composer")]) {
      expect(await contrast(control), `${control}, ${colorScheme}`).toBeGreaterThanOrEqual(3);
    }
  }
});
