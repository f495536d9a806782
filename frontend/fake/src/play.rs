//! The fake engine at work: it answers requests with timers, one task for each.

use std::{
    cell::{Cell, RefCell},
    collections::HashSet,
    rc::{Rc, Weak},
};

use protocol::failure::{
    Activity, AdapterFailure, DeviceFailure, EngineFailure, ModelFailure, NoGpu, ReadFailure, RequestFailure,
    StorageFailure,
};
use protocol::{
    AdapterDetails, AdapterSource, Channel, Code, Content, Diagnosis, Event, Failure, Finish,
    GenerateOptions, LoadOptions, LoadPhase, LoadProgress, Message, ModelSource, Request, RequestId, Resumed,
    Role, Sense, Speculation, Timings, TuneRequest, VERSION,
};

use super::mixture::Mixture;
use super::platform::{Platform, Said};
use super::turns::{Entered, Turn, Turns};
use super::{Scenario, answers, diagnosis, diffusion, media, models, tune};

/// Steps in which the fake weights arrive.
const WEIGHT_STEPS: u64 = 40;
/// Kernels that the fake load compiles.
const KERNELS: u64 = 41;
/// Bytes of a fake tower.
const TOWER_BYTES: u64 = 320_000_000;
/// Tenths of a second that a connection is lost.
const OUTAGE_STEPS: u32 = 30;
/// Usual time of one fake token.
const TOKEN_MS: u32 = 26;

/// The id of a token is its place in the answer, and this much more for each answer that there was before. So an engine that
/// goes on with another's answer knows which it is.
const IDS_OF_ANSWER: u32 = 1 << 20;

/// The fake engine. Dropping it stops everything it was doing.
pub struct Player {
    state: Rc<State>,
}

pub(super) struct State {
    pub(super) scenario: Scenario,
    platform: Rc<dyn Platform>,
    pub(super) loaded: RefCell<Option<(ModelSource, u32)>>,
    /// The request that has loaded it.
    loaded_by: Cell<Option<RequestId>>,
    /// The experts of the loaded model, if it is a mixture.
    mixture: RefCell<Option<Mixture>>,
    pub(super) cancelled: RefCell<HashSet<RequestId>>,
    answer_now: RefCell<HashSet<RequestId>>,
    /// Towers that were loaded.
    towers: RefCell<HashSet<Sense>>,
    /// Keys of media that were encoded.
    encoded: RefCell<HashSet<u128>>,
    answers: Cell<usize>,
    pub(super) turns: Rc<Turns>,
    pub(super) kept: tune::Kept,
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
                answers: Cell::new(0),
                turns: Rc::default(),
                kept: tune::Kept::new(&scenario),
            }),
        }
    }

    /// Leaves no room for what training keeps from now on.
    #[cfg(test)]
    pub fn fill_storage(&self) {
        self.state.kept.fill();
    }

    /// Takes a request, with handles of what it speaks of.
    pub fn take(&self, request: Request, handles: Vec<web_sys::Blob>) {
        let all = &self.state;
        let turn = match &request {
            Request::Cancel { id } => {
                all.stop(|it| it == *id);
                all.cancelled.borrow_mut().insert(*id);
                return;
            }
            Request::AnswerNow { id } => {
                all.answer_now.borrow_mut().insert(*id);
                return;
            }
            request => match all.enter(request) {
                Ok(turn) => turn,
                Err((id, busy)) => {
                    fail(&Rc::downgrade(all), id, RequestFailure::Busy(busy));
                    return;
                }
            },
        };
        let state = Rc::downgrade(all);
        // A task that finds its engine gone ends with `None`, and nobody needs to know.
        all.platform.spawn(Box::pin(async move {
            // Until it has ended.
            let _turn = match turn {
                Some(entered) => match turn_of(&state, &request, entered).await {
                    Some(turn) => Some(turn),
                    None => return,
                },
                None => None,
            };
            play(state, request, handles).await;
        }));
    }
}

impl State {
    /// Enters a request that uses the model among the others, as the real engine's router does; what the page is busy with
    /// where it is refused.
    fn enter(&self, request: &Request) -> Result<Option<Entered>, (RequestId, Activity)> {
        let Some(id) = request.id() else { return Ok(None) };
        let page = id.page();
        let refused = |busy: Option<Activity>| busy.map_or(Ok(()), |busy| Err((id, busy)));
        let training = self.turns.is_training().then_some(Activity::Training);
        let does = match request {
            Request::Load { .. } | Request::Unload { .. } => {
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
            Request::Diagnose { .. } => {
                refused(self.turns.of(page).or(training))?;
                Activity::Measuring
            }
            Request::Tune { request, .. } => match **request {
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

/// Waits for the turn of a request; none if it was stopped meanwhile, or the engine is gone.
async fn turn_of(state: &Weak<State>, request: &Request, (turn, granted): Entered) -> Option<Turn> {
    let Some(granted) = granted else { return Some(turn) };
    let id = turn.id();
    emit(state, Event::Waiting { id })?;
    // Its sender is dropped either way.
    granted.await.ok();
    if !state.upgrade()?.cancelled.borrow_mut().remove(&id) {
        return Some(turn);
    }
    match request {
        Request::Generate { .. } => {
            emit(state, Event::Done { id, finish: Finish::Cancelled, timings: Timings::default() })?
        }
        _ => fail(state, id, Code::Cancelled)?,
    }
    None
}

/// Plays the answer to one request; none when the engine has gone meanwhile.
async fn play(state: Weak<State>, request: Request, handles: Vec<web_sys::Blob>) -> Option<()> {
    match request {
        Request::Hello { .. } => hello(&state).await,
        Request::Inspect { id, source, options } => {
            let protocol::LoadOptions { context, expert_memory, eight_bits, .. } = options;
            wait(&state, 60).await?;
            if source.name().contains("broken") {
                return fail(&state, id, not_gguf());
            }
            let mut details = models::details(&source);
            let scenario = state.upgrade()?.scenario;
            details.capabilities = models::able(&scenario, details.capabilities);
            details.diffusion = models::diffusion(&scenario);
            details.stored = models::stored(&scenario, eight_bits);
            let mut verdict = models::verdict(&source, context);
            if let Some(mixture) = Mixture::new(&scenario, &source, context, expert_memory) {
                if mixture.is_too_little() {
                    return fail(&state, id, too_little(&mixture));
                }
                details.experts = Some(mixture.memory());
                verdict = mixture.verdict(models::allocated(&source, context));
            }
            emit(&state, Event::Inspected { id, details: Box::new(details), verdict })
        }
        Request::Load { id, source, options } => load(&state, id, source, &options).await,
        Request::Unload { id } => {
            let all = state.upgrade()?;
            all.forget_model();
            all.towers.borrow_mut().clear();
            all.encoded.borrow_mut().clear();
            emit(&state, Event::Unloaded { id })
        }
        Request::OpenAdapter { id, key, source } => open_adapter(&state, id, key, &source).await,
        Request::CloseAdapter { id, key } => emit(&state, Event::AdapterClosed { id, key }),
        Request::Examine { id, content } => {
            wait(&state, 60).await?;
            if state.upgrade()?.scenario.crash_looking && matches!(content, Content::Image { .. }) {
                deliver(&state, Said::Crashed("unreachable executed".into()));
                return None;
            }
            match media::examine(&content, &handles).await {
                Ok(report) => emit(&state, Event::Examined { id, report }),
                Err(failure) => fail(&state, id, failure),
            }
        }
        Request::Listen { id, .. } => emit(&state, Event::Listened { id, tokens: 0 }),
        Request::Towers { id, free } => towers(&state, id, free),
        Request::Generate { id, messages, options } => generate(&state, id, &messages, &options).await,
        Request::Count { id, messages, .. } => emit(&state, Event::Counted { id, tokens: count(&messages) }),
        Request::ListCache { id } | Request::DeleteCached { id, .. } => {
            let scenario = state.upgrade()?.scenario;
            let entries = models::saved(&scenario);
            let used = entries.iter().map(|entry| entry.present).sum();
            let persisted = scenario.promised;
            emit(&state, Event::Cache { id, entries, used, quota: 64_000_000_000, persisted })
        }
        Request::Diagnose { id, what } => diagnose(&state, id, what).await,
        Request::Tune { id, request } => tune::play(&state, id, *request).await,
        Request::Cancel { .. } | Request::AnswerNow { .. } => Some(()),
    }
}

/// A file whose name has “other” in it is for another model.
async fn open_adapter(state: &Weak<State>, id: RequestId, key: String, source: &AdapterSource) -> Option<()> {
    wait(state, 120).await?;
    let name = match source {
        AdapterSource::Files(files) => Some(files.name().to_owned()),
        AdapterSource::Kept(kept) => state.upgrade()?.kept.name_of(kept),
    };
    let Some(name) = name else {
        return fail(state, id, AdapterFailure::NotKept);
    };
    if name.contains("other") {
        let detail = "blk.0.attn_q.A has the shape [8, 2560], but [8, 1536] is needed";
        return fail(state, id, Failure::new(AdapterFailure::OtherModel).detailed(detail));
    }
    let projections = ["attn_q", "attn_v"].map(str::to_owned).to_vec();
    let details = AdapterDetails { key, name, rank: 8, parameters: 1_339_392, layers: 35, projections };
    emit(state, Event::AdapterOpened { id, details })
}

async fn hello(state: &Weak<State>) -> Option<()> {
    wait(state, 30).await?;
    let scenario = state.upgrade()?.scenario;
    if scenario.silent {
        return None;
    }
    emit(state, Event::Ready { version: VERSION.saturating_add_signed(scenario.version) })?;
    wait(state, 30).await?;
    emit(state, Event::Device(models::device(&scenario)))
}

async fn load(state: &Weak<State>, id: RequestId, source: ModelSource, options: &LoadOptions) -> Option<()> {
    let scenario = state.upgrade()?.scenario;
    // The memory of the one before is needed.
    state.upgrade()?.forget_model();
    if scenario.no_webgpu {
        return fail(state, id, DeviceFailure::None(NoGpu::NoWebGpu));
    }
    if source.name().contains("broken") {
        return fail(state, id, not_gguf());
    }
    let size = models::size(&source);
    let progress = |phase, done, total, rate| Event::Loading {
        id,
        progress: LoadProgress { phase, done, total, rate, lost: false },
    };

    emit(state, progress(LoadPhase::Header, 0, 0, 0.0))?;
    wait(state, 150).await?;
    let mut mixture = Mixture::new(&scenario, &source, options.context, options.expert_memory);
    if let Some(mixture) = mixture.as_ref().filter(|mixture| mixture.is_too_little()) {
        return fail(state, id, too_little(mixture));
    }
    if scenario.crowded && size > 1_000_000_000 && !options.use_memory {
        return fail(state, id, DeviceFailure::NeedsHostMemory { bytes: size / 2 });
    }
    if scenario.unkept {
        let failure = StorageFailure::NoRoom { needed: size, available: size / 2 }.into();
        emit(state, Event::Failed { id: None, failure })?;
    }
    let per_step = if size > 1_000_000_000 { 90 } else { 12 };
    for step in 0..=WEIGHT_STEPS {
        if stop_load(state, id)? {
            return Some(());
        }
        let rate = if step > 1 {
            size as f64 / WEIGHT_STEPS as f64 / f64::from(scenario.pace.ms(per_step).max(1)) * 1e3
        } else {
            0.0
        };
        emit(state, progress(LoadPhase::Weights, size * step / WEIGHT_STEPS, size, rate))?;
        if step == WEIGHT_STEPS / 2 && scenario.crash_loading {
            deliver(state, Said::Crashed("unreachable executed".into()));
            return None;
        }
        if step == WEIGHT_STEPS / 2 && scenario.cut {
            return fail(state, id, ReadFailure::ConnectionLost { received: size / 2 });
        }
        if step == WEIGHT_STEPS / 2 && scenario.reconnect {
            let (phase, done) = (LoadPhase::Weights, size * step / WEIGHT_STEPS);
            let progress = LoadProgress { phase, done, total: size, rate: 0.0, lost: true };
            emit(state, Event::Loading { id, progress })?;
            for _ in 0..OUTAGE_STEPS {
                if stop_load(state, id)? {
                    return Some(());
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
            return fail(state, id, DeviceFailure::OutOfMemory { in_use, requested, shorter_context });
        }
        wait(state, per_step).await?;
    }
    for kernel in 0..=KERNELS {
        if stop_load(state, id)? {
            return Some(());
        }
        emit(state, progress(LoadPhase::Kernels, kernel, KERNELS, 0.0))?;
        wait(state, 12).await?;
    }
    let context = models::allocated(&source, options.context);
    let mut details = models::details(&source);
    details.capabilities = models::able(&scenario, details.capabilities);
    details.diffusion = models::diffusion(&scenario);
    details.stored = models::stored(&scenario, options.eight_bits);
    let mut gpu_bytes = models::gpu_bytes(&source, context);
    if let Some(mixture) = &mixture {
        let memory = mixture.memory();
        (details.experts, gpu_bytes) = (Some(memory), mixture.gpu_bytes());
        if scenario.out_of_memory {
            let failure = DeviceFailure::FewerExperts { held: memory.held, all: memory.all }.into();
            emit(state, Event::Failed { id: None, failure })?;
        }
    }
    state.upgrade()?.mixture.replace(mixture);
    state.upgrade()?.loaded.replace(Some((source, context)));
    state.upgrade()?.loaded_by.set(Some(id));
    emit(
        state,
        Event::Loaded {
            id,
            loaded_by: id,
            details: Box::new(details),
            context,
            gpu_bytes,
            adapters: Vec::new(),
        },
    )
}

async fn diagnose(state: &Weak<State>, id: RequestId, what: Diagnosis) -> Option<()> {
    let of_model = state.upgrade()?.loaded.borrow().is_some();
    if !of_model && what != Diagnosis::SelfTest {
        return fail(state, id, RequestFailure::NoModel);
    }
    let total = diagnosis::steps(&what);
    for done in 0..total {
        if state.upgrade()?.cancelled.borrow_mut().remove(&id) {
            return fail(state, id, Code::Cancelled);
        }
        emit(state, Event::Diagnosing { id, done, total })?;
        wait(state, 300).await?;
    }
    let scenario = state.upgrade()?.scenario;
    emit(state, Event::Diagnosed { id, finding: diagnosis::finding(what, &scenario, of_model) })
}

/// Ends a load that was cancelled, and says whether it was.
fn stop_load(state: &Weak<State>, id: RequestId) -> Option<bool> {
    let cancelled = state.upgrade()?.cancelled.borrow_mut().remove(&id);
    if cancelled {
        fail(state, id, Code::Cancelled)?;
    }
    Some(cancelled)
}

async fn generate(
    state: &Weak<State>,
    id: RequestId,
    messages: &[Message],
    options: &GenerateOptions,
) -> Option<()> {
    let scenario = state.upgrade()?.scenario;
    let (loaded, loaded_by) = {
        let all = state.upgrade()?;
        (all.loaded.borrow().clone(), all.loaded_by.get())
    };
    if options.model.is_some_and(|model| loaded_by != Some(model)) {
        return fail(state, id, RequestFailure::OtherModel);
    }
    let Some((_, context)) = loaded else {
        return fail(state, id, RequestFailure::NoModel);
    };
    let seed = options.sampling.seed.unwrap_or_default();
    let resumed = options.resumed.clone().unwrap_or_else(|| Resumed { seed, ..Resumed::default() });
    emit(state, Event::Begins { id, resumed: resumed.clone() })?;
    let prompt = count(messages);
    if scenario.context_full || prompt >= context {
        let tokens = prompt.max(context + 212);
        return fail(state, id, RequestFailure::ContextFull { tokens, context });
    }
    if !encode(state, id, messages).await? {
        let finish = Finish::Cancelled;
        return emit(state, Event::Done { id, finish, timings: Timings::default() });
    }
    for step in 1..=4 {
        // Of an answer that goes on, the page knows that it was read.
        if resumed.drawn.is_empty() {
            emit(state, Event::Prefilling { id, done: prompt * step / 4, total: prompt })?;
        }
        wait(state, 60).await?;
    }

    let answers_before = {
        let state = state.upgrade()?;
        state.answers.replace(state.answers.get() + 1)
    };
    // Where another engine has begun, and how far it came.
    let last = resumed.drawn.last();
    let so_far = last.map_or(answers_before, |last| (last / IDS_OF_ANSWER) as usize);
    let drawn = last.map_or(0, |last| (last % IDS_OF_ANSWER) as usize + 1);
    let id_of = |index: usize| so_far as u32 * IDS_OF_ANSWER + index as u32;
    let question =
        messages.iter().rev().find(|message| message.role == Role::User).map_or_else(String::new, text_of);
    let mut answer = answers::answer(&question, so_far);
    if let Some(begun) = &options.begun {
        // What it would have gone on with; behind words of the person's, all of it.
        let whole = (0..=so_far).map(|before| answers::answer(&question, before));
        let rest = whole.filter_map(|it| it.strip_prefix(&begun.answer).map(str::to_owned)).next();
        answer = rest.unwrap_or_else(|| format!(" {answer}"));
    }
    if let Some(words) = media::counted(messages) {
        answer = format!("{answer}\n\n{words}");
    }
    for adapter in options.adapters.iter().filter(|adapter| adapter.scale != 0.0) {
        answer = format!("Spoken with {} at {}.\n\n{answer}", adapter.key, adapter.scale);
    }
    let thought = if options.thinking && options.begun.is_none() { answers::THOUGHT } else { "" };
    let pieces: Vec<_> = answers::tokens(thought)
        .map(|piece| (Channel::Thought, piece))
        .chain(answers::tokens(&answer).map(|piece| (Channel::Answer, piece)))
        .collect();

    let mut tokens = resumed.drawn.len() as u32;
    let mut finish = Finish::EndOfTurn;
    if scenario.diffusion {
        let (ended, timings) = diffusion::answer(state, id, &answer, drawn, id_of).await?;
        let steps = timings.diffusion.map_or(0, |it| it.steps);
        let experts = state.upgrade()?.mixture.borrow().as_ref().and_then(|mixture| mixture.timings(steps));
        let timings = Timings {
            prompt_tokens: prompt,
            cached_tokens: prompt / 2,
            context_size: context,
            experts,
            ..timings
        };
        return emit(state, Event::Done { id, finish: ended, timings });
    }
    for (index, &(channel, piece)) in pieces.iter().enumerate().skip(drawn) {
        if channel == Channel::Thought && state.upgrade()?.answer_now.borrow().contains(&id) {
            continue;
        }
        if state.upgrade()?.cancelled.borrow_mut().remove(&id) {
            finish = Finish::Cancelled;
            break;
        }
        if options.max_tokens > 0 && tokens >= options.max_tokens {
            finish = Finish::MaxTokens;
            break;
        }
        if index == pieces.len() / 2 {
            if scenario.crash && so_far == 0 {
                deliver(state, Said::Crashed("unreachable executed".into()));
                return None;
            }
            if scenario.fail {
                return fail(
                    state,
                    id,
                    Failure::new(EngineFailure::Generating).detailed("there is no token 9"),
                );
            }
            if scenario.lost {
                emit(state, Event::DeviceLost { reason: "the driver was reset".into() })?;
                wait(state, 1_200).await?;
                emit(state, Event::Device(models::device(&scenario)))?;
            }
        }
        tokens += 1;
        emit(state, Event::Text { id, channel, text: piece.into(), tokens })?;
        let decode_ms = f64::from(tokens) * f64::from(scenario.pace.ms(TOKEN_MS).max(1));
        emit(state, Event::Drawn { id, ids: vec![id_of(index)], decode_ms })?;
        wait(state, TOKEN_MS).await?;
    }
    let experts = state.upgrade()?.mixture.borrow().as_ref().and_then(|mixture| mixture.timings(tokens));
    let timings = Timings {
        prompt_tokens: prompt,
        cached_tokens: prompt / 2,
        prefill_ms: f64::from(scenario.pace.ms(240)),
        first_token_ms: f64::from(scenario.pace.ms(400)),
        decode_tokens: tokens,
        decode_ms: f64::from(tokens) * f64::from(scenario.pace.ms(TOKEN_MS).max(1)),
        context_used: (prompt + tokens).min(context),
        context_size: context,
        diffusion: None,
        speculation: options.drafts.then(|| Speculation { drafted: 3 * tokens / 4, accepted: tokens / 2 }),
        experts,
    };
    emit(state, Event::Done { id, finish, timings })
}

/// Loads towers that are needed for the first time, and encodes what was not encoded yet. Says whether it was let.
async fn encode(state: &Weak<State>, id: RequestId, messages: &[Message]) -> Option<bool> {
    let mut fresh = media::of(messages);
    {
        let all = state.upgrade()?;
        let encoded = all.encoded.borrow();
        fresh.retain(|(_, key)| !encoded.contains(key));
    }
    let of = fresh.len() as u32;
    for (index, (sense, key)) in (0..).zip(fresh) {
        let is_new = state.upgrade()?.towers.borrow_mut().insert(sense);
        for step in (0..=4).filter(|_| is_new) {
            let (done, total) = (step * TOWER_BYTES / 4, TOWER_BYTES);
            let progress = LoadProgress { phase: LoadPhase::Weights, done, total, rate: 0.0, lost: false };
            emit(state, Event::Tower { id, sense, progress })?;
            wait(state, 60).await?;
        }
        for step in 0..=4_u8 {
            if state.upgrade()?.cancelled.borrow_mut().remove(&id) {
                return Some(false);
            }
            emit(state, Event::Encoding { id, sense, index, of, share: f32::from(step) / 4.0 })?;
            wait(state, 60).await?;
        }
        state.upgrade()?.encoded.borrow_mut().insert(key);
    }
    Some(true)
}

/// Says what towers take, and frees it if asked to.
fn towers(state: &Weak<State>, id: RequestId, free: bool) -> Option<()> {
    let all = state.upgrade()?;
    if free {
        all.towers.borrow_mut().clear();
    }
    let loaded = all.loaded.borrow().clone();
    let bytes = TOWER_BYTES * all.towers.borrow().len() as u64;
    let gpu_bytes =
        loaded.as_ref().map_or(0, |(source, context)| models::gpu_bytes(source, *context)) + bytes;
    emit(state, Event::Towers { id, bytes: loaded.map(|_| bytes), gpu_bytes })
}

/// Tokens that these messages would take, about.
fn count(messages: &[Message]) -> u32 {
    let characters: usize = messages.iter().map(|message| text_of(message).chars().count() + 16).sum();
    let media: u32 = messages.iter().flat_map(|message| &message.content).map(media::tokens).sum();
    u32::try_from(characters / 4).unwrap_or(u32::MAX).saturating_add(media)
}

pub(super) fn text_of(message: &Message) -> String {
    let texts = message.content.iter().filter_map(|content| match content {
        Content::Text(text) => Some(text.as_str()),
        Content::Image { .. } | Content::Audio { .. } => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

pub(super) fn emit(state: &Weak<State>, event: Event) -> Option<()> {
    deliver(state, Said::Event(event))
}

fn deliver(state: &Weak<State>, said: Said) -> Option<()> {
    let platform = Rc::clone(&state.upgrade()?.platform);
    platform.say(said);
    Some(())
}

pub(super) fn fail(state: &Weak<State>, id: RequestId, failure: impl Into<Failure>) -> Option<()> {
    emit(state, Event::Failed { id: Some(id), failure: failure.into() })
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
