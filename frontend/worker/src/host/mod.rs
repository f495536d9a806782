//! What the worker holds: the device, the model, and the requests under way.

mod memory;
pub mod model;
mod pages;
pub mod recovery;
pub mod responder;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use engine::bytes::{CancelToken, SourceError};
use engine::gpu::{Gpu, GpuError, GpuOptions};
use futures_util::FutureExt as _;
use futures_util::lock::{Mutex, MutexGuard};
use protocol::failure::NoGpu;
use protocol::{DeviceReport, Failure, PageId, Progress, RequestId, ToPage};

pub use model::{Held, LastAnswer, Model, Ready, Slot, is_lost};

use crate::constraints::Constraints;
use crate::device::AdapterNames;
use crate::platform::Platform;
use crate::state::encoder::EncoderSlot;
use crate::state::heard::Heard;
use crate::state::keeper::Keeper;
use crate::state::kept_caches::KeptCaches;
use crate::state::known::KnownMedia;
use crate::state::pages::Pages;
use crate::state::tasks::Tasks;
use crate::state::tuning::Tuning;
use crate::state::turns::Turns;
use crate::{device, failure};

/// The worker's state. All of it lives on one thread.
pub struct Host {
    pub(crate) platform: Rc<dyn Platform>,
    pub(crate) tasks: Tasks,
    /// Whose turn it is to use the model.
    pub(crate) turns: Turns,
    /// The pages that share the worker.
    pub(crate) pages: Pages,
    /// The model that is loaded, or that will be again once its device is back.
    pub(crate) model: RefCell<Option<Rc<Model>>>,
    /// Grammar support, once a page has asked for it.
    pub(crate) constraints: RefCell<Option<Rc<dyn Constraints>>>,
    pub(crate) keeper: Keeper,
    /// The kept KV caches.
    pub(crate) caches: KeptCaches,
    /// What is known of pictures and sounds.
    pub(crate) known: KnownMedia,
    /// Sound from the microphone that waits for the model.
    pub(crate) heard: RefCell<Heard>,
    /// What fine-tuning keeps.
    pub(crate) tuning: Tuning,
    /// Losses of the device since the last success on it.
    pub(crate) losses: Cell<u32>,
    /// Which kernels the self-test is to find wrong, by name: for tests.
    pub(crate) doubted: RefCell<Option<Doubt>>,
    /// Bytes that the device has: for tests.
    memory: Cell<Option<u64>>,
    /// Bytes that the device is assumed to have, if none are stated.
    assumed: Cell<u64>,
    /// Bytes that the user lets models use, if the page has said so.
    pub(crate) allowed: Cell<Option<u64>>,
    /// Whether prompts are rounded to int8 without being timed: for tests.
    packed_tiles: Cell<Option<bool>>,
    device: Mutex<Option<Device>>,
    pub(crate) slot: Mutex<Slot>,
    /// The model that makes embeddings.
    pub(crate) encoder: Mutex<EncoderSlot>,
    /// Bytes of graphics memory that it takes.
    pub(crate) encoder_bytes: Cell<u64>,
}

/// Which kernels to find wrong.
type Doubt = Box<dyn Fn(&str) -> bool>;

/// An open device.
struct Device {
    gpu: Rc<Gpu>,
    names: AdapterNames,
    report: DeviceReport,
}

impl Host {
    /// A worker without a device yet.
    #[must_use]
    pub fn new(platform: Rc<dyn Platform>) -> Rc<Self> {
        Rc::new(Self {
            tuning: Tuning::new(Rc::clone(&platform)),
            platform,
            tasks: Tasks::default(),
            turns: Turns::default(),
            pages: Pages::default(),
            model: RefCell::default(),
            constraints: RefCell::default(),
            keeper: Keeper::default(),
            caches: KeptCaches::default(),
            known: KnownMedia::default(),
            heard: RefCell::default(),
            losses: Cell::new(0),
            doubted: RefCell::default(),
            memory: Cell::default(),
            assumed: Cell::default(),
            allowed: Cell::default(),
            packed_tiles: Cell::default(),
            device: Mutex::default(),
            slot: Mutex::default(),
            encoder: Mutex::default(),
            encoder_bytes: Cell::default(),
        })
    }

    /// Sends a message to all pages.
    pub(crate) fn post(&self, message: ToPage) {
        self.platform.post(None, message, &[]);
    }

    /// Reports progress of a request to its page.
    pub(crate) fn progress(&self, id: RequestId, progress: Progress) {
        self.platform.post(Some(id.page()), ToPage::progress(id, progress), &[]);
    }

    /// Reports an error that ends no request.
    pub(crate) fn warn(&self, failure: Failure) {
        self.post(ToPage::Warning(failure));
    }

    /// Waits for the session.
    ///
    /// # Errors
    /// When `cancel` was cancelled first.
    pub(crate) async fn slot(&self, cancel: &CancelToken) -> Result<MutexGuard<'_, Slot>, Failure> {
        let locked = cancel.guard(async { Ok::<_, SourceError>(self.slot.lock().await) }).await;
        locked.map_err(|_| failure::cancelled())
    }

    /// The device, opened if there is none or it was lost; a new one is reported to the page.
    ///
    /// # Errors
    /// A report that says why there is none.
    pub(crate) async fn gpu(self: &Rc<Self>) -> Result<Rc<Gpu>, DeviceReport> {
        let (gpu, report) = self.open_device().await?;
        if let Some(report) = report {
            self.post(ToPage::Device(report));
        }
        Ok(gpu)
    }

    /// As [`Self::gpu`], but leaves it to the caller to report a new device.
    pub(crate) async fn open_device(
        self: &Rc<Self>,
    ) -> Result<(Rc<Gpu>, Option<DeviceReport>), DeviceReport> {
        let mut place = self.device.lock().await;
        if let Some(device) = place.as_ref().filter(|device| !is_lost(&device.gpu)) {
            return Ok((Rc::clone(&device.gpu), None));
        }
        *place = None;
        let names = match self.platform.adapter().await {
            Ok(names) => names,
            Err(problem) => return Err(device::missing(problem, "")),
        };
        let options = GpuOptions {
            ahead: self.platform.compile_ahead(),
            memory: self.memory.get(),
            offers_matrices: names.matrix_units,
            packed_tiles: self.packed_tiles.get(),
            ..GpuOptions::default()
        };
        let gpu = Gpu::open(&options).await.map_err(|error| {
            let problem = match error {
                GpuError::NoAdapter { .. } => NoGpu::NoAdapter,
                _ => NoGpu::NoDevice,
            };
            device::missing(problem, error.to_string())
        })?;
        let memory = self.assume(&gpu, &names).await;
        let report = device::report(&gpu, names.clone(), memory);
        let gpu = Rc::new(gpu);
        self.watch(&gpu);
        *place = Some(Device { gpu: Rc::clone(&gpu), names, report: report.clone() });
        Ok((gpu, Some(report)))
    }

    /// What the platform calls the adapter of the open device.
    pub(crate) async fn adapter_names(&self) -> AdapterNames {
        self.device.lock().await.as_ref().map(|device| device.names.clone()).unwrap_or_default()
    }

    /// Sends the device's report to a page that has joined.
    pub(crate) async fn introduce(self: &Rc<Self>, page: PageId) {
        let report = match self.open_device().await {
            // Others may have waited for it.
            Ok((_, Some(report))) => return self.post(ToPage::Device(report)),
            Err(report) => Some(report),
            Ok((_, None)) => self.device.lock().await.as_ref().map(|device| device.report.clone()),
        };
        if let Some(report) = report {
            self.platform.post(Some(page), ToPage::Device(report), &[]);
        }
    }

    /// Restores what was lost with a device while nobody used it. A task that uses it restores it itself.
    fn watch(self: &Rc<Self>, gpu: &Gpu) {
        let lost = gpu.lost();
        let host = Rc::downgrade(self);
        self.platform.spawn(
            async move {
                lost.await;
                if let Some(host) = host.upgrade() {
                    let mut slot = host.slot.lock().await;
                    recovery::restore_idle(&host, &mut slot).await;
                }
            }
            .boxed_local(),
        );
    }

    /// The soft tokens that are kept, the latest last: for tests that compare them with another device's.
    pub async fn soft_tokens(&self) -> Result<Vec<Vec<f32>>, GpuError> {
        let slot = self.slot.lock().await;
        match slot.as_ref() {
            Some(ready) => ready.encoded.read(&ready.gpu).await,
            None => Ok(Vec::new()),
        }
    }

    /// Lets the self-test find kernels wrong by their names: for tests of what it then does.
    pub fn doubt(&self, is_wrong: impl Fn(&str) -> bool + 'static) {
        self.doubted.replace(Some(Box::new(is_wrong)));
    }

    /// Lets devices that are opened from now on round rows of prompts to int8: for tests on those in software, which don't.
    pub fn pack_prompts(&self) {
        self.packed_tiles.set(Some(true));
    }

    /// Takes the device, and those after it, to have so many bytes: for tests of what does not fit.
    pub async fn state_memory(&self, bytes: u64) {
        self.memory.set(Some(bytes));
        if let Some(device) = self.device.lock().await.as_ref() {
            device.gpu.state_memory(Some(bytes));
        }
    }

    /// Leaves open how much memory the open device has, as browsers do: for tests of what is learned.
    pub async fn leave_memory_open(&self) {
        if let Some(device) = self.device.lock().await.as_ref() {
            device.gpu.state_memory(None);
        }
    }

    /// Lets the device that is open allocate so many bytes at most: for tests of one that has less than it is taken to have.
    pub async fn limit_memory(&self, bytes: u64) {
        if let Some(device) = self.device.lock().await.as_ref() {
            device.gpu.limit_memory(bytes);
        }
    }

    /// Has the folder of kept KV caches read anew, as another worker would: for tests that change what is in it.
    pub fn reopen_caches(&self) {
        if let Some(mut store) = self.caches.store.try_lock() {
            *store = None;
        }
    }

    /// Destroys the device, as a driver's reset would: for tests of the recovery.
    pub async fn lose_device(&self) {
        if let Some(device) = self.device.lock().await.as_ref() {
            device.gpu.destroy();
        }
    }
}
