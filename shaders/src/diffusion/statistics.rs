//! Launcher and CPU twin of `wgsl/diffusion/statistics.wgsl`: statistics of logits, a tile of the vocabulary at a time.

use super::case::{BEFORE, PIECES, SOFTCAP, TEMPERATURE, logits};
use super::{Row, tempered};
use crate::case::{Case, CaseError, Expected, LEN, Reading, args};
use crate::{Defines, Kernel, PreprocessError, Source};

/// The kernel. Bindings: params, state, temperature, logits, rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statistics;

params! {
    /// The uniform at binding 0. Then: state, temperature, logits, rows.
    #[derive(Default)]
    pub struct Params {
        /// Pieces of the tile.
        pub n: u32,
        /// The first of them.
        pub row0: u32,
        /// 1 for the first tile: statistics begin anew.
        pub first: u32,
        /// The softcap; 0 is off.
        pub softcap: f32,
    }
}

/// Workgroups for so many rows, at most 65 535.
pub const fn dispatch(rows: u32) -> [u32; 3] {
    [rows, 1, 1]
}

/// CPU twin for all raw logits of one row, in f64.
pub fn statistics(a: &[f32], softcap: f32, temperature: f32) -> Row {
    let z: Vec<f64> = a.iter().map(|&a| tempered(a.into(), softcap.into(), temperature.into())).collect();
    let top = z.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let best = z.iter().position(|&z| z == top).unwrap_or(0) as u32;
    let sum: f64 = z.iter().map(|z| (z - top).exp()).sum();
    let weighted: f64 = z.iter().map(|z| (z - top) * (z - top).exp()).sum();
    Row { top: top as f32, sum: sum as f32, weighted: weighted as f32, best }
}

/// Returns the rows of a case.
pub(super) fn case_rows(logits: &[f32]) -> Vec<Row> {
    let row = |a: &[f32]| {
        let row = statistics(a, SOFTCAP, TEMPERATURE);
        Row { best: row.best + BEFORE, ..row }
    };
    logits.chunks(PIECES as usize).map(row).collect()
}

impl Kernel for Statistics {
    fn source(&self) -> Result<Source, PreprocessError> {
        Source::build::<Params>("diffusion/statistics.wgsl", "diffusion_statistics", &Defines::new())
    }

    /// Statistics of a first tile.
    fn case(&self) -> Result<Case, CaseError> {
        let logits = logits();
        let params = Params { n: PIECES, row0: BEFORE, first: 1, softcap: SOFTCAP };
        let rows = case_rows(&logits);
        let numbers = rows.iter().flat_map(|row| [row.top, row.sum, row.weighted, row.best as f32]);
        let values: Vec<f32> = numbers.collect();
        let args = args![
            uniform(&params),
            state(0, LEN),
            floats(&[TEMPERATURE]),
            floats(&logits),
            zeros(values.len())
        ];
        let expected = Expected { reading: Reading::Quads, ..Expected::new(4, values, 1e-3) };
        let grid = dispatch(LEN);
        Ok(Case { args, grid, expected: vec![expected] })
    }
}
