//! The builder of training plans.

use std::rc::Rc;

use shaders::backward::{geglu, input, norm};
use shaders::rows::gelu_mul;
use shaders::rows::norm_add::{NormAdd, NormAddRows, Params as NormParams};
use shaders::train::lora::Lora;
use shaders::train::rows;
use shaders::{DType, Kernel as _, PlanarLayout, Source};

use super::factors::{LayerFactors, Place};
use super::working::Working;
use super::{Base, Settings};
use crate::adapter::{Projection, Target};
use crate::model::{Rope, product};
use crate::plan::{Grid, Params, Plan, PlanError, Value};

/// A product `y = W·x` with its correction, and what the backward pass needs.
#[derive(Clone, Copy)]
pub(super) struct Product<'a> {
    /// The projection.
    pub projection: Projection,
    /// Its input, `[T, k]`.
    pub x: &'a Value,
    /// Its result, `[T, n]`; in the backward pass its gradient.
    pub y: &'a Value,
}

/// The destination of a product's input gradient.
#[derive(Clone, Copy)]
pub(super) struct InputGradient<'a> {
    /// `[T, k]`
    pub dx: &'a Value,
    /// Whether it is added to the current content.
    pub add: bool,
}

/// Builds a plan.
pub(super) struct Builder<'a> {
    pub base: &'a Base,
    pub settings: &'a Settings,
    pub work: &'a Working,
    pub factors: &'a [Option<LayerFactors>],
    pub ropes: &'a [Rope; 2],
    /// Whether to apply dropout: in training, not in evaluation.
    pub dropout: bool,
    steps: Plan,
}

impl<'a> Builder<'a> {
    /// Returns an empty builder.
    pub fn new(
        (base, settings): (&'a Base, &'a Settings),
        work: &'a Working,
        factors: &'a [Option<LayerFactors>],
        ropes: &'a [Rope; 2],
        dropout: bool,
    ) -> Self {
        Self { base, settings, work, factors, ropes, dropout, steps: Plan::default() }
    }

    /// Returns the plan.
    pub fn finish(self) -> Plan {
        self.steps
    }

    /// Returns the plan so far, to append to.
    pub fn steps(&mut self) -> &mut Plan {
        &mut self.steps
    }

    /// Appends a dispatch whose grid depends on the number of rows.
    pub fn push<P: bytemuck::Pod>(
        &mut self,
        source: &Source,
        params: &P,
        buffers: &[&Value],
        grid: impl Fn(u32) -> [u32; 3] + 'static,
    ) -> Result<(), PlanError> {
        self.steps.push_source(source, Params::fixed(params), buffers, Grid::Rows(Rc::new(grid)))
    }

    /// `y = x·Wᵀ` with a range of rows of a matrix.
    pub fn matmul(
        &mut self,
        weights: (DType, &PlanarLayout, &Value),
        state: &Value,
        x: &Value,
        y: &Value,
    ) -> Result<(), PlanError> {
        product::push_part(&mut self.steps, self.base.limits, weights, None, [state, x, y])
    }

    /// `dx (+)= dy·W`, with one step per tile size; all but one have an empty grid.
    pub fn matmul_back(
        &mut self,
        (dtype, layout, weights): (DType, &PlanarLayout, &Value),
        state: &Value,
        dy: &Value,
        into: InputGradient<'_>,
    ) -> Result<(), PlanError> {
        let params = input::Params::new(layout, into.add);
        let k = layout.k;
        let software = self.base.limits.software;
        for &tile in input::Tile::all(software) {
            let is_chosen = move |rows| input::Tile::choose(rows, k, software) == tile;
            let grid = move |rows| if is_chosen(rows) { tile.dispatch(&params, rows) } else { [0; 3] };
            self.push(
                &input::ColumnProduct { tile, dtype }.source()?,
                &params,
                &[weights, state, dy, into.dx],
                grid,
            )?;
            self.steps.computing(product::multiply_adds(layout));
        }
        Ok(())
    }

    fn lora(
        &mut self,
        kernel: Lora,
        params: shaders::train::lora::Params,
        dropout: bool,
        buffers: [&Value; 3],
    ) -> Result<(), PlanError> {
        let [a, b, out] = buffers;
        let grid = move |rows| kernel.dispatch(&params, rows);
        let state = self.work.state.clone();
        self.push(&kernel.source(dropout)?, &params, &[&state, a, b, out], grid)
    }

    pub(super) fn place(&self, layer: usize, projection: Projection) -> Option<(&'a LayerFactors, Place)> {
        let factors = self.factors[layer].as_ref()?;
        Some((factors, *factors.layout.place(Target { layer, projection })?))
    }

    /// Returns whether a projection of a layer is trained.
    pub fn trains(&self, layer: usize, projection: Projection) -> bool {
        self.place(layer, projection).is_some()
    }

    /// Scale of the inputs of A that dropout keeps.
    fn keep(&self) -> f32 {
        if self.dropout { 1.0 / (1.0 - self.settings.dropout) } else { 1.0 }
    }

    /// `y = W·x + s·B·(A·x)`; A·x is kept.
    pub fn product(&mut self, layer: usize, product: Product<'_>) -> Result<(), PlanError> {
        let Product { projection, x, y } = product;
        let (base, work) = (self.base, self.work);
        let matrix = base.matrix(&Target { layer, projection }.to_string())?;
        let part = matrix.whole();
        self.matmul((matrix.dtype, &part.layout, &part.value), &work.state, x, y)?;
        if let Some((factors, place)) = self.place(layer, projection) {
            let (settings, dropout) = (self.settings, self.dropout);
            let z = &work.z[projection as usize];
            self.lora(Lora::Reduce, place.a(settings, self.keep()), dropout, [x, &factors.theta, z])?;
            let b = place.b(settings, settings.scale());
            self.lora(Lora::Expand, b, false, [z, &factors.theta, y])?;
        }
        Ok(())
    }

    /// From the gradient of the result to the gradients of the factors, then of the input. The input may be in the
    /// buffer of its gradient.
    pub fn product_back(
        &mut self,
        layer: usize,
        product: Product<'_>,
        into: InputGradient<'_>,
    ) -> Result<(), PlanError> {
        let Product { projection, x, y: dy } = product;
        let (base, work) = (self.base, self.work);
        let corrected = self.place(layer, projection);
        let (settings, dropout, keep) = (self.settings, self.dropout, self.keep());
        let (z, dz) = (&work.z[projection as usize], &work.dz);
        if let Some((factors, place)) = corrected {
            let b = place.b(settings, settings.scale());
            self.lora(Lora::Reduce, b, false, [dy, &factors.theta, dz])?;
            self.lora(Lora::Gradient, b, false, [dy, z, &factors.gradients])?;
            self.lora(Lora::Gradient, place.a(settings, keep), dropout, [x, dz, &factors.gradients])?;
        }
        let matrix = base.matrix(&Target { layer, projection }.to_string())?;
        let part = matrix.whole();
        self.matmul_back((matrix.dtype, &part.layout, &part.value), &work.state, dy, into)?;
        if let Some((factors, place)) = corrected {
            let a = place.a(settings, keep);
            self.lora(Lora::Expand, a, dropout, [dz, &factors.theta, into.dx])?;
        }
        Ok(())
    }

    /// `x = rms(h; norm)`.
    pub fn norm(&mut self, state: &Value, h: &Value, norm: u32, x: &Value) -> Result<(), PlanError> {
        let params = NormParams { norm, ..NormParams::new(self.base.config.width, self.base.config.eps) };
        let vectors = &self.base.weights.vectors;
        let grid = move |rows| NormAdd::dispatch(&params, rows);
        let kernel = NormAddRows { form: NormAdd::Norm, width: self.base.config.width };
        self.push(&kernel.source()?, &params, &[state, vectors, h, x], grid)
    }

    /// `h = (h + rms(branch; norm))·scale`, in place.
    pub fn add(&mut self, h: &Value, branch: &Value, norm: u32, scale: Option<u32>) -> Result<(), PlanError> {
        let mut params = NormParams::new(self.base.config.width, self.base.config.eps);
        params.branch_norm = norm;
        params.scale_at = scale.unwrap_or(NormParams::NONE);
        let (state, vectors) = (&self.work.state, &self.base.weights.vectors);
        let grid = move |rows| NormAdd::dispatch(&params, rows);
        let kernel = NormAddRows { form: NormAdd::Add, width: self.base.config.width };
        self.push(&kernel.source()?, &params, &[state, vectors, h, branch], grid)
    }

    /// `dx (+)=` the gradient of `rms(x; norm)`.
    pub fn norm_back(
        &mut self,
        state: &Value,
        x: &Value,
        norm: u32,
        dy: &Value,
        into: InputGradient<'_>,
    ) -> Result<(), PlanError> {
        let config = &self.base.config;
        let params = norm::Params { width4: config.width / 4, norm, add: into.add.into(), eps: config.eps };
        let vectors = &self.base.weights.vectors;
        self.push(&norm::source()?, &params, &[state, vectors, x, dy, into.dx], norm::dispatch)
    }

    /// `out = x`, or `out = x·scale`, for rows as wide as the stream.
    pub fn copy(&mut self, x: &Value, scale: Option<u32>, out: &Value) -> Result<(), PlanError> {
        let params = rows::Params::new(self.base.config.width, scale);
        let (state, vectors) = (&self.work.state, &self.base.weights.vectors);
        let grid = move |rows| params.dispatch(rows);
        self.push(&rows::copy()?, &params, &[state, vectors, x, out], grid)
    }

    /// `out = x`, for rows of this width.
    pub fn copy_rows(&mut self, width: u32, x: &Value, out: &Value) -> Result<(), PlanError> {
        let params = rows::Params::new(width, None);
        let (state, vectors) = (&self.work.state, &self.base.weights.vectors);
        let grid = move |rows| params.dispatch(rows);
        self.push(&rows::copy()?, &params, &[state, vectors, x, out], grid)
    }

    /// Gathers rows of the stream by index.
    pub fn pick(&mut self, state: &Value, numbers: &Value, x: &Value, out: &Value) -> Result<(), PlanError> {
        let params = rows::Params::new(self.base.config.width, None);
        let grid = move |rows| params.dispatch(rows);
        self.push(&rows::pick_rows()?, &params, &[state, numbers, x, out], grid)
    }

    /// `out = gelu_tanh(gate)·up`.
    pub fn activation(
        &mut self,
        params: gelu_mul::Params,
        gate: &Value,
        up: &Value,
        out: &Value,
    ) -> Result<(), PlanError> {
        let state = self.work.state.clone();
        let grid = move |rows| gelu_mul::dispatch(&params, rows);
        self.push(&gelu_mul::GeluMul.source()?, &params, &[&state, gate, up, out], grid)
    }

    /// Its gradient, which replaces `gate` and, with `both`, `up`.
    pub fn activation_back(
        &mut self,
        params: gelu_mul::Params,
        dy: &Value,
        gate: &Value,
        up: &Value,
        both: bool,
    ) -> Result<(), PlanError> {
        let state = self.work.state.clone();
        let grid = move |rows| gelu_mul::dispatch(&params, rows);
        let form = if both { geglu::Form::Both } else { geglu::Form::Gate };
        self.push(&form.source()?, &params, &[&state, dy, gate, up], grid)
    }
}
