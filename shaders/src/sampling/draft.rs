//! Launcher of `wgsl/sampling/draft.wgsl`: the best candidate becomes a drafted token.

use super::case::{HISTORY, LARGE, OUT_LEN, lists, logits, state};
use super::twin::sample as draw;
use super::{Candidates, Sampling, Settings};
use crate::case::{Case, CaseError, Expected, args};
use crate::{Kernel, PreprocessError, Source};

/// The kernel, behind `top_k` for [`Candidates::One`] or [`crate::draft::ordered_head`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draft;

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
    pub const fn new(lists: u32, vocab: u32, at: u32) -> Self {
        Self { lists, vocab, at, pad: 0 }
    }
}

impl Kernel for Draft {
    fn source(&self) -> Result<Source, PreprocessError> {
        Source::build::<Params>("sampling/draft.wgsl", "sampling_draft", &Candidates::One.defines())
    }

    /// Returns the best of all slices as the third of three tokens.
    fn case(&self) -> Result<Case, CaseError> {
        let sampling = Sampling { vocab: LARGE, candidates: Candidates::One };
        let params = super::Params::new(&Settings::default(), sampling, OUT_LEN);
        let logits = logits(LARGE);
        let (lists, _) = lists(sampling, &params, &logits);
        let best = draw(&logits, &params, 1, &state(), &HISTORY).id;
        let params = Params::new(sampling.slices(), LARGE, 2);
        let args = args![uniform(&params), Words(lists), Words(vec![5, 6, 7])];
        let expected = vec![Expected::words(2, &[5, 6, best])];
        Ok(Case { args, grid: [1, 1, 1], expected })
    }
}
