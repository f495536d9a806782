// Model files that are changed: small ones with one thing wrong in them, or with another setting.

import { readFileSync } from "node:fs";
import type { ModelFile } from "./engine.ts";
import { modelFile } from "./native.ts";

/** A type that the engine does not read, of the size of Q4_K. */
const Q4_0_4_4 = 31;

/** A model of 4.5 MB after a change of its bytes. */
export function changed(name: string, change: (bytes: Buffer) => Buffer): ModelFile {
  return { name, mimeType: "application/octet-stream", buffer: change(readFileSync(modelFile("tiny-e2b.q4_k_m"))) };
}

/** The file of a model whose header says one number more. */
export function withNumber(bytes: Buffer, key: string, value: number): Buffer {
  const [UINT32, STRING] = [4, 8];
  const number = (value: number) => Buffer.from(Uint32Array.of(value).buffer);
  const text = (text: string) => {
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(text.length));
    return Buffer.concat([length, Buffer.from(text, "latin1")]);
  };
  const entry = [text(key), number(UINT32), number(value)];
  // Tensors begin at multiples of 32 bytes: what comes before them may grow by so many alone.
  const filler = [text("test.filler"), number(STRING)];
  const length = Buffer.concat([...entry, ...filler, text("")]).length;
  const added = Buffer.concat([...entry, ...filler, text(" ".repeat(-length & 31))]);
  const [COUNT, ENTRIES] = [16, 24];
  const head = Buffer.from(bytes.subarray(0, ENTRIES));
  head.writeBigUInt64LE(head.readBigUInt64LE(COUNT) + 2n, COUNT);
  return Buffer.concat([head, added, bytes.subarray(ENTRIES)]);
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
  bytes.writeUInt32LE(Q4_0_4_4, after + 4 + 8 * dimensions);
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
    throw new Error(`the model has no ${text}`);
  }
  return at + 8;
}
