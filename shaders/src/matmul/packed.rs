//! Launcher and CPU twin of `wgsl/matmul/packed.wgsl`: products of prefill with rows that are rounded to int8.

use super::experts::{self, Prefill, prefill};
use super::{Params, matmul};
use crate::case::{Case, CaseError, Expected, args, matrix, random, tolerance};
use crate::experts::case::LEN;
use crate::experts::{Mixture, buckets};
use crate::forms::Scales;
use crate::math::pack_rows;
use crate::matrix_units::choices;
use crate::{DType, Defines, Kernel, PreprocessError, Source};

/// Workgroups that occupy a large GPU: several for each of its cores.
const WORKGROUPS: u32 = 2048;
/// Into how many parts K is split. Each is a dispatch of its own in a plan, so there are few.
const SPLITS: [u32; 2] = [8, 4];
/// Fewest elements of K in a part.
const LEAST_K: u32 = 256;

/// Tile sizes. Every tile gives the same result up to rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PackedTile {
    /// Rows of X (tokens) per workgroup; a multiple of 8.
    pub bm: u32,
    /// Rows of W per workgroup.
    pub bn: u32,
    /// Blocks of 32 elements along K per step.
    pub step: u32,
    /// Tokens per thread; divides `bm`.
    pub tm: u32,
    /// Rows of W per thread; divides `bn`.
    pub tn: u32,
}

impl PackedTile {
    /// For large products.
    pub const LARGE: Self = Self { bm: 64, bn: 64, step: 2, tm: 4, tn: 8 };
    /// For products that would give too few workgroups with [`Self::LARGE`].
    pub const SMALL: Self = Self { bm: 32, bn: 64, step: 2, tm: 4, tn: 4 };
    /// For the matrices of a mixture, whose chunks have few rows per expert: as many as [`super::Tile::MEDIUM`], for which the
    /// same tiles of pairs do.
    pub const EXPERTS: Self = Self::SMALL;
    /// Every tile the engine chooses from.
    pub const ALL: [Self; 2] = [Self::LARGE, Self::SMALL];

    /// Returns the tile for up to `rows` tokens and `n` rows of W with `k` elements: the largest one that still gives a large GPU
    /// enough workgroups, and into how many parts K is split where both don't.
    pub fn choose(rows: u32, n: u32, k: u32) -> (Self, u32) {
        let large = rows > Self::SMALL.bm && Self::LARGE.workgroups(rows, n) >= 256;
        let tile = if large { Self::LARGE } else { Self::SMALL };
        // The sum of the parts takes four elements at a time.
        let most =
            if n.is_multiple_of(4) { (WORKGROUPS / tile.workgroups(rows, n)).min(k / LEAST_K) } else { 1 };
        let splits = SPLITS.into_iter().find(|&splits| splits <= most).unwrap_or(1);
        (tile, splits)
    }

    /// What [`Self::choose`] can return for up to `most_rows` tokens, `n` rows of W and `k` elements of each.
    pub fn within_reach(most_rows: u32, n: u32, k: u32) -> Vec<(Self, u32)> {
        choices(most_rows, |rows| Self::choose(rows, n, k))
    }

    const fn workgroups(self, rows: u32, n: u32) -> u32 {
        rows.div_ceil(self.bm) * n.div_ceil(self.bn)
    }

    /// Returns whether it can multiply a matrix of this type with rows of `k` elements.
    pub fn suits(dtype: DType, k: u32) -> bool {
        !dtype.is_float() && k > 0 && k.is_multiple_of(32)
    }

    /// Workgroups for chunks of `positions`, for the worst case of the router's choice.
    pub const fn dispatch_experts(
        self,
        params: &experts::Params,
        mixture: Mixture,
        positions: u32,
    ) -> [u32; 3] {
        [params.n.div_ceil(self.bn), buckets::most_tiles(mixture, positions, self.bm), 1]
    }

    const fn invocations(self) -> u32 {
        (self.bm / self.tm) * (self.bn / self.tn)
    }

    /// Workgroups for up to `rows` tokens, with K split into `splits` parts.
    pub const fn dispatch(self, params: &Params, rows: u32, splits: u32) -> [u32; 3] {
        [params.n.div_ceil(self.bn), rows.div_ceil(self.bm), splits]
    }
}

/// The product with one tile and storage type of W. With `experts` its bindings are those of [`experts::Params`], with codes and
/// scales of X in place of X. Otherwise: params, the planar W, the state (its `len` is T), codes and scales of
/// X ([`PackRows`](super::pack_rows::PackRows)), Y f32 `[T, N]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedMatmul {
    /// Tile sizes.
    pub tile: PackedTile,
    /// Storage type of W.
    pub dtype: DType,
    /// Whether W is of a mixture.
    pub experts: bool,
}

impl PackedMatmul {
    /// A tile of pairs for each expert.
    fn case_of_experts(&self) -> Result<Case, CaseError> {
        let Prefill { mixture, params, w, tiles, order, x, mut y } = prefill(self.dtype, self.tile.bm)?;
        let (codes, scales) = pack_rows(&x);
        let sorted = (tiles.as_slice(), order.as_slice());
        experts::matmul(&params, &w.layout, &w.words, sorted, &rounded(&codes, &scales), &mut y);
        let grid = self.tile.dispatch_experts(&params, mixture, LEN);
        let args = args![
            uniform(&params),
            Words(w.words),
            Words(tiles.as_flattened().to_vec()),
            Words(order),
            words(&codes),
            floats(&scales),
            zeros(y.len())
        ];
        Ok(Case { args, grid, expected: vec![Expected::new(6, y, tolerance(w.layout.k))] })
    }
}

impl Kernel for PackedMatmul {
    fn source(&self) -> Result<Source, PreprocessError> {
        let Self { tile, dtype, experts } = *self;
        let PackedTile { bm, bn, step, tm, tn } = tile;
        let of = if experts { "experts_" } else { "" };
        let name = format!("matmul_packed_{of}{dtype}_{bm}x{bn}x{step}_{tm}x{tn}");
        let threads = tile.invocations();
        let unit_scales =
            matches!(dtype.scales(), Scales::NibblePairs | Scales::Bytes16 | Scales::Minifloats);
        let defines = Defines::new()
            .set("DTYPE", dtype)
            .set("EXPERTS", experts)
            .set("UNIT_SCALES", unit_scales)
            .set("BM", bm)
            .set("BN", bn)
            .set("STEP", step)
            .set("TM", tm)
            .set("TN", tn)
            .set("ROWS", bm / tm)
            .set("COLUMNS", bn / tn)
            .set("THREADS", threads)
            .set("X_LOADS", bm * step * 2 / threads)
            .set("D_LOADS", (bm * step).div_ceil(threads))
            .set("W_LOADS", (bn * step).div_ceil(threads));
        let path = "matmul/packed.wgsl";
        if experts {
            Source::build::<experts::Params>(path, name, &defines)
        } else {
            Source::build::<Params>(path, name, &defines)
        }
    }

    /// More tokens than a tile, summed in two parts.
    fn case(&self) -> Result<Case, CaseError> {
        let Self { tile, dtype, experts } = *self;
        if experts {
            return self.case_of_experts();
        }
        let (k, n, tokens) = (512, 75, tile.bm + 3);
        let w = matrix(dtype, k, n, 31)?;
        let x = random(32, (k * tokens) as usize);
        let (codes, scales) = pack_rows(&x);
        let params = Params::new(&w.layout);
        let x = rounded(&codes, &scales);
        // Each part is the product with what is 0 elsewhere.
        let is_of = |part: usize, i: usize| i % k as usize / (k as usize / 2) == part;
        let parts = [0, 1].map(|part| {
            let x: Vec<f32> = (0..x.len()).map(|i| if is_of(part, i) { x[i] } else { 0.0 }).collect();
            matmul(&w.layout, &w.words, &x)
        });
        let [first, second] = parts.each_ref().map(|part| part.chunks(n as usize));
        let y: Vec<f32> = first.zip(second).flat_map(|(a, b)| [a, b].concat()).collect();
        let grid = tile.dispatch(&params, tokens, 2);
        let args = args![
            uniform(&params),
            Words(w.words),
            state(0, tokens),
            words(&codes),
            floats(&scales),
            zeros(y.len())
        ];
        Ok(Case { args, grid, expected: vec![Expected::new(5, y, tolerance(k))] })
    }

    fn is_packed(&self) -> bool {
        true
    }
}

/// The values of rounded rows.
fn rounded(codes: &[u32], scales: &[f32]) -> Vec<f32> {
    let unit = |(codes, scale): (&[u32], &[f32])| -> Vec<f32> {
        let bytes = codes.iter().flat_map(|word| word.to_le_bytes());
        bytes.map(|byte| scale[0] * f32::from(byte as i8)).collect()
    };
    codes.chunks_exact(4).zip(scales.chunks_exact(2)).flat_map(unit).collect()
}
