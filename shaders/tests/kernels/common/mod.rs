//! Runs one kernel on a native adapter and brings its outputs back.

#![allow(dead_code)] // Each test binary uses a part.

use shaders::selftest::Arg;
use shaders::{Access, Binding, DType, Kernel, Source};
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

#[allow(unused_imports)] // As above.
pub use shaders::selftest::random;

/// Writes NaN, and reads it back so that no compiler leaves the writing out.
const FILL: &str = "memory[at] = 0x7fc00000u; found[i % 64u] = memory[(at * 7u) % 4096u];";
/// Sets the first element where there is any NaN.
const LOOK: &str = "if (memory[at] == 0x7fc00000u) { found[0] = 1u; }";

/// Whether every combination runs, and not only what differs in what a kernel does: `cargo xtask test --thorough`. A software
/// device takes seconds to compile a large kernel, and naga validates all of them in any case.
pub fn is_thorough() -> bool {
    std::env::var_os("GEMTAB_THOROUGH").is_some()
}

/// Types for kernels that decode weights as `matvec`, `matmul` and `gather` do, which run for every type: floats, blocks with a
/// scale, with a minimum and high bits, and super-blocks.
pub fn some_types() -> Vec<DType> {
    if is_thorough() { DType::ALL.to_vec() } else { vec![DType::F16, DType::Q4_0, DType::Q5_1, DType::Q4_K] }
}

/// A device that all tests of a binary share.
pub struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
    /// By text, so that a test may run a kernel thousands of times.
    pipelines: Mutex<HashMap<std::sync::Arc<str>, wgpu::ComputePipeline>>,
    /// Whether subgroup permutations can run here.
    pub subgroups: bool,
    /// Nanoseconds of a timestamp tick, where the adapter has timestamps.
    tick: Option<f32>,
    /// Smallest and largest subgroup.
    pub subgroup_sizes: (u32, u32),
}

/// What is bound at one index.
#[derive(Clone)]
pub enum BufferArg {
    /// The bytes of a parameter struct.
    Uniform(Vec<u8>),
    /// Input words.
    Read(Vec<u8>),
    /// Words to start from; what the kernel leaves there comes back.
    ReadWrite(Vec<u8>),
}

impl BufferArg {
    pub fn uniform<T: bytemuck::Pod>(params: &T) -> Self {
        assert_eq!(size_of::<T>() % 16, 0, "a parameter struct is a multiple of 16 bytes");
        Self::Uniform(bytemuck::bytes_of(params).to_vec())
    }

    pub fn read<T: bytemuck::Pod>(values: &[T]) -> Self {
        Self::Read(bytemuck::cast_slice(values).to_vec())
    }

    pub fn read_write<T: bytemuck::Pod>(values: &[T]) -> Self {
        Self::ReadWrite(bytemuck::cast_slice(values).to_vec())
    }

    pub fn zeros(words: usize) -> Self {
        Self::ReadWrite(vec![0; words * 4])
    }
}

/// The contents of a `ReadWrite` buffer after the run.
pub struct Output(Vec<u8>);

impl Output {
    pub fn u32s(&self) -> Vec<u32> {
        bytemuck::pod_collect_to_vec(&self.0)
    }

    pub fn f32s(&self) -> Vec<f32> {
        bytemuck::pod_collect_to_vec(&self.0)
    }
}

/// A pipeline with its buffers.
struct Bound {
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
    buffers: Vec<wgpu::Buffer>,
}

impl Bound {
    fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>, [x, y, z]: [u32; 3]) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        pass.dispatch_workgroups(x, y, z);
    }
}

impl Gpu {
    /// The shared device.
    ///
    /// # Panics
    /// Without an adapter: these tests cannot say anything then.
    pub fn get() -> &'static Self {
        static GPU: OnceLock<Gpu> = OnceLock::new();
        GPU.get_or_init(|| pollster::block_on(Self::open()))
    }

    async fn open() -> Self {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let adapter = instance.request_adapter(&wgpu::RequestAdapterOptions::default()).await.expect(
            "the kernel tests need a GPU adapter; a software one is enough: install mesa-vulkan-drivers and set \
             VK_DRIVER_FILES=/usr/share/vulkan/icd.d/lvp_icd.x86_64.json (lavapipe)",
        );
        let offered = adapter.limits();
        // Default limits but for the sizes of buffers, so that what passes here runs on any WebGPU device; and one
        // buffer more, for the one kernel that is asked for only where there is one more.
        let limits = wgpu::Limits {
            max_storage_buffers_per_shader_stage: 9,
            max_buffer_size: offered.max_buffer_size,
            max_storage_buffer_binding_size: offered.max_storage_buffer_binding_size,
            ..wgpu::Limits::default()
        };
        let subgroups = adapter.features().contains(wgpu::Features::SUBGROUP);
        let info = adapter.get_info();
        eprintln!("adapter: {} ({:?}), subgroups: {subgroups}", info.name, info.backend);
        let (device, queue) = adapter
            .request_device(&wgpu::DeviceDescriptor {
                label: Some("kernel tests"),
                required_features: adapter.features()
                    & (wgpu::Features::SUBGROUP | wgpu::Features::TIMESTAMP_QUERY),
                required_limits: limits,
                ..Default::default()
            })
            .await
            .expect("the adapter gives a device with default limits");
        let tick =
            device.features().contains(wgpu::Features::TIMESTAMP_QUERY).then(|| queue.get_timestamp_period());
        let subgroup_sizes = (info.subgroup_min_size, info.subgroup_max_size);
        Self { device, queue, pipelines: Mutex::default(), subgroups, tick, subgroup_sizes }
    }

    /// Runs `source` once and returns its `ReadWrite` buffers in order.
    ///
    /// # Panics
    /// When the arguments do not fit the bindings, or the device reports an error.
    pub fn run(&self, source: &Source, args: &[BufferArg], dispatch: [u32; 3]) -> Vec<Output> {
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let outputs = self.run_unchecked(source, args, dispatch);
        if let Some(error) = pollster::block_on(scope.pop()) {
            panic!("{}: {error}\n{}", source.name, numbered(&source.wgsl));
        }
        outputs
    }

    /// Seconds of one of `rounds` runs in a row, by the device's clock; `None` where it has none. The arguments may
    /// hold anything: the outputs are dropped.
    pub fn time(&self, source: &Source, args: &[BufferArg], dispatch: [u32; 3], rounds: u32) -> Option<f64> {
        let tick = self.tick?;
        let bound = self.bind(source, args);
        let queries = self.device.create_query_set(&wgpu::QuerySetDescriptor {
            label: None,
            ty: wgpu::QueryType::Timestamp,
            count: 2,
        });
        let buffer = |usage| {
            self.device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: 16,
                usage,
                mapped_at_creation: false,
            })
        };
        let resolved = buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC);
        let readback = buffer(wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ);
        // A device that was idle takes a while to raise its clock.
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(200) {
            let mut encoder = self.device.create_command_encoder(&Default::default());
            bound.dispatch(&mut encoder.begin_compute_pass(&Default::default()), dispatch);
            self.queue.submit([encoder.finish()]);
            self.device.poll(wgpu::PollType::wait_indefinitely()).expect("the device answers");
        }
        let mut encoder = self.device.create_command_encoder(&Default::default());
        {
            let timestamp_writes = Some(wgpu::ComputePassTimestampWrites {
                query_set: &queries,
                beginning_of_pass_write_index: Some(0),
                end_of_pass_write_index: Some(1),
            });
            let mut pass =
                encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: None, timestamp_writes });
            for _ in 0..rounds {
                bound.dispatch(&mut pass, dispatch);
            }
        }
        encoder.resolve_query_set(&queries, 0..2, &resolved, 0);
        encoder.copy_buffer_to_buffer(&resolved, 0, &readback, 0, 16);
        self.queue.submit([encoder.finish()]);
        let ticks: Vec<u64> = bytemuck::pod_collect_to_vec(&self.read_back(&readback).0);
        Some((ticks[1] - ticks[0]) as f64 * f64::from(tick) * 1e-9 / f64::from(rounds))
    }

    fn run_unchecked(&self, source: &Source, args: &[BufferArg], dispatch: [u32; 3]) -> Vec<Output> {
        let bound = self.bind(source, args);
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        self.workgroup_memory(FILL).dispatch(&mut pass, [16, 1, 1]);
        bound.dispatch(&mut pass, dispatch);
        drop(pass);
        let mut readbacks = Vec::new();
        for (buffer, arg) in bound.buffers.iter().zip(args) {
            if let BufferArg::ReadWrite(bytes) = arg {
                let readback = self.device.create_buffer(&wgpu::BufferDescriptor {
                    label: None,
                    size: bytes.len() as u64,
                    usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
                    mapped_at_creation: false,
                });
                encoder.copy_buffer_to_buffer(buffer, 0, &readback, 0, bytes.len() as u64);
                readbacks.push(readback);
            }
        }
        self.queue.submit([encoder.finish()]);
        readbacks.iter().map(|readback| self.read_back(readback)).collect()
    }

    /// A kernel that fills workgroup memory with NaN, or says whether it found any: no kernel may lean on what it
    /// finds.
    fn workgroup_memory(&self, body: &str) -> Bound {
        let wgsl = format!(
            "@group(0) @binding(0) var<storage, read_write> found: array<u32>;
            var<workgroup> memory: array<u32, 4096>;
            @compute @workgroup_size(256) fn main(@builtin(local_invocation_index) i: u32) {{
                for (var at = i; at < 4096u; at += 256u) {{ {body} }}
            }}"
        );
        let text: std::sync::Arc<str> = wgsl.into();
        let mut pipelines = self.pipelines.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let pipeline = pipelines.entry(text.clone()).or_insert_with(|| self.compile("memory", &text, None));
        let pipeline = pipeline.clone();
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 256,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: buffer.as_entire_binding() }],
        });
        Bound { pipeline, group, buffers: vec![buffer] }
    }

    /// Whether a kernel that runs behind the one that fills workgroup memory finds some of that.
    pub fn finds_nan(&self) -> bool {
        let look = self.workgroup_memory(LOOK);
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        self.workgroup_memory(FILL).dispatch(&mut pass, [16, 1, 1]);
        look.dispatch(&mut pass, [16, 1, 1]);
        drop(pass);
        let readback = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 256,
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        encoder.copy_buffer_to_buffer(&look.buffers[0], 0, &readback, 0, 256);
        self.queue.submit([encoder.finish()]);
        self.read_back(&readback).u32s()[0] == 1
    }

    /// Makes the pipeline and fills the buffers.
    fn bind(&self, source: &Source, args: &[BufferArg]) -> Bound {
        assert_eq!(source.bindings.len(), args.len(), "{}: one argument for each binding", source.name);
        let mut pipelines = self.pipelines.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let pipeline = pipelines.entry(source.wgsl.clone()).or_insert_with(|| self.pipeline(source)).clone();
        drop(pipelines);
        let mut buffers = Vec::new();
        for (binding, arg) in source.bindings.iter().zip(args) {
            let (usage, bytes) = match (binding.access, arg) {
                (Access::Uniform, BufferArg::Uniform(bytes)) => (wgpu::BufferUsages::UNIFORM, bytes),
                (Access::Read, BufferArg::Read(bytes)) | (Access::ReadWrite, BufferArg::ReadWrite(bytes)) => {
                    (wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC, bytes)
                }
                _ => panic!("{}: binding {} is {binding:?}", source.name, buffers.len()),
            };
            let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                // A struct of vec2 words needs 8 bytes even where 4 are meant.
                size: (bytes.len() as u64).next_multiple_of(8).max(16),
                usage: usage | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            self.queue.write_buffer(&buffer, 0, bytes);
            buffers.push(buffer);
        }
        let entries: Vec<_> = (0u32..)
            .zip(&buffers)
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
            .collect();
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        Bound { pipeline, group, buffers }
    }

    fn read_back(&self, buffer: &wgpu::Buffer) -> Output {
        buffer.map_async(wgpu::MapMode::Read, .., |result| result.expect("the readback buffer maps"));
        self.device.poll(wgpu::PollType::wait_indefinitely()).expect("the device answers");
        Output(buffer.get_mapped_range(..).expect("the buffer is mapped").to_vec())
    }

    /// Compiled as the engine does (`gpu/pipelines.rs`): without counters in loops and guards of divisions, and with
    /// workgroup memory as it is found.
    #[allow(unsafe_code)]
    fn compile(
        &self,
        name: &str,
        wgsl: &str,
        layout: Option<&wgpu::PipelineLayout>,
    ) -> wgpu::ComputePipeline {
        let descriptor =
            wgpu::ShaderModuleDescriptor { label: Some(name), source: wgpu::ShaderSource::Wgsl(wgsl.into()) };
        let checks =
            wgpu::ShaderRuntimeChecks { bounds_checks: true, ..wgpu::ShaderRuntimeChecks::unchecked() };
        // SAFETY: loops of the kernels run to bounds that their launchers set, and no divisor is zero.
        let module = unsafe { self.device.create_shader_module_trusted(descriptor, checks) };
        self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(name),
            layout,
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions {
                zero_initialize_workgroup_memory: false,
                ..Default::default()
            },
            cache: None,
        })
    }

    fn pipeline(&self, source: &Source) -> wgpu::ComputePipeline {
        let entries: Vec<_> = (0u32..)
            .zip(source.bindings.iter())
            .map(|(binding, used)| wgpu::BindGroupLayoutEntry {
                binding,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty: match used.access {
                        Access::Uniform => wgpu::BufferBindingType::Uniform,
                        Access::Read => wgpu::BufferBindingType::Storage { read_only: true },
                        Access::ReadWrite => wgpu::BufferBindingType::Storage { read_only: false },
                    },
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            })
            .collect();
        let group = self
            .device
            .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries });
        let layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&group)],
            immediate_size: 0,
        });
        self.compile(&source.name, &source.wgsl, Some(&layout))
    }
}

fn numbered(text: &str) -> String {
    text.lines().enumerate().map(|(index, line)| format!("{:4} {line}\n", index + 1)).collect()
}

/// Asserts `|got − want| ≤ abs + rel·|want|` everywhere and names the worst index.
#[track_caller]
pub fn assert_close(got: &[f32], want: &[f32], abs: f32, rel: f32) {
    assert_eq!(got.len(), want.len(), "lengths differ");
    let excess = |index: usize| {
        let (got, want) = (got[index], want[index]);
        let excess = (got - want).abs() - (abs + rel * want.abs());
        if excess.is_nan() && got.to_bits() != want.to_bits() { f32::INFINITY } else { excess }
    };
    let Some(worst) = (0..got.len()).max_by(|&a, &b| excess(a).total_cmp(&excess(b))) else { return };
    let wrong = (0..got.len()).filter(|&index| excess(index) > 0.0).count();
    assert!(
        excess(worst) <= 0.0,
        "{wrong} of {} values differ; the worst at {worst}: got {}, want {}",
        got.len(),
        got[worst],
        want[worst],
    );
}

/// Runs the case of a kernel, its text changed in a way that must not matter.
#[track_caller]
pub fn check_as(kernel: &dyn Kernel, changed: impl FnOnce(Source) -> Source) {
    let case = kernel.case().expect("a case");
    let source = changed(kernel.source().expect("a source"));
    let arg = |(arg, binding): (&Arg, &Binding)| match (arg, binding.access) {
        (Arg::Uniform(bytes), _) => BufferArg::Uniform(bytes.clone()),
        (Arg::Words(words), Access::ReadWrite) => BufferArg::read_write(words),
        (Arg::Words(words), _) => BufferArg::read(words),
    };
    let args: Vec<_> = case.args.iter().zip(source.bindings.iter()).map(arg).collect();
    let written = |binding: usize| {
        source.bindings[..binding].iter().filter(|binding| binding.access == Access::ReadWrite).count()
    };
    let out = Gpu::get().run(&source, &args, case.grid);
    for expected in &case.expected {
        let words = Output::u32s(&out[written(expected.binding)]);
        let got = expected.reading.read(&words, expected.values.len());
        println!("{}: {} values of binding {}", source.name, got.len(), expected.binding);
        assert_close(&got, &expected.values, expected.absolute, expected.relative);
    }
}

/// Runs the case of a kernel.
#[track_caller]
pub fn check(kernel: &dyn Kernel) {
    check_as(kernel, |source| source);
}
