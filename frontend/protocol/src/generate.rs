//! How to answer, and how the answer went.

use serde::{Deserialize, Serialize};

#[cfg(doc)]
use crate::Request;
use crate::RequestId;
use crate::adapter::AdapterScale;
use crate::tools::Constraint;

/// How the next token is drawn. The defaults are the model's recommendation (temperature 1.0, top-k 64, top-p 0.95).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sampling {
    /// Divides the logits; 0 always takes the likeliest token.
    pub temperature: f32,
    /// Keeps the k likeliest tokens; 0 keeps as many as the engine can hold (256).
    pub top_k: u32,
    /// Keeps the smallest set of tokens whose probabilities add up to this; 1 keeps all.
    pub top_p: f32,
    /// Drops tokens less likely than this share of the likeliest one; 0 drops none.
    pub min_p: f32,
    /// Divides positive and multiplies negative logits of tokens seen among the last 64; 1 is off.
    pub repeat_penalty: f32,
    /// Subtracted from logits of tokens seen among the last 64.
    pub presence_penalty: f32,
    /// Subtracted from logits for each time a token was seen among the last 64.
    pub frequency_penalty: f32,
    /// Makes the draw repeatable; none takes one from the browser's random source.
    pub seed: Option<u64>,
}

impl Default for Sampling {
    fn default() -> Self {
        Self {
            temperature: 1.0,
            top_k: 64,
            top_p: 0.95,
            min_p: 0.0,
            repeat_penalty: 1.0,
            presence_penalty: 0.0,
            frequency_penalty: 0.0,
            seed: None,
        }
    }
}

/// How to answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GenerateOptions {
    /// How the next token is drawn.
    pub sampling: Sampling,
    /// Most tokens of the answer, thoughts included; 0 for as many as the context holds.
    pub max_tokens: u32,
    /// Texts that end the answer; they are not part of it.
    pub stop: Vec<String>,
    /// Whether the model may think first.
    pub thinking: bool,
    /// Most tokens of a thought, which is then closed; 0 for as many as it takes.
    pub max_thought: u32,
    /// What the answer may be. With one, a [`Request::PrepareConstraint`] must have come before, and nothing is drafted.
    pub constraint: Constraint,
    /// How much each adapter counts. One that is not named is off, but those that came with the model count in full.
    pub adapters: Vec<AdapterScale>,
    /// The beginning of the answer: it continues from there, and only what is new is sent. For an answer that was stopped, cut
    /// off by a limit or edited. [`Timings`] and counts of tokens are of what is new.
    pub begun: Option<Begun>,
    /// Whether a training that is under way may wait for this answer: it pauses between two steps, with a checkpoint, and
    /// goes on afterwards. Without it, an answer is refused while a model is trained.
    pub pause_training: bool,
    /// Whether tokens may be drafted, by the model's drafter or from prompt and answer, and several verified in one step,
    /// where that is measured to be faster.
    pub drafts: bool,
    /// The [`crate::Request::Load`] whose model is to answer. If another has been loaded since, the request fails. None takes
    /// any model.
    pub model: Option<RequestId>,
    /// The name of the conversation, of letters and digits. With one, the KV cache is kept in the browser's storage under this
    /// name when the answer has ended, and one that is kept is used for the answer. Without, nothing is written or read.
    pub keep: Option<String>,
    /// The state of an answer whose engine has ended. It continues from there, and only what is new is sent;
    /// counts of tokens and [`Timings::decode_ms`] are of the whole.
    pub resumed: Option<Box<Resumed>>,
}

/// What an engine needs to continue another's answer with the same text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Resumed {
    /// The seed of its samples.
    pub seed: u64,
    /// The ids of [`GenerateOptions::begun`].
    pub begun: Vec<u32>,
    /// The ids that have been drawn.
    pub drawn: Vec<u32>,
    /// Milliseconds that these took, the first one excluded.
    pub decode_ms: f64,
}

/// The beginning of an answer, as generated or as edited by the user.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Begun {
    /// The thought, without its tags. It has ended if there is an answer.
    pub thought: String,
    /// The answer itself.
    pub answer: String,
}

/// What kind of text a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Channel {
    /// The answer.
    Answer,
    /// A thought, shown folded.
    Thought,
}

/// A block of a diffusion model's answer while it settles.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Canvas {
    /// Number of the block, from 0.
    pub block: u32,
    /// Steps done.
    pub step: u32,
    /// Most steps of a block. A block that is certain ends earlier.
    pub steps: u32,
    /// Mean entropy of its tokens, in nats.
    pub entropy: f32,
    /// Its likeliest text, in order.
    pub text: Vec<CanvasText>,
}

/// A piece of the text of a [`Canvas`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CanvasText {
    /// What kind of text it is.
    pub channel: Channel,
    /// The text.
    pub text: String,
    /// Whether the sampler accepted it in this step. It may still change.
    pub accepted: bool,
}

/// Why an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Finish {
    /// The model ended its turn.
    EndOfTurn,
    /// A stop text was reached.
    StopText,
    /// `max_tokens` was reached.
    MaxTokens,
    /// The context is full.
    ContextFull,
    /// The model waits for the answers of tools.
    ToolCall,
    /// A limit was reached within a call, which must not be carried out.
    CutCall,
    /// The person stopped it.
    Cancelled,
}

/// Figures of one answer. Times in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timings {
    /// Tokens of the prompt.
    pub prompt_tokens: u32,
    /// Of these, found in the cache and not computed again.
    pub cached_tokens: u32,
    /// Time to read the prompt.
    pub prefill_ms: f64,
    /// Time from the request to the first token.
    pub first_token_ms: f64,
    /// Tokens generated.
    pub decode_tokens: u32,
    /// Time to generate them, the first one excluded.
    pub decode_ms: f64,
    /// Tokens of the context now in use.
    pub context_used: u32,
    /// Tokens the context can hold.
    pub context_size: u32,
    /// Of a diffusion model. Then the first token is the first block, and its time is part of [`Self::decode_ms`].
    #[serde(default)]
    pub diffusion: Option<DiffusionTimings>,
    /// With [`GenerateOptions::drafts`], where the engine can draft.
    #[serde(default)]
    pub speculation: Option<Speculation>,
    /// Of a mixture that does not have all of its experts in graphics memory.
    #[serde(default)]
    pub experts: Option<ExpertTimings>,
}

/// How the tokens of an answer, or the steps of a diffusion model, found their experts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExpertTimings {
    /// Experts that they used, in every layer.
    pub uses: u64,
    /// Those of them that were not in graphics memory.
    pub misses: u64,
    /// Bytes that were read for these.
    pub bytes: u64,
}

/// What drafting did during an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Speculation {
    /// Drafted tokens.
    pub drafted: u32,
    /// Drafted tokens that were right.
    pub accepted: u32,
}

/// What a diffusion model took for an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffusionTimings {
    /// Blocks begun.
    pub blocks: u32,
    /// Denoising steps of all blocks.
    pub steps: u32,
}

impl ExpertTimings {
    /// Share of the uses that found their expert in graphics memory; none without a use.
    #[must_use]
    pub fn hit_rate(&self) -> Option<f64> {
        (self.uses > 0).then(|| self.uses.saturating_sub(self.misses) as f64 / self.uses as f64)
    }
}

impl Timings {
    /// Bytes of experts read for each step of a diffusion model; `None` if all experts are in graphics memory.
    #[must_use]
    pub fn expert_bytes_per_step(&self) -> Option<u64> {
        Some(self.experts?.bytes / u64::from(self.diffusion?.steps.max(1)))
    }

    /// Bytes of experts that were read for each token; none where all experts are in graphics memory, or none is read for a
    /// single token.
    #[must_use]
    pub fn expert_bytes_per_token(&self) -> Option<u64> {
        if self.diffusion.is_some() {
            return None;
        }
        Some(self.experts?.bytes / u64::from(self.decode_tokens.saturating_sub(1).max(1)))
    }

    /// Time from the request to the end of the answer, in milliseconds.
    #[must_use]
    pub fn total_ms(&self) -> f64 {
        match self.diffusion {
            Some(_) => self.prefill_ms + self.decode_ms,
            None => self.first_token_ms + self.decode_ms,
        }
    }

    /// Tokens a second while generating; 0 when fewer than two were, or none by diffusion.
    #[must_use]
    pub fn tokens_per_second(&self) -> f64 {
        let first = u32::from(self.diffusion.is_none());
        if self.decode_tokens <= first || self.decode_ms <= 0.0 {
            return 0.0;
        }
        f64::from(self.decode_tokens - first) * 1000.0 / self.decode_ms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_takes_until_its_last_token() {
        let timings =
            Timings { prefill_ms: 300.0, first_token_ms: 400.0, decode_ms: 6_500.0, ..Timings::default() };
        assert_eq!(timings.total_ms(), 6_900.0);
        let diffusion = Some(DiffusionTimings { blocks: 1, steps: 8 });
        assert_eq!(
            Timings { diffusion, ..timings }.total_ms(),
            6_800.0,
            "the first block is part of the rest"
        );
    }

    #[test]
    fn experts_are_counted_by_token() {
        let experts = ExpertTimings { uses: 960, misses: 240, bytes: 4_000_000 };
        // The first token comes with the prompt.
        let timings = Timings { decode_tokens: 5, experts: Some(experts), ..Timings::default() };
        assert_eq!((experts.hit_rate(), timings.expert_bytes_per_token()), (Some(0.75), Some(1_000_000)));
        assert_eq!(ExpertTimings::default().hit_rate(), None);
        assert_eq!(timings.expert_bytes_per_step(), None);
        assert_eq!(Timings::default().expert_bytes_per_token(), None);
        let diffusion = Some(DiffusionTimings { blocks: 1, steps: 8 });
        let timings = Timings { diffusion, ..timings };
        assert_eq!(
            (timings.expert_bytes_per_token(), timings.expert_bytes_per_step()),
            (None, Some(500_000))
        );
    }

    #[test]
    fn figures_of_an_older_version_are_read() {
        let kept = serde_json::to_value(Timings::default()).expect("JSON");
        let serde_json::Value::Object(mut kept) = kept else { panic!("no object") };
        for newer in ["diffusion", "speculation", "experts"] {
            assert!(kept.remove(newer).is_some());
        }
        let read: Timings = serde_json::from_value(kept.into()).expect("it is read");
        assert_eq!(read, Timings::default());
    }
}
