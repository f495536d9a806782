//! Inspecting and loading models.

use std::cell::RefCell;
use std::iter;
use std::rc::Rc;

use engine::bytes::ByteSource;
use engine::bytes::http::Watch;
use engine::gguf::Header;
use engine::gpu::Gpu;
use engine::plan::Limits;
use engine::session::{
    DeviceMemory, EngineError, LoadOptions, Loading, ModelFile, ModelSession, ModelSpec, Storage,
};
use engine::store::{Kept, Opened};
use engine::tokenizer::has_foreign_template;
use protocol::failure::{DeviceFailure, ModelFailure, ReadFailure};
use protocol::{
    Code, Failure, LoadProgress, LoadTimes, LoadedModel, ModelDetails, ModelPhase, ModelSource, Outcome,
    Progress, RequestId, ToPage,
};
use web_time::Instant;

use crate::choices::{self, Known, Subject};
use crate::details::{self, Modalities};
use crate::experts::Allowance;
use crate::failure::Stopped;
use crate::host::recovery::Losses;
use crate::host::{Host, Model, Ready, Slot};
use crate::platform::Link;
use crate::progress::Meter;
use crate::state::drafter::Drafter;
use crate::state::identity::Identity;
use crate::state::tasks::Task;
use crate::towers::Towers;
use crate::{adapters, device, drafting, failure, keeping, local, reading, saving, verifying};

/// A model to inspect or load.
pub struct LoadRequest {
    /// Where the model is.
    pub source: ModelSource,
    /// Handles of local files.
    pub files: Vec<web_sys::Blob>,
    /// How to load it.
    pub options: protocol::LoadOptions,
}

/// Answers [`protocol::Request::Inspect`].
pub async fn inspect(host: Rc<Host>, wanted: LoadRequest, task: Task) -> Result<Outcome, Failure> {
    let gpu = gpu(&host).await?;
    host.allowed.set(wanted.options.memory);
    let memory = host.memory(&gpu);
    let cancel = &task.cancel;
    let read = async {
        let opened = host.platform.open(&wanted.source, &wanted.files, false, cancel.into()).await?;
        let header = Header::read(&*opened.model.source).await;
        let header = header.map_err(|error| failure::of(&error.into(), None))?;
        let of_engine = |error: EngineError| failure::of(&error, None);
        let modalities = Modalities::read(
            opened.projector.as_ref().map(|file| &file.source),
            &ModelSpec::read(&header).map_err(of_engine)?,
            memory.limits,
        )
        .await?;
        let own = ModelSpec::read(&header).map_err(of_engine)?;
        // The load reports what is wrong with a drafter.
        let drafter = opened.drafter.as_ref().map(|file| Rc::clone(&file.source));
        let drafter = read_drafter(drafter, &own, memory.limits).await.unwrap_or_default();
        let options = options(&wanted, drafter.as_ref());
        let chosen = wanted.options.expert_memory;
        let within = (Allowance { chosen, found: None }, memory);
        let (plan, options) =
            details::needs(&header, &options, &modalities, within, true).map_err(of_engine)?;
        let name = wanted.source.name();
        let speed = reading::speed(&host).await;
        let details = details::details(&header, (&plan, &options), &modalities, name, within, speed);
        let mut details = details.map_err(of_engine)?;
        details.stored = saving::planned(&plan, &options, wanted.options.eight_bits, memory);
        details.allowed = wanted.options.memory;
        let verdict = details::verdict(&plan, wanted.options.context, memory);
        Ok::<_, Stopped>((details, verdict.map_err(of_engine)?))
    };
    let (details, verdict) = cancel.guard(read).await.map_err(|stopped| stopped.0)?;
    Ok(Outcome::Inspected { details: Box::new(details), verdict })
}

/// The drafter that `source` holds, if any. A diffusion model uses none.
async fn read_drafter(
    source: Option<Rc<dyn ByteSource>>,
    model: &ModelSpec,
    limits: Limits,
) -> Result<Option<Drafter>, EngineError> {
    match source.filter(|_| model.config.diffusion.is_none()) {
        Some(source) => Drafter::read(&source, model, limits).await.map(Some),
        None => Ok(None),
    }
}

fn is_lost_connection(error: &EngineError) -> bool {
    matches!(failure::of(error, None).code, Code::Read(ReadFailure::ConnectionLost { .. }))
}

/// How a model is loaded, beside its drafter.
fn options(wanted: &LoadRequest, drafter: Option<&Drafter>) -> LoadOptions {
    let drafter_bytes = drafter.map_or(0, |drafter| drafter.bytes);
    let protocol::LoadOptions { context, eight_bits, .. } = wanted.options;
    let Storage { table, kv_type } = saving::asked(eight_bits);
    LoadOptions { context, table, kv_type, drafter_bytes, ..LoadOptions::default() }
}

/// Answers [`protocol::Request::Load`]. Tasks that used the model were stopped.
pub async fn load(host: Rc<Host>, wanted: LoadRequest, task: Task) -> Result<Outcome, Failure> {
    let id = task.id;
    let _turn = host.turn(id, &task.cancel).await?;
    let loaded = match host.pages.loaded().filter(|model| is_same(model, id, &wanted)) {
        Some(model) => model,
        None => {
            let mut slot = host.slot(&task.cancel).await?;
            let loading = ModelPhase::Loading { id, source: wanted.source.clone(), progress: None };
            host.show_model(loading, &wanted.files);
            let loaded = load_into(&mut slot, &host, &wanted, &task).await;
            match &loaded {
                Ok(model) => host.show_model(ModelPhase::Loaded(Box::new(model.clone())), &wanted.files),
                Err(_) => host.show_model(ModelPhase::Empty, &[]),
            }
            loaded?
        }
    };
    Ok(Outcome::Loaded(Box::new(loaded)))
}

/// Whether another page has loaded what is asked for. A page that asks for its own model again wants it loaded anew.
fn is_same(model: &LoadedModel, id: RequestId, wanted: &LoadRequest) -> bool {
    let experts = model.details.experts.as_ref().map(|experts| experts.held);
    let same_experts =
        wanted.options.expert_memory.is_none_or(|bytes| experts.is_none_or(|held| held == bytes));
    model.id.page() != id.page()
        && model.source == wanted.source
        && [0, model.context].contains(&wanted.options.context)
        && model.details.stored.asked == wanted.options.eight_bits
        && model.details.allowed == wanted.options.memory
        && same_experts
}

async fn load_into(
    slot: &mut Slot,
    host: &Rc<Host>,
    wanted: &LoadRequest,
    task: &Task,
) -> Result<LoadedModel, Failure> {
    // The memory of the one before is needed.
    host.model.replace(None);
    host.keeper.set(Vec::new());
    host.known.borrow_mut().clear();
    host.tuning.forget_model();
    *slot = None;

    let mut losses = Losses::default();
    // The storage of table and cache when an attempt first ran out of memory, and the one after that.
    let (mut planned, mut smaller) = (None, None);
    // Whether to make room for the largest pictures; afterwards, whether that was done.
    let mut pictures = true;
    let mut allowance = Allowance { chosen: wanted.options.expert_memory, found: None };
    host.allowed.set(wanted.options.memory);
    // All attempts plan with the same: each gives up something, and what fails meanwhile is for the next load.
    let (mut total, mut attempts) = (None, 0);
    let started = Instant::now();
    let Loaded { ready, model, keeping, details, adapters, times } = loop {
        let gpu = gpu(host).await?;
        let total = *total.get_or_insert_with(|| host.whole_memory(&gpu));
        let within = (smaller, allowance, total);
        attempts += 1;
        match try_load(host, wanted, within, &gpu, &mut pictures, task).await {
            Ok(loaded) => break loaded,
            Err(LoadError::Failure(failure)) => return Err(failure),
            // The device has less memory than it was taken to have. What is usual may fit it.
            Err(LoadError::Engine(error, _)) if pictures && failure::is_out_of_memory(&error) => {
                pictures = false
            }
            Err(LoadError::Crowded { tried, next }) => {
                planned.get_or_insert(tried);
                smaller = Some(next);
            }
            Err(LoadError::ManyExperts { in_use }) => allowance.found = Some(in_use),
            Err(LoadError::Engine(error, context)) => {
                let failure = |error: &_| failure::of(error, context);
                let reason = losses.record(host, None, (&gpu, &error), failure).await?;
                host.post(ToPage::DeviceLost { reason });
            }
        }
    };
    let context = ready.session.context();
    let gpu_bytes = ready.session.planned_bytes();
    if attempts == 1 {
        host.learn_fit(&ready.gpu, gpu_bytes + host.encoder_bytes.get()).await;
    }
    let has_fewer = allowance.found.is_some();
    if let Some(memory) = details.experts.filter(|memory| has_fewer && memory.held < memory.all) {
        host.warn(DeviceFailure::FewerExperts { held: memory.held, all: memory.all }.into());
    }
    if let Some(planned) = planned {
        saving::tell(host, planned, ready.session.storage());
    }
    let model = Rc::new(model);
    let ready = slot.insert(ready);
    if wanted.options.drafts {
        drafting::prepare(host, &model, &mut ready.session, &task.cancel).await;
    }
    host.model.replace(Some(model));
    // Media examined during the load were not examined for this model.
    host.known.borrow_mut().clear();
    host.losses.set(0);
    host.keeper.set(keeping);
    keeping::resume(host);
    verifying::begin(host);
    let times = LoadTimes { all: ms_since(started), ..times };
    Ok(LoadedModel {
        id: task.id,
        source: wanted.source.clone(),
        details,
        context,
        gpu_bytes,
        adapters,
        times,
    })
}

/// Answers [`protocol::Request::Unload`].
pub async fn unload(host: Rc<Host>, task: Task) -> Result<Outcome, Failure> {
    let _turn = host.turn(task.id, &task.cancel).await?;
    let mut slot = host.slot(&task.cancel).await?;
    host.model.replace(None);
    host.keeper.set(Vec::new());
    *slot = None;
    host.show_model(ModelPhase::Empty, &[]);
    Ok(Outcome::Unloaded)
}

async fn gpu(host: &Rc<Host>) -> Result<Rc<Gpu>, Failure> {
    host.gpu().await.map_err(|report| device::failure(&report))
}

/// Why a try to load ended.
enum LoadError {
    /// The failure to report.
    Failure(Failure),
    /// The device has less memory than it was taken to have. With table and cache stored in less the model may fit.
    Crowded {
        /// How they were stored.
        tried: Storage,
        /// How they are stored next.
        next: Storage,
    },
    /// Likewise. With fewer experts the model may fit into what was in use.
    ManyExperts {
        /// Bytes.
        in_use: u64,
    },
    /// An error of the engine; with the context length, if one was chosen.
    Engine(EngineError, Option<u32>),
}

impl From<Stopped> for LoadError {
    fn from(stopped: Stopped) -> Self {
        Self::Failure(stopped.0)
    }
}

/// Reports the progress of a load.
struct Reporter {
    host: Rc<Host>,
    id: RequestId,
    meter: RefCell<Meter>,
}

impl Reporter {
    fn tell(&self, report: impl FnOnce(&mut Meter) -> Option<LoadProgress>) {
        let report = report(&mut self.meter.borrow_mut());
        if let Some(progress) = report {
            self.host.show_progress(progress.clone());
            self.host.progress(self.id, Progress::Loading(progress));
        }
    }
}

/// A model on the device.
struct Loaded {
    ready: Ready,
    model: Model,
    /// Its files in this browser's storage.
    keeping: Vec<Kept>,
    details: ModelDetails,
    /// Those that came with it.
    adapters: Vec<protocol::AdapterDetails>,
    times: LoadTimes,
}

fn ms_since(started: Instant) -> f64 {
    started.elapsed().as_secs_f64() * 1000.0
}

async fn try_load(
    host: &Rc<Host>,
    wanted: &LoadRequest,
    (smaller, allowance, mut total): (Option<Storage>, Allowance, u64),
    gpu: &Rc<Gpu>,
    pictures: &mut bool,
    task: &Task,
) -> Result<Loaded, LoadError> {
    let (cancel, started) = (&task.cancel, Instant::now());
    let reporter = Rc::new(Reporter { host: Rc::clone(host), id: task.id, meter: RefCell::default() });
    let mut tell = |step: Loading| {
        reporter.tell(|meter| meter.step(step, ms_since(started)));
    };
    // Reads after the load report in other ways.
    let watch = Rc::downgrade(&reporter);
    let watch: Watch = Rc::new(move |lost| {
        if let Some(reporter) = watch.upgrade() {
            reporter.tell(|meter| meter.connection(lost));
        }
    });
    let link = Link { cancel: cancel.clone(), watch: Some(watch) };
    tell(Loading::Header(0));
    let opened = cancel
        .guard(async {
            let opened = host.platform.open(&wanted.source, &wanted.files, wanted.options.keep, link).await?;
            Ok::<_, Stopped>(opened)
        })
        .await?;
    if let Some(trouble) = opened.files().find_map(|file| file.trouble.as_ref()) {
        host.warn(failure::of_store(trouble));
    }

    let plain = |error: EngineError| LoadError::Engine(error, None);
    let read = async {
        let mut report = |bytes| tell(Loading::Header(bytes));
        Header::read_with_progress(&*opened.model.source, &mut report).await.map_err(EngineError::from)
    };
    let header = cancel.guard(read).await.map_err(plain)?;
    let own = ModelSpec::read(&header).map_err(plain)?;
    let limits = gpu.plan_limits();
    let reading = Modalities::read(opened.projector.as_ref().map(|file| &file.source), &own, limits);
    let modalities = cancel.guard(reading).await?;
    let mut towers = vec![Towers::new(&opened.model, own.tower_ranges())];
    // All of a projector is for towers. A diffusion model uses none.
    let projector = opened.projector.as_ref().filter(|_| own.config.diffusion.is_none());
    let whole = |file: &Opened| iter::once(0..file.source.len()).collect();
    towers.extend(projector.iter().map(|file| Towers::new(file, whole(file))));
    // A drafter's weights are read as those of a tower: when they are needed.
    let drafts = opened.drafter.as_ref().map(|file| Towers::new(file, whole(file)));
    let source = drafts.as_ref().map(|file| Rc::clone(&file.source) as Rc<dyn ByteSource>);
    let reading = async { Ok::<_, EngineError>(read_drafter(source, &own, limits).await) };
    let read = cancel.guard(reading).await.map_err(plain)?;
    let drafter = match read {
        Ok(drafter) => drafter,
        // The rest of the model can't be fetched either, and nothing is known of the drafter.
        Err(error) if is_lost_connection(&error) => return Err(plain(error)),
        Err(error) => {
            host.warn(failure::of_drafter(&error));
            None
        }
    };
    drop(own);
    let mut options = options(wanted, drafter.as_ref());
    options.bytes_of_others = host.encoder_bytes.get();
    if let Some(Storage { table, kv_type }) = smaller {
        (options.table, options.kv_type) = (table, kv_type);
    }
    if wanted.options.anyway {
        let alone = LoadOptions { projector_bytes: modalities.bytes, ..options };
        let least = ModelSpec::least_bytes(&header, &alone, limits).map_err(plain)?;
        total = total.max(options.bytes_of_others + least);
    }
    options.memory = Some(total);
    let memory = DeviceMemory { available: total, limits }.beside(options.bytes_of_others);
    let memory = allowance.of(memory);
    let within = (allowance, memory);
    let (plan, mut options) =
        details::needs(&header, &options, &modalities, within, *pictures).map_err(plain)?;
    let (name, speed) = (wanted.source.name(), reading::speed(host).await);
    let mut details =
        details::details(&header, (&plan, &options), &modalities, name, within, speed).map_err(plain)?;
    if let Some(reason) = &plan.unusable {
        host.warn(failure::of_tower(reason));
    }
    if plan.drafting_blocks > 0 {
        host.warn(failure::of_drafting_blocks(plan.drafting_blocks));
    }
    if details.capabilities.text && has_foreign_template(&header.metadata) {
        host.warn(ModelFailure::ForeignTemplate.into());
    }
    let fit = plan.fit(wanted.options.context, memory).map_err(plain)?;
    details.stored = saving::stored(&plan, wanted.options.eight_bits, fit.storage);
    details.allowed = wanted.options.memory;
    let context = Some(fit.context);
    if allowance.found.is_some() {
        // The session would fit it into the memory that the device was taken to have.
        options.context = fit.context;
        (options.table, options.kv_type) = (fit.storage.table, fit.storage.kv_type);
    }
    let next = plan.needs(memory).map_err(plain)?.storage_after(fit.storage);
    let local = match plan.on_host(&fit) {
        Some((_, range)) => {
            Some(local::here(&opened.model, range, wanted.options.use_memory, cancel, &mut tell).await?)
        }
        None => opened.model.local.clone(),
    };
    let denoising = plan.config.diffusion;
    let subject = match denoising {
        Some(_) => None,
        None => Subject::new(gpu, &host.adapter_names().await, &plan),
    };
    if let Some(subject) = &subject {
        if let Some(Known { tuning, packs_prompts, .. }) = choices::known(host, subject).await {
            (options.tuning, options.packed_tiles) = (Some(tuning), Some(packs_prompts));
        }
        options.tries_forms = true;
    } else {
        // Nothing is remembered of so small a model, and timing would take longer than it saves.
        options.packed_tiles = Some(false);
    }
    *pictures = options.largest_picture > 0;
    let sources: Vec<Rc<dyn ByteSource>> = towers.iter().map(|file| Rc::clone(&file.source) as _).collect();
    let file = ModelFile { bytes: Rc::clone(&sources[0]), local, header: None };
    let device = Rc::clone(gpu);
    let file_with_header = ModelFile { header: Some(header), ..file.clone() };
    let loaded = ModelSession::load(device, file_with_header, &options, cancel, &mut tell).await;
    if let Err(error) = &loaded {
        host.learn_misfit(gpu, error).await;
    }
    let mut session = loaded.map_err(|error| {
        if *pictures || !failure::is_out_of_memory(&error) {
            return LoadError::Engine(error, context);
        }
        match allowance.less(&plan, &error) {
            Some(in_use) => LoadError::ManyExperts { in_use },
            None => next.map_or(LoadError::Engine(error, context), |next| LoadError::Crowded {
                tried: fit.storage,
                next,
            }),
        }
    })?;
    drop(plan);
    if let (Some(subject), Ok(session)) = (&subject, session.autoregressive()) {
        choices::learn(host, subject, session).await;
    }
    let opening =
        async { Ok::<_, Stopped>(adapters::of_model(host, &mut session, &wanted.source, cancel).await?) };
    let own = cancel.guard(opening).await?;
    for file in towers.iter().chain(drafts.as_ref().filter(|_| drafter.is_some())) {
        file.fetch(cancel, &mut tell).await?;
    }
    keeping::fetch_rest(&opened, cancel, &mut tell).await?;
    details.packed_prompts = session.packs_prompts();
    let Storage { table, kv_type } = session.storage();
    let model = Model {
        name: wanted.source.name().to_owned(),
        identity: Identity::new(&wanted.source).into(),
        file,
        // Reloading finds the same places.
        options: LoadOptions { context: session.context(), table, kv_type, ..options },
        tuning: session.tuning().into(),
        packs_prompts: session.packs_prompts().into(),
        verified: false.into(),
        tried: RefCell::default(),
        verifying: false.into(),
        subject,
        tokenizer: Rc::clone(session.tokenizer()),
        variant: session.variant(),
        denoising,
        own_adapters: own.iter().map(|adapter| adapter.key.clone()).collect(),
        adapters: adapters::held(&session).into(),
        opened_by: RefCell::default(),
        projector: sources.get(1).cloned(),
        drafter: drafter.into(),
        vision: modalities.vision,
        largest_picture: session.largest_picture(),
        audio_tower: modalities.audio_tower,
        last: RefCell::default(),
        counts: RefCell::default(),
        vocabulary: RefCell::default(),
    };
    let ready = Ready::new(Rc::clone(gpu), session, model.projector.as_ref());
    let ready = ready.await.map_err(|error| LoadError::Engine(error, context))?;
    let keeping = opened.files().filter_map(|file| file.kept.clone()).collect();
    let times = reporter.meter.borrow().times(ms_since(started));
    Ok(Loaded { ready, model, keeping, details, adapters: own, times })
}
