//! Launcher and CPU twin of `wgsl/rows/group_sum.wgsl`: sums over groups of neighbouring rows.

use crate::{Defines, PreprocessError, Source, grid};

params! {
    /// The uniform at binding 0. Then: the state (its `len` is T), part f32 `[T, sums·group, 4·quads]`, out f32
    /// `[T, sums, 4·quads]`.
    #[derive(Default, Eq)]
    pub struct Params {
        /// A quarter of the elements of a row.
        pub quads: u32,
        /// Sums per position.
        pub sums: u32,
        /// Rows per sum.
        pub group: u32,
        /// If not 0, the result is added to the output.
        pub add: u32,
    }
}

impl Params {
    /// Workgroups for `positions` positions.
    #[must_use]
    pub const fn dispatch(&self, positions: u32) -> [u32; 3] {
        grid((positions * self.sums * self.quads).div_ceil(256))
    }
}

/// The kernel.
///
/// # Errors
/// When the template cannot be expanded.
pub fn source() -> Result<Source, PreprocessError> {
    Source::build::<Params>("rows/group_sum.wgsl", "rows_group_sum", &Defines::new())
}

/// CPU twin without the addition: the sums of `part`, `[T·sums, group, width]`.
#[must_use]
pub fn group_sum(part: &[f32], width: usize, group: usize) -> Vec<f32> {
    let sum = |rows: &[f32], column: usize| rows.iter().skip(column).step_by(width).sum();
    part.chunks_exact(width * group)
        .flat_map(|rows| (0..width).map(move |column| sum(rows, column)))
        .collect()
}
