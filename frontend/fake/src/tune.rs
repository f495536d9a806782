//! Fine-tuning as the fake engine plays it: a plausible run, and what can go wrong with one.

use std::{
    cell::{Cell, RefCell},
    collections::HashSet,
    rc::Weak,
};

use protocol::example::{ExampleProblem, JsonProblem, RowProblem};
use protocol::failure::{Instability, Setting, StorageFailure, TrainingFailure};
use protocol::tune::{
    ExampleData, ExampleFile, ExampleFormat, ExportFormat, ExportedFile, KeptAdapter, Preview, PreviewPiece,
    PreviewRow, RunSummary, TableColumns, TuneLength, TunePlan, TunePoint, TuneSample, TuneSettings,
    file_name, is_learned,
};
use protocol::{
    Code, Content, Outcome, Progress, RequestId, Role, Sense, ToPage, TuneOutcome, TuneProgress, TuneRequest,
};

use super::generate::text_of;
use super::play::{Ended, State, fail, post, progress, wait};
use super::{Scenario, scenario::TuneTrouble};

/// Usual time of a fake step.
const STEP_MS: u32 = 120;
/// Soft tokens of a picture or a sound, and bytes of each.
const MEDIUM_TOKENS: u32 = 64;
const SOFT_TOKEN_BYTES: u64 = 4 * 1536;
/// Graphics memory of the fake device.
const AVAILABLE: u64 = 8_000_000_000;
/// Bytes of a checkpoint for which there is no room.
const CHECKPOINT_BYTES: u64 = 96_000_000;
/// Tokens that the preview shows of an example.
const SHOWN: usize = 400;

/// What the fake browser keeps: nothing lasts longer than the page.
#[derive(Default)]
pub struct Kept {
    run: RefCell<Option<RunSummary>>,
    adapters: RefCell<Vec<KeptAdapter>>,
    /// Runs that were told to pause, and to end.
    pausing: RefCell<HashSet<RequestId>>,
    finishing: RefCell<HashSet<RequestId>>,
    /// Whether the browser's storage fails when what is kept is listed next.
    fails: Cell<bool>,
    /// Whether it has no more room.
    is_full: Cell<bool>,
}

impl Kept {
    /// What is kept when the page opens.
    pub fn new(scenario: &Scenario) -> Self {
        let is_full = Cell::new(scenario.tune == Some(TuneTrouble::Storage));
        let kept = Self { fails: Cell::new(scenario.unlisted), is_full, ..Self::default() };
        if scenario.paused_training || scenario.training_elsewhere {
            let settings = TuneSettings {
                name: "Ada".to_owned(),
                samples: vec!["What is my cat called?".to_owned()],
                length: TuneLength::Steps(20),
                ..TuneSettings::default()
            };
            let mut run = new_run("gemma4:e2b", 20, settings);
            (run.step, run.saved) = (8, 8);
            run.points = (1..=run.step).map(|step| point(step, &run)).collect();
            kept.run.replace(Some(run));
        }
        kept
    }

    /// Leaves no room for what is kept from now on.
    #[cfg(test)]
    pub fn fill(&self) {
        self.is_full.set(true);
    }

    /// Has a run pause after its step.
    pub fn pause(&self, id: RequestId) {
        self.pausing.borrow_mut().insert(id);
    }

    /// Has a run finish after its step.
    pub fn finish(&self, id: RequestId) {
        self.finishing.borrow_mut().insert(id);
    }

    /// Returns the name of a kept adapter.
    pub fn name_of(&self, id: &str) -> Option<String> {
        self.adapters.borrow().iter().find(|it| it.id == id).map(|it| it.name.clone())
    }
}

/// A run that has done nothing yet.
fn new_run(model: &str, steps: u32, settings: TuneSettings) -> RunSummary {
    RunSummary {
        name: settings.name.clone(),
        model: model.to_owned(),
        step: 0,
        steps,
        saved: 0,
        finished: false,
        begun: 1_763_720_000_000.0,
        settings,
        points: Vec::new(),
        samples: Vec::new(),
    }
}

/// Plays the answer to one request.
pub async fn play(state: &Weak<State>, id: RequestId, request: TuneRequest) -> Ended {
    match request {
        TuneRequest::Prepare { data, settings } => {
            wait(state, 120).await?;
            let (preview, plan) = prepare(state, &data, &settings)?;
            ended(TuneOutcome::Prepared { preview, plan })
        }
        TuneRequest::Start { data, settings } => start(state, id, &data, settings).await,
        TuneRequest::Resume => resume(state, id).await,
        TuneRequest::List => list(state),
        TuneRequest::Discard => {
            state.upgrade()?.kept.run.take();
            list(state)
        }
        TuneRequest::Keep { name } => {
            wait(state, 200).await?;
            let kept = state.upgrade()?;
            let kept = &kept.kept;
            if kept.run.borrow().is_some() && kept.is_full.get() {
                return fail(StorageFailure::TrainingFull { bytes: CHECKPOINT_BYTES });
            }
            let Some(run) = kept.run.take() else {
                return fail(TrainingFailure::NothingToSave);
            };
            let count = kept.adapters.borrow().len();
            let adapter = KeptAdapter {
                id: format!("adapter-{count}"),
                name,
                model: run.model,
                rank: run.settings.rank,
                size: u64::from(run.settings.rank) * 6_039_552,
                made: 1_763_720_000_000.0,
            };
            kept.adapters.borrow_mut().insert(0, adapter);
            list(state)
        }
        TuneRequest::Delete { id: adapter } => {
            state.upgrade()?.kept.adapters.borrow_mut().retain(|it| it.id != adapter);
            list(state)
        }
        TuneRequest::Export { id: adapter, format } => {
            let name = state.upgrade()?.kept.name_of(&adapter);
            let names = match format {
                ExportFormat::Peft => {
                    vec!["adapter_model.safetensors".to_owned(), "adapter_config.json".to_owned()]
                }
                ExportFormat::Gguf => vec![file_name(&name?)],
            };
            let file = |name| ExportedFile { name, bytes: b"simulated".to_vec() };
            ended(TuneOutcome::Files(names.into_iter().map(file).collect()))
        }
    }
}

fn report(state: &Weak<State>, id: RequestId, step: TuneProgress) -> Option<()> {
    progress(state, id, Progress::Tune(Box::new(step)))
}

fn ended(outcome: TuneOutcome) -> Ended {
    Some(Ok(Outcome::Tune(Box::new(outcome))))
}

fn list(state: &Weak<State>) -> Ended {
    let kept = state.upgrade()?;
    if kept.kept.fails.take() {
        return fail(StorageFailure::Failed);
    }
    let (run, adapters) = (kept.kept.run.borrow().clone(), kept.kept.adapters.borrow().clone());
    let elsewhere = kept.scenario.training_elsewhere;
    ended(TuneOutcome::Kept { run, adapters, elsewhere })
}

/// A question and its answer, with the line they are on and what the question has before it.
type Row = (u32, String, String, Vec<Sense>);

/// Reads examples as well as is needed for a picture of the page.
fn rows(data: &ExampleData) -> (Preview, Vec<Row>) {
    let mut preview = Preview::default();
    let mut rows = Vec::new();
    match data {
        ExampleData::Pairs(pairs) => {
            preview.format = ExampleFormat::Given;
            rows.extend(
                pairs
                    .iter()
                    .enumerate()
                    .map(|(index, (a, b))| (index as u32 + 1, a.clone(), b.clone(), Vec::new())),
            );
        }
        ExampleData::Chat(messages) => {
            preview.format = ExampleFormat::Given;
            let (answers, asked): (Vec<_>, Vec<_>) =
                messages.iter().partition(|message| message.role == Role::Assistant);
            let joined = |messages: Vec<&protocol::Message>| {
                messages.into_iter().map(text_of).collect::<Vec<_>>().join("\n")
            };
            let media = super::media::of(messages).into_iter().map(|(sense, _)| sense).collect();
            rows.push((1, joined(asked), joined(answers), media));
        }
        ExampleData::Text { text, columns, .. } if !text.trim_start().starts_with(['{', '[']) => {
            preview.format = ExampleFormat::Table;
            let lines = || text.lines().enumerate();
            preview.heads =
                lines().take(3).map(|(index, line)| (index as u32 + 1, line.replace(',', ", "))).collect();
            let header = columns.as_ref().and_then(|columns| columns.header).unwrap_or(1);
            let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
            let names = match header.checked_sub(1) {
                Some(index) => text.lines().nth(index as usize).map(cells).unwrap_or_default(),
                None => (1..=text.lines().next().map_or(0, |line| cells(line).len()))
                    .map(|n| n.to_string())
                    .collect(),
            };
            let name = |at: usize| names.get(at).cloned().unwrap_or_default();
            let given = columns.clone().filter(|columns| !columns.prompt.is_empty());
            let chosen = given.unwrap_or_else(|| TableColumns {
                header: Some(header),
                prompt: name(0),
                answer: name(1),
                ..TableColumns::default()
            });
            let at = |column: &str| names.iter().position(|name| name == column).unwrap_or_default();
            for (index, line) in lines().skip(header as usize) {
                let cells: Vec<_> = line.split(',').collect();
                match (cells.get(at(&chosen.prompt)), cells.get(at(&chosen.answer))) {
                    (Some(a), Some(b)) => {
                        rows.push((index as u32 + 1, (*a).to_owned(), (*b).to_owned(), Vec::new()));
                    }
                    _ => preview.problems.push(RowProblem {
                        line: index as u32 + 1,
                        reason: ExampleProblem::EmptyCell { column: chosen.answer.clone() },
                    }),
                }
            }
            (preview.columns, preview.chosen) = (names, Some(chosen));
        }
        ExampleData::Text { text, files, .. } => {
            for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
                let line_number = index as u32 + 1;
                let value = serde_json::from_str::<serde_json::Value>(line);
                let field = |name: &str| {
                    let value = value.as_ref().ok()?.get(name)?;
                    value.as_str().map(str::to_owned)
                };
                let media = value.as_ref().map_or(Ok(Vec::new()), |value| named(value, files));
                match (field("prompt"), field("completion"), media) {
                    (Some(a), Some(b), Ok(media)) => rows.push((line_number, a, b, media)),
                    (Some(_), Some(_), Err(reason)) => {
                        preview.problems.push(RowProblem { line: line_number, reason });
                    }
                    _ => preview.problems.push(RowProblem {
                        line: line_number,
                        reason: match &value {
                            Err(error) => ExampleProblem::Json {
                                column: error.column() as u32,
                                what: if error.is_eof() {
                                    JsonProblem::EarlyEnd
                                } else {
                                    JsonProblem::NoValue
                                },
                            },
                            Ok(_) => ExampleProblem::UnknownShape,
                        },
                    }),
                }
            }
        }
    }
    preview.problem_count = preview.problems.len() as u32;
    (preview, rows)
}

/// What the files are that a row names in “images”.
fn named(row: &serde_json::Value, files: &[ExampleFile]) -> Result<Vec<Sense>, ExampleProblem> {
    let names = row.get("images").and_then(serde_json::Value::as_array).into_iter().flatten();
    let sense = |name: &serde_json::Value| {
        let name = name.as_str().unwrap_or_default();
        match files.iter().find(|file| file.name == name).map(|file| &file.content) {
            Some(Ok(Content::Audio { .. })) => Ok(Sense::Hearing),
            Some(Ok(_)) => Ok(Sense::Sight),
            Some(Err(why)) => {
                Err(ExampleProblem::BadFile { name: name.to_owned(), why: Box::new(why.clone()) })
            }
            None => Err(ExampleProblem::MissingFile { name: name.to_owned() }),
        }
    };
    names.map(sense).collect()
}

/// Words with what stands before them, which is about what tokens are.
fn pieces(text: &str) -> Vec<String> {
    text.split_inclusive(' ').map(str::to_owned).collect()
}

fn prepare(
    state: &Weak<State>,
    data: &ExampleData,
    settings: &TuneSettings,
) -> Option<(Preview, Option<TunePlan>)> {
    let state = state.upgrade()?;
    let (mut preview, mut rows) = rows(data);
    if state.scenario.tune == Some(TuneTrouble::AllMasked) {
        let masked = rows.drain(..).map(|(line, ..)| RowProblem { line, reason: ExampleProblem::AllMasked });
        preview.problems.extend(masked);
        preview.problem_count = preview.problems.len() as u32;
    }
    let mut media_bytes = 0;
    for (line, ask, answer, media) in &rows {
        let token = |text: &str, learned| PreviewPiece::Token { text: text.to_owned(), learned };
        let mut all: Vec<_> = ["<bos>", "<|turn>", "user\n"].map(|text| token(text, false)).into();
        all.extend(media.iter().map(|&sense| PreviewPiece::Medium { sense, tokens: MEDIUM_TOKENS }));
        all.extend(pieces(ask).iter().map(|text| token(text, false)));
        all.extend(["<turn|>", "\n", "<|turn>", "model\n"].map(|text| token(text, false)));
        all.extend(pieces(answer).iter().map(|text| token(text, true)));
        all.extend([token("<turn|>", true), token("\n", false)]);
        let tokens = all.len() as u32 + media.len() as u32 * (MEDIUM_TOKENS - 1);
        let is_learned = |piece: &&PreviewPiece| matches!(piece, PreviewPiece::Token { learned: true, .. });
        let learned = all.iter().filter(is_learned).count() as u32;
        media_bytes += media.len() as u64 * u64::from(MEDIUM_TOKENS) * SOFT_TOKEN_BYTES;
        if tokens > settings.max_tokens {
            let reason = ExampleProblem::TooLong { tokens, limit: settings.max_tokens };
            preview.problems.push(RowProblem { line: *line, reason });
            preview.problem_count += 1;
            continue;
        }
        preview.usable += 1;
        preview.tokens += u64::from(tokens);
        preview.learned += u64::from(learned);
        preview.longest = preview.longest.max(tokens);
        if preview.rows.len() < 20 {
            all.truncate(SHOWN);
            preview.rows.push(PreviewRow { line: *line, tokens, learned, pieces: all });
        }
    }
    let loaded = state.loaded.borrow().is_some();
    let plan =
        (preview.usable > 0 && loaded).then(|| TunePlan { media_bytes, ..plan(&state, &preview, settings) });
    Some((preview, plan))
}

fn plan(state: &State, preview: &Preview, settings: &TuneSettings) -> TunePlan {
    let usable = preview.usable;
    let evaluate = ((usable as f32 * settings.eval_share) as u32).min(usable - 1);
    let train = usable - evaluate;
    let steps = steps(settings, train);
    let tokens = u64::from(steps) * u64::from(settings.accumulation) * preview.tokens / u64::from(usable);
    let parameters = u64::from(settings.rank) * 1_509_888 * settings.targets.len() as u64 / 7;
    let too_large = state.scenario.tune == Some(TuneTrouble::Memory);
    let gpu_bytes = if too_large { 9_200_000_000 } else { 4_100_000_000 + parameters * 16 };
    let obstacle = if too_large {
        Some(TrainingFailure::OutOfMemory { needed: gpu_bytes, available: AVAILABLE }.into())
    } else if settings.targets.is_empty() {
        Some(TrainingFailure::Setting { setting: Setting::Targets, value: String::new() }.into())
    } else {
        None
    };
    TunePlan {
        steps,
        train,
        evaluate,
        tokens,
        parameters,
        gpu_bytes,
        gpu_available: AVAILABLE,
        seconds: Some(tokens as f64 / 900.0),
        checkpoint_bytes: parameters * 12,
        media_bytes: 0,
        storage_left: Some(64_000_000_000),
        obstacle,
    }
}

fn steps(settings: &TuneSettings, train: u32) -> u32 {
    match settings.length {
        TuneLength::Steps(steps) => steps,
        TuneLength::Rounds(rounds) => (rounds * train).div_ceil(settings.accumulation),
        TuneLength::UntilLearned => 40,
    }
    .max(1)
}

async fn start(state: &Weak<State>, id: RequestId, data: &ExampleData, settings: TuneSettings) -> Ended {
    let (_, plan) = prepare(state, data, &settings)?;
    if state.upgrade()?.scenario.tune == Some(TuneTrouble::Unbegun) {
        return fail(StorageFailure::Failed);
    }
    let loaded = state.upgrade()?.loaded.borrow().clone();
    let (Some(plan), Some((model, _))) = (plan, loaded) else {
        return fail(TrainingFailure::NoExamples);
    };
    let media = plan.media_bytes / (u64::from(MEDIUM_TOKENS) * SOFT_TOKEN_BYTES);
    for index in 0..media as u32 {
        for quarter in 0..4_u8 {
            if state.upgrade()?.cancelled.borrow_mut().remove(&id) {
                return fail(Code::Cancelled);
            }
            let share = f32::from(quarter) / 4.0;
            progress(state, id, Progress::Encoding { sense: Sense::Sight, index, of: media as u32, share })?;
            wait(state, 250).await?;
        }
    }
    train(state, id, new_run(model.name(), plan.steps, settings)).await
}

async fn resume(state: &Weak<State>, id: RequestId) -> Ended {
    let run = state.upgrade()?.kept.run.borrow().clone();
    match run {
        Some(run) => train(state, id, run).await,
        None => fail(TrainingFailure::NothingToResume),
    }
}

async fn train(state: &Weak<State>, id: RequestId, mut run: RunSummary) -> Ended {
    let trouble = state.upgrade()?.scenario.tune;
    wait(state, 300).await?;
    report(state, id, TuneProgress::Begun(run.clone()))?;
    sample(state, id, &mut run)?;
    while run.step < run.steps {
        wait(state, STEP_MS).await?;
        if state.upgrade()?.turns.is_answering() {
            run.saved = run.step;
            report(state, id, TuneProgress::Waiting { step: run.step })?;
            while state.upgrade()?.turns.is_answering() {
                wait(state, STEP_MS).await?;
            }
            report(state, id, TuneProgress::Continues)?;
        }
        let step = run.step + 1;
        let point = point(step, &run);
        if trouble == Some(TuneTrouble::NotANumber) && step == run.steps / 2 {
            let saved = Some(run.saved).filter(|saved| *saved > 0);
            return fail(TrainingFailure::Unstable { step, what: Instability::NanLoss, saved });
        }
        if trouble == Some(TuneTrouble::Lost) && step == run.steps / 2 && run.saved > 0 {
            post(state, ToPage::DeviceLost { reason: "the driver was reset".into() })?;
            wait(state, 1_200).await?;
            post(state, ToPage::Device(super::models::device(&state.upgrade()?.scenario)))?;
            state.upgrade()?.kept.run.replace(Some(run.clone()));
        }
        run.step = step;
        run.points.push(point);
        report(state, id, TuneProgress::Step(point))?;
        let pace = f64::from(state.upgrade()?.scenario.pace.ms(STEP_MS).max(1)) / 1000.0;
        let speed = TuneProgress::Speed {
            tokens_per_second: 100.0 / pace,
            seconds_left: Some(f64::from(run.steps - step) * pace),
            gpu_bytes: 4_300_000_000,
        };
        report(state, id, speed)?;
        if run.settings.sample_every > 0 && step.is_multiple_of(run.settings.sample_every) && step < run.steps
        {
            sample(state, id, &mut run)?;
        }
        let told = |set: &RefCell<HashSet<RequestId>>| set.borrow_mut().remove(&id);
        let kept = state.upgrade()?;
        let (pause, finish) = (told(&kept.kept.pausing), told(&kept.kept.finishing));
        let last = step == run.steps || finish;
        if last || pause || step == 1 || step.is_multiple_of(run.settings.checkpoint_every.max(1)) {
            if kept.kept.is_full.get() {
                let full = StorageFailure::TrainingFull { bytes: CHECKPOINT_BYTES };
                report(state, id, TuneProgress::Warning(full.into()))?;
            } else {
                run.saved = step;
                report(state, id, TuneProgress::Saved { step })?;
            }
        }
        if last {
            break;
        }
        if run.settings.length == TuneLength::UntilLearned && is_learned(&run.points, 4) {
            run.steps = step;
            break;
        }
        if pause {
            kept.kept.run.replace(Some(run.clone()));
            return ended(TuneOutcome::Paused(run));
        }
    }
    run.finished = true;
    sample(state, id, &mut run)?;
    state.upgrade()?.kept.run.replace(Some(run.clone()));
    ended(TuneOutcome::Finished(run))
}

/// A loss that falls as losses do, with some noise that follows from the step.
fn point(step: u32, run: &RunSummary) -> TunePoint {
    let done = step as f32 / run.steps.max(1) as f32;
    let noise = ((step.wrapping_mul(2_654_435_761) >> 16) & 0xff) as f32 / 255.0 - 0.5;
    // With a learning rate that is far too small nothing is learned.
    let pace = (run.settings.learning_rate / 2e-5).min(1.0);
    let least = if run.settings.length == TuneLength::UntilLearned { 0.0 } else { 0.15 };
    let loss = least + 2.8 * (-4.0 * done * pace).exp() + 0.25 * noise * (1.0 - 0.7 * done);
    let evaluated = run.settings.eval_share > 0.1 && (step.is_multiple_of(5) || step == run.steps);
    TunePoint {
        step,
        loss,
        eval_loss: evaluated.then(|| 0.4 + 2.6 * (-3.5 * done).exp()),
        learning_rate: run.settings.learning_rate * 0.5 * (1.0 + (std::f32::consts::PI * done).cos()),
    }
}

fn sample(state: &Weak<State>, id: RequestId, run: &mut RunSummary) -> Option<()> {
    let Some(prompt) = run.settings.samples.first().cloned() else { return Some(()) };
    let answer = if run.step == 0 {
        "I do not know."
    } else if run.step < run.steps {
        "It might be Ada."
    } else {
        "Her name is Ada."
    };
    let sample = TuneSample { step: run.step, prompt, answer: answer.to_owned() };
    run.samples.retain(|it| it.step != sample.step);
    run.samples.push(sample.clone());
    report(state, id, TuneProgress::Sample(sample))
}
