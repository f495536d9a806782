//! How much memory models may plan with on the device that is open.

use engine::gpu::{Gpu, GpuError};
use engine::session::{DeviceMemory, EngineError};
use engine::store::StoreError;
use protocol::{DeviceReport, ToPage};

use super::Host;
use crate::device::AdapterNames;
use crate::state::shown::{Shown, assumed, below, keep, shown};
use crate::state::subject::{Adapter, FOLDER};

impl Host {
    /// The memory that the device has for the model that chats.
    pub(crate) fn memory(&self, gpu: &Gpu) -> DeviceMemory {
        let available = self.whole_memory(gpu);
        DeviceMemory { available, limits: gpu.plan_limits() }.beside(self.encoder_bytes.get())
    }

    /// Returns the bytes that the device has for all models: what the user allows, but no more than is stated.
    pub(crate) fn whole_memory(&self, gpu: &Gpu) -> u64 {
        let least = self.allowed.get().into_iter().chain(gpu.stated_memory()).min();
        least.unwrap_or_else(|| self.assumed.get())
    }

    /// Finds out what is assumed of a device that was opened, and returns what it is taken to have.
    pub(super) async fn assume(&self, gpu: &Gpu, names: &AdapterNames) -> u64 {
        let shown = self.shown(&Adapter::new(gpu, names)).await;
        self.assumed.set(assumed(names, shown));
        gpu.stated_memory().unwrap_or_else(|| self.assumed.get())
    }

    /// Learns that models of so many bytes fit on the device together.
    pub(crate) async fn learn_fit(&self, gpu: &Gpu, bytes: u64) {
        if bytes > self.assumed.get() {
            self.learn(gpu, |shown| shown.with_worked(bytes)).await;
        }
    }

    /// Learns from the error of a load, if it is that the device is out of memory.
    pub(crate) async fn learn_misfit(&self, gpu: &Gpu, error: &EngineError) {
        let EngineError::Gpu(GpuError::OutOfMemory { bytes, in_use, .. }) = error else { return };
        let refused = in_use.saturating_add(*bytes);
        if below(refused) < self.assumed.get() {
            self.learn(gpu, |shown| shown.with_failed(refused)).await;
        }
    }

    /// Remembers what was learned, and tells the pages what is assumed now.
    async fn learn(&self, gpu: &Gpu, add: impl FnOnce(Shown) -> Shown) {
        // Nothing is to be learned of what is known.
        if gpu.stated_memory().is_some() {
            return;
        }
        let names = self.adapter_names().await;
        let adapter = Adapter::new(gpu, &names);
        let shown = add(self.shown(&adapter).await);
        self.assumed.set(assumed(&names, shown));
        if let Some(report) = self.report_again().await {
            self.post(ToPage::Device(report));
        }
        let keeping = async { keep(&*self.platform.folder(FOLDER).await?, &adapter, shown).await };
        // Where it cannot be kept, it holds as long as the device.
        keeping.await.ok();
    }

    async fn shown(&self, adapter: &Adapter) -> Shown {
        let reading = async { shown(&*self.platform.folder(FOLDER).await?, adapter).await };
        let read: Result<Shown, StoreError> = reading.await;
        read.unwrap_or_default()
    }

    /// Returns the report of the open device with what is assumed now.
    async fn report_again(&self) -> Option<DeviceReport> {
        let mut place = self.device.lock().await;
        let report = &mut place.as_mut()?.report;
        report.memory = self.assumed.get();
        Some(report.clone())
    }
}
