// Withholds the features of WebGPU that make kernels faster.

const has = GPUSupportedFeatures.prototype.has;
GPUSupportedFeatures.prototype.has = function (name) {
  return !/^shader-f16$|^subgroup|^chromium-experimental/.test(name) && has.call(this, name);
};
