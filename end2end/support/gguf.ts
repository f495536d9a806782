// Model files that lie: the demo model with one thing wrong in it.

import { readFileSync } from "node:fs";
import type { ModelFile } from "./engine.ts";
import { PEBBLE } from "./native.ts";

/** A type that the engine does not read, with blocks of 256 as those of Q4_K, and a little smaller. */
const IQ4_XS = 23;

/** The demo model after a change of its bytes. */
export function changed(name: string, change: (bytes: Buffer) => Buffer): ModelFile {
  return { name, mimeType: "application/octet-stream", buffer: change(readFileSync(PEBBLE)) };
}

/** Writes another text of the same length over the first place where `text` stands, a length before it. */
export function rename(bytes: Buffer, text: string, other: string): Buffer {
  if (text.length !== other.length) {
    throw new Error(`${text} and ${other} differ in length`);
  }
  bytes.write(other, place(bytes, text), "latin1");
  return bytes;
}

/** Gives a tensor that is stored in Q4_K another type. */
export function retype(bytes: Buffer, tensor: string): Buffer {
  const after = place(bytes, tensor) + tensor.length;
  const dimensions = bytes.readUInt32LE(after);
  bytes.writeUInt32LE(IQ4_XS, after + 4 + 8 * dimensions);
  return bytes;
}

/** Claims a number of tensors. */
export function claimTensors(bytes: Buffer, count: bigint): Buffer {
  bytes.writeBigUInt64LE(count, 8);
  return bytes;
}

/** Where a string of GGUF stands: its length in eight bytes, then its text. */
function place(bytes: Buffer, text: string): number {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  const at = bytes.indexOf(Buffer.concat([length, Buffer.from(text, "latin1")]));
  if (at < 0) {
    throw new Error(`the demo model has no ${text}`);
  }
  return at + 8;
}
