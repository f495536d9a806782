//! Launchers of `wgsl/train/copy.wgsl` and `pick_rows.wgsl`.

use crate::{Defines, PreprocessError, Source, grid};

/// Means: no row, or no scalar.
pub const NONE: u32 = u32::MAX;

params! {
    /// The uniform of both kernels and of [`super::sum_pairs`]. Copy: then state, vectors, x, out. Gather: then state,
    /// indices, x, out.
    #[derive(Eq)]
    pub struct Params {
        /// Width of a row in vec4s.
        pub width4: u32,
        /// Offset in `vectors` of the factor of a copy; [`NONE`] for none.
        pub scale_at: u32,
        /// Unused.
        pub pad: [u32; 2],
    }
}

impl Params {
    /// Parameters for rows of `width` elements, a multiple of 4.
    pub const fn new(width: u32, scale_at: Option<u32>) -> Self {
        let scale_at = match scale_at {
            Some(at) => at,
            None => NONE,
        };
        Self { width4: width / 4, scale_at, pad: [0; 2] }
    }

    /// Workgroups of any of these kernels for `rows` rows.
    pub const fn dispatch(&self, rows: u32) -> [u32; 3] {
        grid((rows * self.width4).div_ceil(256))
    }
}

/// Copies rows, with an optional factor.
pub fn copy() -> Result<Source, PreprocessError> {
    Source::build::<Params>("train/copy.wgsl", "train_copy", &Defines::new())
}

/// Gathers rows by index.
pub fn pick_rows() -> Result<Source, PreprocessError> {
    Source::build::<Params>("train/pick_rows.wgsl", "train_pick_rows", &Defines::new())
}
