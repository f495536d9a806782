//! What stands between the matrix products of a vision tower. Rows are patches;
//! [`Picture`] says how they lie. The products themselves, clipped or not, are those of [`crate::matmul`], the activation and
//! the residual additions those of [`crate::rows`].

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
    /// Number of patches.
    #[must_use]
    pub const fn patches(self) -> u32 {
        self.columns * self.rows
    }
}

/// Defines of every kernel that includes `wgsl/shared/patch_grid.wgsl`.
fn defines() -> Defines {
    Defines::new().set("PATCH_GRID", params::wgsl::<PatchGrid>("PatchGrid"))
}
