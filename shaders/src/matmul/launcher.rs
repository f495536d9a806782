//! Launcher and CPU twin of `wgsl/matmul/matmul.wgsl`: `Y[T, N] = X[T, K]·Wᵀ`, W planar.

use crate::case::{Case, CaseError, Expected, args, matrix, random, tolerance};
use crate::params::FieldType;
use crate::quant::planar_values;
use crate::{DType, Defines, Kernel, PlanarLayout, Planes, PreprocessError, Source};
use bytemuck::{Pod, Zeroable};

/// Tile sizes. Every tile gives the same result up to rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tile {
    /// Rows of X (tokens) per workgroup.
    pub bm: u32,
    /// Rows of W per workgroup.
    pub bn: u32,
    /// Elements along K per step; a multiple of 16, at most 64.
    pub bk: u32,
    /// Tokens per thread; divides `bm`.
    pub tm: u32,
    /// Rows of W per thread; divides `bn`.
    pub tn: u32,
    /// Copies of the tile in workgroup memory: 1, or 2 to save a barrier.
    pub stages: u32,
}

impl Tile {
    /// For large products.
    pub const LARGE: Self = Self { bm: 64, bn: 64, bk: 16, tm: 8, tn: 8, stages: 1 };
    /// For products that would give too few workgroups with [`Self::LARGE`].
    pub const MEDIUM: Self = Self { bm: 32, bn: 64, bk: 32, tm: 4, tn: 4, stages: 1 };
    /// For short chunks, which are bound by reading W.
    pub const SMALL: Self = Self { bm: 16, bn: 32, bk: 64, tm: 2, tn: 2, stages: 1 };
    /// For software devices, which have few threads to occupy, but load slowly and switch at barriers slowly: many
    /// products for each load, and few invocations in a workgroup.
    pub const SOFTWARE: Self = Self { bm: 32, bn: 64, bk: 16, tm: 8, tn: 8, stages: 1 };
    /// Every tile the engine chooses from on a graphics card.
    pub const ALL: [Self; 3] = [Self::LARGE, Self::MEDIUM, Self::SMALL];

    /// Maximum number of rows of W: more would take more workgroups than a dispatch may have along an axis.
    pub const MOST_COLUMNS: u32 = 65_535 * Self::SMALL.bn;

    /// Returns the tile for up to `rows` tokens and `n` rows of W: the largest one that still gives a large GPU enough
    /// workgroups (`MEASUREMENTS.md`).
    pub const fn choose(rows: u32, n: u32, software: bool) -> Self {
        if software {
            Self::SOFTWARE
        } else if rows > 32 && Self::LARGE.workgroups(rows, n) >= 256 {
            Self::LARGE
        } else if rows > 16 && Self::MEDIUM.workgroups(rows, n) >= 128 {
            Self::MEDIUM
        } else {
            Self::SMALL
        }
    }

    /// Returns the tiles that [`Self::choose`] can return for up to `most_rows` tokens and `n` rows of W.
    pub fn within_reach(most_rows: u32, n: u32, software: bool) -> impl Iterator<Item = Self> {
        let chosen = move |tile: &Self| (1..=most_rows).any(|rows| Self::choose(rows, n, software) == *tile);
        Self::ALL.into_iter().chain([Self::SOFTWARE]).filter(chosen)
    }

    const fn workgroups(self, rows: u32, n: u32) -> u64 {
        rows.div_ceil(self.bm) as u64 * n.div_ceil(self.bn) as u64
    }

    const fn invocations(self) -> u32 {
        (self.bm / self.tm) * (self.bn / self.tn)
    }

    /// Returns the part of a kernel's name that identifies tile and type.
    pub(super) fn name(self, dtype: DType) -> String {
        let Self { bm, bn, bk, tm, tn, stages } = self;
        format!("{dtype}_{bm}x{bn}x{bk}_{tm}x{tn}x{stages}")
    }

    /// Defines of the template that depend on the tile; the caller adds those of its variant.
    pub(super) fn defines(self, dtype: DType) -> Defines {
        let Self { bm, bn, bk, tm, tn, stages } = self;
        Defines::new()
            .set("DTYPE", dtype)
            .set("CLAMP", false)
            .set("EXPERTS", false)
            .set("BM", bm)
            .set("BN", bn)
            .set("BK", bk)
            .set("SHALLOW", bk == 16)
            .set("TM", tm)
            .set("TN", tn)
            .set("ROWS", bm / tm)
            .set("COLUMNS", bn / tn)
            .set("STAGES", stages)
            .set("TWO_STAGES", stages == 2)
            .set("THREADS", self.invocations())
            .set("X_LOADS", bm * bk / 4 / self.invocations())
            .set("W_LOADS", (bn * bk / 16).div_ceil(self.invocations()))
    }

    /// Workgroups for up to `rows` tokens.
    pub const fn dispatch(self, params: &Params, rows: u32) -> [u32; 3] {
        [params.n.div_ceil(self.bn), rows.div_ceil(self.bm), 1]
    }
}

/// Bounds of a clipped linear: its input and its output are clamped.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Clamps {
    /// Minimum and maximum of the elements of X.
    pub input: [f32; 2],
    /// Minimum and maximum of the elements of Y.
    pub output: [f32; 2],
}

impl Clamps {
    /// Bounds that clamp no finite number.
    pub const NONE: Self = Self { input: [f32::MIN, f32::MAX], output: [f32::MIN, f32::MAX] };
}

impl FieldType for Clamps {
    const WGSL: &'static str = "vec4<f32>";
}

/// The product with one tile and storage type of W.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matmul {
    /// Tile sizes.
    pub tile: Tile,
    /// Storage type of W.
    pub dtype: DType,
    /// Whether it is that of a clipped linear: the parameters carry its [`Clamps`].
    pub clamped: bool,
}

params! {
    /// The uniform at binding 0. Then: the planar W, the state (its `len` is T), X f32 `[T, K]` and Y f32 `[T, N]`.
    pub struct Params {
        /// Planes of W.
        pub planes: Planes,
        /// Rows of W.
        pub n: u32,
        /// Units per row of W.
        pub units_per_row: u32,
        /// Unused.
        pub pad: [u32; 2],
        /// Bounds; read only by clamped products.
        pub clamps: Clamps,
    }
}

impl Params {
    /// Parameters for the product with one matrix.
    pub const fn new(layout: &PlanarLayout) -> Self {
        let (planes, n, units_per_row) = (layout.planes, layout.n, layout.units_per_row);
        Self { planes, n, units_per_row, pad: [0; 2], clamps: Clamps::NONE }
    }

    /// Returns the same with bounds.
    pub const fn with_clamps(self, clamps: Clamps) -> Self {
        Self { clamps, ..self }
    }
}

/// CPU twin, in f64.
pub fn matmul(layout: &PlanarLayout, words: &[u32], x: &[f32]) -> Vec<f32> {
    let (k, n) = (layout.k as usize, layout.n as usize);
    let rows: Vec<Vec<f32>> = (0..layout.n).map(|row| planar_values(layout, words, row)).collect();
    let mut y = Vec::with_capacity(x.len() / k * n);
    for x in x.chunks_exact(k) {
        y.extend(rows.iter().map(|w| {
            let products = w.iter().zip(x).map(|(&w, &x)| f64::from(w) * f64::from(x));
            products.sum::<f64>() as f32
        }));
    }
    y
}

/// CPU twin of the clamped product.
pub fn matmul_clamped(layout: &PlanarLayout, words: &[u32], x: &[f32], clamps: &Clamps) -> Vec<f32> {
    let x: Vec<f32> = x.iter().map(|v| v.clamp(clamps.input[0], clamps.input[1])).collect();
    let mut y = matmul(layout, words, &x);
    y.iter_mut().for_each(|v| *v = v.clamp(clamps.output[0], clamps.output[1]));
    y
}

impl Kernel for Matmul {
    fn source(&self) -> Result<Source, PreprocessError> {
        let Self { tile, dtype, clamped } = *self;
        let suffix = if clamped { "_clamp" } else { "" };
        let name = format!("matmul_{}{suffix}", tile.name(dtype));
        Source::build::<Params>("matmul/matmul.wgsl", name, &tile.defines(dtype).set("CLAMP", clamped))
    }

    /// More tokens than a tile.
    fn case(&self) -> Result<Case, CaseError> {
        let Self { tile, dtype, clamped } = *self;
        // Of a clipped linear, about a third of the inputs and outputs are out of bounds.
        let clamps = clamped.then_some(Clamps { input: [-0.6, 0.7], output: [-6.0, 5.0] });
        let (k, n, tokens) = (512, 75, tile.bm + 3);
        let w = matrix(dtype, k, n, 31)?;
        let x = random(32, (k * tokens) as usize);
        let params = Params::new(&w.layout);
        let (params, y) = match clamps {
            None => (params, matmul(&w.layout, &w.words, &x)),
            Some(clamps) => (params.with_clamps(clamps), matmul_clamped(&w.layout, &w.words, &x, &clamps)),
        };
        let args = args![uniform(&params), Words(w.words), state(0, tokens), floats(&x), zeros(y.len())];
        let grid = tile.dispatch(&params, tokens);
        Ok(Case { args, grid, expected: vec![Expected::new(4, y, tolerance(k))] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_keep_to_the_limits_of_every_device() {
        for tile in Tile::ALL.into_iter().chain([Tile::SOFTWARE]) {
            assert!(tile.invocations() <= 256, "{tile:?}");
            assert!(tile.stages * (tile.bm + tile.bn) * tile.bk * 4 <= 16 << 10, "{tile:?}");
            assert!(tile.bm.is_multiple_of(tile.tm) && tile.bn.is_multiple_of(tile.tn), "{tile:?}");
            // x_slot shuffles rows in eights; each invocation copies a whole number of quads of X.
            assert!(tile.bm.is_multiple_of(8), "{tile:?}");
            assert!((tile.bm * tile.bk / 4).is_multiple_of(tile.invocations()), "{tile:?}");
        }
    }

    #[test]
    fn the_largest_product_keeps_to_the_limit_of_a_grid() {
        for software in [false, true] {
            for rows in [1, 17, 33, 512] {
                let tile = Tile::choose(rows, Tile::MOST_COLUMNS, software);
                assert!(Tile::MOST_COLUMNS.div_ceil(tile.bn) <= 65_535, "{tile:?}");
            }
        }
    }

    #[test]
    fn large_products_get_large_tiles() {
        assert_eq!(Tile::choose(512, 12288, false), Tile::LARGE);
        assert_eq!(Tile::choose(512, 1536, false), Tile::MEDIUM);
        assert_eq!(Tile::choose(128, 1536, false), Tile::SMALL);
        assert_eq!(Tile::choose(1, 262_144, false), Tile::SMALL);
    }

    #[test]
    fn what_is_never_chosen_is_out_of_reach() {
        let within = |rows, n| Tile::within_reach(rows, n, false).collect::<Vec<_>>();
        // One token, and products of which even a whole chunk makes few workgroups.
        assert_eq!(within(1, 262_144), [Tile::SMALL]);
        assert_eq!(within(512, 256), [Tile::SMALL]);
        assert_eq!(within(512, 1536), [Tile::MEDIUM, Tile::SMALL]);
        assert_eq!(within(512, 12_288), Tile::ALL);
        assert_eq!(Tile::within_reach(512, 12_288, true).collect::<Vec<_>>(), [Tile::SOFTWARE]);
        // A tile is within reach from the first number of rows on for which it is chosen.
        for n in [1, 64, 512, 513, 1536, 2048, 4096, 16_384, 262_144] {
            for tile in Tile::ALL {
                let first = (1..=1200).find(|&rows| Tile::choose(rows, n, false) == tile);
                for rows in [1, 16, 17, 32, 33, 511, 512, 1120, 1200] {
                    let reached = first.is_some_and(|first| first <= rows);
                    assert_eq!(
                        within(rows, n).contains(&tile),
                        reached,
                        "{tile:?}: {rows} rows, {n} columns"
                    );
                }
            }
        }
    }
}
