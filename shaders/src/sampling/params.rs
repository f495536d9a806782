//! What the sampling kernels of a vocabulary have in common: parameters, lists of candidates, grids.

use super::{Candidates, MAX_RECENT, MAX_SUPPRESSED, NOTHING, Settings};
use crate::Defines;

/// Logits per workgroup of `top_k`.
const SLICE: u32 = 1024;
/// Lists per workgroup of `merge_lists`.
const FAN_IN: u32 = 16;

params! {
    /// The uniform at binding 0 of every sampling kernel. Written once per generation.
    pub struct Params {
        /// 1/temperature; 0 for greedy.
        pub temperature_inverse: f32,
        /// See [`Settings::top_k`].
        pub top_k: u32,
        /// See [`Settings::top_p`].
        pub top_p: f32,
        /// See [`Settings::min_p`].
        pub min_p: f32,
        /// Factor of negative logits of recent tokens.
        pub repeat: f32,
        /// Factor of positive logits of recent tokens: 1/`repeat`.
        pub repeat_inverse: f32,
        /// See [`Settings::presence_penalty`].
        pub presence: f32,
        /// See [`Settings::frequency_penalty`].
        pub frequency: f32,
        /// See [`Settings::softcap`].
        pub softcap: f32,
        /// See [`Settings::penalty_window`].
        pub penalty_window: u32,
        /// Number of valid entries in `suppressed`.
        pub suppressed_len: u32,
        /// Number of logits.
        pub vocab: u32,
        /// Number of lists that `top_k` writes for each row.
        pub slices: u32,
        /// Number of lists that `sample` reads for each row.
        pub lists: u32,
        /// Length of the output ring, in tokens.
        pub out_len: u32,
        /// Unused.
        pub pad: u32,
        /// Ids that are never sampled.
        pub suppressed: [u32; MAX_SUPPRESSED],
    }
}

impl Params {
    /// Returns the settings as parameters, for an output ring of `out_len` tokens (at least 1).
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

/// The sampling kernels for one vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sampling {
    /// Number of logits, at least 1.
    pub vocab: u32,
    /// Variant of the kernels.
    pub candidates: Candidates,
}

impl Sampling {
    /// Returns the number of slices of a row: the workgroups of `top_k`, and the lists that it writes.
    pub const fn slices(&self) -> u32 {
        self.vocab.div_ceil(SLICE)
    }

    /// Returns whether `merge_lists` runs between `top_k` and `sample`.
    pub const fn merges(&self) -> bool {
        self.candidates.count() > 1 && self.slices() > FAN_IN
    }

    /// Returns the number of lists of a row that `sample` reads: from `merge_lists` if it runs, otherwise from `top_k`.
    pub const fn lists(&self) -> u32 {
        if self.merges() { self.slices().div_ceil(FAN_IN) } else { self.slices() }
    }

    /// Bytes of the lists that `top_k` writes for `rows` rows.
    pub const fn slice_list_bytes(&self, rows: u32) -> u64 {
        rows as u64 * self.slices() as u64 * self.candidates.count() as u64 * 8
    }

    /// Bytes of the lists that `merge_lists` writes for `rows` rows.
    pub const fn merged_list_bytes(&self, rows: u32) -> u64 {
        rows as u64 * self.lists() as u64 * self.candidates.count() as u64 * 8
    }

    /// Bytes of the sums of the slices of `rows` rows ([`Candidates::Many`]).
    pub const fn sum_bytes(&self, rows: u32) -> u64 {
        rows as u64 * self.slices() as u64 * 8
    }

    /// Workgroups of `top_k` for `rows` rows.
    pub const fn top_k_grid(&self, rows: u32) -> [u32; 3] {
        [self.slices(), rows, 1]
    }

    /// Workgroups of `merge_lists` for `rows` rows.
    pub const fn merge_lists_grid(&self, rows: u32) -> [u32; 3] {
        [self.slices().div_ceil(FAN_IN), rows, 1]
    }
}

impl Candidates {
    /// Defines of every kernel that reads or writes lists of candidates.
    pub(crate) fn defines(self) -> Defines {
        Defines::new()
            .set("SLICE", SLICE)
            .set("FAN_IN", FAN_IN)
            .set("MAX_RECENT", MAX_RECENT)
            .set("NO_ID", NOTHING)
            .set("CANDIDATES", self.count())
            .set("GREEDY", self == Self::One)
            .set("ANY_SETTINGS", self == Self::Many)
    }
}
