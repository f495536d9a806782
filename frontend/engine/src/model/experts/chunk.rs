//! The experts of a prefill chunk: the device sorts rows by expert, and a product runs over the resulting tiles.
//! Grids are for the worst case; workgroups without rows return at once.

use shaders::experts::{buckets, choose, mix};
use shaders::matmul::{Tile, experts as matmul};
use shaders::rows::gelu_mul::{self, Rows};
use shaders::selftest::Form;

use super::Layer;
use super::ranges::ranges;
use crate::model::Parts;
use crate::model::rows::norm_add;
use crate::plan::{Plan, PlanError, Value};
use crate::weights::Matrix;

/// Adds the experts of layer `i`, applied to the stream in `h[0]`, to the dense part in `branch`; both are normed.
/// `product` appends the router's product.
///
/// # Errors
/// [`PlanError`].
pub fn build(
    parts: &Parts,
    steps: &mut Plan,
    i: usize,
    product: impl FnOnce(&mut Plan, &Matrix, [&Value; 2]) -> Result<(), PlanError>,
) -> Result<(), PlanError> {
    let mut builder = Builder { layer: Layer::new(parts, i)?, steps };
    builder.route(product)?;
    builder.choose()?;
    builder.gate_up()?;
    builder.down()?;
    builder.mix()
}

struct Builder<'a> {
    layer: Layer<'a>,
    steps: &'a mut Plan,
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

impl Builder<'_> {
    /// The logits of the router.
    fn route(
        &mut self,
        product: impl FnOnce(&mut Plan, &Matrix, [&Value; 2]) -> Result<(), PlanError>,
    ) -> Result<(), PlanError> {
        let (layer, parts) = (&self.layer, self.layer.parts);
        let s = &parts.scratch;
        let norm = layer.vector("ffn_gate_inp.scale");
        norm_add(parts, self.steps, &s.h[0], None, Some(norm))?;
        let router = parts.matrix(&format!("{}.ffn_gate_inp", layer.blk))?;
        product(self.steps, router, [&s.x, &layer.scratch.logits])
    }

    /// The router's choice for every row, sorted by expert.
    fn choose(&mut self) -> Result<(), PlanError> {
        let (layer, parts) = (&self.layer, self.layer.parts);
        let (s, e, mixture) = (&parts.scratch, layer.scratch, layer.experts.mixture);
        let params = choose::Params {
            scale: layer.logit_scale(),
            scales: layer.vector("expert_scale"),
            ..Default::default()
        };
        let buffers = [&s.state, &e.logits, &parts.weights.vectors, &e.choices];
        let kernel = (choose::source(mixture)?, Form::ChooseExperts(mixture));
        self.steps.push_rows(kernel, &params, &buffers, choose::dispatch)?;
        let params = buckets::Params { capacity: e.capacity, ..Default::default() };
        for tile in matmul::TILES {
            let grid = self.where_chosen(tile, move |_| buckets::dispatch(mixture));
            let kernel = (buckets::source(mixture, tile.bm)?, Form::SortChoices(mixture, tile.bm));
            self.steps.push_rows(kernel, &params, &[&s.state, &e.choices, &e.pairs, &e.tiles], grid)?;
        }
        Ok(())
    }

    /// A grid that is empty for chunks that this tile does not suit.
    fn where_chosen<G: Fn(u32) -> [u32; 3]>(&self, tile: Tile, grid: G) -> impl Fn(u32) -> [u32; 3] + use<G> {
        let mixture = self.layer.experts.mixture;
        move |rows| if matmul::choose(mixture, rows) == tile { grid(rows) } else { [0; 3] }
    }

    fn product(&mut self, product: &Product<'_>, x: &Value, y: &Value) -> Result<(), PlanError> {
        let (e, mixture) = (self.layer.scratch, self.layer.experts.mixture);
        for range in ranges([(product.matrix, product.stride)]) {
            let [(part, _)] = range.parts;
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
            for tile in matmul::TILES {
                let grid =
                    self.where_chosen(tile, move |rows| matmul::dispatch(tile, &params, mixture, rows));
                let dtype = product.matrix.dtype;
                let kernel = (matmul::source(tile, dtype)?, Form::ExpertMatmul(tile, dtype));
                self.steps.push_rows(kernel, &params, &[&part.value, &e.tiles, &e.pairs, x, y], grid)?;
            }
        }
        Ok(())
    }

    /// The gated activation of every pair.
    fn gate_up(&mut self) -> Result<(), PlanError> {
        let parts = self.layer.parts;
        let (s, e) = (&parts.scratch, self.layer.scratch);
        let (used, ff) = (self.layer.experts.mixture.used, self.layer.experts.feed_forward);
        let norm = self.layer.vector("pre_ffw_norm_2");
        norm_add(parts, self.steps, &s.h[0], None, Some(norm))?;
        let [gate, up] = self.layer.halves()?;
        let mut y_at = 0;
        for half in [gate, up] {
            // One tensor for both computes both at once.
            if half.at == 0 {
                let product = Product {
                    matrix: half.matrix,
                    stride: half.stride,
                    pairs_per_row: used,
                    y_stride: 2 * ff,
                    y_at,
                };
                self.product(&product, &s.x, &e.gate_up)?;
            }
            y_at += ff;
        }
        let (gate, up) = (Rows { stride: 2 * ff, at: 0 }, Rows { stride: 2 * ff, at: ff });
        let mut params = gelu_mul::Params::new(ff, gate, up, Rows { stride: ff, at: 0 });
        params.rows_per_position = used;
        let buffers = [&s.state, &e.gate_up, &e.gate_up, &e.act];
        let kernel = (gelu_mul::source()?, Form::GeluMul);
        self.steps.push_rows(kernel, &params, &buffers, move |rows| gelu_mul::dispatch(&params, rows))
    }

    fn down(&mut self) -> Result<(), PlanError> {
        let (e, width) = (self.layer.scratch, self.layer.parts.config.width);
        let matrix = self.layer.matrix("ffn_down_exps")?;
        let product = Product { matrix, stride: width, pairs_per_row: 1, y_stride: width, y_at: 0 };
        self.product(&product, &e.act, &e.down)
    }

    /// Norms and adds both parts of the branch.
    fn mix(&mut self) -> Result<(), PlanError> {
        let (layer, parts) = (&self.layer, self.layer.parts);
        let (s, e) = (&parts.scratch, layer.scratch);
        let params = mix::Params {
            dense_norm: layer.vector("post_ffw_norm_1"),
            experts_norm: layer.vector("post_ffw_norm_2"),
            eps: parts.config.eps,
            pad: 0,
        };
        let (mixture, width) = (layer.experts.mixture, parts.config.width);
        let kernel = (mix::source(mixture, width)?, Form::MixExperts(mixture, width));
        let buffers = [&s.state, &parts.weights.vectors, &e.choices, &e.down, &s.branch];
        self.steps.push_rows(kernel, &params, &buffers, mix::dispatch)
    }
}
