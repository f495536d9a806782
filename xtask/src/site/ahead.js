// Pipelines made before they are asked for.
//
// The engine speaks with WebGPU through wgpu, which makes a pipeline while its caller waits: one after the other, and the
// browser does nothing else for the page meanwhile. WebGPU itself can compile many at once beside other work. So the
// engine names its kernels early, and when wgpu then asks for a pipeline of a module with the text of one, it gets the one
// that is there. Layouts that say the same are the same to WebGPU, whoever made them.

{
  /** The device opened last. */
  let device;
  /** Its pipelines that nobody has asked for yet, by text. */
  const made = new Map();
  /** The texts of modules that wgpu made. */
  const texts = new WeakMap();

  const { requestDevice } = self.GPUAdapter?.prototype ?? {};
  const { createComputePipeline, createShaderModule } = self.GPUDevice?.prototype ?? {};

  // Features that wgpu can't request. Only kernels for matrix units need them (cooperative/chromium.wgsl).
  const matrices = ["subgroups", "chromium-experimental-subgroup-matrix"];

  if (requestDevice && createComputePipeline) {
    GPUAdapter.prototype.requestDevice = async function (descriptor) {
      const features = [...(descriptor?.requiredFeatures ?? [])];
      if (matrices.every((name) => this.features.has(name))) {
        descriptor = { ...descriptor, requiredFeatures: [...features, ...matrices] };
      }
      device = await requestDevice.call(this, descriptor);
      made.clear();
      return device;
    };
    GPUDevice.prototype.createShaderModule = function (descriptor) {
      const module = createShaderModule.call(this, descriptor);
      texts.set(module, descriptor.code);
      return module;
    };
    GPUDevice.prototype.createComputePipeline = function (descriptor) {
      const text = texts.get(descriptor.compute.module);
      const ready = this === device ? made.get(text) : undefined;
      if (ready) {
        made.delete(text);
        return ready;
      }
      return createComputePipeline.call(this, descriptor);
    };
  }

  const make = async (on, [label, code, kinds]) => {
    // What is wrong with a kernel is said when wgpu asks for it.
    on.pushErrorScope("validation");
    const entries = kinds.map((type, binding) => ({ binding, visibility: GPUShaderStage.COMPUTE, buffer: { type } }));
    const layout = on.createPipelineLayout({ bindGroupLayouts: [on.createBindGroupLayout({ entries })] });
    const module = createShaderModule.call(on, { code });
    const refused = on.popErrorScope();
    const compiled = on.createComputePipelineAsync({ label, layout, compute: { module, entryPoint: "main" } });
    const [error, pipeline] = await Promise.all([refused, compiled]);
    if (!error && on === device) {
      made.set(code, pipeline);
    }
  };

  /** Makes pipelines of `[label, code, kinds of its bindings]`, and ends when all are made or refused. */
  self.compileAhead = async (kernels) => {
    const on = device;
    const missing = kernels.filter(([, code]) => !made.has(code));
    await Promise.allSettled(missing.map((kernel) => make(on, kernel)));
  };
}
