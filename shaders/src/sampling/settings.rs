//! Sampling settings, as set by a user or a model file.

/// Maximum number of recent tokens for the penalties.
pub const MAX_RECENT: u32 = 64;
/// Maximum number of tokens that can be suppressed.
pub const MAX_SUPPRESSED: usize = 16;

/// Temperatures below this are greedy: everything but exact ties would have weight zero.
const MIN_TEMPERATURE: f32 = 1e-6;

/// Sampling settings. The default is greedy without penalties.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Divides the logits; 0 is greedy.
    pub temperature: f32,
    /// Number of best tokens to sample from; 0 for no limit. Values above 256 count as 256.
    pub top_k: u32,
    /// Sample from the smallest set of best tokens with this total probability; 1 for all.
    pub top_p: f32,
    /// Minimum probability relative to the best token; 0 for no limit.
    pub min_p: f32,
    /// Divides positive logits of recent tokens and multiplies negative ones; 1 for none.
    pub repeat_penalty: f32,
    /// Subtracted once from the logit of a recent token.
    pub presence_penalty: f32,
    /// Subtracted from the logit of a recent token for each time it occurs.
    pub frequency_penalty: f32,
    /// Number of latest tokens that count as recent, at most [`MAX_RECENT`].
    pub penalty_window: u32,
    /// Softcap of the logits, `softcap·tanh(z/softcap)`; 0 for none. A property of the model.
    pub softcap: f32,
    /// Tokens that are never sampled; at most [`MAX_SUPPRESSED`], further ones are ignored.
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
    /// Returns whether the best token is always chosen.
    pub fn is_greedy(&self) -> bool {
        self.top_k == 1 || self.temperature.is_nan() || self.temperature < MIN_TEMPERATURE
    }

    /// Returns the smallest variant of the kernels that supports these settings.
    pub fn candidates(&self) -> Candidates {
        match self.top_k {
            _ if self.is_greedy() => Candidates::One,
            1..=64 => Candidates::Few,
            _ => Candidates::Many,
        }
    }
}

/// Number of candidates: a permutation of all three kernels.
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
    /// Every variant.
    pub const ALL: [Self; 3] = [Self::One, Self::Few, Self::Many];

    /// Length of a candidate list.
    pub const fn count(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Few => 64,
            Self::Many => 256,
        }
    }
}
