//! Products with the chosen experts over tiles of pairs of a row and an expert, in prefill and in training: the device
//! sorts the pairs by expert, and a product runs over the resulting tiles. Grids are for the worst case; workgroups
//! without pairs return at once.

use std::ops::Range;

use shaders::experts::buckets::{self, Buckets};
use shaders::experts::choose;
use shaders::matmul::{
    CooperativeMatmul, CooperativeTile, PackedMatmul, PackedTile, Tile, cooperative, experts as matmul,
    pack_rows,
};
use shaders::rows::gelu_mul::{self, Rows};

use super::ranges::ranges;
use super::{find_in_cache, logit_scale};
use crate::model::expert_scratch::ExpertScratch;
use crate::model::product::{self, HalfRows, PackedRows};
use crate::model::{Config, Experts, layer};
use crate::plan::{Amount, Plan, PlanError, Value};
use crate::weights::{Matrix, Weights};

/// The pairs of a layer.
pub struct Pairs<'a> {
    /// The mixture.
    pub experts: Experts,
    weights: &'a Weights,
    scratch: &'a ExpertScratch,
    state: &'a Value,
    width: u32,
    pub(super) layer: usize,
    /// Its tensors.
    pub of: layer::Experts<'a>,
    /// The rows of a product rounded to halves, if matrix units can compute all of them.
    halves: Option<&'a HalfRows>,
    /// Those rounded to int8, for chunks with as many rows per expert as [`PackedTile::EXPERTS`] has.
    packed: Option<&'a PackedRows>,
}

/// A product of chosen experts: the rows of X for each pair, and the location of the result in Y.
struct Product<'a> {
    matrix: &'a Matrix,
    /// Rows per expert in the matrix.
    stride: u32,
    /// Pairs per row of X.
    pairs_per_row: u32,
    /// Row stride of Y.
    y_stride: u32,
    /// First column of the result in Y.
    y_at: u32,
}

impl<'a> Pairs<'a> {
    /// Returns the pairs of layer `i`, for the rows of `state`.
    ///
    /// # Errors
    /// [`PlanError::Missing`] for a model without experts.
    pub fn new(
        (config, weights): (&Config, &'a Weights),
        scratch: &'a ExpertScratch,
        state: &'a Value,
        (i, of): (usize, layer::Experts<'a>),
    ) -> Result<Self, PlanError> {
        let missing = || PlanError::Missing { name: format!("experts of layer {i}") };
        let experts = config.experts.ok_or_else(missing)?;
        let width = config.width;
        Ok(Self { experts, weights, scratch, state, width, layer: i, of, halves: None, packed: None })
    }

    /// Returns the same with products by matrix units for chunks that are long enough, if `halves` are given and all matrices
    /// suit them.
    pub fn with_halves(mut self, halves: Option<&'a HalfRows>) -> Self {
        let [gate, up] = self.of.halves.map(|half| half.matrix);
        let suit =
            [gate, up, self.of.down].iter().all(|matrix| CooperativeTile::suits(matrix.dtype, matrix.k));
        self.halves = halves.filter(|_| suit);
        self
    }

    /// Returns the same with products of rows rounded to int8, if `packed` are given.
    pub fn with_packed(self, packed: Option<&'a PackedRows>) -> Self {
        Self { packed, ..self }
    }

    /// Returns the rows rounded to int8, if this matrix is multiplied by them in the place of this tile.
    fn packed(&self, tile: Tile, matrix: &Matrix) -> Option<&'a PackedRows> {
        let suits = tile.bm == PackedTile::EXPERTS.bm && PackedTile::suits(matrix.dtype, matrix.k);
        self.packed.filter(|_| suits)
    }

    /// Returns the working buffers.
    pub fn scratch(&self) -> &'a ExpertScratch {
        self.scratch
    }

    /// Factor of the router's products.
    pub fn logit_scale(&self) -> f32 {
        logit_scale(self.width)
    }

    /// Layout of gate and up, one beside the other, and of the activations.
    pub const fn activation_rows(&self) -> gelu_mul::Params {
        let ff = self.experts.feed_forward;
        let (gate, up) = (Rows { stride: 2 * ff, at: 0 }, Rows { stride: 2 * ff, at: ff });
        let mut params = gelu_mul::Params::new(ff, gate, up, Rows { stride: ff, at: 0 });
        params.rows_per_position = self.experts.mixture.used;
        params
    }

    /// The router's choice for every row from the logits.
    pub fn choose(&self, steps: &mut Plan) -> Result<(), PlanError> {
        let (e, mixture) = (self.scratch, self.experts.mixture);
        let params =
            choose::Params { scale: self.logit_scale(), scales: self.of.scales.at, ..Default::default() };
        let buffers = [self.state, &e.logits, &self.weights.vectors, &e.choices];
        steps.push_rows(choose::Choose(mixture), &params, &buffers, choose::dispatch)
    }

    /// Sorts the pairs by expert; with a cache, those whose expert is there by slot.
    pub fn sort(&self, steps: &mut Plan) -> Result<(), PlanError> {
        let e = self.scratch;
        find_in_cache(steps, self.experts, (e, self.state), self.layer, false)?;
        let mut mixture = self.experts.mixture;
        mixture.experts = e.cache.as_ref().map_or(mixture.experts, |cache| cache.slots);
        let params = buckets::Params { capacity: e.capacity, ..Default::default() };
        for &tile in matmul::tiles(self.weights.limits.software) {
            let grid = self.where_chosen(tile, move |_| buckets::dispatch(mixture));
            let kernel = Buckets { mixture, bm: tile.bm };
            steps.push_rows(kernel, &params, &[self.state, e.located(), &e.pairs, &e.tiles], grid)?;
        }
        if self.halves.is_some() {
            let bm = CooperativeTile::EXPERTS.bm;
            let grid = self.where_cooperative(move |_| buckets::dispatch(mixture));
            let kernel = Buckets { mixture, bm };
            steps.push_rows(kernel, &params, &[self.state, e.located(), &e.pairs, &e.tiles], grid)?;
        }
        Ok(())
    }

    /// Returns a grid that is empty for numbers of rows that matrix units do not suit.
    fn where_cooperative<G: Fn(u32) -> [u32; 3]>(&self, grid: G) -> impl Fn(u32) -> [u32; 3] + use<G> {
        let mixture = self.experts.mixture;
        move |rows| if cooperative::suits_experts(mixture, rows) { grid(rows) } else { [0; 3] }
    }

    /// Returns a grid that is empty for numbers of rows that this tile does not suit.
    pub fn where_chosen<G: Fn(u32) -> [u32; 3]>(
        &self,
        tile: Tile,
        grid: G,
    ) -> impl Fn(u32) -> [u32; 3] + use<G> {
        let (mixture, by_units) = (self.experts.mixture, self.halves.is_some());
        let software = self.weights.limits.software;
        move |rows| {
            let others = by_units && cooperative::suits_experts(mixture, rows);
            if !others && matmul::choose(mixture, rows, software) == tile { grid(rows) } else { [0; 3] }
        }
    }

    fn product(&self, steps: &mut Plan, product: &Product<'_>, [x, y]: [&Value; 2]) -> Result<(), PlanError> {
        let (e, mixture) = (self.scratch, self.experts.mixture);
        for range in ranges([(product.matrix, product.stride)]) {
            let [(part, _)] = range.parts;
            let multiply_adds = self.multiply_adds(product.matrix, product.stride, range.begin..range.end);
            let params = matmul::Params {
                planes: part.layout.planes,
                n: product.stride,
                units_per_row: part.layout.units_per_row,
                begin: range.begin,
                end: range.end,
                pairs_per_row: product.pairs_per_row,
                y_stride: product.y_stride,
                y_at: product.y_at,
                pad: 0,
            };
            for &tile in matmul::tiles(self.weights.limits.software) {
                let dtype = product.matrix.dtype;
                if let Some([codes, scales]) = self.packed(tile, product.matrix) {
                    let packed = PackedTile::EXPERTS;
                    let of_tiles = move |rows| packed.dispatch_experts(&params, mixture, rows);
                    let grid = self.where_chosen(tile, of_tiles);
                    let kernel = PackedMatmul { tile: packed, dtype, experts: true };
                    let operands = [&part.value, &e.tiles, &e.pairs, codes, scales, y];
                    steps.push_rows(kernel, &params, &operands, grid)?;
                } else {
                    let of_tiles = move |rows| matmul::dispatch(tile, &params, mixture, rows);
                    let grid = self.where_chosen(tile, of_tiles);
                    let kernel = matmul::ExpertMatmul { tile, dtype };
                    steps.push_rows(kernel, &params, &[&part.value, &e.tiles, &e.pairs, x, y], grid)?;
                }
                steps.computing(multiply_adds);
            }
            if let Some([halves, factors]) = self.halves {
                let (tile, dtype) = (CooperativeTile::EXPERTS, product.matrix.dtype);
                let grid = self.where_cooperative(move |rows| tile.dispatch_experts(&params, mixture, rows));
                let kernel = CooperativeMatmul { tile, dtype, product: cooperative::Product::Experts };
                let operands = [&part.value, &e.tiles, &e.pairs, halves, factors, y];
                steps.push_rows(kernel, &params, &operands, grid)?;
                steps.computing(multiply_adds);
            }
        }
        Ok(())
    }

    /// Multiply-adds of a product with a range of experts per row, as if all were chosen equally often.
    pub fn multiply_adds(&self, matrix: &Matrix, rows_per_expert: u32, experts: Range<u32>) -> Amount {
        let of_expert = u64::from(rows_per_expert) * u64::from(matrix.k);
        let share = u64::from(self.experts.mixture.used) * u64::from(experts.end - experts.start);
        Amount::Fixed((of_expert * share).div_ceil(u64::from(self.experts.mixture.experts)))
    }

    /// Rounds rows for matrix units or packed tiles with these matrices, if there are any: `rows` for each position.
    fn round(&self, steps: &mut Plan, matrices: &[&Matrix], rows: u32, x: &Value) -> Result<(), PlanError> {
        let k = matrices[0].k;
        for &tile in matmul::tiles(self.weights.limits.software) {
            if let Some([codes, scales]) = matrices.iter().find_map(|matrix| self.packed(tile, matrix)) {
                // All rows of a position as one.
                let params = pack_rows::Params::new(rows * k);
                let grid = self.where_chosen(tile, move |rows| params.dispatch(rows));
                steps.push_rows(pack_rows::PackRows, &params, &[self.state, x, codes, scales], grid)?;
            }
        }
        self.halves.map_or(Ok(()), |halves| product::push_halves(steps, k, rows, [self.state, x], halves))
    }

    /// Gate and up of every pair, from the normed rows `x`.
    pub fn gate_up(&self, steps: &mut Plan, x: &Value) -> Result<(), PlanError> {
        let e = self.scratch;
        let (used, ff) = (self.experts.mixture.used, self.experts.feed_forward);
        self.round(steps, &self.of.halves.map(|half| half.matrix), 1, x)?;
        let mut y_at = 0;
        for half in self.of.halves {
            // One tensor for both computes both at once.
            if half.at == 0 {
                let product = Product {
                    matrix: half.matrix,
                    stride: half.stride,
                    pairs_per_row: used,
                    y_stride: 2 * ff,
                    y_at,
                };
                self.product(steps, &product, [x, &e.gate_up])?;
            }
            y_at += ff;
        }
        Ok(())
    }

    /// The gated activation of every pair.
    pub fn activate(&self, steps: &mut Plan) -> Result<(), PlanError> {
        let e = self.scratch;
        let params = self.activation_rows();
        let buffers = [self.state, &e.gate_up, &e.gate_up, &e.act];
        steps.push_rows(gelu_mul::GeluMul, &params, &buffers, move |rows| gelu_mul::dispatch(&params, rows))
    }

    /// The output of every pair's expert.
    pub fn down(&self, steps: &mut Plan) -> Result<(), PlanError> {
        let (e, width) = (self.scratch, self.width);
        let matrix = self.of.down;
        self.round(steps, &[matrix], self.experts.mixture.used, &e.act)?;
        let product = Product { matrix, stride: width, pairs_per_row: 1, y_stride: width, y_at: 0 };
        self.product(steps, &product, [&e.act, &e.down])
    }
}
