//! Kernels of the vision tower between its matrix products. A row is a patch; [`PatchGrid`] gives the columns and
//! rows of the image. The products, clipped or not, are those of [`crate::matmul`]; activation and residual
//! additions are those of [`crate::rows`].

pub mod heads;
pub mod layer_norm;
pub mod patches;
pub mod pool;
pub mod position;

use crate::{Defines, params};

params! {
    /// The size of an image in patches.
    #[derive(Default, Eq)]
    pub struct PatchGrid {
        /// Patches in a row.
        pub columns: u32,
        /// Rows of patches.
        pub rows: u32,
    }
}

impl PatchGrid {
    /// Returns the number of patches.
    pub const fn patches(self) -> u32 {
        self.columns * self.rows
    }
}

/// The image of test cases: 3×3 squares.
pub(crate) const GRID: PatchGrid = PatchGrid { columns: 6, rows: 3 };

/// Defines of every kernel that includes `wgsl/shared/patch_grid.wgsl`.
fn defines() -> Defines {
    Defines::new().set("PATCH_GRID", params::wgsl::<PatchGrid>("PatchGrid"))
}
