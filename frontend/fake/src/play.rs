//! The fake engine at work: it answers requests with timers, one task for each.

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, HashSet},
    rc::{Rc, Weak},
};

use protocol::failure::{
    Activity, AdapterFailure, DeviceFailure, ModelFailure, NoGpu, ReadFailure, RequestFailure, StorageFailure,
};
use protocol::{
    AdapterDetails, AdapterSource, CacheReport, Code, Content, Control, Diagnosis, Envelope, Failure, Finish,
    Forget, LoadOptions, LoadPhase, LoadProgress, LoadTimes, LoadedModel, ModelSource, Outcome, Progress,
    Request, RequestId, Sense, Timings, ToPage, ToWorker, TuneRequest, VERSION,
};

use super::mixture::Mixture;
use super::platform::{Platform, Posted};
use super::scenario::Pace;
use super::turns::{Entered, ModelTurn, Turns};
use super::{Scenario, diagnosis, embedding, generate, media, models, tools, towers, tune};

/// Steps in which the fake weights arrive.
const WEIGHT_STEPS: u64 = 40;
/// Kernels that the fake load compiles.
const KERNELS: u64 = 41;
/// Tenths of a second that a connection is lost.
const OUTAGE_STEPS: u32 = 30;
/// The fake engine. Dropping it stops everything it was doing.
pub struct Player {
    state: Rc<State>,
}

pub(super) struct State {
    pub(super) scenario: Scenario,
    platform: Rc<dyn Platform>,
    pub(super) loaded: RefCell<Option<(ModelSource, u32)>>,
    /// The request that has loaded it.
    pub(super) loaded_by: Cell<Option<RequestId>>,
    /// The experts of the loaded model, if it is a mixture.
    pub(super) mixture: RefCell<Option<Mixture>>,
    pub(super) cancelled: RefCell<HashSet<RequestId>>,
    pub(super) answer_now: RefCell<HashSet<RequestId>>,
    /// Towers that were loaded.
    pub(super) towers: RefCell<HashSet<Sense>>,
    /// Keys of media that were encoded.
    pub(super) encoded: RefCell<HashSet<u128>>,
    pub(super) answers: Cell<usize>,
    /// Recordings that were written down.
    pub(super) transcripts: Cell<usize>,
    /// Whether what constrains answers was fetched.
    pub(super) is_constraining: Cell<bool>,
    pub(super) turns: Rc<Turns>,
    pub(super) kept: tune::Kept,
    /// Bytes of the KV caches that are kept, by conversation.
    pub(super) caches: RefCell<BTreeMap<String, u64>>,
}

impl Player {
    /// An engine that will play this scenario.
    #[must_use]
    pub fn new(scenario: Scenario, platform: Rc<dyn Platform>) -> Self {
        Self {
            state: Rc::new(State {
                scenario,
                platform,
                loaded: RefCell::new(None),
                loaded_by: Cell::new(None),
                mixture: RefCell::default(),
                cancelled: RefCell::default(),
                answer_now: RefCell::default(),
                towers: RefCell::default(),
                encoded: RefCell::default(),
                transcripts: Cell::new(0),
                is_constraining: Cell::new(false),
                answers: Cell::new(0),
                turns: Rc::default(),
                kept: tune::Kept::new(&scenario),
                caches: RefCell::default(),
            }),
        }
    }

    /// Leaves no room for what training keeps from now on.
    #[cfg(test)]
    pub fn fill_storage(&self) {
        self.state.kept.fill();
    }

    /// Takes a message, with handles of the files that it names.
    pub fn take(&self, message: ToWorker, handles: Vec<web_sys::Blob>) {
        let state = Rc::downgrade(&self.state);
        match message {
            ToWorker::Hello { .. } => self.state.platform.spawn(Box::pin(async move {
                hello(&state).await;
            })),
            ToWorker::Request(Envelope { id, body }) => match self.state.enter(id, &body) {
                Ok(turn) => self.state.platform.spawn(Box::pin(async move {
                    answer(&state, id, turn, body, handles).await;
                })),
                Err(busy) => {
                    end(&state, id, Err(RequestFailure::Busy(busy).into()));
                }
            },
            ToWorker::Control(Envelope { id, body }) => self.control(id, body),
        }
    }

    fn control(&self, id: RequestId, control: Control) {
        let all = &self.state;
        match control {
            Control::Cancel => {
                all.stop(|it| it == id);
                all.cancelled.borrow_mut().insert(id);
            }
            Control::AnswerNow => {
                all.answer_now.borrow_mut().insert(id);
            }
            Control::PauseTraining => all.kept.pause(id),
            Control::FinishTraining => all.kept.finish(id),
        }
    }
}

impl State {
    /// Enters a request that uses the model among the others, as the real engine's router does.
    ///
    /// # Errors
    /// What uses the model, if the request is refused.
    fn enter(&self, id: RequestId, request: &Request) -> Result<Option<Entered>, Activity> {
        let page = id.page();
        let refused = |busy: Option<Activity>| busy.map_or(Ok(()), Err);
        let training = self.turns.is_training().then_some(Activity::Training);
        let does = match request {
            Request::Load { .. } | Request::Unload => {
                // A page that loads a model is done with the one before.
                self.stop(|it| it.page() == page);
                if matches!(request, Request::Load { .. }) { Activity::Loading } else { Activity::Unloading }
            }
            Request::Generate { options, .. } => {
                refused(self.turns.besides_training_of(page))?;
                refused(training.filter(|_| !options.pause_training))?;
                Activity::Generating
            }
            Request::OpenAdapter { .. } | Request::CloseAdapter { .. } => {
                refused(training)?;
                return Ok(None);
            }
            Request::Diagnose(_) => {
                refused(self.turns.of(page).or(training))?;
                Activity::Measuring
            }
            Request::Tune(request) => match **request {
                TuneRequest::Start { .. } | TuneRequest::Resume => {
                    refused(self.turns.of(page))?;
                    Activity::Training
                }
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        Ok(Some(self.turns.enter(id, does)))
    }

    /// Lets go of the model.
    fn forget_model(&self) {
        self.loaded.take();
        self.loaded_by.set(None);
        self.mixture.take();
    }

    /// Stops what uses the model, or waits for it.
    fn stop(&self, is_meant: impl Fn(RequestId) -> bool) {
        self.cancelled.borrow_mut().extend(self.turns.stop(is_meant));
    }
}

/// How a request has ended; `None` if the engine has gone meanwhile.
pub(super) type Ended = Option<Result<Outcome, Failure>>;

/// Plays a request to its end.
async fn answer(
    state: &Weak<State>,
    id: RequestId,
    turn: Option<Entered>,
    request: Request,
    handles: Vec<web_sys::Blob>,
) -> Option<()> {
    let turn = match turn {
        Some(entered) => Some(turn_of(state, entered).await?),
        None => None,
    };
    let outcome = match &turn {
        Some(None) => cancelled(&request),
        _ => play(state, id, request, handles).await?,
    };
    end(state, id, outcome)
}

/// Waits for the turn of a request. Returns no turn if it was stopped meanwhile; `None` if the engine is gone.
async fn turn_of(state: &Weak<State>, (turn, granted): Entered) -> Option<Option<ModelTurn>> {
    let Some(granted) = granted else { return Some(Some(turn)) };
    let id = turn.id();
    progress(state, id, Progress::Waiting)?;
    // Its sender is dropped either way.
    granted.await.ok();
    let is_stopped = state.upgrade()?.cancelled.borrow_mut().remove(&id);
    Some((!is_stopped).then_some(turn))
}

/// The outcome of a request that was stopped before its turn.
fn cancelled(request: &Request) -> Result<Outcome, Failure> {
    match request {
        Request::Generate { .. } => {
            Ok(Outcome::Done { finish: Finish::Cancelled, timings: Timings::default() })
        }
        _ => Err(Code::Cancelled.into()),
    }
}

async fn play(state: &Weak<State>, id: RequestId, request: Request, handles: Vec<web_sys::Blob>) -> Ended {
    match request {
        Request::Inspect { source, options } => {
            let protocol::LoadOptions { context, expert_memory, eight_bits, memory, .. } = options;
            wait(state, 60).await?;
            if source.name().contains("broken") {
                return fail(not_gguf());
            }
            let mut details = models::details(&source);
            let scenario = state.upgrade()?.scenario;
            details.capabilities = models::able(&scenario, details.capabilities);
            details.diffusion = models::diffusion(&scenario);
            details.stored = models::stored(&scenario, eight_bits);
            details.allowed = memory;
            let mut verdict = models::verdict(&source, context, memory.unwrap_or(models::DEVICE_BYTES));
            if let Some(mixture) = Mixture::new(&scenario, &source, context, expert_memory) {
                if mixture.is_too_little() {
                    return fail(too_little(&mixture));
                }
                details.experts = Some(mixture.memory());
                verdict = mixture.verdict(models::allocated(&source, context));
            }
            Some(Ok(Outcome::Inspected { details: Box::new(details), verdict }))
        }
        Request::Load { source, options } => load(state, id, source, &options).await,
        Request::Unload => {
            let all = state.upgrade()?;
            all.forget_model();
            all.towers.borrow_mut().clear();
            all.encoded.borrow_mut().clear();
            Some(Ok(Outcome::Unloaded))
        }
        Request::LoadEncoder { source, .. } => {
            wait(state, 150).await?;
            Some(Ok(Outcome::EncoderLoaded(embedding::details(source.name()))))
        }
        Request::UnloadEncoder => Some(Ok(Outcome::Unloaded)),
        Request::Embed { inputs, elements } => {
            let total = inputs.len() as u32;
            progress(state, id, Progress::Embedding { done: total, total })?;
            Some(Ok(Outcome::Embedded(embedding::embed(&inputs, elements))))
        }
        Request::PrepareConstraint(constraint) => {
            wait(state, 60).await?;
            state.upgrade()?.is_constraining.set(true);
            Some(tools::check(&constraint).map(|()| Outcome::ConstraintReady))
        }
        Request::OpenAdapter { key, source } => open_adapter(state, key, &source).await,
        Request::CloseAdapter { .. } => Some(Ok(Outcome::AdapterClosed)),
        Request::Examine(content) => {
            wait(state, 60).await?;
            if state.upgrade()?.scenario.crash_looking && matches!(content, Content::Image { .. }) {
                return crash(state);
            }
            Some(media::examine(&content, &handles).await.map(Outcome::Examined))
        }
        Request::Listen { .. } => Some(Ok(Outcome::Listened { tokens: 0 })),
        Request::Towers { free } => towers::report(state, free),
        Request::Generate { messages, options } => generate::generate(state, id, &messages, &options).await,
        Request::Count { messages, .. } => Some(Ok(Outcome::Counted { tokens: generate::count(&messages) })),
        Request::ListCache | Request::DeleteCached { .. } => {
            let scenario = state.upgrade()?.scenario;
            let entries = models::saved(&scenario);
            let used = entries.iter().map(|entry| entry.present).sum();
            let persisted = scenario.promised;
            Some(Ok(Outcome::Cache(CacheReport { entries, used, quota: 64_000_000_000, persisted })))
        }
        Request::KeptCaches { forget } => kept_caches(state, forget),
        Request::Diagnose(what) => diagnose(state, id, what).await,
        Request::Tune(request) => tune::play(state, id, *request).await,
    }
}

fn kept_caches(state: &Weak<State>, forget: Forget) -> Ended {
    let all = state.upgrade()?;
    let mut caches = all.caches.borrow_mut();
    match forget {
        Forget::Nothing => {}
        Forget::Of(conversations) => caches.retain(|conversation, _| !conversations.contains(conversation)),
        Forget::All => caches.clear(),
    }
    Some(Ok(Outcome::KeptCaches { conversations: caches.len() as u32, bytes: caches.values().sum() }))
}

/// A file whose name has “other” in it is for another model.
async fn open_adapter(state: &Weak<State>, key: String, source: &AdapterSource) -> Ended {
    wait(state, 120).await?;
    let name = match source {
        AdapterSource::Files(files) => Some(files.name().to_owned()),
        AdapterSource::Kept(kept) => state.upgrade()?.kept.name_of(kept),
    };
    let Some(name) = name else {
        return fail(AdapterFailure::NotKept);
    };
    if name.contains("other") {
        let detail = "blk.0.attn_q.A has the shape [8, 2560], but [8, 1536] is needed";
        return fail(Failure::new(AdapterFailure::OtherModel).detailed(detail));
    }
    let projections = ["attn_q", "attn_v"].map(str::to_owned).to_vec();
    let details = AdapterDetails { key, name, rank: 8, parameters: 1_339_392, layers: 35, projections };
    Some(Ok(Outcome::AdapterOpened(details)))
}

async fn hello(state: &Weak<State>) -> Option<()> {
    wait(state, 30).await?;
    let scenario = state.upgrade()?.scenario;
    if scenario.silent {
        return None;
    }
    post(state, ToPage::Ready { version: VERSION.saturating_add_signed(scenario.version) })?;
    wait(state, 30).await?;
    post(state, ToPage::Device(models::device(&scenario)))
}

async fn load(state: &Weak<State>, id: RequestId, source: ModelSource, options: &LoadOptions) -> Ended {
    let scenario = state.upgrade()?.scenario;
    // The memory of the one before is needed.
    state.upgrade()?.forget_model();
    if scenario.no_webgpu {
        return fail(DeviceFailure::None(NoGpu::NoWebGpu));
    }
    if source.name().contains("broken") {
        return fail(not_gguf());
    }
    let size = models::size(&source);
    let report = |phase, done, total, rate| {
        progress(state, id, Progress::Loading(LoadProgress { phase, done, total, rate, lost: false }))
    };

    report(LoadPhase::Header, 0, 0, 0.0)?;
    wait(state, 150).await?;
    let mut mixture = Mixture::new(&scenario, &source, options.context, options.expert_memory);
    if let Some(mixture) = mixture.as_ref().filter(|mixture| mixture.is_too_little()) {
        return fail(too_little(mixture));
    }
    if scenario.crowded && size > 1_000_000_000 && !options.use_memory {
        return fail(DeviceFailure::NeedsHostMemory { bytes: size / 2 });
    }
    if scenario.unkept {
        let failure = StorageFailure::NoRoom { needed: size, available: size / 2 }.into();
        post(state, ToPage::Warning(failure))?;
    }
    let per_step = if size > 1_000_000_000 { 90 } else { 12 };
    // The page is redrawn at each step; a load that takes no time needs few.
    let stride = if scenario.pace == Pace::Instant { 10 } else { 1 };
    for step in (0..=WEIGHT_STEPS).step_by(stride) {
        if state.upgrade()?.cancelled.borrow_mut().remove(&id) {
            return fail(Code::Cancelled);
        }
        let rate = if step > 1 {
            size as f64 / WEIGHT_STEPS as f64 / f64::from(scenario.pace.ms(per_step).max(1)) * 1e3
        } else {
            0.0
        };
        report(LoadPhase::Weights, size * step / WEIGHT_STEPS, size, rate)?;
        if step == WEIGHT_STEPS / 2 && scenario.crash_loading {
            return crash(state);
        }
        if step == WEIGHT_STEPS / 2 && scenario.cut {
            return fail(ReadFailure::ConnectionLost { received: size / 2 });
        }
        if step == WEIGHT_STEPS / 2 && scenario.reconnect {
            let (phase, done) = (LoadPhase::Weights, size * step / WEIGHT_STEPS);
            let lost = LoadProgress { phase, done, total: size, rate: 0.0, lost: true };
            progress(state, id, Progress::Loading(lost))?;
            for _ in 0..OUTAGE_STEPS {
                if state.upgrade()?.cancelled.borrow_mut().remove(&id) {
                    return fail(Code::Cancelled);
                }
                wait(state, 100).await?;
            }
        }
        if step == WEIGHT_STEPS / 2 && scenario.out_of_memory {
            if let Some(mixture) = &mut mixture {
                mixture.halve();
                continue;
            }
            let (in_use, requested) = (3_300_000_000, 268_435_456);
            let shorter_context = Some(2_048);
            return fail(DeviceFailure::OutOfMemory { in_use, requested, shorter_context });
        }
        wait(state, per_step).await?;
    }
    for kernel in (0..=KERNELS).step_by(stride) {
        if state.upgrade()?.cancelled.borrow_mut().remove(&id) {
            return fail(Code::Cancelled);
        }
        report(LoadPhase::Kernels, kernel, KERNELS, 0.0)?;
        wait(state, 12).await?;
    }
    let context = models::allocated(&source, options.context);
    let mut details = models::details(&source);
    details.capabilities = models::able(&scenario, details.capabilities);
    details.diffusion = models::diffusion(&scenario);
    details.stored = models::stored(&scenario, options.eight_bits);
    details.allowed = options.memory;
    let mut gpu_bytes = models::gpu_bytes(&source, context);
    if let Some(mixture) = &mixture {
        let memory = mixture.memory();
        (details.experts, gpu_bytes) = (Some(memory), mixture.gpu_bytes());
        if scenario.out_of_memory {
            let failure = DeviceFailure::FewerExperts { held: memory.held, all: memory.all }.into();
            post(state, ToPage::Warning(failure))?;
        }
    }
    state.upgrade()?.mixture.replace(mixture);
    state.upgrade()?.loaded.replace(Some((source.clone(), context)));
    state.upgrade()?.loaded_by.set(Some(id));
    let adapters = Vec::new();
    let times = LoadTimes { all: 3_100.0, weights: 1_900.0, kernels: 700.0, tuning: 450.0 };
    let loaded = LoadedModel { id, source, details, context, gpu_bytes, adapters, times };
    Some(Ok(Outcome::Loaded(Box::new(loaded))))
}

async fn diagnose(state: &Weak<State>, id: RequestId, what: Diagnosis) -> Ended {
    let of_model = state.upgrade()?.loaded.borrow().is_some();
    if !of_model && what != Diagnosis::SelfTest {
        return fail(RequestFailure::NoModel);
    }
    let total = diagnosis::steps(&what);
    for done in 0..total {
        if state.upgrade()?.cancelled.borrow_mut().remove(&id) {
            return fail(Code::Cancelled);
        }
        progress(state, id, Progress::Diagnosing { done, total })?;
        wait(state, 300).await?;
    }
    let scenario = state.upgrade()?.scenario;
    Some(Ok(Outcome::Diagnosed(diagnosis::finding(what, &scenario, of_model))))
}

pub(super) fn progress(state: &Weak<State>, id: RequestId, progress: Progress) -> Option<()> {
    post(state, ToPage::progress(id, progress))
}

pub(super) fn post(state: &Weak<State>, message: ToPage) -> Option<()> {
    state.upgrade()?.platform.post(Posted::Message(message));
    Some(())
}

fn end(state: &Weak<State>, id: RequestId, outcome: Result<Outcome, Failure>) -> Option<()> {
    post(state, ToPage::outcome(id, outcome))
}

/// The engine is gone. Its requests have no outcome.
pub(super) fn crash<T>(state: &Weak<State>) -> Option<T> {
    state.upgrade()?.platform.post(Posted::Crashed("unreachable executed".into()));
    None
}

pub(super) fn fail(failure: impl Into<Failure>) -> Ended {
    Some(Err(failure.into()))
}

fn too_little(mixture: &Mixture) -> Failure {
    let memory = mixture.memory();
    DeviceFailure::ExpertMemory { asked: memory.asked.unwrap_or_default(), least: memory.least }.into()
}

fn not_gguf() -> Failure {
    Failure::new(ModelFailure::NotGguf).detailed("it begins with “NOPE”")
}

pub(super) async fn wait(state: &Weak<State>, usual_ms: u32) -> Option<()> {
    let all = state.upgrade()?;
    let pause = all.platform.pause(all.scenario.pace.ms(usual_ms));
    // Dropping the engine stops what it does.
    drop(all);
    pause.await;
    state.upgrade().map(|_| ())
}
