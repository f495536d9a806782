//! `wgsl/matmul/matmul.wgsl` for a mixture of experts: `wgsl/experts/buckets.wgsl` assigns each row of X to the
//! matrices of its experts.

use super::Tile;
use crate::case::{Case, CaseError, Expected, Matrix, args, matrix, random};
use crate::experts::case::{LEN, made_up};
use crate::experts::low_rank::MIN_TILE;
use crate::experts::{Mixture, buckets};
use crate::quant::planar_values;
use crate::{DType, Kernel, PlanarLayout, Planes, PreprocessError, Source};

/// Returns the tiles that the engine chooses from. A chunk has few rows per expert.
pub const fn tiles(software: bool) -> &'static [Tile] {
    if software { &[Tile::SOFTWARE] } else { &[Tile::MEDIUM, Tile::SMALL] }
}

/// Returns the tile for chunks of `positions`: the small one if the larger would be mostly empty.
pub const fn choose(mixture: Mixture, positions: u32, software: bool) -> Tile {
    if software {
        return Tile::SOFTWARE;
    }
    if positions * mixture.used > Tile::SMALL.bm * mixture.experts { Tile::MEDIUM } else { Tile::SMALL }
}

const _: () = assert!(Tile::SMALL.bm == MIN_TILE && Tile::SOFTWARE.bm >= MIN_TILE);

/// The kernel for one tile and storage type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpertMatmul {
    /// Tile sizes.
    pub tile: Tile,
    /// Storage type of W.
    pub dtype: DType,
}

params! {
    /// The uniform at binding 0. Then: the planar W of experts `begin..end`, tiles, pairs, X and Y.
    #[derive(Eq)]
    pub struct Params {
        /// Planes of W.
        pub planes: Planes,
        /// Rows per expert.
        pub n: u32,
        /// Units per row of W.
        pub units_per_row: u32,
        /// First expert of this dispatch: the first one in W.
        pub begin: u32,
        /// One past the last expert.
        pub end: u32,
        /// Pairs per row of X: the number of experts used, or 1.
        pub pairs_per_row: u32,
        /// Row stride of Y.
        pub y_stride: u32,
        /// First column of the result in Y.
        pub y_at: u32,
        /// Unused.
        pub pad: u32,
    }
}

/// Workgroups for chunks of `positions`, for the worst case of the router's choice.
pub const fn dispatch(tile: Tile, params: &Params, mixture: Mixture, positions: u32) -> [u32; 3] {
    [params.n.div_ceil(tile.bn), buckets::most_tiles(mixture, positions, tile.bm), 1]
}

/// CPU twin, in f64: writes the rows of `y` that belong to experts of this dispatch. `words` is the planar W.
pub fn matmul(
    params: &Params,
    layout: &PlanarLayout,
    words: &[u32],
    sorted: (&[buckets::Tile], &[u32]),
    x: &[f32],
    y: &mut [f32],
) {
    matmul_of(params, layout.k, &|row| planar_values(layout, words, row), sorted, x, y);
}

/// Returns the same with the rows of W as `weights` gives them, `k` elements each.
pub fn matmul_of(
    params: &Params,
    k: u32,
    weights: &dyn Fn(u32) -> Vec<f32>,
    (tiles, pairs): (&[buckets::Tile], &[u32]),
    x: &[f32],
    y: &mut [f32],
) {
    let k = k as usize;
    for &[expert, first, count, _] in tiles {
        if !(params.begin..params.end).contains(&expert) {
            continue;
        }
        for &pair in &pairs[first as usize..(first + count) as usize] {
            let x = &x[(pair / params.pairs_per_row) as usize * k..][..k];
            for row in 0..params.n {
                let w = weights((expert - params.begin) * params.n + row);
                let dot: f64 = w.iter().zip(x).map(|(&w, &x)| f64::from(w) * f64::from(x)).sum();
                y[(pair * params.y_stride + params.y_at + row) as usize] = dot as f32;
            }
        }
    }
}

impl Kernel for ExpertMatmul {
    fn source(&self) -> Result<Source, PreprocessError> {
        let Self { tile, dtype } = *self;
        let name = format!("matmul_experts_{}", tile.name(dtype));
        Source::build::<Params>("matmul/matmul.wgsl", name, &tile.defines(dtype).set("EXPERTS", true))
    }

    fn case(&self) -> Result<Case, CaseError> {
        let Prefill { mixture, params, w, tiles, order, x, mut y } = prefill(self.dtype, self.tile.bm)?;
        matmul(&params, &w.layout, &w.words, (&tiles, &order), &x, &mut y);
        let args = args![
            uniform(&params),
            Words(w.words),
            Words(tiles.as_flattened().to_vec()),
            Words(order),
            floats(&x),
            zeros(y.len())
        ];
        let grid = dispatch(self.tile, &params, mixture, LEN);
        let expected = vec![Expected::new(5, y, 1e-3 + 2e-6 * w.layout.k as f32)];
        Ok(Case { args, grid, expected })
    }
}

/// Operands of a prefill product with the experts `1..5` of six.
pub(crate) struct Prefill {
    pub(crate) mixture: Mixture,
    pub(crate) params: Params,
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
    let params = Params {
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
