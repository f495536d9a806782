//! Launcher and CPU twin of `wgsl/matmul/cooperative_int8.wgsl`: products of prefill by matrix units that multiply int8.

use super::int8_blocks::{self, BLOCK};
use crate::planes::UNIT;
use crate::{DType, Defines, PreprocessError, Source};

/// Rows of X (tokens) per workgroup.
pub const BM: u32 = 64;
/// Rows of W per workgroup.
pub const BN: u32 = 128;
/// Elements along K per step.
pub const BK: u32 = 64;
/// Subgroups along the rows of X.
const ROWS: u32 = 2;
/// Subgroups along the rows of W.
const COLUMNS: u32 = 2;
const THREADS: u32 = 32 * ROWS * COLUMNS;
/// Workgroup memory in bytes.
pub const WORKGROUP_MEMORY: u32 = (BM + BN) * (BK + 16) + 64 * BM * COLUMNS + 4 * BM;

/// How matrices are spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Chromium's `chromium-experimental-subgroup-matrix`, behind a flag.
    Chromium,
    /// WGSL without matrices, for tests: wgpu has none of int8.
    Plain,
}

impl Dialect {
    /// The one that this target compiles.
    pub const HERE: Self = if cfg!(target_arch = "wasm32") { Self::Chromium } else { Self::Plain };
}

params! {
    /// The uniform at binding 0. Then: the state (its `len` is T), codes `[N, 2, K/16, 4]` and scales `[N, ⌈K/1024⌉]` of W, codes
    /// `[T, 2, K/16, 4]` and scales `[T, ⌈K/1024⌉]` of X, Y f32 `[T, splits, width]`.
    #[derive(Eq)]
    pub struct Params {
        /// Rows of W.
        pub n: u32,
        /// Units per row of X and W: K / 16.
        pub units_per_row: u32,
        /// Blocks per row: ⌈K / 1024⌉.
        pub blocks_per_row: u32,
        /// Row width of Y.
        pub width: u32,
        /// Column of Y where the result begins.
        pub y_at: u32,
        /// Unused.
        pub pad: [u32; 3],
    }
}

impl Params {
    /// Parameters for `n` rows of W with `k` elements, whose results are the columns from `y_at` on of rows of `width`.
    #[must_use]
    pub const fn new([n, k]: [u32; 2], [width, y_at]: [u32; 2]) -> Self {
        let (units_per_row, blocks_per_row) = (k / UNIT, k.div_ceil(BLOCK));
        Self { n, units_per_row, blocks_per_row, width, y_at, pad: [0; 3] }
    }

    /// Workgroups for up to `rows` tokens, with K split into `splits` parts.
    #[must_use]
    pub const fn dispatch(&self, rows: u32, splits: u32) -> [u32; 3] {
        [self.n.div_ceil(BN), rows.div_ceil(BM), splits]
    }
}

/// Whether matrices of this type with rows of `k` elements are multiplied. F32 matrices are left to f32 products.
#[must_use]
pub fn suits(dtype: DType, k: u32) -> bool {
    dtype != DType::F32 && k > 0 && k.is_multiple_of(BK)
}

/// Into how many parts K is split, for up to `rows` tokens and `n` rows of W with `k` elements. A large GPU computes 264 workgroups
/// at a time, two on each of 132 units, so a few more than that take as long as twice as many (`MEASUREMENTS.md`). A part has at
/// least a block. Writing and adding parts costs about as much as a 32nd of a product each.
#[must_use]
pub fn splits(rows: u32, n: u32, k: u32) -> u32 {
    let workgroups = rows.div_ceil(BM) * n.div_ceil(BN);
    // The sum of the parts takes four elements at a time.
    let most = if n.is_multiple_of(4) && workgroups < 528 { (k / BLOCK).clamp(1, 4) } else { 1 };
    let cost = |splits: u32| (workgroups * splits).div_ceil(264) * (32 + splits) * (12 / splits);
    (1..=most).min_by_key(|&splits| cost(splits)).unwrap_or(1)
}

/// The kernel, on this target.
///
/// # Errors
/// When the template cannot be expanded.
pub fn source() -> Result<Source, PreprocessError> {
    in_dialect(Dialect::HERE)
}

fn in_dialect(dialect: Dialect) -> Result<Source, PreprocessError> {
    let is_plain = dialect == Dialect::Plain;
    let defines = Defines::new()
        .set("DIALECT", if is_plain { "plain" } else { "chromium" })
        .set("PLAIN", is_plain)
        .set("BM", BM)
        .set("BN", BN)
        .set("BK", BK)
        .set("ROWS", ROWS)
        .set("COLUMNS", COLUMNS)
        .set("THREADS", THREADS)
        .set("DEPTHS", BK / 32)
        .set("M_TILES", BM / ROWS / 16)
        .set("N_TILES", BN / COLUMNS / 16)
        .set("X_LOADS", BM * BK / UNIT / THREADS)
        .set("W_LOADS", BN * BK / UNIT / THREADS);
    let name = format!("matmul_cooperative_int8_{BM}x{BN}x{BK}_{ROWS}x{COLUMNS}");
    Source::build::<Params>("matmul/cooperative_int8.wgsl", name, &defines)
}

/// CPU twin: `[T, splits, N]` of rows of W and X with `k` elements, rounded in blocks, with sums in f64.
#[must_use]
pub fn matmul(w: &[f32], x: &[f32], k: u32, splits: u32) -> Vec<f32> {
    let rows = |values: &[f32]| values.chunks_exact(k as usize).map(int8_blocks::round).collect::<Vec<_>>();
    let (w, x) = (rows(w), rows(x));
    let blocks = k.div_ceil(BLOCK);
    let mut y = Vec::with_capacity(x.len() * splits as usize * w.len());
    for x in &x {
        for part in 0..splits {
            let range = blocks * part / splits..blocks * (part + 1) / splits;
            let sum = |w| range.clone().map(|block| of_block(w, x, block as usize)).sum::<f64>() as f32;
            y.extend(w.iter().map(sum));
        }
    }
    y
}

/// The product of a block of two rows.
fn of_block(
    ([wq, wr], w_scales): &([Vec<i8>; 2], Vec<f32>),
    ([xq, xr], x_scales): &([Vec<i8>; 2], Vec<f32>),
    block: usize,
) -> f64 {
    let begin = block * BLOCK as usize;
    let range = begin..(begin + BLOCK as usize).min(wq.len());
    let dot = |a: &[i8], b: &[i8]| range.clone().map(|i| i32::from(a[i]) * i32::from(b[i])).sum::<i32>();
    let sum = 128 * dot(xq, wq) + dot(xr, wq) + dot(xq, wr);
    128.0 * f64::from(sum) * f64::from(w_scales[block]) * f64::from(x_scales[block])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix_units::tests::places;

    #[test]
    fn every_invocation_loads_as_much() {
        assert!((BM * BK / UNIT).is_multiple_of(THREADS) && (BN * BK / UNIT).is_multiple_of(THREADS));
        assert!(BM.is_multiple_of(16 * ROWS) && BN.is_multiple_of(16 * COLUMNS) && THREADS >= BM);
        assert!(BLOCK.is_multiple_of(BK) && WORKGROUP_MEMORY <= 32 << 10);
    }

    #[test]
    fn the_sums_of_a_block_fit() {
        let largest = i64::from(BLOCK) * (128 * 127 * 127 + 2 * 127 * 64);
        assert!(largest <= i64::from(i32::MAX), "{largest}");
    }

    #[test]
    fn only_small_products_are_split() {
        assert_eq!(splits(512, 15_360, 3840), 1);
        assert_eq!((splits(512, 5376, 21_504), splits(512, 1536, 12_288)), (3, 2));
        assert_eq!((splits(64, 1536, 12_288), splits(64, 1536, 1024), splits(64, 1538, 12_288)), (4, 1, 1));
    }

    #[test]
    fn the_kernel_is_the_same_in_both_dialects_but_for_the_lanes() {
        let text = |dialect| in_dialect(dialect).unwrap().wgsl.to_string();
        let (plain, chromium) = (text(Dialect::Plain), text(Dialect::Chromium));
        assert!(!plain.contains("subgroup_matrix") && chromium.contains("subgroupMatrixMultiplyAccumulate"));
        let products = |text: &str| text.split_once("let count =").map(|(_, rest)| rest.to_owned());
        assert_eq!(products(&plain), products(&chromium));
        assert_eq!(places(&chromium), ((2 + 4) * 2, vec![]));
    }

    #[test]
    fn published_shapes_suit() {
        for k in [256, 1536, 2048, 2112, 2560, 2816, 3840, 4096, 5376, 8192, 10_240, 12_288, 15_360, 21_504] {
            assert!(suits(DType::Q4_K, k), "{k}");
        }
        assert!(!suits(DType::F32, 1536) && !suits(DType::Q4_0, 96));
    }
}
