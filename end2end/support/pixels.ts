// Pictures of the page, compared with one another: none is kept, so fonts may differ from machine to machine.

import { inflateSync } from "node:zlib";
import { expect, type Locator, type Page } from "@playwright/test";

/** Nothing moves where pictures are compared, and no caret is in sight. */
const STILL = { animations: "allow", caret: "initial" } as const;

/** A picture as its pixels. */
export interface Picture {
  width: number;
  height: number;
  /** How far a pixel is from the picture's ground, which is that of its upper left corner: 0 to 255. */
  ink(x: number, y: number): number;
  /** Red, green and blue, row by row. */
  colours: Uint8Array;
}

/** Reads a picture as the browser writes it: a PNG of 8 bits without interlacing. */
export function decode(png: Buffer): Picture {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const depth = { 2: 3, 6: 4 }[png[25] ?? 0];
  if (png[24] !== 8 || depth === undefined || png[28] !== 0) throw new Error("not a picture as a browser writes it");
  const parts = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const packed = inflateSync(Buffer.concat(parts));
  const stride = width * depth;
  const lines = new Uint8Array(height * stride);
  const colours = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y += 1) {
    const filter = packed[y * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x += 1) {
      const left = x < depth ? 0 : (lines[y * stride + x - depth] ?? 0);
      const above = y === 0 ? 0 : (lines[(y - 1) * stride + x] ?? 0);
      const corner = x < depth || y === 0 ? 0 : (lines[(y - 1) * stride + x - depth] ?? 0);
      const guess = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter] ?? 0;
      const value = ((packed[y * (stride + 1) + 1 + x] ?? 0) + guess) & 255;
      lines[y * stride + x] = value;
      const channel = x % depth;
      if (channel < 3) colours[3 * (y * width + (x - channel) / depth) + channel] = value;
    }
  }
  const ink = (x: number, y: number) => {
    const at = 3 * (y * width + x);
    return Math.max(...[0, 1, 2].map((channel) => Math.abs((colours[at + channel] ?? 0) - (colours[channel] ?? 0))));
  };
  return { width, height, ink, colours };
}

function paeth(left: number, above: number, corner: number): number {
  const [a, b, c] = [Math.abs(above - corner), Math.abs(left - corner), Math.abs(left + above - 2 * corner)];
  return a <= b && a <= c ? left : b <= c ? above : corner;
}

/** How many pixels of two pictures differ; all where their sizes do. */
export function differing(one: Picture, other: Picture): number {
  if (one.width !== other.width || one.height !== other.height) {
    return Math.max(one.width * one.height, other.width * other.height);
  }
  let count = 0;
  for (let at = 0; at < one.colours.length; at += 3) {
    if ([0, 1, 2].some((channel) => one.colours[at + channel] !== other.colours[at + channel])) count += 1;
  }
  return count;
}

/** All ink of a picture. */
export function amount(of: Picture): number {
  let sum = 0;
  for (let y = 0; y < of.height; y += 1) for (let x = 0; x < of.width; x += 1) sum += of.ink(x, y);
  return sum;
}

/** What is drawn where an element stands, and so many pixels around it. */
export async function picture(of: Locator, around = 0): Promise<Picture> {
  await of.scrollIntoViewIfNeeded();
  const box = await of.boundingBox();
  if (!box) throw new Error(`${of} is not on screen`);
  const clip = { x: Math.floor(box.x), y: Math.floor(box.y) - around, width: Math.ceil(box.width), height: Math.ceil(box.height) + 2 * around };
  return decode(await of.page().screenshot({ clip, ...STILL }));
}

/** Waits until the page has been laid out and drawn anew, as after a change of its size, and what moves has come to rest. */
export const laidOut = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    await frame();
    await frame();
    const ends = document.getAnimations().filter((it) => it.effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(ends.map((it) => it.finished));
    await frame();
  });

/** The picture of a whole element, once it stays the same. */
export async function whole(of: Locator): Promise<Picture> {
  for (let last = await of.screenshot({ ...STILL }); ; ) {
    const next = await of.screenshot({ ...STILL });
    if (next.equals(last)) return decode(next);
    last = next;
  }
}

/** Fails where the machine has no letters of a script: boxes in their place would all look the same. */
export async function expectLetters(page: Page, letters: string[]): Promise<void> {
  const drawn = await page.evaluate((letters) => {
    const font = getComputedStyle(document.body).fontFamily;
    return letters.map((letter) => {
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [40, 40];
      const context = canvas.getContext("2d");
      if (!context) throw new Error("there is no canvas");
      context.font = `24px ${font}`;
      context.fillText(letter, 6, 30);
      return canvas.toDataURL();
    });
  }, letters);
  expect(new Set(drawn).size, `this machine's fonts have ${letters.join(" ")}`).toBe(letters.length);
}
