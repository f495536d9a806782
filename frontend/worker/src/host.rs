//! What the worker holds: the device, the model, and the requests under way.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use engine::audio;
use engine::bytes::{ByteSource, CancelToken, SourceError};
use engine::gguf::Header;
use engine::gpu::{Gpu, GpuError, GpuOptions};
use engine::media::Media;
use engine::model::{Denoising, Products};
use engine::session::{EngineError, LoadOptions, ModelFile, ModelSession};
use engine::template::{KnownCounts, Variant};
use engine::tokenizer::Tokenizer;
use futures_util::FutureExt as _;
use futures_util::lock::{Mutex, MutexGuard};
use protocol::failure::NoGpu;
use protocol::{DeviceReport, Event, Failure, PageId, RequestId};

use crate::choices::Subject;
use crate::device::AdapterNames;
use crate::drafting::Drafter;
use crate::keeping::Keeper;
use crate::media;
use crate::pages::Pages;
use crate::platform::Platform;
use crate::tasks::Tasks;
use crate::tuning::Tuning;
use crate::turns::Turns;
use crate::{device, generating, recovery};

/// The worker's state. All of it lives on one thread.
pub struct Host {
    pub(crate) platform: Rc<dyn Platform>,
    pub(crate) tasks: Tasks,
    /// Whose turn it is to use the model.
    pub(crate) turns: Turns,
    /// The pages that share it all.
    pub(crate) pages: Pages,
    /// The model that is loaded, or that will be again once its device is back.
    pub(crate) model: RefCell<Option<Rc<Model>>>,
    pub(crate) keeper: Keeper,
    /// What was found out about pictures and sounds.
    pub(crate) known: media::Library,
    /// What came from the microphone and waits for the model.
    pub(crate) heard: RefCell<media::Heard>,
    /// What fine-tuning keeps.
    pub(crate) tuning: Tuning,
    /// Losses of the device since something last went well on it.
    pub(crate) losses: Cell<u32>,
    /// By their names, the kernels that the self-test is to find wrong.
    pub(crate) doubted: RefCell<Option<Doubt>>,
    /// Bytes that a device is to be taken to have.
    memory: Cell<Option<u64>>,
    device: Mutex<Option<Device>>,
    pub(crate) slot: Mutex<Slot>,
}

/// What a loaded model is apart from its session, which a running answer keeps to itself.
pub struct Model {
    /// What the page calls it.
    pub name: String,
    /// Its bytes, to load it again from.
    pub file: ModelFile,
    /// How it was loaded, with the context length that was allocated.
    pub options: LoadOptions,
    /// Which products its session has packed.
    pub products: Cell<Products>,
    /// Whether its kernels were tried, or are being tried because a person asked for it.
    pub verified: Cell<bool>,
    /// The texts of the kernels that were tried, or are known to be right.
    pub tried: RefCell<HashSet<Arc<str>>>,
    /// Whether kernels are tried while the engine is idle.
    pub verifying: Cell<bool>,
    /// What is remembered of these, if the model has any.
    pub subject: Option<Subject>,
    /// Its tokenizer.
    pub tokenizer: Rc<Tokenizer>,
    /// Its chat template.
    pub variant: Variant,
    /// Its sampler, if it decodes by diffusion.
    pub denoising: Option<Denoising>,
    /// Keys of the adapters that came with it.
    pub own_adapters: Vec<String>,
    /// All adapters of its session, to be added again after a loss.
    pub adapters: RefCell<Held>,
    /// The pages that have opened each adapter, by its key.
    pub opened_by: RefCell<BTreeMap<String, BTreeSet<PageId>>>,
    /// The file with its towers, where that is a file of its own.
    pub projector: Option<Rc<dyn ByteSource>>,
    /// Its drafter, if it has one.
    pub drafter: RefCell<Option<Drafter>>,
    /// Whether it sees.
    pub vision: bool,
    /// Tokens of the longest picture that it can read; none where any picture can be.
    pub largest_picture: Option<u32>,
    /// What it hears with, if it hears.
    pub audio_tower: Option<audio::TowerConfig>,
    /// Its last answer, if that was cut off.
    pub last: RefCell<Option<generating::Last>>,
    /// Tokens of the texts that were counted last.
    pub counts: RefCell<KnownCounts>,
}

impl Model {
    /// Whether it has a tower for such media.
    pub fn takes(&self, media: Media) -> bool {
        match media {
            Media::Audio => self.audio_tower.is_some(),
            Media::Image | Media::Video => self.vision,
        }
    }
}

/// Which kernels to find wrong.
type Doubt = Box<dyn Fn(&str) -> bool>;

/// Adapters of a session.
pub type Held = Vec<engine::session::Loaded>;

/// The place of the session: who has it locked may use the device.
pub type Slot = Option<Ready>;

/// A session with its device.
pub struct Ready {
    pub gpu: Rc<Gpu>,
    pub session: ModelSession,
    /// What was seen and heard lately.
    pub encoded: media::Encoded,
    /// The recording that is being listened to.
    pub listening: Option<media::Listening>,
}

impl Ready {
    /// A session without towers yet; `projector` is the file with those that are not in the model's own.
    ///
    /// # Errors
    /// When the projector cannot be read, or belongs to another model.
    pub async fn new(
        gpu: Rc<Gpu>,
        mut session: ModelSession,
        projector: Option<&Rc<dyn ByteSource>>,
    ) -> Result<Self, EngineError> {
        if let Some(source) = projector {
            let header = Header::read(&**source).await?;
            session.autoregressive_mut()?.use_projector(source, &header)?;
        }
        Ok(Self { gpu, session, encoded: media::Encoded::default(), listening: None })
    }

    /// Gives the memory of the towers back, and of what they made. They are loaded again when they are needed.
    pub fn free_towers(&mut self) {
        self.encoded.clear();
        self.listening = None;
        // Without towers there is nothing to unload.
        let Ok(session) = self.session.autoregressive_mut() else { return };
        if let Ok(vision) = session.vision_mut() {
            vision.unload();
        }
        if let Ok(audio) = session.audio_mut() {
            audio.unload();
        }
    }

    /// What the load was planned with, without the towers, which training gives back.
    pub fn memory_without_towers(&self) -> u64 {
        self.session.planned_bytes() - self.session.tower_bytes()
    }
}

/// An open device.
struct Device {
    gpu: Rc<Gpu>,
    names: AdapterNames,
    report: DeviceReport,
}

/// Whether a device is gone.
pub fn is_lost(gpu: &Gpu) -> bool {
    gpu.lost().now_or_never().is_some()
}

impl Host {
    /// A worker without a device yet.
    #[must_use]
    pub fn new(platform: Rc<dyn Platform>) -> Rc<Self> {
        Rc::new(Self {
            platform,
            tasks: Tasks::default(),
            turns: Turns::default(),
            pages: Pages::default(),
            model: RefCell::default(),
            keeper: Keeper::default(),
            known: media::Library::default(),
            heard: RefCell::default(),
            tuning: Tuning::default(),
            losses: Cell::new(0),
            doubted: RefCell::default(),
            memory: Cell::default(),
            device: Mutex::default(),
            slot: Mutex::default(),
        })
    }

    /// Sends an event to the page that has asked for it; to all pages, if it belongs to no request.
    pub(crate) fn post(&self, event: Event) {
        self.platform.post(event.id().map(RequestId::page), event, &[]);
    }

    /// Says what goes wrong without being any request's failure.
    pub(crate) fn warn(&self, failure: Failure) {
        self.post(Event::Failed { id: None, failure });
    }

    /// Waits for the session's place.
    ///
    /// # Errors
    /// When `cancel` was cancelled first.
    pub(crate) async fn slot(&self, cancel: &CancelToken) -> Result<MutexGuard<'_, Slot>, SourceError> {
        cancel.guard(async { Ok::<_, SourceError>(self.slot.lock().await) }).await
    }

    /// The device, opened if there is none or it was lost; a new one is reported to the page.
    ///
    /// # Errors
    /// A report that says why there is none.
    pub(crate) async fn gpu(self: &Rc<Self>) -> Result<Rc<Gpu>, DeviceReport> {
        let (gpu, report) = self.open_device().await?;
        if let Some(report) = report {
            self.post(Event::Device(report));
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
            ..GpuOptions::default()
        };
        let gpu = Gpu::open(&options).await.map_err(|error| {
            let problem = match error {
                GpuError::NoAdapter { .. } => NoGpu::NoAdapter,
                _ => NoGpu::NoDevice,
            };
            device::missing(problem, error.to_string())
        })?;
        let report = device::report(&gpu, names.clone());
        let gpu = Rc::new(gpu);
        self.watch(&gpu);
        *place = Some(Device { gpu: Rc::clone(&gpu), names, report: report.clone() });
        Ok((gpu, Some(report)))
    }

    /// What the platform calls the adapter of the open device.
    pub(crate) async fn adapter_names(&self) -> AdapterNames {
        self.device.lock().await.as_ref().map(|device| device.names.clone()).unwrap_or_default()
    }

    /// Tells a page that has joined what the device is.
    pub(crate) async fn introduce(self: &Rc<Self>, page: PageId) {
        let report = match self.open_device().await {
            // Others may have waited for it.
            Ok((_, Some(report))) => return self.post(Event::Device(report)),
            Err(report) => Some(report),
            Ok((_, None)) => self.device.lock().await.as_ref().map(|device| device.report.clone()),
        };
        if let Some(report) = report {
            self.platform.post(Some(page), Event::Device(report), &[]);
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

    /// Takes the device, and those after it, to have so many bytes: for tests of what does not fit.
    pub async fn state_memory(&self, bytes: u64) {
        self.memory.set(Some(bytes));
        if let Some(device) = self.device.lock().await.as_ref() {
            device.gpu.state_memory(bytes);
        }
    }

    /// Lets the device that is open allocate so many bytes at most: for tests of one that has less than it is taken to have.
    pub async fn limit_memory(&self, bytes: u64) {
        if let Some(device) = self.device.lock().await.as_ref() {
            device.gpu.limit_memory(bytes);
        }
    }

    /// Gives the device up, as a driver's reset would: for tests of the recovery.
    pub async fn lose_device(&self) {
        if let Some(device) = self.device.lock().await.as_ref() {
            device.gpu.destroy();
        }
    }
}
