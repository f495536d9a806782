//! `wgsl/vision/position.wgsl`: learned position embeddings of column and row.

use super::{PatchGrid, defines};
use crate::quant::planar_values;
use crate::{DType, PlanarLayout, Planes, PreprocessError, Source};

params! {
    /// The uniform at binding 0. Then: the patch grid, the tables of columns and of rows, and h.
    #[derive(Eq)]
    pub struct Params {
        /// Planes of the table of columns.
        pub planes_x: Planes,
        /// Planes of the table of rows.
        pub planes_y: Planes,
        /// Units per row of either table.
        pub units_per_row: u32,
        /// Unused.
        pub pad: [u32; 3],
    }
}

impl Params {
    /// Parameters for two tables of the same width.
    #[must_use]
    pub const fn new(x: &PlanarLayout, y: &PlanarLayout) -> Self {
        Self { planes_x: x.planes, planes_y: y.planes, units_per_row: x.units_per_row, pad: [0; 3] }
    }

    /// Workgroups for `patches` patches, at most 65 535.
    #[must_use]
    pub const fn dispatch(&self, patches: u32) -> [u32; 3] {
        [self.units_per_row.div_ceil(64), patches, 1]
    }
}

/// The shader for tables of one storage type.
///
/// # Errors
/// When the template cannot be expanded.
pub fn source(dtype: DType) -> Result<Source, PreprocessError> {
    let defines = defines().set("DTYPE", dtype);
    Source::build::<Params>("vision/position.wgsl", format!("vision_position_{dtype}"), &defines)
}

/// CPU twin: changes h in place.
pub fn position(grid: PatchGrid, x: (&PlanarLayout, &[u32]), y: (&PlanarLayout, &[u32]), h: &mut [f32]) {
    for (patch, row) in (0u32..).zip(h.chunks_exact_mut(x.0.k as usize)) {
        let across = planar_values(x.0, x.1, patch % grid.columns);
        let down = planar_values(y.0, y.1, patch / grid.columns);
        for (h, (x, y)) in row.iter_mut().zip(across.into_iter().zip(down)) {
            *h += x + y;
        }
    }
}
