//! Launchers of `wgsl/sampling/*.wgsl`.

use super::Candidates;
use crate::{Binding, Defines, PreprocessError, Source};

/// Logits a workgroup of `top_k` takes.
const SLICE: u32 = 1024;
/// Lists a workgroup of `merge_lists` takes.
const FAN_IN: u32 = 16;

/// The sampling kernels for one vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sampling {
    /// Number of logits, at least 1.
    pub vocab: u32,
    /// Form of the kernels.
    pub candidates: Candidates,
}

impl Sampling {
    /// Slices of the logits: the workgroups of `top_k` and the lists it writes.
    #[must_use]
    pub const fn slices(&self) -> u32 {
        self.vocab.div_ceil(SLICE)
    }

    /// Whether `merge_lists` runs between `top_k` and `sample`.
    #[must_use]
    pub const fn merges(&self) -> bool {
        self.candidates.count() > 1 && self.slices() > FAN_IN
    }

    /// Lists that `sample` reads: those of `merge_lists` where it runs, else those of `top_k`.
    #[must_use]
    pub const fn lists(&self) -> u32 {
        if self.merges() { self.slices().div_ceil(FAN_IN) } else { self.slices() }
    }

    /// Bytes of the lists that `top_k` writes.
    #[must_use]
    pub const fn slice_list_bytes(&self) -> u64 {
        self.slices() as u64 * self.candidates.count() as u64 * 8
    }

    /// Bytes of the lists that `merge_lists` writes.
    #[must_use]
    pub const fn merged_list_bytes(&self) -> u64 {
        self.lists() as u64 * self.candidates.count() as u64 * 8
    }

    /// Bytes of the sums of the slices ([`Candidates::Many`]).
    #[must_use]
    pub const fn sum_bytes(&self) -> u64 {
        self.slices() as u64 * 8
    }

    fn defines(&self) -> Defines {
        Defines::new().set("CANDIDATES", self.candidates.count())
    }

    /// `top_k`: params, state, recent, logits, lists out, and for [`Candidates::Many`] sums out.
    ///
    /// # Errors
    /// A fault of the template.
    pub fn top_k(&self) -> Result<Source, PreprocessError> {
        let mut bindings =
            vec![Binding::Uniform, Binding::Read, Binding::Read, Binding::Read, Binding::ReadWrite];
        if self.candidates == Candidates::Many {
            bindings.push(Binding::ReadWrite);
        }
        let name = format!("sampling_top_k_{}", self.candidates.count());
        Source::build("sampling/top_k.wgsl", name, &self.defines(), bindings)
    }

    /// Workgroups of `top_k`.
    #[must_use]
    pub const fn top_k_grid(&self) -> [u32; 3] {
        [self.slices(), 1, 1]
    }

    /// `merge_lists`, only where [`Self::merges`]: params, lists in, lists out.
    ///
    /// # Errors
    /// A fault of the template.
    pub fn merge_lists(&self) -> Result<Source, PreprocessError> {
        let bindings = vec![Binding::Uniform, Binding::Read, Binding::ReadWrite];
        let name = format!("sampling_merge_lists_{}", self.candidates.count());
        Source::build("sampling/merge_lists.wgsl", name, &self.defines(), bindings)
    }

    /// Workgroups of `merge_lists`.
    #[must_use]
    pub const fn merge_lists_grid(&self) -> [u32; 3] {
        [self.slices().div_ceil(FAN_IN), 1, 1]
    }

    /// `sample`: params, state, recent, tokens, sampled, lists in, and for [`Candidates::Many`] the sums. One workgroup.
    ///
    /// # Errors
    /// A fault of the template.
    pub fn sample(&self) -> Result<Source, PreprocessError> {
        let mut bindings = vec![
            Binding::Uniform,
            Binding::ReadWrite,
            Binding::ReadWrite,
            Binding::ReadWrite,
            Binding::ReadWrite,
            Binding::Read,
        ];
        if self.candidates == Candidates::Many {
            bindings.push(Binding::Read);
        }
        let name = format!("sampling_sample_{}", self.candidates.count());
        Source::build("sampling/sample.wgsl", name, &self.defines(), bindings)
    }
}

/// Every permutation.
///
/// # Errors
/// The first template that does not preprocess.
pub fn permutations() -> Result<Vec<Source>, PreprocessError> {
    let mut all = Vec::new();
    for candidates in Candidates::ALL {
        let sampling = Sampling { vocab: 1 << 18, candidates };
        all.push(sampling.top_k()?);
        all.push(sampling.sample()?);
        if sampling.merges() {
            all.push(sampling.merge_lists()?);
        }
    }
    Ok(all)
}
