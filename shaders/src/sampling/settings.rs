//! What a person or a model file sets, and its form on the GPU.

use bytemuck::{Pod, Zeroable};

use super::Sampling;

/// Most tokens that the penalties look back on: the length of the ring of recent tokens.
pub const MAX_RECENT: u32 = 64;
/// Most tokens that can be suppressed.
pub const MAX_SUPPRESSED: usize = 16;

/// Smallest temperature that is not greedy: below it all but exact ties weigh nothing.
const LEAST_TEMPERATURE: f32 = 1e-6;

/// How the next token is chosen. The default is greedy without penalties.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Divides the logits; 0 always takes the best token.
    pub temperature: f32,
    /// How many of the best tokens are in the draw; 0 for no such bound. Bounds above 256 count as 256.
    pub top_k: u32,
    /// The best tokens that together have this probability are in the draw; 1 for all.
    pub top_p: f32,
    /// Tokens less probable than this part of the best one's probability are not in the draw; 0 for no such bound.
    pub min_p: f32,
    /// Divides positive logits of recent tokens and multiplies negative ones; 1 for none.
    pub repeat_penalty: f32,
    /// Subtracted once from the logit of a recent token.
    pub presence_penalty: f32,
    /// Subtracted from the logit of a recent token for each time it occurs.
    pub frequency_penalty: f32,
    /// How many of the latest tokens are recent, at most [`MAX_RECENT`].
    pub penalty_window: u32,
    /// Bound of the logits, `softcap·tanh(z/softcap)`; 0 for none. A property of the model.
    pub softcap: f32,
    /// Tokens that are never chosen; those after the first [`MAX_SUPPRESSED`] are ignored.
    pub suppressed: Vec<u32>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            temperature: 0.0,
            top_k: 0,
            top_p: 1.0,
            min_p: 0.0,
            repeat_penalty: 1.0,
            presence_penalty: 0.0,
            frequency_penalty: 0.0,
            penalty_window: MAX_RECENT,
            softcap: 0.0,
            suppressed: Vec::new(),
        }
    }
}

impl Settings {
    /// Whether the best token is always taken.
    #[must_use]
    pub fn is_greedy(&self) -> bool {
        self.top_k == 1 || self.temperature.is_nan() || self.temperature < LEAST_TEMPERATURE
    }

    /// The smallest form of the kernels that serves these settings.
    #[must_use]
    pub fn candidates(&self) -> Candidates {
        match self.top_k {
            _ if self.is_greedy() => Candidates::One,
            1..=64 => Candidates::Few,
            _ => Candidates::Many,
        }
    }
}

/// How many candidates the kernels carry: a permutation of all three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Candidates {
    /// 1: greedy, a plain argmax.
    One,
    /// 64: `top_k` from 1 to 64.
    Few,
    /// 256: any settings.
    Many,
}

impl Candidates {
    /// Every form.
    pub const ALL: [Self; 3] = [Self::One, Self::Few, Self::Many];

    /// Length of a candidate list.
    #[must_use]
    pub const fn count(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Few => 64,
            Self::Many => 256,
        }
    }
}

/// The uniform at binding 0 of every sampling kernel: `wgsl/sampling/params.wgsl`. Written once a generation.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Params {
    /// 1/temperature; 0 for greedy.
    pub temperature_inverse: f32,
    /// See [`Settings::top_k`].
    pub top_k: u32,
    /// See [`Settings::top_p`].
    pub top_p: f32,
    /// See [`Settings::min_p`].
    pub min_p: f32,
    /// Factor for negative logits of recent tokens.
    pub repeat: f32,
    /// Factor for positive logits of recent tokens: 1/`repeat`.
    pub repeat_inverse: f32,
    /// See [`Settings::presence_penalty`].
    pub presence: f32,
    /// See [`Settings::frequency_penalty`].
    pub frequency: f32,
    /// See [`Settings::softcap`].
    pub softcap: f32,
    /// See [`Settings::penalty_window`].
    pub penalty_window: u32,
    /// How many of `suppressed` count.
    pub suppressed_len: u32,
    /// Number of logits.
    pub vocab: u32,
    /// Lists that `top_k` writes.
    pub slices: u32,
    /// Lists that `sample` reads.
    pub lists: u32,
    /// Length of the output ring, in tokens.
    pub out_len: u32,
    /// Unused.
    pub pad: u32,
    /// Ids that are never chosen.
    pub suppressed: [u32; MAX_SUPPRESSED],
}

impl Params {
    /// The settings as the kernels of `sampling` want them, for an output ring of `out_len` tokens (at least 1).
    #[must_use]
    pub fn new(settings: &Settings, sampling: Sampling, out_len: u32) -> Self {
        let penalised = settings.repeat_penalty > 0.0;
        let repeat = if penalised { settings.repeat_penalty } else { 1.0 };
        let mut suppressed = [0; MAX_SUPPRESSED];
        let suppressed_len = settings.suppressed.len().min(MAX_SUPPRESSED);
        suppressed[..suppressed_len].copy_from_slice(&settings.suppressed[..suppressed_len]);
        Self {
            temperature_inverse: if settings.is_greedy() { 0.0 } else { settings.temperature.recip() },
            top_k: settings.top_k,
            top_p: settings.top_p,
            min_p: settings.min_p,
            repeat,
            repeat_inverse: repeat.recip(),
            presence: settings.presence_penalty,
            frequency: settings.frequency_penalty,
            softcap: settings.softcap,
            penalty_window: settings.penalty_window.min(MAX_RECENT),
            suppressed_len: suppressed_len as u32,
            vocab: sampling.vocab,
            slices: sampling.slices(),
            lists: sampling.lists(),
            out_len: out_len.max(1),
            pad: 0,
            suppressed,
        }
    }
}
