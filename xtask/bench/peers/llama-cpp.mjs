// llama.cpp without a browser, through node-llama-cpp: prints a line of JSON once the model is loaded, and one for each
// round that a line of standard input asks for.
//
// node llama-cpp.mjs FOLDER MODEL PROMPT ANSWER [auto|on|off]: FOLDER is where npm has installed node-llama-cpp, the last
// word is about flash attention. LLAMA_CPP_GPU=false takes the processor, for trying this out.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [folder, modelPath, promptWord, answerWord, flash = "auto"] = process.argv.slice(2);
const [prompt, answer] = [Number(promptWord), Number(answerWord)];
const installed = join(folder, "node_modules", "node-llama-cpp");
const { getLlama } = await import(pathToFileURL(join(installed, "dist", "index.js")));

const gpu = process.env.LLAMA_CPP_GPU === "false" ? false : "vulkan";
// What it cannot load is not to be compiled here.
const llama = await getLlama({ gpu, build: "never", progressLogs: false });
const model = await llama.loadModel({ modelPath, gpuLayers: gpu ? "max" : 0 });
const context = await model.createContext({
  contextSize: prompt + answer + 8,
  // The whole prompt at once, as the others read it.
  batchSize: prompt,
  flashAttention: { auto: "auto", on: true, off: false }[flash],
});
const sequence = context.getSequence();
const { version } = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
say({
  version: `node-llama-cpp ${version}`,
  llama_cpp: llama.llamaCppRelease,
  gpu: llama.gpu,
  devices: llama.gpu ? await llama.getGpuDeviceNames() : [],
  layers_on_gpu: model.gpuLayers,
  flash_attention: context.flashAttention,
});

for await (const line of createInterface({ input: process.stdin })) {
  say(await time(Number(line)));
}
await llama.dispose();

async function time(round) {
  // Other tokens each round, none of the first hundred, among which the special ones are.
  const size = model.fileInfo.metadata.tokenizer.ggml.tokens.length - 100;
  const tokens = Array.from({ length: prompt }, (_, i) => 100 + ((i * 7919 + ((i * i) % 11) + round * 104729) % size));
  await sequence.clearHistory();
  const drawn = sequence.evaluate(tokens, { temperature: 0, yieldEogToken: true });
  const start = performance.now();
  await next(drawn);
  const first = performance.now();
  for (let i = 1; i < answer; i++) {
    await next(drawn);
  }
  const last = performance.now();
  await drawn.return();
  return { prompt, prefill_ms: first - start, answer, decode_ms: last - first };
}

async function next(drawn) {
  if ((await drawn.next()).done) {
    throw new Error("the answer ended early");
  }
}

function say(words) {
  process.stdout.write(`${JSON.stringify(words)}\n`);
}
