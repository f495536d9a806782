//! A mixture of experts beside the feed-forward layer (specification §2.7, §12.5). Experts and router stay as they are unless
//! they are targets; the gradient passes through the chosen experts and through the weights that the router gave them. The
//! choice itself has no gradient. [`super::expert_factors`] has the factors of experts.

use shaders::backward::{choices, experts, geglu};
use shaders::matmul::experts::tiles;
use shaders::train::{rows, sum_pairs};

use super::builder::{Builder, InputGradient, Product};
use super::expert_factors::ExpertProduct;
use super::working::MixtureBuffers;
use crate::adapter::Projection;
use crate::model::{Pairs, layer, ranges};
use crate::plan::{PlanError, Value};
use crate::weights::Matrix;

/// Gradients of the outputs of chosen experts.
#[derive(Clone, Copy)]
struct Gradients<'a> {
    value: &'a Value,
    /// Pairs per row: the experts used per token where they share it.
    pairs_per_row: u32,
    /// Row stride.
    stride: u32,
    /// First column.
    at: u32,
}

impl<'a> Builder<'a> {
    fn pairs(&self, of: (usize, layer::Experts<'a>), m: &'a MixtureBuffers) -> Result<Pairs<'a>, PlanError> {
        let base = self.base;
        Pairs::new((&base.config, &base.weights), &m.scratch, &self.work.state, of)
    }

    /// The branch in `b2`, from the stream in `h1` and the dense part in `dense`.
    pub fn mixture(
        &mut self,
        (i, of): (usize, layer::Experts<'a>),
        m: &'a MixtureBuffers,
    ) -> Result<(), PlanError> {
        let (w, pairs) = (self.work, self.pairs((i, of), m)?);
        // `b2` has room for the normed inputs until the branch is complete.
        self.norm(&w.state, &w.h1, of.router_norm.at, &w.b2)?;
        self.product(i, Product { projection: Projection::Router, x: &w.b2, y: &m.scratch.logits })?;
        pairs.choose(self.steps())?;
        pairs.sort(self.steps())?;
        self.norm(&w.state, &w.h1, of.norm.at, &w.b2)?;
        pairs.gate_up(self.steps(), &w.b2)?;
        let used = pairs.experts.mixture.used;
        self.correct_experts(&pairs, (i, Projection::ExpertGateUp), (&w.b2, used), &m.scratch.gate_up)?;
        pairs.activate(self.steps())?;
        pairs.down(self.steps())?;
        self.correct_experts(&pairs, (i, Projection::ExpertDown), (&m.scratch.act, 1), &m.scratch.down)?;
        let sum = rows::Params::new(self.base.config.width, None);
        let buffers = [&w.state, &m.scratch.choices, &m.scratch.down, &m.sum];
        let source = sum_pairs::source(pairs.experts.mixture, true)?;
        self.push(&source, &sum, &buffers, move |rows| sum.dispatch(rows))?;
        self.norm(&w.state, &m.dense, of.dense_norm.at, &w.b2)?;
        self.add(&w.b2, &m.sum, of.result_norm.at, None)
    }

    /// From the gradient of the branch in `db` to that of the dense part, which replaces `b2`. Adds the gradients of
    /// the stream through experts and router to `dh`.
    pub fn mixture_back(
        &mut self,
        (i, of): (usize, layer::Experts<'a>),
        m: &'a MixtureBuffers,
        dh: &'a Value,
    ) -> Result<(), PlanError> {
        let (w, e, pairs) = (self.work, &m.scratch, self.pairs((i, of), m)?);
        let (mixture, ff) = (pairs.experts.mixture, pairs.experts.feed_forward);
        let store = |dx| InputGradient { dx, add: false };
        let added = InputGradient { dx: dh, add: true };
        self.norm_back(&w.state, &m.sum, of.result_norm.at, &w.db, store(&w.dx))?;

        // All experts of a row have the same gradient; their weights follow after the product, which is linear.
        let width = self.base.config.width;
        let of_sum = Gradients { value: &w.dx, pairs_per_row: mixture.used, stride: width, at: 0 };
        self.experts_back(&pairs, [&e.tiles, &e.pairs], (of.down, width), of_sum, store(&m.dact))?;
        // The gradients of the factors need the weights, that of the activations gets them later.
        let down = ExpertProduct { x: (&e.act, 1), dy: (&w.dx, mixture.used), weighted: true };
        let trained = self.expert_factors_back(&pairs, (i, Projection::ExpertDown), down)?;
        self.expert_input_back(&pairs, trained, &m.dact)?;
        let params = choices::Params::new(ff, pairs.logit_scale());
        let buffers = [&w.state, &e.choices, &e.logits, &e.act, &m.dact, &m.dlogits];
        self.push(&choices::source(mixture)?, &params, &buffers, choices::dispatch)?;
        let params = pairs.activation_rows();
        let grid = move |rows| geglu::dispatch(&params, rows);
        self.push(&geglu::Form::Joined.source()?, &params, &[&w.state, &m.dact, &e.gate_up], grid)?;
        let mut at = 0;
        for half in of.halves {
            // One tensor for both takes both gradients at once.
            if half.at == 0 {
                let gradients = Gradients { value: &e.gate_up, pairs_per_row: 1, stride: 2 * ff, at };
                let into = InputGradient { dx: &e.down, add: at > 0 };
                self.experts_back(&pairs, [&e.tiles, &e.pairs], (half.matrix, half.stride), gradients, into)?;
            }
            at += ff;
        }
        if self.trains(i, Projection::ExpertGateUp) {
            // The forward pass has overwritten the experts' input. Here it lies where its gradient will.
            self.norm(&w.state, &w.h1, of.norm.at, &w.dx)?;
        }
        let gate_up = ExpertProduct { x: (&w.dx, mixture.used), dy: (&e.gate_up, 1), weighted: false };
        let trained = self.expert_factors_back(&pairs, (i, Projection::ExpertGateUp), gate_up)?;
        self.expert_input_back(&pairs, trained, &e.down)?;
        let sum = rows::Params::new(width, None);
        let source = sum_pairs::source(mixture, false)?;
        self.push(&source, &sum, &[&w.state, &e.down, &w.dx], move |rows| sum.dispatch(rows))?;
        self.norm_back(&w.state, &w.h1, of.norm.at, &w.dx, added)?;

        let norm = of.router_norm.at;
        if self.trains(i, Projection::Router) {
            // The forward pass has overwritten the router's input. Here it lies where its gradient will.
            self.norm(&w.state, &w.h1, norm, &w.dx)?;
        }
        let router = Product { projection: Projection::Router, x: &w.dx, y: &m.dlogits };
        self.product_back(i, router, store(&w.dx))?;
        self.norm_back(&w.state, &w.h1, norm, &w.dx, added)?;

        self.norm_back(&w.state, &m.dense, of.dense_norm.at, &w.db, store(&w.b2))
    }

    /// `dx (+)= dy·W` for every pair, with the matrix of its expert, which has `n` rows. One step for each tile of the
    /// forward product; all but one have an empty grid.
    fn experts_back(
        &mut self,
        pairs: &Pairs<'_>,
        [sorted, order]: [&Value; 2],
        (matrix, n): (&Matrix, u32),
        dy: Gradients<'_>,
        into: InputGradient<'_>,
    ) -> Result<(), PlanError> {
        let mixture = pairs.experts.mixture;
        for range in ranges([(matrix, n)]) {
            let [(part, _)] = range.parts;
            let params = experts::Params {
                planes: part.layout.planes,
                n,
                units_per_row: part.layout.units_per_row,
                add: into.add.into(),
                begin: range.begin,
                end: range.end,
                pairs_per_row: dy.pairs_per_row,
                dy_stride: dy.stride,
                dy_at: dy.at,
            };
            for &forward in tiles(self.base.limits.software) {
                let tile = experts::tile(forward);
                let grid = move |rows| experts::dispatch(tile, &params, mixture, rows);
                let grid = pairs.where_chosen(forward, grid);
                let buffers = [&part.value, sorted, order, dy.value, into.dx];
                self.push(&experts::source(tile, matrix.dtype)?, &params, &buffers, grid)?;
                self.steps().computing(pairs.multiply_adds(matrix, n, range.begin..range.end));
            }
        }
        Ok(())
    }
}
