//! Launchers of `wgsl/train/copy.wgsl` and `pick_rows.wgsl`.

use crate::{Defines, PreprocessError, Source, grid};

/// The number of no row, and of no scalar.
pub const NONE: u32 = u32::MAX;

params! {
    /// The uniform of both. Copy: then state, vectors, x, out. Picked rows: then state, numbers, x, out.
    #[derive(Eq)]
    pub struct Params {
        /// A quarter of the width of a row.
        pub width4: u32,
        /// Where in `vectors` the scalar is that multiplies a copy; [`NONE`] for none.
        pub scale_at: u32,
        /// Unused.
        pub pad: [u32; 2],
    }
}

impl Params {
    /// Rows of `width`, a multiple of 4.
    #[must_use]
    pub const fn new(width: u32, scale_at: Option<u32>) -> Self {
        let scale_at = match scale_at {
            Some(at) => at,
            None => NONE,
        };
        Self { width4: width / 4, scale_at, pad: [0; 2] }
    }

    /// Workgroups of either for `rows` rows.
    #[must_use]
    pub const fn dispatch(&self, rows: u32) -> [u32; 3] {
        grid((rows * self.width4).div_ceil(256))
    }
}

/// Rows copied, and scaled.
///
/// # Errors
/// A fault of the template.
pub fn copy() -> Result<Source, PreprocessError> {
    Source::build::<Params>("train/copy.wgsl", "train_copy", &Defines::new())
}

/// Rows chosen by number.
///
/// # Errors
/// A fault of the template.
pub fn pick_rows() -> Result<Source, PreprocessError> {
    Source::build::<Params>("train/pick_rows.wgsl", "train_pick_rows", &Defines::new())
}
