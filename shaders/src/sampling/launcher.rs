//! Launchers of `wgsl/sampling/*.wgsl`.

use super::case::{HISTORY, LARGE, OUT_LEN, VOCABULARY, list, lists, logits, settings, state};
use super::twin::{adjust, sample as draw};
use super::{Candidates, Params, Sampling};
use crate::case::{Arg, Case, CaseError, Expected, args};
use crate::{Kernel, PreprocessError, Source};

/// The best candidates of each slice. Bindings: params, state, history, tokens, logits, lists out, and for
/// [`Candidates::Many`] sums out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TopK(pub Candidates);

/// Merges lists, if [`Sampling::merges`]. Bindings: params, lists in, lists out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergeLists(pub Candidates);

/// Samples a token. Bindings: params, state, history, tokens, sampled (a ring, and the number of tokens behind it), lists
/// in, and for [`Candidates::Many`] the sums. One workgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample(pub Candidates);

impl Kernel for TopK {
    fn source(&self) -> Result<Source, PreprocessError> {
        let name = format!("sampling_top_k_{}", self.0.count());
        Source::build::<Params>("sampling/top_k.wgsl", name, &self.0.defines())
    }

    fn case(&self) -> Result<Case, CaseError> {
        let sampling = Sampling { vocab: VOCABULARY, candidates: self.0 };
        let params = Params::new(&settings(self.0), sampling, OUT_LEN);
        let logits = logits(VOCABULARY);
        let (lists, sums) = lists(sampling, &params, &logits);
        let mut args = args![
            uniform(&params),
            words(&[state()]),
            Words(HISTORY.to_vec()),
            zeros(1),
            floats(&logits),
            zeros(lists.len())
        ];
        let mut expected = vec![Expected::words(5, &lists)];
        if self.0 == Candidates::Many {
            args.push(Arg::zeros(sums.len()));
            expected.push(Expected::new(6, sums, 1e-4));
        }
        Ok(Case { args, grid: sampling.top_k_grid(1), expected })
    }
}

impl Kernel for MergeLists {
    fn source(&self) -> Result<Source, PreprocessError> {
        let name = format!("sampling_merge_lists_{}", self.0.count());
        Source::build::<Params>("sampling/merge_lists.wgsl", name, &self.0.defines())
    }

    fn case(&self) -> Result<Case, CaseError> {
        let sampling = Sampling { vocab: LARGE, candidates: self.0 };
        let params = Params::new(&settings(self.0), sampling, OUT_LEN);
        let logits = logits(LARGE);
        let count = self.0.count() as usize;
        let (lists, _) = lists(sampling, &params, &logits);
        let adjusted = adjust(&logits, &params, &state(), &HISTORY);
        let merged: Vec<u32> =
            adjusted.chunks(16 << 10).flat_map(|part| list(part.to_vec(), count)).collect();
        let args = args![uniform(&params), Words(lists), zeros(merged.len())];
        let expected = vec![Expected::words(2, &merged)];
        Ok(Case { args, grid: sampling.merge_lists_grid(1), expected })
    }
}

impl Kernel for Sample {
    fn source(&self) -> Result<Source, PreprocessError> {
        let name = format!("sampling_sample_{}", self.0.count());
        Source::build::<Params>("sampling/sample.wgsl", name, &self.0.defines())
    }

    fn case(&self) -> Result<Case, CaseError> {
        let Self(candidates) = *self;
        let sampling = Sampling { vocab: VOCABULARY, candidates };
        let params = Params::new(&settings(candidates), sampling, OUT_LEN);
        let logits = logits(VOCABULARY);
        let (lists, sums) = lists(sampling, &params, &logits);
        let drawn = draw(&logits, &params, candidates.count() as usize, &state(), &HISTORY).id;
        let mut args = args![
            uniform(&params),
            words(&[state()]),
            Words(HISTORY.to_vec()),
            zeros(2),
            zeros(OUT_LEN as usize + 1),
            Words(lists)
        ];
        if candidates == Candidates::Many {
            args.push(Arg::floats(&sums));
        }
        let mut ring = vec![0; OUT_LEN as usize + 1];
        ring[(state().step % OUT_LEN) as usize] = drawn;
        ring[OUT_LEN as usize] = state().step + 1;
        let expected = vec![Expected::words(3, &[drawn]), Expected::words(4, &ring)];
        Ok(Case { args, grid: [1, 1, 1], expected })
    }
}
