//! `wgsl/experts/down.wgsl`: the weighted sum of the chosen experts for one token.

use super::{Choice, Mixture};
use crate::matvec::twin;
use crate::{DType, Planes, PreprocessError, Source};

/// Rows per workgroup, 32 threads each.
const GROUPS: u32 = 4;
const THREADS: u32 = 32 * GROUPS;
/// Elements of act staged at a time.
const TILE: u32 = 2048;

/// One permutation of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Down {
    /// The mixture.
    pub mixture: Mixture,
    /// Width of an expert's feed-forward layer.
    pub k: u32,
    /// Storage type.
    pub dtype: DType,
}

params! {
    /// The uniform at binding 0.
    #[derive(Default, Eq)]
    pub struct Params {
        /// Planes of the matrix.
        pub planes: Planes,
        /// Rows per expert.
        pub rows: u32,
        /// First expert of this dispatch: the first one in the matrix.
        pub begin: u32,
        /// One past the last expert.
        pub end: u32,
        /// If not 0, the sum is added to the output.
        pub more: u32,
        /// Offset of the result in y.
        pub y_at: u32,
        /// Unused.
        pub pad: [u32; 3],
    }
}

impl Down {
    /// The shader. Bindings: params, y, choices, act, down.
    ///
    /// # Errors
    /// When the template cannot be expanded.
    pub fn source(&self) -> Result<Source, PreprocessError> {
        let tile = TILE.min(self.mixture.used * self.k);
        let defines = self
            .mixture
            .defines()
            .set("K", self.k)
            .set("DTYPE", self.dtype)
            .set("GROUPS", GROUPS)
            .set("THREADS", THREADS)
            .set("TILE", tile)
            .set("MEM", THREADS.max(tile / 4));
        let name = format!("experts_down_{}_{}_k{}", self.mixture.name(), self.dtype, self.k);
        Source::build::<Params>("experts/down.wgsl", name, &defines)
    }

    /// Workgroups for experts of `rows` rows.
    #[must_use]
    pub const fn dispatch(&self, rows: u32) -> [u32; 3] {
        crate::grid(rows.div_ceil(GROUPS))
    }
}

/// CPU twin, in f64: the sum that one dispatch adds. `down` is dequantised and holds the experts of the dispatch.
#[must_use]
pub fn down(kernel: &Down, params: &Params, choices: &[Choice], act: &[f32], down: &[f32]) -> Vec<f64> {
    let (k, rows) = (kernel.k as usize, params.rows as usize);
    let mut y = vec![0.0; rows];
    for (choice, act) in choices.iter().zip(act.chunks_exact(k)) {
        if (params.begin..params.end).contains(&choice.expert) {
            let act: Vec<f64> = act.iter().map(|&v| f64::from(v) * f64::from(choice.weight)).collect();
            let matrix = &down[(choice.expert - params.begin) as usize * rows * k..][..rows * k];
            y.iter_mut().zip(twin::product(matrix, &act)).for_each(|(y, v)| *y += v);
        }
    }
    y
}
