//! Answering.
//!
//! An answer may begin with a text ([`GenerateOptions::begun`]). Where that is the last answer, its ids are used as they were
//! drawn; any other text is tokenized. A count waits 30 ms for a newer one, which cancels it, and only tokenizes texts that the
//! count before did not have.

use std::rc::Rc;

use engine::bytes::SourceError;
use engine::media::Input;
use engine::model::Noise;
use engine::session::{
    Constraint, Control, DenoisingStep, DiffusionEvent, DiffusionOptions, EngineError, Event,
    Finish as Ended, ModelSession, Options,
};
use engine::template::{Piece, Prompt};
use protocol::failure::RequestFailure;
use protocol::{
    Begun, Canvas, CanvasText, Channel, DiffusionTimings, Failure, Finish, GenerateOptions, Message, Outcome,
    Progress, RequestId, Resumed, Timings, Tool,
};
use web_time::Instant;

use crate::batch::Batch;
use crate::host::recovery::{self, Losses};
use crate::host::{Host, LastAnswer, Model, Ready, Slot};
use crate::state::tasks::{Kind, Task};
use crate::{
    adapters, caches, constraining, convert, drafting, experts, failure, keeping, media, reading, verifying,
};

/// Milliseconds for which a count waits whether another one comes.
const BETWEEN_COUNTS: u32 = 30;

/// An answer to give.
pub struct AnswerRequest {
    /// The conversation.
    pub messages: Vec<Message>,
    /// The bytes of its pictures and sounds.
    pub handles: Vec<web_sys::Blob>,
    /// How to answer.
    pub options: GenerateOptions,
    /// When it was asked for.
    pub asked: Instant,
}

/// Answers [`protocol::Request::Generate`].
pub async fn answer(host: Rc<Host>, wanted: AnswerRequest, task: Task) -> Result<Outcome, Failure> {
    match answer_in_turn(&host, &wanted, &task).await {
        Ok((finish, timings)) => Ok(Outcome::Done { finish, timings }),
        // Stopped before the first word.
        Err(failure) if failure.is_cancelled() => {
            Ok(Outcome::Done { finish: Finish::Cancelled, timings: Timings::default() })
        }
        Err(failure) => Err(failure),
    }
}

async fn answer_in_turn(
    host: &Rc<Host>,
    wanted: &AnswerRequest,
    task: &Task,
) -> Result<(Finish, Timings), Failure> {
    let _turn = host.turn(task.id, &task.cancel).await?;
    if wanted.options.model.is_some_and(|model| host.pages.loaded_by() != Some(model)) {
        return Err(RequestFailure::OtherModel.into());
    }
    // A training may have begun meanwhile.
    let _interruption = match host.tasks.training() {
        Some(_) if wanted.options.pause_training => Some(host.tuning.interrupt()),
        Some(_) => return Err(RequestFailure::Busy(Kind::Train.activity()).into()),
        None => None,
    };
    let _paused = keeping::pause(host);
    host.caches.begin_answer(wanted.options.keep.as_deref().and_then(caches::file_stem));
    let mut slot = host.slot(&task.cancel).await?;
    answer_in(host, &mut slot, wanted, task).await
}

/// A prompt to count.
pub struct CountRequest {
    /// The conversation.
    pub messages: Vec<Message>,
    /// The bytes of its pictures and sounds.
    pub handles: Vec<web_sys::Blob>,
    /// Whether thinking is on.
    pub thinking: bool,
    /// The tools that it declares.
    pub tools: Vec<Tool>,
}

/// Answers [`protocol::Request::Count`].
pub async fn count(host: Rc<Host>, wanted: CountRequest, task: Task) -> Result<Outcome, Failure> {
    let CountRequest { messages, handles, thinking, tools } = wanted;
    let Some(model) = host.model.borrow().clone() else {
        return Err(RequestFailure::NoModel.into());
    };
    // While the user types, only the last of several counts is worth the time it takes from an answer.
    let breath = async {
        host.platform.pause(BETWEEN_COUNTS).await;
        Ok::<_, SourceError>(())
    };
    task.cancel.guard(breath).await.map_err(|_| failure::cancelled())?;
    let prepared = media::prepare(&host, &messages, &handles, &task.cancel).await?;
    let prompt = convert::prompt(model.variant, &messages, &tools, thinking, &prepared.clips())?;
    Ok(Outcome::Counted { tokens: prepared.count(&prompt, &model)? })
}

async fn answer_in(
    host: &Rc<Host>,
    slot: &mut Slot,
    wanted: &AnswerRequest,
    task: &Task,
) -> Result<(Finish, Timings), Failure> {
    let id = task.id;
    recovery::ensure(host, slot, &task.cancel).await?;
    let Some(model) = host.model.borrow().clone() else {
        return Err(RequestFailure::NoModel.into());
    };
    let asked = &wanted.options;
    let constrained = constraining::of_answer(host, &model, &asked.constraint)?;
    let prepared = media::prepare(host, &wanted.messages, &wanted.handles, &task.cancel).await?;
    let tools = &asked.constraint.tools;
    let prompt = convert::prompt(model.variant, &wanted.messages, tools, asked.thinking, &prepared.clips())?;
    let mut bare = prepared.input(&prompt, &model)?;
    let asks = bare.ids().to_vec();
    let going_on = match (&asked.resumed, &asked.begun) {
        (Some(resumed), _) => resumed.begun.clone(),
        (None, Some(begun)) => begun_ids(&model, &prompt, &asks, begun)?,
        (None, None) => Vec::new(),
    };
    let resumed = asked.resumed.as_deref().cloned().unwrap_or_else(|| Resumed {
        seed: asked.sampling.seed.unwrap_or_else(|| host.platform.random()),
        begun: going_on.clone(),
        ..Resumed::default()
    });
    going_on.iter().for_each(|&id| bare.push(id));
    let in_thought = prompt.ends_in_thought();
    let mut options = Options {
        in_thought,
        begun: going_on.len(),
        drawn: resumed.drawn.clone(),
        ..convert::options(asked, resumed.seed)
    };
    let control = Control { cancel: task.cancel.clone(), answer_now: Rc::clone(&task.answer_now) };
    let begun = asked.begun.clone().unwrap_or_default();
    // What was thought already stays, whatever is wanted now.
    let thinking = asked.thinking || !begun.thought.is_empty();
    let mut reporter = AnswerReporter::new(host, id, asked.thinking, begun, &resumed);
    host.progress(id, Progress::Begins(resumed));
    let mut losses = Losses::default();
    let mut is_checked = false;
    loop {
        let ready = recovery::ensure(host, slot, &task.cancel).await?;
        adapters::scale(&mut ready.session, &model, &asked.adapters)?;
        if asked.drafts {
            drafting::ensure(host, &model, &mut ready.session, &task.cancel).await;
        }
        // What was encoded on a device that is gone is gone with it.
        let mut input = bare.clone();
        let keeps = asked.keep.is_some();
        caches::restore(host, &model, ready, &input, keeps, &task.cancel).await;
        let mut progress = media::EncodeProgress::new(host, id);
        let encoded = prepared.encode(&mut progress, ready, &mut input, &wanted.handles, &task.cancel).await;
        let mut constraint = match &constrained {
            Some(vocabulary) => Some(vocabulary.begin(&asked.constraint, thinking, in_thought)?),
            None => None,
        };
        let run = Run { options: &options, control: &control, constraint: constraint.as_deref_mut() };
        reporter.clock.start();
        let used_before = experts::used(&ready.session);
        let error = match encoded {
            Ok(()) => match generate(&mut ready.session, input, run, &mut reporter).await {
                Ok(outcome) => {
                    reporter.flush();
                    let mut timings = reporter.timings(&outcome, wanted.asked, ready);
                    if let (Some(now), Some(before)) = (experts::used(&ready.session), used_before) {
                        timings.experts = Some(experts::timings(&(now - before)));
                        reading::learn(host, now.bytes, now.loading).await;
                    }
                    // An answer that ended by itself cannot be continued.
                    let cut =
                        matches!(outcome.finish, Ended::Cancelled | Ended::MaxTokens | Ended::ContextFull);
                    // The text of another engine is not known here.
                    let cut = cut && asked.resumed.is_none();
                    let ids = [going_on, outcome.ids].concat();
                    let last = cut.then_some(LastAnswer { prompt: asks, begun: reporter.text, ids });
                    model.last.replace(last);
                    verifying::go_on(host, &model, &ready.session);
                    caches::keep_later(host, model, bare);
                    return Ok((convert::finish(outcome.finish), timings));
                }
                Err(error) => error,
            },
            Err(media::EncodeError::Engine(error)) => error,
            Err(media::EncodeError::Failure(failure)) => return Err(failure),
        };
        if reporter.drawn.len() > options.drawn.len() {
            losses.reset();
        }
        let gpu = Rc::clone(&ready.gpu);
        if matches!(error, EngineError::NotNumbers) && !is_checked {
            is_checked = true;
            if keeping::is_damaged(host, &task.cancel).await.map_err(|stopped| stopped.0)? {
                // It is loaded again; what is damaged is fetched.
                *slot = None;
                options.drawn.clone_from(&reporter.drawn);
                continue;
            }
        }
        let failure = |error: &_| {
            // The text so far stays on the page.
            reporter.flush();
            failure::of_answer(error, model.options.context)
        };
        losses.record(host, Some(slot), (&gpu, &error), failure).await?;
        options.drawn.clone_from(&reporter.drawn);
    }
}

/// How an answer ended, of either kind of model.
struct Generated {
    finish: Ended,
    ids: Vec<u32>,
    prompt_tokens: u32,
    speculation: Option<protocol::Speculation>,
}

/// How a session is to answer.
struct Run<'a> {
    options: &'a Options,
    control: &'a Control,
    /// Of an autoregressive model alone.
    constraint: Option<&'a mut (dyn Constraint + 'static)>,
}

async fn generate(
    session: &mut ModelSession,
    input: Input,
    Run { options, control, constraint }: Run<'_>,
    reporter: &mut AnswerReporter<'_>,
) -> Result<Generated, EngineError> {
    match session {
        ModelSession::Autoregressive(session) => {
            let on = &mut |event| reporter.on_event(event);
            let outcome = match constraint {
                Some(constraint) => {
                    session.generate_constrained(input, options, control, constraint, on).await?
                }
                None => session.generate(input, options, control, on).await?,
            };
            let prompt_tokens = outcome.timings.prompt_tokens;
            let speculation = outcome
                .timings
                .speculation
                .map(|it| protocol::Speculation { drafted: it.drafted, accepted: it.accepted });
            Ok(Generated { finish: outcome.finish, ids: outcome.ids, prompt_tokens, speculation })
        }
        ModelSession::Diffusion(session) => {
            let denoising = session.denoising();
            let options = DiffusionOptions {
                denoising,
                max_tokens: options.max_tokens,
                noise: Noise { seed: options.seed, recorded: None },
                stop: options.stop.clone(),
                in_thought: options.in_thought,
                begun: options.begun,
                drawn: options.drawn.clone(),
                ..DiffusionOptions::default()
            };
            let on = &mut |event| reporter.on_diffusion_event(event, denoising.steps);
            let outcome = session.generate(input.ids(), &options, control, on).await?;
            let prompt_tokens = outcome.timings.prompt_tokens;
            Ok(Generated { finish: outcome.finish, ids: outcome.ids, prompt_tokens, speculation: None })
        }
    }
}

/// The ids of the beginning of an answer: those that were drawn, where it is the last answer, and else those of its text.
fn begun_ids(model: &Model, prompt: &Prompt, asks: &[u32], begun: &Begun) -> Result<Vec<u32>, Failure> {
    if let Some(last) = &*model.last.borrow()
        && last.begun == *begun
        && last.prompt == asks
    {
        return Ok(last.ids.clone());
    }
    let ids = prompt.begun(&model.tokenizer, &begun.thought, &begun.answer);
    ids.map_err(|error| failure::of(&error.into(), None))
}

/// Reports an answer to the page.
struct AnswerReporter<'a> {
    host: &'a Host,
    id: RequestId,
    batch: Batch,
    /// What the page has of the answer.
    text: Begun,
    /// All ids of the answer.
    drawn: Vec<u32>,
    /// Prompt tokens that the cache had at first; after a lost device it has none.
    cached: Option<u32>,
    clock: Clock,
    /// Of a diffusion model.
    diffusion: Option<DiffusionTimings>,
}

impl<'a> AnswerReporter<'a> {
    fn new(host: &'a Host, id: RequestId, thoughts: bool, text: Begun, resumed: &Resumed) -> Self {
        let batch = Batch::new(id, thoughts);
        let clock = Clock { decode_ms: resumed.decode_ms, ..Clock::default() };
        Self { host, id, batch, text, drawn: resumed.drawn.clone(), cached: None, clock, diffusion: None }
    }

    fn on_event(&mut self, event: Event) {
        match event {
            Event::Prefilling { done, total } => self.prefilling(done, total),
            Event::Piece(piece, tokens) => self.piece(piece, tokens),
            Event::Drawn(ids) => self.finished(ids),
        }
    }

    fn on_diffusion_event(&mut self, event: DiffusionEvent, most_steps: u32) {
        match event {
            DiffusionEvent::Prefilling { done, total } => {
                self.prefilling(done, total);
                if done == total {
                    self.clock.read();
                }
            }
            DiffusionEvent::Step(step) => {
                let counted = self.diffusion.get_or_insert_default();
                counted.steps += 1;
                counted.blocks += u32::from(step.step == 0);
                let canvas = canvas(*step, most_steps, self.batch.has_thoughts());
                self.host.progress(self.id, Progress::Canvas(canvas));
            }
            DiffusionEvent::Piece(piece, tokens) => self.piece(piece, tokens),
            DiffusionEvent::Block(ids) => self.finished(ids),
        }
    }

    fn prefilling(&mut self, done: u32, total: u32) {
        self.cached.get_or_insert(done);
        self.host.progress(self.id, Progress::Prefilling { done, total });
    }

    fn piece(&mut self, piece: Piece, tokens: u32) {
        for progress in self.batch.push(piece, tokens) {
            self.post(progress);
        }
    }

    /// Ids that will not change any more; their pieces were sent.
    fn finished(&mut self, ids: Vec<u32>) {
        self.clock.drawn();
        self.host.losses.set(0);
        self.drawn.extend(&ids);
        self.flush();
        self.host.progress(self.id, Progress::Drawn { ids, decode_ms: self.clock.decode_ms });
    }

    fn flush(&mut self) {
        if let Some(progress) = self.batch.flush() {
            self.post(progress);
        }
    }

    fn post(&mut self, progress: Progress) {
        if let Progress::Text { channel, text, .. } = &progress {
            match channel {
                Channel::Answer => self.text.answer.push_str(text),
                Channel::Thought => self.text.thought.push_str(text),
            }
        }
        self.host.progress(self.id, progress);
    }

    fn timings(&self, outcome: &Generated, asked: Instant, ready: &Ready) -> Timings {
        let clock = &self.clock;
        Timings {
            prompt_tokens: outcome.prompt_tokens,
            cached_tokens: self.cached.unwrap_or_default(),
            prefill_ms: clock.prefill_ms,
            first_token_ms: clock.first.map_or(0.0, |first| ms(asked, first)),
            decode_tokens: outcome.ids.len() as u32,
            decode_ms: clock.decode_ms,
            context_used: ready.session.context_used(),
            context_size: ready.session.context(),
            diffusion: self.diffusion,
            speculation: outcome.speculation,
            experts: None,
        }
    }
}

/// A step as the page shows it. `thoughts` says whether thoughts are shown.
fn canvas(step: DenoisingStep, steps: u32, thoughts: bool) -> Canvas {
    let entropies = &step.predicted.entropies;
    let entropy = entropies.iter().sum::<f32>() / entropies.len().max(1) as f32;
    let texts = step.text.into_iter().filter(|it| thoughts || !it.in_thought);
    let text = texts.map(|it| CanvasText {
        channel: if it.in_thought { Channel::Thought } else { Channel::Answer },
        text: it.text,
        accepted: it.accepted,
    });
    Canvas { block: step.block, step: step.step + 1, steps, entropy, text: text.collect() }
}

/// Times an answer; a pause for the recovery of the device does not count.
#[derive(Debug, Default)]
struct Clock {
    first: Option<Instant>,
    prefill_ms: f64,
    decode_ms: f64,
    /// Whether the time of the prompt is known.
    is_read: bool,
    /// The last thing that happened: the start, the end of the prompt, or tokens that came.
    last: Option<Instant>,
}

impl Clock {
    fn start(&mut self) {
        self.last = Some(Instant::now());
    }

    /// The prompt is read, and no token drawn with it.
    fn read(&mut self) {
        let now = Instant::now();
        if !self.is_read {
            self.prefill_ms = self.last.map_or(0.0, |last| ms(last, now));
            self.is_read = true;
        }
        self.last = Some(now);
    }

    fn drawn(&mut self) {
        let now = Instant::now();
        let passed = self.last.map_or(0.0, |last| ms(last, now));
        if self.is_read {
            self.decode_ms += passed;
        } else {
            self.prefill_ms = passed;
            self.is_read = true;
        }
        self.first.get_or_insert(now);
        self.last = Some(now);
    }
}

fn ms(from: Instant, to: Instant) -> f64 {
    to.duration_since(from).as_secs_f64() * 1000.0
}
