//! `wgsl/backward/input.wgsl` for a mixture of experts: the gradient with respect to the input of
//! [`crate::matmul::experts`], over the same tiles of pairs.

use super::input::Tile;
use crate::experts::{Mixture, buckets};
use crate::quant::planar_values;
use crate::{DType, PlanarLayout, Planes, PreprocessError, Source, matmul};

/// Returns the tile for pairs that were sorted into tiles of the forward product.
pub const fn tile(forward: matmul::Tile) -> Tile {
    Tile::of_rows(forward.bm)
}

params! {
    /// The uniform at binding 0. Then: the planar W of experts `begin..end`, tiles, pairs, dY and dX.
    #[derive(Eq)]
    pub struct Params {
        /// Planes of W.
        pub planes: Planes,
        /// Rows per expert.
        pub n: u32,
        /// Units per row of W.
        pub units_per_row: u32,
        /// If not 0, the result is added to dX.
        pub add: u32,
        /// First expert of this dispatch: the first one in W.
        pub begin: u32,
        /// One past the last expert.
        pub end: u32,
        /// Pairs per row of dY: the number of experts used, or 1.
        pub pairs_per_row: u32,
        /// Row stride of dY.
        pub dy_stride: u32,
        /// First column of the gradient in dY.
        pub dy_at: u32,
    }
}

/// Returns the kernel for one tile and storage type.
pub fn source(tile: Tile, dtype: DType) -> Result<Source, PreprocessError> {
    let name = format!("backward_experts_{}", tile.name(dtype));
    Source::build::<Params>("backward/input.wgsl", name, &tile.defines(dtype).set("EXPERTS", true))
}

/// Workgroups for `positions`, for the worst case of the router's choice.
pub const fn dispatch(tile: Tile, params: &Params, mixture: Mixture, positions: u32) -> [u32; 3] {
    [tile.columns(params.units_per_row), buckets::most_tiles(mixture, positions, tile.rows()), 1]
}

/// CPU twin, in f64: writes the rows of `dx` that belong to experts of this dispatch, or adds to them. `words` is the
/// planar W.
pub fn input(
    params: &Params,
    layout: &PlanarLayout,
    words: &[u32],
    (tiles, pairs): (&[buckets::Tile], &[u32]),
    dy: &[f32],
    dx: &mut [f64],
) {
    let (k, n) = (layout.k as usize, params.n as usize);
    for &[expert, first, count, _] in tiles {
        if !(params.begin..params.end).contains(&expert) {
            continue;
        }
        let row0 = (expert - params.begin) * params.n;
        let rows: Vec<_> = (row0..row0 + params.n).map(|row| planar_values(layout, words, row)).collect();
        for &pair in &pairs[first as usize..(first + count) as usize] {
            let at = pair / params.pairs_per_row * params.dy_stride + params.dy_at;
            let dy = &dy[at as usize..][..n];
            for (j, dx) in dx[pair as usize * k..][..k].iter_mut().enumerate() {
                let before = if params.add == 0 { 0.0 } else { *dx };
                let products = rows.iter().zip(dy).map(|(w, &d)| f64::from(w[j]) * f64::from(d));
                *dx = before + products.sum::<f64>();
            }
        }
    }
}
