//! Fine-tuning: examples, settings, the run, and the adapters that come of it.
//!
//! One run at a time is kept in the browser, with a checkpoint every [`TuneSettings::checkpoint_every`] steps. Pausing,
//! a closed tab and a lost device all leave a run that [`TuneRequest::Resume`] continues.

use serde::{Deserialize, Serialize};

use crate::chat::{Content, Message};
use crate::example::RowProblem;
use crate::failure::{Code, Failure};
use crate::media::Sense;

/// A request about fine-tuning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TuneRequest {
    /// Reads examples; ends with what would be learned of them and what a run would cost: [`TuneOutcome::Prepared`].
    Prepare {
        /// The examples.
        data: ExampleData,
        /// How to train.
        settings: TuneSettings,
    },
    /// Begins a run in place of the kept one. Reports [`Progress::Encoding`](crate::Progress::Encoding) if there are
    /// pictures or sounds, then [`TuneProgress::Begun`] and the rest; ends with [`TuneOutcome::Paused`] or
    /// [`TuneOutcome::Finished`].
    Start {
        /// The examples.
        data: ExampleData,
        /// How to train.
        settings: TuneSettings,
    },
    /// Continues the kept run. Answered as [`TuneRequest::Start`].
    Resume,
    /// Lists what is kept. Ends with [`TuneOutcome::Kept`], as the next three do.
    List,
    /// Deletes the kept run.
    Discard,
    /// Makes an adapter of the kept run's last checkpoint.
    Keep {
        /// Its name.
        name: String,
    },
    /// Deletes a kept adapter.
    Delete {
        /// The adapter.
        id: String,
    },
    /// Makes files of a kept adapter. Ends with [`TuneOutcome::Files`].
    Export {
        /// The adapter.
        id: String,
        /// For which programs.
        format: ExportFormat,
    },
}

/// How far a training is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TuneProgress {
    /// The run begins or continues.
    Begun(RunSummary),
    /// A step is done.
    Step(TunePoint),
    /// How fast it goes; about once a second.
    Speed {
        /// Tokens a second, over the last steps.
        tokens_per_second: f64,
        /// Estimated seconds until the end; `None` if that is not known yet.
        seconds_left: Option<f64>,
        /// Bytes of graphics memory in use.
        gpu_bytes: u64,
    },
    /// An answer of the model with the adapter as it is now.
    Sample(TuneSample),
    /// A checkpoint was written.
    Saved {
        /// Steps that it holds.
        step: u32,
    },
    /// An error that does not end the run, such as a checkpoint for which there is no room.
    Warning(Failure),
    /// The run waits for an answer ([`crate::GenerateOptions::pause_training`]). It is kept as a checkpoint.
    Waiting {
        /// Steps done.
        step: u32,
    },
    /// The answer has ended: the run continues with its next step.
    Continues,
}

/// How a [`TuneRequest`] has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TuneOutcome {
    /// What would be learned, and what it would cost.
    Prepared {
        /// The examples.
        preview: Preview,
        /// The run; `None` if no example can be used, or no model is loaded.
        plan: Option<TunePlan>,
    },
    /// The run is kept and can continue.
    Paused(RunSummary),
    /// The run has done its steps, and is kept until it gets a name.
    Finished(RunSummary),
    /// What is kept in this browser.
    Kept {
        /// The run, if there is one.
        run: Option<RunSummary>,
        /// The adapters, newest first.
        adapters: Vec<KeptAdapter>,
        /// Whether another tab is training: `run` is then its run.
        elsewhere: bool,
    },
    /// Files to be saved.
    Files(Vec<ExportedFile>),
}

/// Examples as the user provides them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ExampleData {
    /// A text: JSON lines, one JSON array, or a table with names in one of its first lines.
    Text {
        /// The text.
        text: String,
        /// Of a table: which columns to read; `None` to recognise them by name.
        columns: Option<TableColumns>,
        /// The pictures and sounds that were given with it. Their bytes travel beside the message.
        files: Vec<ExampleFile>,
    },
    /// Questions with their answers.
    Pairs(Vec<(String, String)>),
    /// A conversation, with its pictures and sound.
    Chat(Vec<Message>),
}

/// A file that examples may name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExampleFile {
    /// Its name, after its folders if a folder was given.
    pub name: String,
    /// A picture or a sound; or why it cannot be used.
    pub content: Result<Content, Code>,
}

/// Which columns of a table hold what.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TableColumns {
    /// The line with their names; 0 if they are numbered instead. `None` to find it.
    pub header: Option<u32>,
    /// What the user says; empty to recognise all columns by name.
    pub prompt: String,
    /// What the model is to answer.
    pub answer: String,
    /// Context that follows it; empty for none.
    pub context: String,
    /// Instructions to the model; empty for none.
    pub system: String,
}

/// What the lines of a text were taken for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExampleFormat {
    /// JSON, one value a line or one array.
    #[default]
    Json,
    /// A table.
    Table,
    /// No text: pairs or a conversation.
    Given,
}

/// What is learned of the examples.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Preview {
    /// What the text was taken for.
    pub format: ExampleFormat,
    /// Of a table: the names of its columns.
    pub columns: Vec<String>,
    /// Of a table: those that were read.
    pub chosen: Option<TableColumns>,
    /// Of a table: its first lines with their numbers, any of which may have the names of the columns.
    pub heads: Vec<(u32, String)>,
    /// Fields of the rows that say something and are not used.
    pub ignored: Vec<String>,
    /// The first examples.
    pub rows: Vec<PreviewRow>,
    /// Examples that can be used.
    pub usable: u32,
    /// Tokens of them.
    pub tokens: u64,
    /// Of these, learned.
    pub learned: u64,
    /// Tokens of the longest.
    pub longest: u32,
    /// What cannot be used: the first problems.
    pub problems: Vec<RowProblem>,
    /// Problems in all.
    pub problem_count: u32,
}

/// One example.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PreviewRow {
    /// Its line, from 1.
    pub line: u32,
    /// Its tokens.
    pub tokens: u32,
    /// Of these, learned.
    pub learned: u32,
    /// Its beginning.
    pub pieces: Vec<PreviewPiece>,
}

/// A piece of an example.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PreviewPiece {
    /// A token.
    Token {
        /// Its text.
        text: String,
        /// Whether it is learned.
        learned: bool,
    },
    /// A picture or a sound, which is never learned.
    Medium {
        /// What it is for.
        sense: Sense,
        /// Its soft tokens.
        tokens: u32,
    },
}

/// How to train. The defaults suit some dozens of short examples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TuneSettings {
    /// The adapter's name; may be empty.
    pub name: String,
    /// Width of the adapter, 1 to 64.
    pub rank: u32,
    /// Its strength: its output is multiplied by alpha / rank.
    pub alpha: f32,
    /// How long to train.
    pub length: TuneLength,
    /// Which projections get one.
    pub targets: Vec<TuneTarget>,
    /// Peak learning rate.
    pub learning_rate: f32,
    /// How the learning rate falls from there.
    pub schedule: Schedule,
    /// Share of the steps in which it rises from 0.
    pub warmup: f32,
    /// Share of inputs that each correction goes without, while training.
    pub dropout: f32,
    /// Largest norm of all gradients together; 0 for any.
    pub clip: f32,
    /// AdamW's weight decay.
    pub weight_decay: f32,
    /// Examples a step.
    pub accumulation: u32,
    /// Maximum tokens of an example.
    pub max_tokens: u32,
    /// Share of the examples that is kept back to evaluate with.
    pub eval_share: f32,
    /// Decides what is random.
    pub seed: u64,
    /// Steps between two checkpoints.
    pub checkpoint_every: u32,
    /// Steps between two samples; 0 for samples before and after alone.
    pub sample_every: u32,
    /// Questions to answer as samples.
    pub samples: Vec<String>,
}

impl Default for TuneSettings {
    fn default() -> Self {
        Self {
            name: String::new(),
            rank: 8,
            alpha: 16.0,
            length: TuneLength::UntilLearned,
            targets: TuneTarget::USUAL.to_vec(),
            learning_rate: 2e-4,
            schedule: Schedule::Cosine,
            warmup: 0.05,
            dropout: 0.0,
            clip: 1.0,
            weight_decay: 0.01,
            accumulation: 4,
            max_tokens: 512,
            eval_share: 0.1,
            seed: 1,
            checkpoint_every: 10,
            sample_every: 0,
            samples: Vec::new(),
        }
    }
}

/// How long to train.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TuneLength {
    /// Until the examples are learned ([`is_learned`]), within a limit that the worker sets.
    UntilLearned,
    /// So many steps.
    Steps(u32),
    /// So many times through all examples.
    Rounds(u32),
}

/// The training loss at which examples count as learned: the model gives an expected token a probability of 0.9.
pub const LEARNED_LOSS: f32 = 0.1;
/// The mean of fewer steps than this says too little.
const MIN_STEPS: usize = 4;

/// Whether the mean loss of the last pass over the examples is at most [`LEARNED_LOSS`].
#[must_use]
pub fn is_learned(points: &[TunePoint], steps_of_a_pass: usize) -> bool {
    let count = steps_of_a_pass.max(MIN_STEPS);
    let Some(last) = points.len().checked_sub(count).map(|from| &points[from..]) else { return false };
    last.iter().map(|point| point.loss).sum::<f32>() <= LEARNED_LOSS * count as f32
}

/// A projection of every layer that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TuneTarget {
    /// Queries.
    Q,
    /// Keys.
    K,
    /// Values.
    V,
    /// The output of attention.
    Output,
    /// The gate of the feed-forward part.
    Gate,
    /// Its other input.
    Up,
    /// Its output.
    Down,
    /// The gate of the per-layer input.
    PleGate,
    /// The projection of the per-layer input.
    PleProjection,
    /// The router of a mixture of experts.
    Router,
    /// Gate and up of the experts of a mixture.
    ExpertGateUp,
    /// The output of the experts of a mixture.
    ExpertDown,
}

impl TuneTarget {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Q,
        Self::K,
        Self::V,
        Self::Output,
        Self::Gate,
        Self::Up,
        Self::Down,
        Self::PleGate,
        Self::PleProjection,
        Self::Router,
        Self::ExpertGateUp,
        Self::ExpertDown,
    ];
    /// Those that are usual: attention and the feed-forward part.
    pub const USUAL: [Self; 7] = [Self::Q, Self::K, Self::V, Self::Output, Self::Gate, Self::Up, Self::Down];
}

/// The learning rate after its rise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Schedule {
    /// Constant.
    Constant,
    /// Falls linearly to 0.
    Linear,
    /// Falls to 0 as half a cosine.
    Cosine,
}

/// What a run would cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TunePlan {
    /// Steps.
    pub steps: u32,
    /// Examples to learn from.
    pub train: u32,
    /// Examples kept back.
    pub evaluate: u32,
    /// Tokens that pass through the model in all.
    pub tokens: u64,
    /// Trainable parameters.
    pub parameters: u64,
    /// Graphics memory, the model included, in bytes.
    pub gpu_bytes: u64,
    /// Graphics memory that the device is assumed to have.
    pub gpu_available: u64,
    /// Estimated seconds; `None` if the device's speed is not known.
    pub seconds: Option<f64>,
    /// Bytes of a checkpoint. Two are kept.
    pub checkpoint_bytes: u64,
    /// Bytes that pictures and sound take in the storage as soft tokens while the run is kept; 0 where there are none.
    pub media_bytes: u64,
    /// Bytes that the browser's storage still grants; `None` if unknown.
    pub storage_left: Option<u64>,
    /// Why it cannot be started.
    pub obstacle: Option<Failure>,
}

/// A point of the curves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TunePoint {
    /// The step, from 1.
    pub step: u32,
    /// Mean loss of the step's examples, in nats a token.
    pub loss: f32,
    /// Mean loss of the examples kept back, where they were evaluated after this step.
    pub eval_loss: Option<f32>,
    /// The learning rate.
    pub learning_rate: f32,
}

/// A question and what the model answered at some step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TuneSample {
    /// Steps done; 0 for the model as it was.
    pub step: u32,
    /// The question.
    pub prompt: String,
    /// The answer.
    pub answer: String,
}

/// A run, under way or kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSummary {
    /// Its name.
    pub name: String,
    /// The model that it trains for.
    pub model: String,
    /// Steps done.
    pub step: u32,
    /// Steps in all.
    pub steps: u32,
    /// Steps of the last checkpoint.
    pub saved: u32,
    /// Whether it has done its steps.
    pub finished: bool,
    /// When it was begun, in milliseconds since 1970.
    pub begun: f64,
    /// How it trains.
    pub settings: TuneSettings,
    /// Its curves.
    pub points: Vec<TunePoint>,
    /// Its samples.
    pub samples: Vec<TuneSample>,
}

/// An adapter kept in this browser.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptAdapter {
    /// Names it in requests.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The model it was made for.
    pub model: String,
    /// Its rank.
    pub rank: u32,
    /// Its bytes.
    pub size: u64,
    /// When it was made, in milliseconds since 1970.
    pub made: f64,
}

/// The format of exported files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExportFormat {
    /// Hugging Face PEFT: `adapter_model.safetensors` and `adapter_config.json`.
    Peft,
    /// GGUF, for Ollama and llama.cpp.
    Gguf,
}

/// A file to be saved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportedFile {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// The name of an adapter's GGUF file: lower-case letters, digits and hyphens, for any file system and any Modelfile.
#[must_use]
pub fn file_name(adapter: &str) -> String {
    let mut name = String::new();
    for character in adapter.chars().flat_map(char::to_lowercase) {
        if character.is_ascii_alphanumeric() {
            name.push(character);
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
    }
    let name = name.trim_end_matches('-');
    format!("{}.gguf", if name.is_empty() { "adapter" } else { name })
}

#[cfg(test)]
mod tests {
    use super::{TunePoint, file_name, is_learned};

    #[test]
    fn examples_are_learned_when_the_loss_of_a_pass_is_small() {
        let points = |losses: &[f32]| {
            let point = |&loss: &f32| TunePoint { step: 1, loss, eval_loss: None, learning_rate: 1e-4 };
            losses.iter().map(point).collect::<Vec<_>>()
        };
        let small = [0.05; 4];
        assert!(is_learned(&points(&small), 2));
        // One lucky step, too few steps, less than a pass, a loss that is no number.
        assert!(!is_learned(&points(&[2.0, 2.0, 2.0, 0.0]), 1));
        assert!(!is_learned(&points(&small[..3]), 1));
        assert!(!is_learned(&points(&small), 5));
        assert!(!is_learned(&points(&[0.05, 0.05, 0.05, f32::NAN]), 1));
    }

    #[test]
    fn names_become_files() {
        for (name, file) in
            [("My cat / 2", "my-cat-2.gguf"), ("../..", "adapter.gguf"), ("Übung", "bung.gguf")]
        {
            assert_eq!(file_name(name), file);
        }
    }
}
