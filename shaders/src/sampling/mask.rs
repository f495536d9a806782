//! Launcher and CPU twin of `wgsl/sampling/mask.wgsl`: tokens that are forbidden.

use super::case::{VOCABULARY, logits};
use crate::case::{Case, CaseError, Expected, args};
use crate::{Defines, Kernel, PreprocessError, Source};

/// The kernel, before `top_k`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mask;

params! {
    /// The uniform at binding 0. Then: mask, logits.
    #[derive(Eq)]
    pub struct Params {
        /// Number of logits.
        pub vocab: u32,
        /// Unused.
        pub pad: [u32; 3],
    }
}

impl Params {
    /// Parameters for the logits of one row.
    pub const fn new(vocab: u32) -> Self {
        Self { vocab, pad: [0; 3] }
    }

    /// Returns the grid.
    pub const fn grid(&self) -> [u32; 3] {
        [self.vocab.div_ceil(256), 1, 1]
    }
}

/// Returns the bytes of a mask.
pub const fn bytes(vocab: u32) -> u64 {
    4 * vocab.div_ceil(32) as u64
}

/// CPU twin.
pub fn mask(allowed: &[u32], logits: &mut [f32]) {
    for (id, logit) in logits.iter_mut().enumerate() {
        if allowed[id / 32] >> (id % 32) & 1 == 0 {
            *logit = f32::NEG_INFINITY;
        }
    }
}

impl Kernel for Mask {
    fn source(&self) -> Result<Source, PreprocessError> {
        Source::build::<Params>("sampling/mask.wgsl", "sampling_mask", &Defines::new())
    }

    /// A mask that differs from word to word; the last one is partial.
    fn case(&self) -> Result<Case, CaseError> {
        let params = Params::new(VOCABULARY);
        let words = bytes(VOCABULARY) as u32 / 4;
        let allowed: Vec<u32> = (0..words).map(|word| (word + 3).wrapping_mul(0x9e37_79b9)).collect();
        let mut want = logits(VOCABULARY);
        let given = args![uniform(&params), Words(allowed.clone()), floats(&want)];
        mask(&allowed, &mut want);
        let want: Vec<u32> = want.into_iter().map(f32::to_bits).collect();
        Ok(Case { args: given, grid: params.grid(), expected: vec![Expected::words(2, &want)] })
    }
}
