//! What stands between the matrix products of a vision tower. Rows are patches;
//! [`Picture`] says how they lie. The products themselves, clipped or not, are those of [`crate::matmul`], the activation and
//! the residual additions those of [`crate::rows`].

pub mod heads;
pub mod layer_norm;
pub mod patches;
pub mod pool;
pub mod position;

use bytemuck::{Pod, Zeroable};

/// The grid of a picture, in patches (`wgsl/shared/picture.wgsl`).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Picture {
    /// Patches of a row of the picture.
    pub columns: u32,
    /// Rows of patches.
    pub rows: u32,
}

impl Picture {
    /// Patches.
    #[must_use]
    pub const fn patches(self) -> u32 {
        self.columns * self.rows
    }
}
