//! Launcher of `wgsl/sampling/draft.wgsl`: the best candidate becomes a drafted token.

use super::{Candidates, Sampling};
use crate::{PreprocessError, Source};

params! {
    /// The uniform at binding 0. Then: lists, tokens. One workgroup.
    #[derive(Eq)]
    pub struct Params {
        /// Number of lists.
        pub lists: u32,
        /// Number of logits.
        pub vocab: u32,
        /// Index of the draft in the tokens.
        pub at: u32,
        /// Unused.
        pub pad: u32,
    }
}

impl Params {
    /// Parameters for the draft that goes to `tokens[at]`: the best of this many lists of one candidate each.
    #[must_use]
    pub const fn new(lists: u32, vocab: u32, at: u32) -> Self {
        Self { lists, vocab, at, pad: 0 }
    }
}

/// The kernel, behind `top_k` for [`Candidates::One`] or [`crate::draft::ordered_head`].
///
/// # Errors
/// When the template cannot be expanded.
pub fn source() -> Result<Source, PreprocessError> {
    let sampling = Sampling { vocab: 1, candidates: Candidates::One };
    Source::build::<Params>("sampling/draft.wgsl", "sampling_draft".to_owned(), &sampling.defines())
}
