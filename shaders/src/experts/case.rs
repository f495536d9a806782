//! What the self-test cases of mixtures have in common.

use super::{Choice, Mixture, buckets};
use crate::DType;
use crate::matmul::experts;
use crate::selftest::{CaseError, Matrix, matrix, random};

/// Rows of the chunk.
pub(crate) const LEN: u32 = 21;

/// Choices where each row uses consecutive experts, so that some are chosen often and some never.
pub(crate) fn made_up(mixture: Mixture, rows: u32) -> Vec<Choice> {
    let weights = random(61, (rows * mixture.used) as usize);
    let choice = |p: u32| {
        let start = (p / mixture.used) * (p / mixture.used) % mixture.experts;
        Choice { expert: (start + p % mixture.used) % mixture.experts, weight: weights[p as usize] }
    };
    (0..rows * mixture.used).map(choice).collect()
}

/// Operands of a prefill product with the experts `1..5` of six.
pub(crate) struct Prefill {
    pub(crate) mixture: Mixture,
    pub(crate) params: experts::Params,
    pub(crate) w: Matrix,
    pub(crate) tiles: Vec<buckets::Tile>,
    pub(crate) order: Vec<u32>,
    pub(crate) x: Vec<f32>,
    /// Zeros.
    pub(crate) y: Vec<f32>,
}

/// For tiles of `bm` pairs.
pub(crate) fn prefill(dtype: DType, bm: u32) -> Result<Prefill, CaseError> {
    let mixture = Mixture { experts: 6, used: 3 };
    let (k, n, begin, end) = (512, 45, 1, 5);
    let chosen = made_up(mixture, LEN);
    let (order, tiles) = buckets::buckets(mixture, bm, buckets::most_tiles(mixture, LEN, bm), &chosen);
    let w = matrix(dtype, k, (end - begin) * n, 64)?;
    let params = experts::Params {
        planes: w.layout.planes,
        n,
        units_per_row: w.layout.units_per_row,
        begin,
        end,
        pairs_per_row: mixture.used,
        y_stride: n,
        y_at: 0,
        pad: 0,
    };
    let x = random(65, (LEN * k) as usize);
    let y = vec![0.0; chosen.len() * n as usize];
    Ok(Prefill { mixture, params, w, tiles, order, x, y })
}
