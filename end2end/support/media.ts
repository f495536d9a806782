// Pictures and sound for tests, made here: small, and with exactly one thing right or wrong in them.

import { deflateSync } from "node:zlib";

/** A file to be picked. */
export interface MediaFile {
  name: string;
  mimeType: string;
  buffer: Buffer;
}

/** A PNG file of one colour. */
export function png(name = "red.png", width = 64, height = 48, colour: [number, number, number] = [200, 30, 30]): MediaFile {
  const row = Buffer.alloc(1 + 3 * width);
  for (let x = 0; x < width; x++) {
    row.set(colour, 1 + 3 * x);
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // Eight bits, three channels.
  head.set([8, 2, 0, 0, 0], 8);
  const pixels = Buffer.concat(Array.from({ length: height }, () => row));
  const buffer = Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(pixels)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
  return { name, mimeType: "image/png", buffer };
}

/** The first part of a picture. */
export function truncated(file: MediaFile): MediaFile {
  return { ...file, name: `cut-${file.name}`, buffer: file.buffer.subarray(0, 40) };
}

/** A GIF of two frames of one pixel. */
export function animatedGif(): MediaFile {
  // Each: its time, its place, its one pixel.
  const frame = ["21f9040032000000", "2c00000000010001000002", "02440100"].join("");
  const bytes = ["474946383961", "01000100800000", "000000ffffff", frame, frame, "3b"].join("");
  return { name: "dance.gif", mimeType: "image/gif", buffer: Buffer.from(bytes, "hex") };
}

/** A WAV file of 16-bit samples: a tone, or silence at frequency 0. */
export function wav(name: string, seconds: number, { frequency = 440, rate = 48_000, channels = 2 } = {}): MediaFile {
  const frames = Math.round(seconds * rate);
  const data = Buffer.alloc(2 * channels * frames);
  for (let at = 0; at < frames; at++) {
    const value = frequency === 0 ? 0 : Math.round(12_000 * Math.sin((2 * Math.PI * frequency * at) / rate));
    for (let channel = 0; channel < channels; channel++) {
      data.writeInt16LE(value, 2 * (at * channels + channel));
    }
  }
  const header = Buffer.alloc(44);
  header.write("RIFF", 0, "latin1");
  header.writeUInt32LE(36 + data.length, 4);
  header.write("WAVEfmt ", 8, "latin1");
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(2 * channels * rate, 28);
  header.writeUInt16LE(2 * channels, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36, "latin1");
  header.writeUInt32LE(data.length, 40);
  return { name, mimeType: "audio/wav", buffer: Buffer.concat([header, data]) };
}

function chunk(kind: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(kind, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc(body));
  return Buffer.concat([length, body, sum]);
}

function crc(bytes: Buffer): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) {
      sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
    }
  }
  return (sum ^ 0xffffffff) >>> 0;
}
