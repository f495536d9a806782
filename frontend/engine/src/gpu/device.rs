//! Opening a device and querying it.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use futures_channel::oneshot;
use futures_util::FutureExt as _;
use futures_util::future::Shared;
use shaders::matrix_units::{Dialect, WORKGROUP_MEMORY};

use super::GpuError;
use super::device_class::DeviceClass;
use super::kernel::{CompileAhead, Pipeline};
use crate::plan::Limits;

/// Maximum number of storage buffers per kernel. Every device has eight; one kernel with adapters takes nine.
const MAX_STORAGE_BUFFERS: u32 = 9;

/// Options for opening a device.
#[derive(Clone, Debug, Default)]
pub struct GpuOptions {
    /// A part of an adapter's name, to select one of several (native only).
    pub adapter: Option<String>,
    /// Request no optional features, to run the portable variants.
    pub portable: bool,
    /// Maximum size in bytes of a part of a matrix that may be split, if less than a binding. It makes a device
    /// with large bindings behave like one with small ones.
    pub largest_part: Option<u64>,
    /// Largest binding to request, in bytes, if less than the platform offers.
    pub largest_binding: Option<u64>,
    /// Device memory in bytes, if known. Otherwise it is what the driver states, or follows from the class of the device.
    pub memory: Option<u64>,
    /// Compute by floats alone where matrix units would round operands to halves.
    pub no_matrix_units: bool,
    /// Whether rows of prompts are rounded to int8 where there are no matrix units, if a load does not say it. `None` leaves that
    /// to [`crate::tiles::choose`].
    pub packed_tiles: Option<bool>,
    /// Whether the browser multiplies matrices of halves. wgpu doesn't report it; the worker's script enables them.
    pub offers_matrices: bool,
    /// Compiles kernels in parallel with other work, if the platform can.
    pub ahead: Option<Rc<dyn CompileAhead>>,
}

/// A description of the device, for display.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Name or description of the adapter.
    pub name: String,
    /// Whether it is a software device.
    pub software: bool,
    /// Subgroup size range, when subgroups are on.
    pub subgroups: Option<(u32, u32)>,
    /// Whether timestamps can be queried.
    pub timestamps: bool,
    /// Limits by name.
    pub limits: Vec<(String, u64)>,
    /// Features by name.
    pub features: Vec<String>,
}

/// A device with its queue, and the pipelines made so far.
pub struct Gpu {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    pub(super) limits: wgpu::Limits,
    pub(super) features: wgpu::Features,
    pub(super) info: wgpu::AdapterInfo,
    /// By text, since different kernels may have the same name.
    pub(super) pipelines: Rc<RefCell<HashMap<Arc<str>, Rc<Pipeline>>>>,
    pub(super) ahead: Option<Rc<dyn CompileAhead>>,
    pub(super) bytes: Arc<AtomicU64>,
    pub(super) buffers_created: AtomicU64,
    submits: AtomicU64,
    pub(super) fault: Arc<Mutex<Option<String>>>,
    lost: Arc<Mutex<Option<String>>>,
    loss: Shared<oneshot::Receiver<()>>,
    largest_part: Option<u64>,
    memory: Cell<Option<u64>>,
    limit: Cell<u64>,
    portable: bool,
    matrix_units: Cell<bool>,
    packed_tiles: Option<bool>,
    /// Errors that a test injects.
    #[cfg(test)]
    pub(super) staged: super::scopes::Staged,
}

impl Gpu {
    /// Opens the platform's best adapter with its own limits for buffers and bindings, and WebGPU's defaults for
    /// everything else that kernels rely on.
    ///
    /// # Errors
    /// [`GpuError::NoAdapter`] or [`GpuError::NoDevice`].
    pub async fn open(options: &GpuOptions) -> Result<Self, GpuError> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends: wgpu::Backends::PRIMARY | wgpu::Backends::BROWSER_WEBGPU,
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        });
        let adapter = Self::choose(&instance, options).await?;
        let info = adapter.get_info();
        let offered = adapter.limits();
        let mut limits = wgpu::Limits {
            max_buffer_size: offered.max_buffer_size,
            max_storage_buffer_binding_size: options
                .largest_binding
                .unwrap_or(u64::MAX)
                .min(offered.max_storage_buffer_binding_size),
            max_storage_buffers_per_shader_stage: if options.portable {
                wgpu::Limits::default().max_storage_buffers_per_shader_stage
            } else {
                offered.max_storage_buffers_per_shader_stage.min(MAX_STORAGE_BUFFERS)
            },
            ..wgpu::Limits::default()
        };
        let wanted = wgpu::Features::SUBGROUP | wgpu::Features::TIMESTAMP_QUERY;
        let mut features =
            if options.portable { wgpu::Features::empty() } else { adapter.features() & wanted };
        let matrix_units =
            !options.portable && !options.no_matrix_units && has_matrix_units(&adapter, options);
        if matrix_units {
            features |= half_matrix_features();
            limits.max_compute_workgroup_storage_size = WORKGROUP_MEMORY;
        }
        let (device, queue) = adapter
            .request_device(&wgpu::DeviceDescriptor {
                label: Some("gemtab"),
                required_features: features,
                required_limits: limits.clone(),
                memory_hints: wgpu::MemoryHints::Performance,
                experimental_features: experimental(matrix_units),
                ..wgpu::DeviceDescriptor::default()
            })
            .await
            .map_err(|e| GpuError::NoDevice { reason: e.to_string() })?;
        let fault = Arc::new(Mutex::new(None::<String>));
        let lost = Arc::new(Mutex::new(None::<String>));
        device.on_uncaptured_error(Arc::new({
            let fault = Arc::clone(&fault);
            move |error: wgpu::Error| remember(&fault, error.to_string())
        }));
        let (announce, loss) = oneshot::channel();
        device.set_device_lost_callback({
            let lost = Arc::clone(&lost);
            let announce = Mutex::new(Some(announce));
            move |_, message| {
                remember(&lost, message);
                if let Some(announce) = lock(&announce).take() {
                    // Nobody may be waiting.
                    announce.send(()).ok();
                }
            }
        });
        Ok(Self {
            device,
            queue,
            limits,
            features,
            info,
            pipelines: Rc::default(),
            ahead: options.ahead.clone(),
            bytes: Arc::default(),
            buffers_created: AtomicU64::new(0),
            submits: AtomicU64::new(0),
            fault,
            lost,
            loss: loss.shared(),
            largest_part: options.largest_part,
            memory: Cell::new(options.memory.or_else(|| driver_memory(&adapter))),
            limit: Cell::new(u64::MAX),
            portable: options.portable,
            matrix_units: Cell::new(matrix_units),
            packed_tiles: options.packed_tiles.or(options.portable.then_some(false)),
            #[cfg(test)]
            staged: super::scopes::Staged::default(),
        })
    }

    #[cfg(not(target_arch = "wasm32"))]
    async fn choose(instance: &wgpu::Instance, options: &GpuOptions) -> Result<wgpu::Adapter, GpuError> {
        let Some(part) = &options.adapter else { return Self::best(instance).await };
        let adapters = instance.enumerate_adapters(wgpu::Backends::PRIMARY).await;
        let names: Vec<_> = adapters.iter().map(|a| a.get_info().name).collect();
        adapters
            .into_iter()
            .find(|a| a.get_info().name.to_lowercase().contains(&part.to_lowercase()))
            .ok_or_else(|| GpuError::NoAdapter {
                reason: format!("none of {names:?} is named like {part:?}"),
            })
    }

    #[cfg(target_arch = "wasm32")]
    async fn choose(instance: &wgpu::Instance, _: &GpuOptions) -> Result<wgpu::Adapter, GpuError> {
        Self::best(instance).await
    }

    async fn best(instance: &wgpu::Instance) -> Result<wgpu::Adapter, GpuError> {
        instance
            .request_adapter(&wgpu::RequestAdapterOptions {
                power_preference: wgpu::PowerPreference::HighPerformance,
                ..wgpu::RequestAdapterOptions::default()
            })
            .await
            .map_err(|e| GpuError::NoAdapter { reason: e.to_string() })
    }

    /// Returns the queue, for uploads.
    pub fn queue(&self) -> &wgpu::Queue {
        &self.queue
    }

    /// Returns whether the device is a software device.
    pub fn is_software(&self) -> bool {
        self.info.device_type == wgpu::DeviceType::Cpu
    }

    /// Identifies the adapter and its driver, as far as the platform allows: a browser reveals little.
    pub fn identity(&self) -> String {
        let wgpu::AdapterInfo { name, vendor, device, driver, driver_info, backend, .. } = &self.info;
        format!("{name} {vendor:x}:{device:x} {driver} {driver_info} {backend}")
    }

    /// Returns the properties of this device that plans depend on. Packed tiles are chosen by each load.
    pub fn plan_limits(&self) -> Limits {
        Limits {
            software: self.is_software(),
            portable: self.portable,
            storage_buffers: self.storage_buffers(),
            largest_binding: self.max_binding(),
            params_alignment: self.limits.min_uniform_buffer_offset_alignment.into(),
            largest_part: self.max_part(),
            matrix_units: self.matrix_units.get(),
            packed_tiles: false,
        }
    }

    /// Returns whether rows of prompts are rounded to int8 where there are no matrix units; `None` if that is to be timed.
    pub fn packed_tiles(&self) -> Option<bool> {
        self.packed_tiles
    }

    /// Uses no matrix units from now on: a kernel that does was found to compute wrongly here.
    pub fn give_up_matrix_units(&self) {
        self.matrix_units.set(false);
    }

    /// Storage buffers that a kernel may bind.
    pub fn storage_buffers(&self) -> u32 {
        self.limits.max_storage_buffers_per_shader_stage
    }

    /// Largest buffer that can be created and bound as a whole, in bytes.
    pub fn max_binding(&self) -> u64 {
        // Offsets in kernels are u32 words, and some drivers stop at 2 GiB regardless of the limit.
        self.limits.max_buffer_size.min(self.limits.max_storage_buffer_binding_size).min(1 << 31)
    }

    /// Returns the maximum size in bytes of a part of a matrix that may be split.
    pub fn max_part(&self) -> u64 {
        self.largest_part.unwrap_or(u64::MAX).min(self.max_binding())
    }

    /// Returns device memory in bytes, if it was stated by the driver or by [`GpuOptions::memory`]. No browser states it.
    pub fn stated_memory(&self) -> Option<u64> {
        self.memory.get()
    }

    /// States the device memory in bytes, or that it isn't known.
    pub fn state_memory(&self, bytes: Option<u64>) {
        self.memory.set(bytes);
    }

    /// Returns the class of the device as far as the driver tells it, which a browser does not.
    pub fn class(&self) -> DeviceClass {
        match self.info.device_type {
            wgpu::DeviceType::DiscreteGpu => DeviceClass::Discrete,
            _ if self.info.name.starts_with("Apple") => DeviceClass::Unified,
            _ => DeviceClass::Integrated,
        }
    }

    /// Refuses allocations beyond these bytes: for tests of devices that have less memory than they are assumed to have.
    pub fn limit_memory(&self, bytes: u64) {
        self.limit.set(bytes);
    }

    /// Bytes that may be allocated.
    pub(super) fn memory_limit(&self) -> u64 {
        self.limit.get()
    }

    /// Largest buffer in bytes.
    pub fn max_buffer(&self) -> u64 {
        self.limits.max_buffer_size
    }

    /// Bytes in buffers now.
    pub fn bytes_in_use(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Returns the number of buffers created since the device was opened: decoding must not create any.
    pub fn buffers_created(&self) -> u64 {
        self.buffers_created.load(Ordering::Relaxed)
    }

    /// Returns the number of submits since the device was opened.
    pub fn submits(&self) -> u64 {
        self.submits.load(Ordering::Relaxed)
    }

    /// Submits recorded commands, and returns the index to wait for.
    pub fn submit(&self, encoder: wgpu::CommandEncoder) -> wgpu::SubmissionIndex {
        self.submit_recorded(encoder.finish())
    }

    /// Returns the same for commands that are finished.
    pub fn submit_recorded(&self, commands: wgpu::CommandBuffer) -> wgpu::SubmissionIndex {
        self.submits.fetch_add(1, Ordering::Relaxed);
        self.queue.submit([commands])
    }

    /// Blocks until a submit is finished, or all of them, and runs the callbacks of those that are. A browser does so itself.
    ///
    /// # Errors
    /// [`GpuError::Fault`] when the device fails meanwhile.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn wait_for(&self, submission_index: Option<wgpu::SubmissionIndex>) -> Result<(), GpuError> {
        let wait = |submission_index| wgpu::PollType::Wait { submission_index, timeout: None };
        // A lost device does not know its submits; waiting for everything reports the loss.
        let waited = self.device.poll(wait(submission_index)).or_else(|_| self.device.poll(wait(None)));
        waited.map(drop).map_err(|e| GpuError::Fault { reason: e.to_string() })
    }

    /// The error, if the device was lost or reported an error outside of all scopes.
    ///
    /// # Errors
    /// [`GpuError::Lost`] permanently, [`GpuError::Fault`] once.
    pub fn check(&self) -> Result<(), GpuError> {
        if let Some(reason) = lock(&self.lost).clone() {
            return Err(GpuError::Lost { reason });
        }
        match lock(&self.fault).take() {
            Some(reason) => Err(GpuError::Fault { reason }),
            None => Ok(()),
        }
    }

    /// Waits until the device is lost. It does not keep the device alive: it also completes when the device is
    /// dropped.
    pub fn lost(&self) -> impl Future<Output = ()> + use<> {
        self.loss.clone().map(|_| ())
    }

    /// Destroys the device, as a driver reset would; for tests of recovery.
    pub fn destroy(&self) {
        self.device.destroy();
    }

    /// Returns a description of the device.
    pub fn report(&self) -> Report {
        let l = &self.limits;
        Report {
            name: self.info.name.clone(),
            software: self.is_software(),
            subgroups: self
                .features
                .contains(wgpu::Features::SUBGROUP)
                .then_some((self.info.subgroup_min_size, self.info.subgroup_max_size)),
            timestamps: self.features.contains(wgpu::Features::TIMESTAMP_QUERY),
            limits: vec![
                ("maxBufferSize".into(), l.max_buffer_size),
                ("maxStorageBufferBindingSize".into(), l.max_storage_buffer_binding_size),
                ("maxStorageBuffersPerShaderStage".into(), l.max_storage_buffers_per_shader_stage.into()),
                ("maxComputeWorkgroupStorageSize".into(), l.max_compute_workgroup_storage_size.into()),
                ("maxComputeInvocationsPerWorkgroup".into(), l.max_compute_invocations_per_workgroup.into()),
                ("maxComputeWorkgroupsPerDimension".into(), l.max_compute_workgroups_per_dimension.into()),
            ],
            features: self.features.iter_names().map(|(name, _)| name.to_lowercase()).collect(),
        }
    }
}

/// Returns the features that kernels for matrix units need, as far as wgpu knows them.
fn half_matrix_features() -> wgpu::Features {
    match Dialect::HERE {
        Dialect::Wgpu => {
            wgpu::Features::EXPERIMENTAL_COOPERATIVE_MATRIX
                | wgpu::Features::SHADER_F16
                | wgpu::Features::SUBGROUP
        }
        Dialect::Chromium => wgpu::Features::SHADER_F16,
    }
}

/// Returns whether subgroups of 32 invocations multiply matrices of halves, 16×16×16, with sums in f32.
fn has_matrix_units(adapter: &wgpu::Adapter, options: &GpuOptions) -> bool {
    let (info, offered) = (adapter.get_info(), adapter.limits());
    let multiplies_halves = |it: &wgpu::CooperativeMatrixProperties| {
        [it.m_size, it.n_size, it.k_size] == [16; 3]
            && it.ab_type == wgpu::CooperativeScalarType::F16
            && it.cr_type == wgpu::CooperativeScalarType::F32
    };
    let offers_halves =
        options.offers_matrices || adapter.cooperative_matrix_properties().iter().any(multiplies_halves);
    offers_halves
        && [info.subgroup_min_size, info.subgroup_max_size] == [32; 2]
        && offered.max_compute_workgroup_storage_size >= WORKGROUP_MEMORY
        && adapter.features().contains(half_matrix_features())
}

/// Returns the bytes of the device's own memory as its driver states them, less a tenth that all else needs.
#[cfg(any(windows, target_os = "linux"))]
#[allow(unsafe_code)]
fn driver_memory(adapter: &wgpu::Adapter) -> Option<u64> {
    /// `VK_MEMORY_HEAP_DEVICE_LOCAL_BIT`.
    const DEVICE_LOCAL: u32 = 1;
    // SAFETY: the adapter is only asked for its properties, and outlives the question.
    let properties = unsafe {
        let adapter = adapter.as_hal::<wgpu::hal::api::Vulkan>()?;
        let instance = adapter.shared_instance().raw_instance();
        instance.get_physical_device_memory_properties(adapter.raw_physical_device())
    };
    let heaps = properties.memory_heaps.iter().take(properties.memory_heap_count as usize);
    let own = heaps.filter(|heap| heap.flags.as_raw() & DEVICE_LOCAL != 0);
    own.map(|heap| heap.size / 10 * 9).max()
}

/// No other driver is asked, and no browser tells.
#[cfg(not(any(windows, target_os = "linux")))]
fn driver_memory(_: &wgpu::Adapter) -> Option<u64> {
    None
}

#[allow(unsafe_code)]
fn experimental(wanted: bool) -> wgpu::ExperimentalFeatures {
    if !wanted {
        return wgpu::ExperimentalFeatures::disabled();
    }
    // SAFETY: wgpu asks for it because unfinished features may have bugs that its checks do not find. Of them, kernels
    // use cooperative matrices alone, whose rows lie within their tiles in workgroup memory.
    unsafe { wgpu::ExperimentalFeatures::enabled() }
}

fn remember(place: &Mutex<Option<String>>, words: String) {
    lock(place).get_or_insert(words);
}

fn lock<T>(place: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    place.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
