//! The run: steps, checkpoints, samples, and what ends it.
//!
//! A run that is paused, cancelled, cut off or that lost its device leaves a checkpoint and continues from it: the order of
//! the examples and the learning rate follow from the step alone.
//!
//! An answer that may pause a training ([`protocol::GenerateOptions::pause_training`]) gets the model between two steps, after a
//! checkpoint. The trainer stays in memory and continues when the answer has ended.

use std::collections::VecDeque;
use std::rc::Rc;

use engine::adapter::gguf;
use engine::bytes::{CancelToken, SourceError};
use engine::gpu::Gpu;
use engine::session::{Control, EngineError, Event, Options, Session};
use engine::template::Piece;
use engine::train::{Example, StepReport, TrainError, Trainer, order};
use futures_util::lock::MutexGuard;
use protocol::failure::TrainingFailure;
use protocol::tune::{self, RunSummary, TuneLength, TunePoint, TuneSample, TuneSettings};
use protocol::{Failure, Message, Outcome, Progress, Role, TuneOutcome, TuneProgress};
use shaders::sampling::Settings as Sampling;
use web_time::Instant;

use super::{TrainingData, convert, failures, kept, plan, soft_tokens};
use crate::host::recovery::{self, Losses};
use crate::host::{Host, Ready, Slot};
use crate::state::tasks::{Ending, Task};
use crate::state::tuning::{Checkpoint, Examples, KeptExample, SoftTokenFiles, TuneStores};
use crate::{convert as conversion, failure, keeping};

/// Evaluations in a run.
const EVALUATIONS: u32 = 10;
/// Steps over which the speed is taken.
const SPEED_STEPS: usize = 10;
/// Most tokens of a sample.
const SAMPLE_TOKENS: u32 = 64;
/// The name of the adapter in the session while a sample is drawn.
const SAMPLE_ADAPTER: &str = "training";

/// Answers [`protocol::TuneRequest::Start`] where `begin` says with what, else [`protocol::TuneRequest::Resume`].
pub async fn run(
    host: Rc<Host>,
    begin: Option<(TrainingData, TuneSettings)>,
    task: Task,
) -> Result<Outcome, Failure> {
    let Some(_lock) = host.tuning.lock().await else { return Err(kept::elsewhere(&host).await) };
    let _paused = keeping::pause(&host);
    let slot = host.slot(&task.cancel).await?;
    let outcome = run_in(&host, slot, begin, &task).await?;
    Ok(Outcome::Tune(Box::new(outcome)))
}

async fn run_in(
    host: &Rc<Host>,
    mut slot: MutexGuard<'_, Slot>,
    begin: Option<(TrainingData, TuneSettings)>,
    task: &Task,
) -> Result<TuneOutcome, Failure> {
    recovery::ensure(host, &mut slot, &task.cancel).await?;
    let of_store = |error| kept::of_store(&error);
    let stores = host.tuning.stores().await.map_err(of_store)?;
    let (summary, data) = match begin {
        Some((data, settings)) => start(host, &mut slot, &stores, &data, settings, task).await?,
        None => {
            let last = stores.run_store.last().await.map_err(of_store)?.ok_or_else(nothing_kept)?;
            let data =
                stores.run_store.examples(&last.run).await.map_err(of_store)?.ok_or_else(nothing_kept)?;
            (last.run, data)
        }
    };
    let model = plan::model(host)?;
    if summary.model != model.name {
        return Err(TrainingFailure::ForModel { model: summary.model }.into());
    }
    let restored = |kept: &[KeptExample]| {
        let examples = kept.iter().map(|example| example.restore(model.tokenizer.special()));
        examples.collect::<Result<Vec<_>, _>>().map_err(|error| failure::of(&error.into(), None))
    };
    let (train, evaluate) = (restored(&data.train)?, restored(&data.evaluate)?);
    let mut run = Run {
        host,
        stores: &stores,
        task,
        summary,
        train,
        evaluate,
        speed: VecDeque::new(),
        reported: None,
        gpu_bytes: 0,
    };
    run.follow(slot).await
}

fn nothing_kept() -> Failure {
    TrainingFailure::NothingToResume.into()
}

/// Reads the examples, encodes their pictures and sounds, and puts all where a later visit finds it.
async fn start(
    host: &Rc<Host>,
    slot: &mut Slot,
    stores: &TuneStores,
    given: &TrainingData,
    settings: TuneSettings,
    task: &Task,
) -> Result<(RunSummary, Examples), Failure> {
    let model = plan::model(host)?;
    let prepared = plan::read(host, &model, given, &settings, &task.cancel).await?;
    if prepared.train.is_empty() {
        return Err(failures::of(TrainError::NoExamples, None));
    }
    // Before the run that is kept makes room: what cannot begin must cost nothing.
    let wanted = convert::settings(&settings, prepared.steps, prepared.preview.longest);
    let ready = recovery::ensure(host, slot, &task.cancel).await?;
    let session = ready.session.autoregressive().map_err(|error| failure::of(&error, None))?;
    let base = session.training_base();
    let memory = Trainer::plan(&base, &wanted).map_err(|error| failures::of(error, None))?;
    if let Some(failure) = plan::obstacle(memory.parameters) {
        return Err(failure);
    }
    let sources = prepared.sources;
    if let Some(failure) = sources.obstacle(base.config.width, stores) {
        return Err(failure);
    }
    drop(base);
    let files = SoftTokenFiles(Rc::clone(stores.run_store.folder()));
    let encoded = soft_tokens::encode(host, slot, (&sources, &given.handles), &files, task).await;
    if let Err(failure) = encoded {
        // What is left of it costs room, no more, and is deleted with the next visit at the latest.
        stores.run_store.tidy().await.ok();
        return Err(failure);
    }
    let rows = |examples: Vec<Example>| examples.into_iter().map(KeptExample::of).collect();
    let begun = host.platform.now();
    let data = Examples { run: begun, train: rows(prepared.train), evaluate: rows(prepared.evaluate) };
    let trouble = match stores.run_store.begin(&data).await {
        Ok(()) => stores.fleeting.clone(),
        Err(error) => Some(error),
    };
    if let Some(error) = trouble {
        report(host, task, TuneProgress::Warning(kept::of_store(&error)));
    }
    let summary = RunSummary {
        name: settings.name.clone(),
        model: model.name.clone(),
        step: 0,
        steps: prepared.steps,
        saved: 0,
        finished: false,
        begun,
        settings,
        points: Vec::new(),
        samples: Vec::new(),
    };
    Ok((summary, data))
}

fn report(host: &Host, task: &Task, progress: TuneProgress) {
    host.progress(task.id, Progress::Tune(Box::new(progress)));
}

/// A run under way.
struct Run<'a> {
    host: &'a Rc<Host>,
    stores: &'a TuneStores,
    task: &'a Task,
    summary: RunSummary,
    train: Vec<Example>,
    evaluate: Vec<Example>,
    /// Tokens and milliseconds of the last steps.
    speed: VecDeque<(u32, f64)>,
    reported: Option<Instant>,
    gpu_bytes: u64,
}

/// Why the steps ended.
enum Stopped {
    /// The device may be lost; the engine's error says more.
    Engine(EngineError),
    /// The failure to report.
    Failed(Failure),
    /// The device changed during an answer: continue from the checkpoint.
    Interrupted,
}

/// The model, while the run has it.
type SlotGuard<'s> = Option<MutexGuard<'s, Slot>>;

/// The session, if it is still on this device.
fn ready_on<'h>(held: &'h mut SlotGuard<'_>, gpu: &Rc<Gpu>) -> Result<&'h mut Ready, Stopped> {
    let ready = held.as_mut().and_then(|slot| slot.as_mut());
    ready.filter(|ready| Rc::ptr_eq(&ready.gpu, gpu)).ok_or(Stopped::Interrupted)
}

impl<'a> Run<'a> {
    fn report(&self, progress: TuneProgress) {
        report(self.host, self.task, progress);
    }

    /// Trains, on a new device where the old one is lost.
    async fn follow(&mut self, slot: MutexGuard<'a, Slot>) -> Result<TuneOutcome, Failure> {
        let mut losses = Losses::default();
        let mut held = Some(slot);
        loop {
            let before = self.summary.saved;
            // An answer that came between has left it to others.
            let slot = match &mut held {
                Some(slot) => slot,
                None => held.insert(self.host.slot(&self.task.cancel).await?),
            };
            let gpu = Rc::clone(&recovery::ensure(self.host, slot, &self.task.cancel).await?.gpu);
            let error = match self.on(&mut held, &gpu).await {
                Ok(outcome) => return Ok(outcome),
                Err(Stopped::Failed(failure)) => return Err(failure),
                Err(Stopped::Interrupted) => continue,
                Err(Stopped::Engine(error)) => error,
            };
            if self.summary.saved > before {
                losses.reset();
            }
            let slot = held.as_deref_mut();
            losses.record(self.host, slot, (&gpu, &error), |error| failure::of(error, None)).await?;
        }
    }

    /// Trains on this device, from the last checkpoint.
    async fn on(&mut self, held: &mut SlotGuard<'a>, gpu: &Rc<Gpu>) -> Result<TuneOutcome, Stopped> {
        let ready = ready_on(held, gpu)?;
        let longest =
            self.train.iter().chain(&self.evaluate).map(|it| it.input.len()).max().unwrap_or_default();
        let settings = convert::settings(&self.summary.settings, self.summary.steps, longest as u32);
        // Nothing is seen or heard from here on.
        ready.free_towers();
        let base = ready.session.autoregressive().map_err(Stopped::Engine)?.training_base();
        let made = Trainer::new(Rc::clone(&ready.gpu), base, settings, None).await;
        let mut trainer = made.map_err(|error| self.stopped(error))?;
        trainer.set_soft_tokens(Rc::new(SoftTokenFiles(Rc::clone(self.stores.run_store.folder()))));
        self.restore(&mut trainer).await?;
        self.gpu_bytes = ready.memory_without_towers() + trainer.memory().bytes();
        self.report(TuneProgress::Begun(self.summary.clone()));
        if self.summary.step == 0 {
            self.sample(ready_on(held, gpu)?, &trainer).await?;
        }
        while self.summary.step < self.summary.steps {
            let ending = self.task.ending.take();
            if self.task.cancel.is_cancelled() || ending == Some(Ending::Pause) {
                return self.pause(&trainer).await;
            }
            if ending == Some(Ending::Finish) {
                break;
            }
            let interruption = self.host.tuning.interruption.take();
            if let Some(over) = interruption {
                if self.summary.step > self.summary.saved {
                    self.save(&trainer).await?;
                }
                self.give_way(held, over).await;
                if self.task.cancel.is_cancelled() {
                    return self.pause(&trainer).await;
                }
                ready_on(held, gpu)?.free_towers();
                continue;
            }
            match self.step(&mut trainer).await {
                Ok(()) => {}
                Err(TrainError::Cancelled) => return self.pause(&trainer).await,
                Err(error) => {
                    if matches!(error, TrainError::NotFinite { .. }) {
                        self.host.keeper.doubt().await;
                    }
                    return Err(self.stopped(error));
                }
            }
            self.host.losses.set(0);
            let (step, every) = (self.summary.step, &self.summary.settings);
            if step == self.summary.steps {
                break;
            }
            let pass = self.train.len().div_ceil(convert::batch(every) as usize);
            if every.length == TuneLength::UntilLearned && tune::is_learned(&self.summary.points, pass) {
                self.summary.steps = step;
                break;
            }
            let (checkpoint, sample) = (every.checkpoint_every.max(1), every.sample_every);
            if sample > 0 && step.is_multiple_of(sample) {
                self.sample(ready_on(held, gpu)?, &trainer).await?;
            }
            // The first one soon, so that a closed tab does not lose all.
            if step == 1 || step.is_multiple_of(checkpoint) {
                self.save(&trainer).await?;
            }
        }
        self.summary.finished = true;
        self.sample(ready_on(held, gpu)?, &trainer).await?;
        self.save(&trainer).await?;
        Ok(TuneOutcome::Finished(self.summary.clone()))
    }

    /// Leaves the model to an answer until that is over, and takes it again.
    async fn give_way(&self, held: &mut SlotGuard<'a>, over: CancelToken) {
        self.report(TuneProgress::Waiting { step: self.summary.step });
        *held = None;
        // What has been stopped meanwhile is seen by whoever asks next.
        let cancel = &self.task.cancel;
        let answered = over.guard(std::future::pending::<Result<(), SourceError>>());
        cancel.guard(async { Ok::<_, SourceError>(answered.await.is_ok()) }).await.ok();
        *held = self.host.slot(cancel).await.ok();
        self.report(TuneProgress::Continues);
    }

    /// Puts the trainer where the last checkpoint is, or at the beginning.
    async fn restore(&mut self, trainer: &mut Trainer) -> Result<(), Stopped> {
        let of_store = |error| Stopped::Failed(kept::of_store(&error));
        let last: Option<Checkpoint> = self.stores.run_store.last().await.map_err(of_store)?;
        let last = last.filter(|last| last.run.begun == self.summary.begun);
        let weights = match &last {
            Some(last) => self.stores.run_store.weights(last).await.map_err(of_store)?,
            None => None,
        };
        match (last, weights) {
            (Some(last), Some(weights)) => {
                trainer.restore(&weights).await.map_err(|error| self.stopped(error))?;
                self.summary = last.run;
            }
            (Some(_), None) => {
                let error = TrainError::Checkpoint { reason: "it is damaged".to_owned() };
                return Err(self.stopped(error));
            }
            // Lost before the first checkpoint: all is done again.
            (None, _) => {
                self.summary.step = 0;
                self.summary.points.clear();
            }
        }
        self.summary.finished = false;
        Ok(())
    }

    async fn step(&mut self, trainer: &mut Trainer) -> Result<(), TrainError> {
        let settings = &self.summary.settings;
        let batch = convert::batch(settings) as usize;
        let chosen = order(settings.seed, self.train.len(), batch, self.summary.step);
        let batch: Vec<Example> = chosen.into_iter().map(|at| self.train[at].clone()).collect();
        let report = trainer.step(&batch, &self.task.cancel).await?;
        let every = self.summary.steps.div_ceil(EVALUATIONS);
        let due = report.step.is_multiple_of(every) || report.step == self.summary.steps;
        let eval_loss = if due && !self.evaluate.is_empty() {
            match trainer.evaluate(&self.evaluate, &self.task.cancel).await {
                Ok(loss) => Some(loss as f32),
                // The step is done; what comes next looks at the cancelling.
                Err(TrainError::Cancelled) => None,
                Err(error) => return Err(error),
            }
        } else {
            None
        };
        let point = TunePoint {
            step: report.step,
            loss: report.loss as f32,
            eval_loss,
            learning_rate: report.learning_rate as f32,
        };
        self.summary.step = report.step;
        self.summary.points.push(point);
        self.report(TuneProgress::Step(point));
        self.tell_speed(&report);
        Ok(())
    }

    /// About once a second, and after the first step.
    fn tell_speed(&mut self, report: &StepReport) {
        self.speed.push_back((report.tokens, report.milliseconds));
        if self.speed.len() > SPEED_STEPS {
            self.speed.pop_front();
        }
        if self.reported.is_some_and(|reported| reported.elapsed().as_millis() < 1000) {
            return;
        }
        self.reported = Some(Instant::now());
        let tokens: f64 = self.speed.iter().map(|(tokens, _)| f64::from(*tokens)).sum();
        let seconds = self.speed.iter().map(|(_, ms)| ms).sum::<f64>() / 1000.0;
        let left = f64::from(self.summary.steps - self.summary.step) * seconds / self.speed.len() as f64;
        self.report(TuneProgress::Speed {
            tokens_per_second: if seconds > 0.0 { tokens / seconds } else { 0.0 },
            seconds_left: Some(left),
            gpu_bytes: self.gpu_bytes,
        });
    }

    /// Writes a checkpoint. If there is no room for it, the run warns and continues.
    async fn save(&mut self, trainer: &Trainer) -> Result<(), Stopped> {
        let weights = trainer.checkpoint().await.map_err(|error| self.stopped(error))?;
        let adapter = trainer.adapter().await.map_err(|error| self.stopped(error))?;
        let file = gguf::write(&adapter, &self.summary.name, Vec::new())
            .map_err(|error| self.stopped(error.into()))?;
        let summary = RunSummary { saved: self.summary.step, ..self.summary.clone() };
        match self.stores.run_store.save(&summary, &weights, &file).await {
            Ok(()) => {
                self.summary.saved = self.summary.step;
                self.report(TuneProgress::Saved { step: self.summary.saved });
            }
            Err(error) => self.report(TuneProgress::Warning(kept::of_store(&error))),
        }
        Ok(())
    }

    async fn pause(&mut self, trainer: &Trainer) -> Result<TuneOutcome, Stopped> {
        self.save(trainer).await?;
        Ok(TuneOutcome::Paused(self.summary.clone()))
    }

    fn stopped(&self, error: TrainError) -> Stopped {
        match error {
            TrainError::Gpu(error) => Stopped::Engine(EngineError::Gpu(error)),
            error => {
                Stopped::Failed(failures::of(error, Some(self.summary.saved).filter(|&saved| saved > 0)))
            }
        }
    }

    /// Answers the sample questions with the adapter as it is. What goes wrong costs the samples, not what was learned,
    /// unless the device is lost.
    async fn sample(&mut self, ready: &mut Ready, trainer: &Trainer) -> Result<(), Stopped> {
        let prompts = self.summary.settings.samples.clone();
        if prompts.is_empty() || self.task.cancel.is_cancelled() {
            return Ok(());
        }
        let session = ready.session.autoregressive_mut().map_err(Stopped::Engine)?;
        let others = session.adapters().to_vec();
        let answered = self.answer_all(session, trainer, prompts).await;
        let restored = session.use_adapters(others).await.map_err(Stopped::Engine);
        match answered {
            Err(Stopped::Engine(error)) if recovery::lost(self.host, &ready.gpu, &error).await.is_none() => {
                self.report(TuneProgress::Warning(failure::of(&error, None)));
                restored
            }
            answered => answered.and(restored),
        }
    }

    async fn answer_all(
        &mut self,
        session: &mut Session,
        trainer: &Trainer,
        prompts: Vec<String>,
    ) -> Result<(), Stopped> {
        session.use_adapters(Vec::new()).await.map_err(Stopped::Engine)?;
        if self.summary.step > 0 {
            let adapter = trainer.adapter().await.map_err(|error| self.stopped(error))?;
            session.add_adapter(SAMPLE_ADAPTER, adapter, 1.0).await.map_err(Stopped::Engine)?;
        }
        for prompt in prompts {
            let answer = self.answer(session, &prompt).await?;
            if self.task.cancel.is_cancelled() {
                // Half an answer would be taken for a whole one.
                break;
            }
            let sample = TuneSample { step: self.summary.step, prompt, answer };
            self.summary.samples.retain(|it| (it.step, &it.prompt) != (sample.step, &sample.prompt));
            self.summary.samples.push(sample.clone());
            self.report(TuneProgress::Sample(sample));
        }
        Ok(())
    }

    async fn answer(&self, session: &mut Session, question: &str) -> Result<String, Stopped> {
        let model = plan::model(self.host).map_err(Stopped::Failed)?;
        let messages = [Message::text(Role::User, question)];
        let prompt =
            conversion::prompt(model.variant, &messages, &[], false, &[]).map_err(Stopped::Failed)?;
        let ids = prompt.encode(&model.tokenizer).map_err(|error| Stopped::Engine(error.into()))?;
        let options = Options {
            settings: Sampling { temperature: 0.0, ..Sampling::default() },
            max_tokens: SAMPLE_TOKENS,
            in_thought: prompt.ends_in_thought(),
            ..Options::default()
        };
        let mut text = String::new();
        let mut hear = |event| {
            if let Event::Piece(Piece::Answer(piece) | Piece::BrokenCall { raw: piece, .. }, _) = event {
                text.push_str(&piece);
            }
        };
        let control = Control { cancel: self.task.cancel.clone(), ..Control::default() };
        session.generate(&ids, &options, &control, &mut hear).await.map_err(Stopped::Engine)?;
        Ok(text)
    }
}
