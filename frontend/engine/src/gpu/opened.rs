//! An open device, and what is known of it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_channel::oneshot;
use futures_util::future::{FutureExt as _, Shared};

use super::kernel::Pipeline;

/// An open device, with what is said of it.
#[derive(Clone)]
pub(super) struct Opened {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    pub limits: wgpu::Limits,
    pub features: wgpu::Features,
    pub info: wgpu::AdapterInfo,
    /// The device's own memory in bytes, if the driver states it.
    pub memory: Option<u64>,
    pub matrix_units: bool,
    /// The first error outside of all scopes.
    pub fault: Arc<Mutex<Option<String>>>,
    /// Why it was lost.
    pub lost: Arc<Mutex<Option<String>>>,
    /// Completes when it is lost.
    pub loss: Shared<oneshot::Receiver<()>>,
    pub compiled: Compiled,
}

/// Kernels that were compiled on a device, by text.
#[derive(Clone, Default)]
pub(super) struct Compiled(Arc<Mutex<HashMap<Arc<str>, Pipeline>>>);

impl Compiled {
    /// Whether nobody else has it.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn is_free(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    /// Whether it is of the same device.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Returns a kernel.
    pub fn get(&self, text: &str) -> Option<Pipeline> {
        lock(&self.0).get(text).cloned()
    }

    /// Adds a kernel.
    pub fn add(&self, text: &Arc<str>, pipeline: &Pipeline) {
        // A browser's devices are not used again.
        if cfg!(not(target_arch = "wasm32")) {
            lock(&self.0).insert(Arc::clone(text), pipeline.clone());
        }
    }
}

impl Opened {
    /// Has the device report errors and its loss.
    pub fn new(
        (device, queue): (wgpu::Device, wgpu::Queue),
        (limits, features): (wgpu::Limits, wgpu::Features),
        info: wgpu::AdapterInfo,
    ) -> Self {
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
        let (loss, compiled) = (loss.shared(), Compiled::default());
        let (memory, matrix_units) = (None, false);
        Self { device, queue, limits, features, info, memory, matrix_units, fault, lost, loss, compiled }
    }
}

/// Sets the words if there are none.
pub(super) fn remember(place: &Mutex<Option<String>>, words: String) {
    lock(place).get_or_insert(words);
}

pub(super) fn lock<T>(place: &Mutex<T>) -> MutexGuard<'_, T> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}
