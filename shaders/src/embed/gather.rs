//! Launcher and CPU twin of `wgsl/embed/gather.wgsl`: rows of a planar matrix, scaled.

use crate::case::{Case, CaseError, Expected, args, matrix};
use crate::quant::planar_values;
use crate::{DType, Defines, Kernel, PlanarLayout, Planes, PreprocessError, Source};
/// The kernel for one storage type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gather(pub DType);

params! {
    /// The uniform at binding 0. Then: the planar table, the token ids, the state, and `y` f32 `[T, K]`.
    pub struct Params {
        /// Planes of this part of the table.
        pub planes: Planes,
        /// Units of a row.
        pub units_per_row: u32,
        /// First row of the table in this part.
        pub row0: u32,
        /// Rows in this part.
        pub rows: u32,
        /// Factor of every value.
        pub scale: f32,
    }
}

impl Params {
    /// Parameters for a table, or for a part of it that starts at row `row0`.
    pub const fn new(part: &PlanarLayout, row0: u32, scale: f32) -> Self {
        Self { planes: part.planes, units_per_row: part.units_per_row, row0, rows: part.n, scale }
    }

    /// Workgroups for steps of up to `rows` tokens.
    pub const fn dispatch(&self, rows: u32) -> [u32; 3] {
        [self.units_per_row.div_ceil(64), rows, 1]
    }
}

/// CPU twin: writes `y[t, :]` for the tokens in this part of the table.
pub fn gather(part: &PlanarLayout, words: &[u32], row0: u32, scale: f32, tokens: &[u32], y: &mut [f32]) {
    for (&token, out) in tokens.iter().zip(y.chunks_exact_mut(part.k as usize)) {
        let row = token.wrapping_sub(row0);
        if row < part.n {
            for (out, value) in out.iter_mut().zip(planar_values(part, words, row)) {
                *out = scale * value;
            }
        }
    }
}

impl Kernel for Gather {
    fn source(&self) -> Result<Source, PreprocessError> {
        let Self(dtype) = *self;
        let defines = Defines::new().set("DTYPE", dtype);
        Source::build::<Params>("embed/gather.wgsl", format!("embed_gather_{dtype}"), &defines)
    }

    fn case(&self) -> Result<Case, CaseError> {
        let (k, tokens) = (512, [3, 0, 10, 3]);
        let table = matrix(self.0, k, 11, 41)?;
        let params = Params::new(&table.layout, 0, 1.5);
        let mut y = vec![0.0; k as usize * tokens.len()];
        gather(&table.layout, &table.words, 0, 1.5, &tokens, &mut y);
        let len = tokens.len() as u32;
        let args = args![
            uniform(&params),
            Words(table.words),
            Words(tokens.to_vec()),
            state(0, len),
            zeros(y.len())
        ];
        let grid = params.dispatch(len);
        Ok(Case { args, grid, expected: vec![Expected::new(4, y, 1e-5)] })
    }
}
