//! What takes turns.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What every engine is to do.
pub struct Work {
    /// The model file.
    pub model: PathBuf,
    /// Pieces of its vocabulary.
    pub vocabulary: u32,
    /// Tokens of a prompt.
    pub prompt: u32,
    /// Tokens of an answer.
    pub answer: u32,
}

impl Work {
    /// The context that it needs.
    pub fn context(&self) -> u32 {
        self.prompt + self.answer + 1
    }
}

/// An engine with the model loaded.
pub trait Engine {
    /// What to call it.
    fn name(&self) -> &str;

    /// What it says of itself.
    fn about(&self) -> Value;

    /// Reads the prompt of this round and answers.
    ///
    /// # Errors
    /// When it fails, or takes too long.
    fn round(&mut self, round: u32) -> Result<Sample>;

    /// Answers a conversation, loads the model anew and answers it from the KV cache that was kept. Null for an engine that
    /// isn't ours in a browser.
    ///
    /// # Errors
    /// As [`Self::round`].
    fn reopen(&mut self) -> Result<Value> {
        Ok(Value::Null)
    }

    /// Times each kernel of some tokens; nothing for an engine that isn't ours.
    ///
    /// # Errors
    /// As [`Self::round`].
    fn profile(&mut self, _: Profiled) -> Result<Vec<KernelTime>> {
        Ok(Vec::new())
    }
}

/// Tokens whose kernels are timed.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Profiled {
    /// Position of the first.
    pub position: u32,
    /// 1 for a token that is drawn, more than a round of drafts has for a chunk of a prompt.
    pub rows: u32,
}

/// What all dispatches of a kernel take for those tokens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelTime {
    /// The kernel.
    #[serde(alias = "kernel")]
    pub name: String,
    /// How many there are.
    pub dispatches: u32,
    /// Milliseconds of all of them.
    pub ms: f64,
}

impl KernelTime {
    /// Reads the kernels of a profile.
    ///
    /// # Errors
    /// When it is none.
    pub fn read_all(profile: &Value) -> Result<Vec<Self>> {
        Vec::deserialize(&profile["kernels"]).with_context(|| format!("it gave no kernels, but {profile}"))
    }
}

/// Figures of one round.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sample {
    /// Tokens of the prompt.
    pub prompt: f64,
    /// Milliseconds until the first token.
    pub prefill_ms: f64,
    /// Tokens of the answer.
    pub answer: f64,
    /// Milliseconds from the first token to the last one.
    pub decode_ms: f64,
}

impl Sample {
    /// Reads the object that every engine gives.
    ///
    /// # Errors
    /// When a figure is missing.
    pub fn read(value: &Value) -> Result<Self> {
        let figure =
            |name: &str| value[name].as_f64().with_context(|| format!("it gave no {name}, but {value}"));
        Ok(Self {
            prompt: figure("prompt")?,
            prefill_ms: figure("prefill_ms")?,
            answer: figure("answer")?,
            decode_ms: figure("decode_ms")?,
        })
    }

    /// Prompt tokens a second.
    pub fn prefill(&self) -> f64 {
        self.prompt * 1000.0 / self.prefill_ms
    }

    /// Drawn tokens a second. The first one comes with the prompt and does not count.
    pub fn decode(&self) -> f64 {
        (self.answer - 1.0).max(0.0) * 1000.0 / self.decode_ms
    }
}
