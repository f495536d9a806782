//! `wgsl/vision/position.wgsl`: learned position embeddings of column and row.

use super::{GRID, PatchGrid, defines};
use crate::case::{Case, CaseError, Expected, args, matrix, random};
use crate::quant::planar_values;
use crate::{DType, Kernel, PlanarLayout, Planes, PreprocessError, Source};

/// The kernel for tables of one storage type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Positions(pub DType);

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
    pub const fn new(x: &PlanarLayout, y: &PlanarLayout) -> Self {
        Self { planes_x: x.planes, planes_y: y.planes, units_per_row: x.units_per_row, pad: [0; 3] }
    }

    /// Workgroups for `patches` patches, at most 65 535.
    pub const fn dispatch(&self, patches: u32) -> [u32; 3] {
        [self.units_per_row.div_ceil(64), patches, 1]
    }
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

impl Kernel for Positions {
    fn source(&self) -> Result<Source, PreprocessError> {
        let Self(dtype) = *self;
        let defines = defines().set("DTYPE", dtype);
        Source::build::<Params>("vision/position.wgsl", format!("vision_position_{dtype}"), &defines)
    }

    fn case(&self) -> Result<Case, CaseError> {
        let k = 256;
        let (x, y) = (matrix(self.0, k, 7, 71)?, matrix(self.0, k, 7, 72)?);
        let h = random(73, (GRID.patches() * k) as usize);
        let mut want = h.clone();
        position(GRID, (&x.layout, &x.words), (&y.layout, &y.words), &mut want);
        let params = Params::new(&x.layout, &y.layout);
        let args = args![uniform(&params), words(&[GRID]), Words(x.words), Words(y.words), floats(&h)];
        let grid = params.dispatch(GRID.patches());
        Ok(Case { args, grid, expected: vec![Expected::new(4, want, 1e-4)] })
    }
}
