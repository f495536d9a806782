//! Launcher and CPU twin of `wgsl/backward/input.wgsl`: `dX[T, K] = dY[T, N]·W[N, K]`, W planar.

use crate::case::{Case, CaseError, Expected, args, matrix, random, tolerance};
use crate::quant::planar_values;
use crate::{DType, Defines, Kernel, PlanarLayout, Planes, PreprocessError, Source};
/// Tile sizes. Every tile gives the same result up to rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tile {
    /// Rows of dX per workgroup; a multiple of 4.
    bm: u32,
    /// Rows of W per step.
    bn: u32,
    /// Columns of dX per workgroup, in vec4s; a multiple of 4.
    quads: u32,
    /// Rows per thread; a multiple of 4.
    tm: u32,
    /// Columns per thread, in vec4s.
    tq: u32,
}

impl Tile {
    /// For large products.
    pub const LARGE: Self = Self { bm: 64, bn: 16, quads: 16, tm: 8, tq: 2 };
    /// For products that would give too few workgroups with [`Self::LARGE`].
    pub const SMALL: Self = Self { bm: 32, bn: 32, quads: 16, tm: 4, tq: 1 };
    /// For software devices; see [`crate::matmul::Tile::SOFTWARE`].
    pub const SOFTWARE: Self = Self { bm: 32, bn: 16, quads: 16, tm: 8, tq: 2 };

    /// Returns the tiles the engine chooses from.
    pub const fn all(software: bool) -> &'static [Self] {
        if software { &[Self::SOFTWARE] } else { &[Self::LARGE, Self::SMALL] }
    }

    /// Returns the tile for `rows` rows of dX and `k` columns.
    pub const fn choose(rows: u32, k: u32, software: bool) -> Self {
        if software {
            return Self::SOFTWARE;
        }
        let workgroups = rows.div_ceil(Self::LARGE.bm) as u64 * k.div_ceil(4 * Self::LARGE.quads) as u64;
        if workgroups >= 256 { Self::LARGE } else { Self::SMALL }
    }

    const fn invocations(self) -> u32 {
        (self.bm / self.tm) * (self.quads / self.tq)
    }

    /// Returns the part of a kernel's name that identifies tile and type.
    pub(super) fn name(self, dtype: DType) -> String {
        let Self { bm, bn, quads, tm, tq } = self;
        format!("{dtype}_{bm}x{bn}x{quads}_{tm}x{tq}")
    }

    /// Defines of the template that depend on the tile; the caller adds those of its variant.
    pub(super) fn defines(self, dtype: DType) -> Defines {
        let Self { bm, bn, quads, tm, tq } = self;
        Defines::new()
            .set("DTYPE", dtype)
            .set("EXPERTS", false)
            .set("BM", bm)
            .set("BN", bn)
            .set("QUADS", quads)
            .set("TM4", tm / 4)
            .set("TQ", tq)
            .set("ROWS", bm / tm)
            .set("COLUMNS", quads / tq)
            .set("THREADS", self.invocations())
            .set("D_LOADS", bm * bn / 4 / self.invocations())
            .set("W_LOADS", bn * quads / 4 / self.invocations())
    }

    /// Returns a tile of `bm` rows, a multiple of 4, for tiles that another kernel chose.
    pub(super) const fn of_rows(bm: u32) -> Self {
        Self { bm, ..Self::SMALL }
    }

    /// Rows of dX per workgroup.
    pub(super) const fn rows(self) -> u32 {
        self.bm
    }

    /// Workgroups for the columns of rows of so many units.
    pub(super) const fn columns(self, units_per_row: u32) -> u32 {
        (4 * units_per_row).div_ceil(self.quads)
    }

    /// Workgroups for `rows` rows.
    pub const fn dispatch(self, params: &Params, rows: u32) -> [u32; 3] {
        [self.columns(params.units_per_row), rows.div_ceil(self.bm), 1]
    }
}

/// The kernel for one tile and storage type of W.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnProduct {
    /// Tile sizes.
    pub tile: Tile,
    /// Storage type of W.
    pub dtype: DType,
}

params! {
    /// The uniform at binding 0. Then: the planar W, the state (its `len` is T), dY f32 `[T, N]` and dX f32 `[T, K]`.
    #[derive(Eq)]
    pub struct Params {
        /// Planes of W.
        pub planes: Planes,
        /// Rows of W.
        pub n: u32,
        /// Units per row of W.
        pub units_per_row: u32,
        /// If not 0, the result is added to dX.
        pub add: u32,
        /// Unused.
        pub pad: u32,
    }
}

impl Params {
    /// Returns the gradient through one matrix.
    pub const fn new(layout: &PlanarLayout, add: bool) -> Self {
        Self {
            planes: layout.planes,
            n: layout.n,
            units_per_row: layout.units_per_row,
            add: add as u32,
            pad: 0,
        }
    }
}

/// CPU twin: `dX`, without the previous value that `add` would add.
pub fn input(layout: &PlanarLayout, words: &[u32], dy: &[f32]) -> Vec<f64> {
    let (k, n) = (layout.k as usize, layout.n as usize);
    let rows: Vec<Vec<f32>> = (0..layout.n).map(|row| planar_values(layout, words, row)).collect();
    let mut dx = Vec::with_capacity(dy.len() / n * k);
    for dy in dy.chunks_exact(n) {
        let column =
            |j: usize| rows.iter().zip(dy).map(|(w, &d)| f64::from(w[j]) * f64::from(d)).sum::<f64>();
        dx.extend((0..k).map(column));
    }
    dx
}

impl Kernel for ColumnProduct {
    fn source(&self) -> Result<Source, PreprocessError> {
        let Self { tile, dtype } = *self;
        let name = format!("backward_input_{}", tile.name(dtype));
        Source::build::<Params>("backward/input.wgsl", name, &tile.defines(dtype))
    }

    /// Returns a product with the columns of a matrix, added to what is there.
    fn case(&self) -> Result<Case, CaseError> {
        let (k, n, rows) = (256, 37, 5);
        let w = matrix(self.dtype, k, n, 31)?;
        let params = Params::new(&w.layout, true);
        let (dy, before) = (random(32, (rows * n) as usize), random(33, (rows * k) as usize));
        let added = input(&w.layout, &w.words, &dy);
        let want = before.iter().zip(&added).map(|(&before, added)| before + *added as f32).collect();
        let args = args![uniform(&params), Words(w.words), state(0, rows), floats(&dy), floats(&before)];
        let expected = vec![Expected::new(4, want, tolerance(n))];
        Ok(Case { args, grid: self.tile.dispatch(&params, rows), expected })
    }
}
