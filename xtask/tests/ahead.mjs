// What ahead.js does with the pipelines that it made, on a device that only counts.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createContext, runInContext } from "node:vm";

class GPUDevice {
  counts = { made: 0, asked: 0 };
  pushErrorScope() {}
  async popErrorScope() {
    return null;
  }
  createBindGroupLayout() {}
  createPipelineLayout() {}
  createShaderModule() {
    return {};
  }
  async createComputePipelineAsync() {
    this.counts.made += 1;
    return { ahead: true };
  }
  createComputePipeline() {
    this.counts.asked += 1;
    return { ahead: false };
  }
}
class GPUAdapter {
  features = new Set();
  async requestDevice() {
    return new GPUDevice();
  }
}

const page = { GPUAdapter, GPUDevice, GPUShaderStage: { COMPUTE: 4 } };
page.self = page;
createContext(page);
runInContext(readFileSync(new URL("../src/site/ahead.js", import.meta.url), "utf8"), page);

const kernel = (text) => [`kernel ${text}`, text, ["uniform", "storage"]];
const device = await new GPUAdapter().requestDevice();
const isAhead = (text) => {
  const module = device.createShaderModule({ code: text });
  return device.createComputePipeline({ compute: { module } }).ahead;
};

// A second call, for what is tried between, takes nothing back, and makes nothing twice.
await page.compileAhead(["a", "b", "c"].map(kernel));
await page.compileAhead(["c", "d"].map(kernel));
assert.equal(device.counts.made, 4);
assert.deepEqual(["a", "b", "c", "d"].map(isAhead), [true, true, true, true]);
// Each is given away once.
assert.equal(isAhead("a"), false);
// Another device has none of them.
await page.compileAhead([kernel("e")]);
const other = await new GPUAdapter().requestDevice();
const module = other.createShaderModule({ code: "e" });
assert.equal(other.createComputePipeline({ compute: { module } }).ahead, false);
