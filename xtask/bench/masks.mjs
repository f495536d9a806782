// node masks.mjs SITE MODEL: times the masks of grammars in wasm, as a page makes them, and prints a table.
//
// SITE is a folder of a built site, and MODEL a GGUF file, whose vocabulary alone is read. Answers are made up, seeded, and cut
// into the longest tokens; the time of a mask is that of `allowed` with its copy, which a page waits for, without the taking of
// the token before it. The first mask of an answer compiles its grammar, and is counted apart. Collections of garbage are
// in the times, and what this program keeps of the vocabulary takes 30 ms to mark: most of the worst masks are that.

import { closeSync, openSync, readFileSync, readSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const ANSWERS = 40;
const CONTROL = 0xffffffff;
// Ids of Gemma 4; in older vocabularies they are spare.
const MARKERS = [1, 106, 48, 49, 50, 52, 100, 101];

/** Reads the texts of the tokens and their kinds. */
function tokens(path) {
  const file = openSync(path, "r");
  const buffer = Buffer.alloc(64 << 20);
  readSync(file, buffer, 0, buffer.length, 0);
  closeSync(file);
  let at = 16;
  const number = (size, read) => ((at += size), read.call(buffer, at - size));
  const u64 = () => Number(number(8, buffer.readBigUInt64LE));
  const text = () => {
    const length = u64();
    at += length;
    return buffer.toString("utf8", at - length, at);
  };
  const sizes = { 0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8 };
  const value = (type) => {
    if (type === 8) return text();
    if (type === 9) {
      const inner = number(4, buffer.readUInt32LE);
      const count = u64();
      return Array.from({ length: count }, () => value(inner));
    }
    if (type === 5) return number(4, buffer.readInt32LE);
    at += sizes[type];
    return undefined;
  };
  const found = {};
  for (let pairs = u64(); pairs > 0; pairs -= 1) {
    const name = text();
    found[name] = value(number(4, buffer.readUInt32LE));
  }
  return { texts: found["tokenizer.ggml.tokens"], kinds: found["tokenizer.ggml.token_type"] };
}

/** The bytes of a token; `null` for one without text. */
function bytes(text, kind, id) {
  if (kind === 3 || MARKERS.includes(id)) return null;
  const byte = /^<0x([0-9A-F]{2})>$/.exec(text);
  return byte ? Buffer.from([parseInt(byte[1], 16)]) : Buffer.from(text.replaceAll("▁", " "));
}

/** Cuts a text into ids, the longest token first. Markers are characters of their own. */
function cut(text, ids) {
  const out = [];
  for (let rest = text; rest !== ""; ) {
    const marker = { "‹": 48, "›": 49, "§": 52 }[rest[0]];
    let length = marker === undefined ? 24 : 1;
    while (length > 1 && !ids.has(rest.slice(0, length))) length -= 1;
    out.push(marker ?? ids.get(rest.slice(0, length)));
    rest = rest.slice(length);
  }
  return out;
}

let seed = 7;
const random = (below) => (seed = (seed * 48271) % 2147483647) % below;
const WORDS = "the quick brown fox writes letters about weather, data, Zürich and 日本 while rivers carry ships home".split(" ");
const words = (most) => Array.from({ length: 1 + random(most) }, () => WORDS[random(WORDS.length)]).join(" ");
const CODES = Array.from({ length: 100 }, (_, n) => `${["north", "south", "east", "west"][n % 4]}-${"station".slice(0, 1 + (n % 7))}-${n}`);

const string = { type: "string" };
const object = (properties) => ({ type: "object", properties, required: Object.keys(properties) });
const date = () => `20${10 + random(90)}-0${1 + random(9)}-1${random(10)}`;
const person = object({ name: string, age: { type: "integer", minimum: 0, maximum: 120 }, member: { type: "boolean" } });
const someone = () => ({ name: words(4), age: random(120), member: random(2) === 0 });
const tool = object({ query: string, limit: { type: "integer", minimum: 1, maximum: 50 }, sort: { enum: ["new", "old"] } });

const CASES = [
  ["flat object", object({ title: string, year: { type: "integer" }, score: { type: "number" }, done: { type: "boolean" } }),
    () => ({ title: words(8), year: 1900 + random(200), score: random(1000) / 8, done: random(2) === 0 })],
  ["nested objects", object({ a: object({ b: object({ c: person, d: string }), e: person }) }),
    () => ({ a: { b: { c: someone(), d: words(6) }, e: someone() } })],
  ["enum of 100", object({ code: { enum: CODES } }), () => ({ code: CODES[random(100)] })],
  ["string with a pattern", object({ code: { type: "string", pattern: "^[A-Z]{2,4}-[0-9]{3,8}(/[a-z]+)*$" } }),
    () => ({ code: `ABC-${100 + random(1e6)}/part/of/it` })],
  ["dates, time and UUID", object({ day: { type: "string", format: "date" }, at: { type: "string", format: "date-time" }, id: { type: "string", format: "uuid" } }),
    () => ({ day: date(), at: `${date()}T10:20:30Z`, id: "01234567-89ab-cdef-0123-456789abcdef" })],
  ["e-mail, host, IP address, URI", object({ to: { type: "string", format: "email" }, host: { type: "string", format: "hostname" }, ip: { type: "string", format: "ipv6" }, uri: { type: "string", format: "uri" } }),
    () => ({ to: `first.last-${random(99)}@mail.example.org`, host: `a${random(99)}.example.com`, ip: `fe80::${random(99)}:1`, uri: `https://example.org:8080/${random(99)}/some/path%20here?query=${random(999)}#part` })],
  ["bounds of numbers", { type: "array", items: object({ share: { type: "number", minimum: 0, exclusiveMaximum: 1 }, heat: { type: "number", minimum: -273.15, maximum: 5000 } }) },
    () => Array.from({ length: 1 + random(6) }, () => ({ share: random(1000) / 1024, heat: random(4000) / 8 - 250 }))],
  ["array of objects", { type: "array", items: person, minItems: 1 }, () => Array.from({ length: 1 + random(6) }, someone)],
  ["long text in a string", object({ text: string }), () => ({ text: words(200) })],
  ["text of at most 500 characters", object({ text: { type: "string", maxLength: 500 } }), () => ({ text: words(60).slice(0, 400) })],
  ["any object", { type: "object" }, () => ({ [words(1)]: [someone(), null, 1.5], more: { text: words(10) } })],
];

/** A request's constraint, as the protocol encodes it. */
function constraint(schema, tools) {
  const varint = (n) => (n < 128 ? [n] : [(n & 127) | 128, ...varint(n >> 7)]);
  const text = (value) => [...varint(Buffer.byteLength(value)), ...Buffer.from(value)];
  const declared = tools.flatMap(([name, parameters]) => [...text(name), ...text(""), ...text(JSON.stringify(parameters))]);
  const format = schema === null ? [0] : [2, ...text(JSON.stringify(schema))];
  return new Uint8Array([...varint(tools.length), ...declared, tools.length > 0 ? 1 : 0, ...format]);
}

const [, , site, model] = process.argv;
const folder = join(site, "pkg");
const name = (pattern) => join(folder, readdirSync(folder).find((file) => pattern.test(file)));
const module = await import(pathToFileURL(name(/^constraints\.[0-9a-f]+\.js$/)));
const wasm = readFileSync(name(/^constraints\.[0-9a-f]+\.wasm$/));
// Of the processor, since other programs run meanwhile; the optimizing compiler's threads count.
const time = (work) => {
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  return [result, (user + system) / 1000];
};
const [, compiling] = time(() => module.initSync({ module: new WebAssembly.Module(wasm) }));
const { texts, kinds } = tokens(model);
const all = texts.map((text, id) => bytes(text, kinds[id], id));
const ids = new Map(all.map((token, id) => [token?.toString("utf8"), id]));
const lengths = Uint32Array.from(all, (token) => token?.length ?? CONTROL);
const joined = Buffer.concat(all.filter((token) => token !== null));
const [vocabulary, building] = time(() => module.vocabulary(joined, lengths, Int32Array.from(MARKERS)));
console.log(`${all.length} tokens; ready: module ${compiling.toFixed(0)} ms, trie ${building.toFixed(0)} ms`);
console.log("| Answers | First mask: median | worst | Masks | mean | 99th percentile | worst |\n|---|---|---|---|---|---|---|");

const everything = [];
const part = (times, share) => times[Math.min(times.length - 1, Math.floor(times.length * share))].toFixed(2);
function row(name, firsts, times) {
  for (const list of [firsts, times]) list.sort((a, b) => a - b);
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
  const cells = [part(firsts, 0.5), part(firsts, 1), times.length, mean.toFixed(2), part(times, 0.99), part(times, 1)];
  console.log(`| ${name} | ${cells.join(" | ")} |`);
}
function run(name, constraint, answer) {
  const [firsts, times] = [[], []];
  for (let number = 0; number < ANSWERS; number += 1) {
    const [written, first] = time(() => {
      const written = vocabulary.begin(constraint, false, false);
      written.allowed();
      return written;
    });
    firsts.push(first);
    for (const id of cut(answer(), ids)) {
      written.push(id);
      times.push(time(() => written.allowed())[1]);
    }
    written.free();
  }
  everything.push([firsts, times]);
  row(name, firsts, times);
}
for (const [name, schema, instance] of CASES) {
  run(name, constraint(schema, []), () => JSON.stringify(instance(), null, random(2) === 0 ? 0 : 1));
}
run("calls of 2 tools", constraint(null, [["search", tool], ["add", person]]), () =>
  random(2) === 0
    ? `‹call:search{limit:${1 + random(50)},query:§${words(6)}§,sort:§new§}›`
    : `‹call:add{age:${random(120)},member:true,name:§${words(3)}§}›`,
);
row("all", everything.flatMap(([firsts]) => firsts), everything.flatMap(([, times]) => times));
