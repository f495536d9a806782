//! `wgsl/experts/choose.wgsl`: the router's choice for each row of a chunk. The CPU twin is [`super::choice`].

use super::case::LEN;
use super::{Mixture, choice};
use crate::case::{Case, CaseError, Expected, Reading, args, random};
use crate::{Kernel, PreprocessError, Source, grid};

/// The kernel. Bindings: params, state, logits, vectors, choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choose(pub Mixture);

params! {
    /// The uniform at binding 0.
    #[derive(Default)]
    pub struct Params {
        /// Factor of the logits.
        pub scale: f32,
        /// Offset of the per-expert weight scales in `vectors`.
        pub scales: u32,
        /// Unused.
        pub pad: [u32; 2],
    }
}

/// Workgroups for a chunk of `positions`.
pub const fn dispatch(positions: u32) -> [u32; 3] {
    grid(positions)
}

impl Kernel for Choose {
    fn source(&self) -> Result<Source, PreprocessError> {
        let defines = self.0.defines().set("THREADS", 64);
        Source::build::<Params>("experts/choose.wgsl", format!("experts_choose_{}", self.0.name()), &defines)
    }

    fn case(&self) -> Result<Case, CaseError> {
        let experts = self.0.experts as usize;
        let logits: Vec<f32> = random(62, LEN as usize * experts).into_iter().map(|v| 40.0 * v).collect();
        let scales = random(63, experts);
        let params = Params { scale: 0.25, ..Default::default() };
        let chosen =
            logits.chunks_exact(experts).flat_map(|row| choice(self.0.used, row, params.scale, &scales));
        let want: Vec<f32> = chosen.flat_map(|(expert, weight)| [expert as f32, weight as f32]).collect();
        let args =
            args![uniform(&params), state(0, LEN), floats(&logits), floats(&scales), zeros(want.len())];
        let expected = vec![Expected { reading: Reading::Pairs, ..Expected::new(4, want, 1e-5) }];
        Ok(Case { args, grid: dispatch(LEN), expected })
    }
}
