//! A tower that is loaded when the first medium needs it.

use std::rc::Rc;

use crate::bytes::ByteSource;
use crate::gpu::Gpu;

/// A tower of a model, loaded on demand: `P` is its plan, `T` the tower on the device.
pub struct OnDemand<P, T> {
    pub(crate) gpu: Rc<Gpu>,
    pub(crate) source: Rc<dyn ByteSource>,
    pub(crate) plan: P,
    pub(crate) tower: Option<T>,
}

impl<P, T> OnDemand<P, T> {
    /// Returns the tower of `plan`, with its weights in `source`. Nothing is loaded yet.
    pub fn new(gpu: Rc<Gpu>, source: Rc<dyn ByteSource>, plan: P) -> Self {
        Self { gpu, source, plan, tower: None }
    }

    /// Returns the plan of the tower.
    pub fn plan(&self) -> &P {
        &self.plan
    }

    /// Returns whether its weights are on the device.
    pub fn is_loaded(&self) -> bool {
        self.tower.is_some()
    }

    /// Frees the memory, once no encoder uses the tower. The next medium loads it again.
    pub fn unload(&mut self) {
        self.tower = None;
    }
}
