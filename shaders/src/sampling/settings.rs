//! What a person or a model file sets, and its form on the GPU.

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
