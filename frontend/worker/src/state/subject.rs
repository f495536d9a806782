//! Keys of what is remembered about kernels: an adapter, and the products of a model on it.

use engine::gpu::Gpu;
use engine::session::ModelSpec;

use crate::device::AdapterNames;

/// The folder of what is known of devices.
pub const FOLDER: &str = "devices";

/// An adapter, with its driver and browser: another version of the browser may compile otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adapter(pub(crate) String);

impl Adapter {
    /// That of this device.
    #[must_use]
    pub fn new(gpu: &Gpu, names: &AdapterNames) -> Self {
        let AdapterNames { vendor, architecture, device, description, browser, .. } = names;
        Self(format!("{vendor}|{architecture}|{device}|{description}|{browser}|{}", gpu.identity()))
    }
}

/// What a choice is about: an adapter, and the products of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject(pub(crate) String);

impl Subject {
    /// The large products of a model on this device; `None` if it has none.
    #[must_use]
    pub fn new(gpu: &Gpu, names: &AdapterNames, plan: &ModelSpec) -> Option<Self> {
        let products = plan.large_products();
        let Adapter(adapter) = Adapter::new(gpu, names);
        (!products.is_empty()).then(|| Self(format!("{adapter}: {}", products.join(", "))))
    }

    /// Returns its key in the file.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.0
    }
}
