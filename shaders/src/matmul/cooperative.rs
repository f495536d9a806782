//! Launcher and CPU twin of `wgsl/matmul/cooperative.wgsl`: products of prefill by the matrix units of the device.

use super::experts::{Prefill, prefill};
use super::{Params, experts, half_rows};
use crate::case::{Arg, Case, CaseError, Expected, matrix, random, tolerance};
use crate::experts::case::LEN;
use crate::experts::{Mixture, buckets};
use crate::matrix_units::{Dialect, MIN_ROWS, choices};
use crate::params::WgslStruct;
use crate::quant::planar_values;
use crate::{DType, Defines, Kernel, PlanarLayout, PreprocessError, Source};
use half::f16;

/// Factor of the decoded weights in the tile.
const W_FACTOR: f32 = 64.0;

/// What is multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Product {
    /// Rows of X by rows of W.
    Rows,
    /// The same, with matrices of a mixture.
    Experts,
    /// Rows of X by columns of W: Y[T, K] = X[T, N]·W[N, K].
    Columns,
}

/// The kernel for one tile and storage type of W.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CooperativeMatmul {
    /// Tile sizes.
    pub tile: CooperativeTile,
    /// Storage type of W.
    pub dtype: DType,
    /// What is multiplied.
    pub product: Product,
}

/// Tile sizes for subgroups of 32 invocations and matrices of 16×16.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CooperativeTile {
    /// Rows of X (tokens) per workgroup.
    pub bm: u32,
    /// Rows of W per workgroup.
    pub bn: u32,
    /// Elements along K per step; a multiple of 16.
    pub bk: u32,
    /// Subgroups along the rows of X.
    pub rows: u32,
    /// Subgroups along the rows of W.
    pub columns: u32,
}

impl CooperativeTile {
    /// For large products.
    pub const LARGE: Self = Self { bm: 128, bn: 256, bk: 32, rows: 2, columns: 4 };
    /// For products that would give too few workgroups with [`Self::LARGE`].
    pub const MEDIUM: Self = Self { bm: 128, bn: 128, bk: 64, rows: 2, columns: 4 };
    /// For products that would give too few workgroups with [`Self::MEDIUM`].
    pub const SMALL: Self = Self { bm: 64, bn: 64, bk: 64, rows: 2, columns: 2 };
    /// For the matrices of a mixture: a chunk has few rows per expert.
    pub const EXPERTS: Self = Self { bm: 32, bn: 128, bk: 32, rows: 2, columns: 2 };
    /// For products with columns.
    pub const COLUMNS: Self = Self::MEDIUM;
    /// Every tile the engine chooses from for a matrix of its own.
    pub const ALL: [Self; 3] = [Self::LARGE, Self::MEDIUM, Self::SMALL];

    /// Returns the tile for up to `rows` tokens and `n` rows of W with `k` elements, and into how many parts K is split. A large
    /// GPU computes 132 workgroups at a time, so a few more than that take as long as twice as many. Summing the parts
    /// costs as much as some hundred elements of K (`MEASUREMENTS.md`).
    pub fn choose(rows: u32, n: u32, k: u32) -> (Self, u32) {
        let [large, medium, small] = Self::ALL.map(|tile| tile.workgroups(rows, n));
        // The sum of the parts takes four elements at a time.
        let most = if n.is_multiple_of(4) { 4 } else { 1 };
        let splits =
            |workgroups: u32, least_k: u32| (288 / workgroups).clamp(1, (k / least_k).clamp(1, most));
        let enough = |workgroups| workgroups * splits(workgroups, 1024) >= 240;
        match () {
            () if large >= 128 => (Self::LARGE, 1),
            () if (96..=132).contains(&medium) => (Self::MEDIUM, 1),
            () if enough(large) => (Self::LARGE, splits(large, 1024)),
            () if enough(medium) => (Self::MEDIUM, splits(medium, 1024)),
            () => (Self::SMALL, splits(small, 512)),
        }
    }

    /// What [`Self::choose`] can return for up to `most_rows` tokens, `n` rows of W and `k` elements of each.
    pub fn within_reach(most_rows: u32, n: u32, k: u32) -> Vec<(Self, u32)> {
        choices(most_rows, |rows| Self::choose(rows, n, k))
    }

    /// Returns whether it can multiply a matrix of this type with rows of `k` elements. F32 matrices are left to f32 products,
    /// which don't round them.
    pub fn suits(dtype: DType, k: u32) -> bool {
        dtype != DType::F32 && k > 0 && Self::ALL.iter().all(|tile| k.is_multiple_of(tile.bk))
    }

    const fn workgroups(self, rows: u32, n: u32) -> u32 {
        rows.div_ceil(self.bm) * n.div_ceil(self.bn)
    }

    const fn invocations(self) -> u32 {
        self.rows * self.columns * 32
    }

    /// Workgroups for up to `rows` tokens, with K split into `splits` parts.
    pub const fn dispatch(self, params: &Params, rows: u32, splits: u32) -> [u32; 3] {
        [params.n.div_ceil(self.bn), rows.div_ceil(self.bm), splits]
    }

    /// Returns whether [`Self::COLUMNS`] can multiply by the columns of a matrix of this type with `n` rows.
    pub fn suits_columns(dtype: DType, n: u32) -> bool {
        dtype != DType::F32 && n > 0 && n.is_multiple_of(Self::COLUMNS.bk)
    }

    /// In how many parts [`Self::COLUMNS`] sums over `n` rows of W, with up to `rows` rows of X and `k` columns: enough for
    /// 132 workgroups.
    pub const fn column_splits(rows: u32, n: u32, k: u32) -> u32 {
        let tile = Self::COLUMNS;
        let wanted = 132 / (rows.div_ceil(tile.bm) * k.div_ceil(tile.bn));
        let most = n / (8 * tile.bk);
        let parts = if wanted < most { wanted } else { most };
        if parts > 1 { parts } else { 1 }
    }

    /// Workgroups of [`Product::Columns`] for up to `rows` tokens, with N split into `splits` parts.
    pub const fn dispatch_columns(self, params: &Params, rows: u32, splits: u32) -> [u32; 3] {
        [(16 * params.units_per_row).div_ceil(self.bn), rows.div_ceil(self.bm), splits]
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
}

/// Returns whether chunks of `positions` have enough rows per expert for [`CooperativeTile::EXPERTS`].
pub const fn suits_experts(mixture: Mixture, positions: u32) -> bool {
    positions >= MIN_ROWS && positions * mixture.used >= 4 * mixture.experts
}

impl CooperativeMatmul {
    fn in_dialect<P: WgslStruct>(&self, dialect: Dialect) -> Result<Source, PreprocessError> {
        let Self { tile, dtype, product } = *self;
        let CooperativeTile { bm, bn, bk, rows, columns } = tile;
        let name = match product {
            Product::Rows => "cooperative",
            Product::Experts => "cooperative_experts",
            Product::Columns => "cooperative_columns",
        };
        let name = format!("matmul_{name}_{dtype}_{bm}x{bn}x{bk}_{rows}x{columns}");
        let threads = tile.invocations();
        let defines = Defines::new()
            .set("DTYPE", dtype)
            .set("DIALECT", dialect.name())
            .set("EXPERTS", product == Product::Experts)
            .set("COLUMN_PRODUCT", product == Product::Columns)
            .set("BM", bm)
            .set("BN", bn)
            .set("BK", bk)
            .set("ROWS", rows)
            .set("COLUMNS", columns)
            .set("SUBGROUPS", rows * columns)
            .set("THREADS", threads)
            .set("DEPTHS", bk / 16)
            .set("M_TILES", bm / rows / 16)
            .set("N_TILES", bn / columns / 16)
            .set("X_LOADS", bm * bk / 8 / threads)
            .set("W_LOADS", bn * bk / 16 / threads)
            .set("W_FACTOR", W_FACTOR);
        Source::build::<P>("matmul/cooperative.wgsl", name, &defines)
    }

    /// Returns the case of a product with experts.
    fn expert_case(&self) -> Result<Case, CaseError> {
        let Prefill { mixture, params, w, tiles, order, x, mut y } = prefill(self.dtype, self.tile.bm)?;
        let k = w.layout.k;
        let weights = |row| rounded_weights(&w.layout, &w.words, row);
        experts::matmul_of(&params, k, &weights, (&tiles, &order), &rounded_rows(&x, k), &mut y);
        let [halves, factors] = half_rows::args(&x, k);
        let args = vec![
            Arg::uniform(&params),
            Arg::Words(w.words),
            Arg::Words(tiles.as_flattened().to_vec()),
            Arg::Words(order),
            halves,
            factors,
            Arg::zeros(y.len()),
        ];
        let grid = self.tile.dispatch_experts(&params, mixture, LEN);
        Ok(Case { args, grid, expected: vec![Expected::new(6, y, allowed(k))] })
    }
}

/// Tolerance of a product of `k` terms: a decoded weight that is rounded to the other half.
fn allowed(k: u32) -> f32 {
    tolerance(k) + 1.0 / 1024.0
}

impl Kernel for CooperativeMatmul {
    /// On this target.
    fn source(&self) -> Result<Source, PreprocessError> {
        match self.product {
            Product::Experts => self.in_dialect::<experts::Params>(Dialect::HERE),
            Product::Rows | Product::Columns => self.in_dialect::<Params>(Dialect::HERE),
        }
    }

    /// More tokens than a tile, summed in two parts.
    fn case(&self) -> Result<Case, CaseError> {
        let Self { tile, dtype, product } = *self;
        let splits = 2;
        let (k, n) = match product {
            Product::Experts => return self.expert_case(),
            Product::Rows => (512, tile.bn + 11),
            Product::Columns => (256, 4 * tile.bk),
        };
        let by_columns = product == Product::Columns;
        let (depth, tokens) = (if by_columns { n } else { k }, tile.bm + 3);
        let w = matrix(dtype, k, n, 31)?;
        let params = Params::new(&w.layout);
        let x = random(32, (depth * tokens) as usize);
        let (y, grid) = if by_columns {
            let y = column_product(&w.layout, &w.words, &x, splits);
            (y, tile.dispatch_columns(&params, tokens, splits))
        } else {
            (matmul(&w.layout, &w.words, &x, splits), tile.dispatch(&params, tokens, splits))
        };
        let [halves, factors] = half_rows::args(&x, depth);
        let args = vec![
            Arg::uniform(&params),
            Arg::Words(w.words),
            Arg::state(0, tokens),
            halves,
            factors,
            Arg::zeros(y.len()),
        ];
        Ok(Case { args, grid, expected: vec![Expected::new(5, y, allowed(depth))] })
    }
}

/// Rows of X as the kernel reads them.
pub fn rounded_rows(x: &[f32], k: u32) -> Vec<f32> {
    let row = |row: &[f32]| {
        let (halves, factor) = half_rows::half_row(row);
        halves.into_iter().map(move |half| half.to_f32() * factor)
    };
    x.chunks_exact(k as usize).flat_map(row).collect()
}

/// Returns a row of W as the kernel decodes it.
pub fn rounded_weights(layout: &PlanarLayout, words: &[u32], row: u32) -> Vec<f32> {
    let rounded = |w: f32| f16::from_f32(W_FACTOR * w).to_f32() / W_FACTOR;
    planar_values(layout, words, row).into_iter().map(rounded).collect()
}

/// CPU twin, in f64 on rounded operands: `[T, splits, N]`. K is a multiple of `splits` times the depth of a tile.
pub fn matmul(layout: &PlanarLayout, words: &[u32], x: &[f32], splits: u32) -> Vec<f32> {
    let (k, part) = (layout.k as usize, (layout.k / splits) as usize);
    let rows: Vec<_> = (0..layout.n).map(|row| rounded_weights(layout, words, row)).collect();
    let product = |w: &[f32], x: &[f32]| {
        w.iter().zip(x).map(|(&w, &x)| f64::from(w) * f64::from(x)).sum::<f64>() as f32
    };
    let of_part = |from: usize, x: &[f32]| {
        let dot = |w: &Vec<f32>| product(&w[from..from + part], &x[from..from + part]);
        rows.iter().map(dot).collect::<Vec<_>>()
    };
    let x = rounded_rows(x, layout.k);
    let of_row = |x: &[f32]| (0..k).step_by(part).flat_map(|from| of_part(from, x)).collect::<Vec<_>>();
    x.chunks_exact(k).flat_map(of_row).collect()
}

/// CPU twin of the product with columns, in f64 on rounded operands: `[T, splits, K]`. N is a multiple of `splits` times the
/// depth of a tile.
pub fn column_product(layout: &PlanarLayout, words: &[u32], x: &[f32], splits: u32) -> Vec<f32> {
    let (n, k) = (layout.n as usize, layout.k as usize);
    let rows: Vec<_> = (0..layout.n).map(|row| rounded_weights(layout, words, row)).collect();
    let x = rounded_rows(x, layout.n);
    let part = n / splits as usize;
    let parts = x.chunks_exact(n).flat_map(|x| x.chunks_exact(part).enumerate());
    let sum = |(at, x): (usize, &[f32]), column: usize| {
        let rows = rows[at % splits as usize * part..].iter();
        rows.zip(x).map(|(w, &x)| f64::from(w[column]) * f64::from(x)).sum::<f64>() as f32
    };
    parts
        .flat_map(|part| (0..k).map(move |column| (part, column)))
        .map(|(part, column)| sum(part, column))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix_units::{WORKGROUP_MEMORY, tests::places};

    #[test]
    fn tiles_keep_to_what_is_asked_of_the_device() {
        for tile in CooperativeTile::ALL.into_iter().chain([CooperativeTile::EXPERTS]) {
            let CooperativeTile { bm, bn, bk, rows, columns } = tile;
            assert!(tile.invocations() <= 256, "{tile:?}");
            let memory = 2 * (bm + bn) * (bk + 8) + 1024 * rows * columns;
            assert!(memory <= WORKGROUP_MEMORY, "{tile:?}: {memory}");
            assert!(bm.is_multiple_of(16 * rows) && bn.is_multiple_of(16 * columns), "{tile:?}");
            // Every invocation loads as much, and always at the same place of a row.
            assert!((bm * bk / 8).is_multiple_of(tile.invocations()), "{tile:?}");
            assert!((bn * bk / 16).is_multiple_of(tile.invocations()), "{tile:?}");
            assert!(tile.invocations().is_multiple_of(bk / 8), "{tile:?}");
        }
    }

    #[test]
    fn a_dialect_has_no_word_of_the_other() {
        let text = |dialect| {
            let tile = CooperativeTile::LARGE;
            let kernel = CooperativeMatmul { tile, dtype: DType::Q4_K, product: Product::Rows };
            kernel.in_dialect::<Params>(dialect).expect("the template expands").wgsl.to_string()
        };
        let (wgpu, chromium) = (text(Dialect::Wgpu), text(Dialect::Chromium));
        assert!(
            wgpu.contains("coopMultiplyAdd")
                && !wgpu.contains("subgroup_matrix")
                && !wgpu.contains("subgroupMatrix")
        );
        assert!(chromium.contains("subgroupMatrixMultiplyAccumulate") && !chromium.contains("coop"));
        let kernel = |text: &str| text.split_once("@compute").map(|(_, kernel)| kernel.to_owned());
        assert_eq!(kernel(&wgpu), kernel(&chromium));
        assert_eq!(places(&chromium), ((4 + 4) * 2, vec![]));
    }

    #[test]
    fn large_products_get_large_tiles() {
        assert_eq!(CooperativeTile::choose(512, 15_360, 3840), (CooperativeTile::LARGE, 1));
        assert_eq!(CooperativeTile::choose(512, 5376, 21_504), (CooperativeTile::LARGE, 3));
        assert_eq!(CooperativeTile::choose(512, 2560, 10_240), (CooperativeTile::MEDIUM, 3));
        assert_eq!(CooperativeTile::choose(512, 3840, 15_360), (CooperativeTile::MEDIUM, 1));
        assert_eq!(CooperativeTile::choose(512, 1536, 6144), (CooperativeTile::SMALL, 1));
        assert_eq!(CooperativeTile::choose(64, 1536, 6144), (CooperativeTile::SMALL, 4));
        assert_eq!(CooperativeTile::choose(64, 1538, 6144), (CooperativeTile::SMALL, 1));
    }

    #[test]
    fn published_shapes_suit() {
        for k in
            [256, 704, 1536, 2048, 2112, 2560, 2816, 3840, 4096, 5376, 8192, 10_240, 12_288, 15_360, 21_504]
        {
            assert!(CooperativeTile::suits(DType::Q4_K, k), "{k}");
        }
        assert!(!CooperativeTile::suits(DType::Q4_0, 96) && !CooperativeTile::suits(DType::F32, 1536));
    }
}
