//! What the lists of dispatches of training are built with.

use std::rc::Rc;

use shaders::backward::input;
use shaders::backward::norm;
use shaders::rows::gelu_mul;
use shaders::rows::norm_add::{NormAdd, Params as NormParams};
use shaders::train::lora::Lora;
use shaders::train::rows;
use shaders::{DType, PlanarLayout, Source};

use super::factors::{LayerFactors, Place};
use super::pace::Segment;
use super::working::Working;
use super::{Base, Settings, TrainError};
use crate::adapter::{Projection, Target};
use crate::gpu::{Buffer, Gpu, Grid};
use crate::model::{Rope, product};
use std::sync::Arc;

/// Buffers on the device.
pub(super) type Device = Working<Arc<Buffer>>;

/// A product `y = W·x` with its correction, and what the backward pass needs of it.
#[derive(Clone, Copy)]
pub(super) struct Product<'a> {
    /// The projection.
    pub projection: Projection,
    /// Its input, `[T, k]`.
    pub x: &'a Buffer,
    /// Its result, `[T, n]`; backward the gradient of that.
    pub y: &'a Buffer,
}

/// Where the gradient of a product's input goes.
#[derive(Clone, Copy)]
pub(super) struct Onto<'a> {
    /// `[T, k]`
    pub dx: &'a Buffer,
    /// Whether it is added to what is there.
    pub add: bool,
}

/// Collects dispatches into segments.
pub(super) struct Builder<'a> {
    pub gpu: &'a Gpu,
    pub base: &'a Base,
    pub settings: &'a Settings,
    pub work: &'a Device,
    pub factors: &'a [Option<LayerFactors>],
    pub ropes: &'a [Rope; 2],
    /// Whether inputs of A are left out now and then: in training, not in evaluation.
    pub dropout: bool,
    segments: Vec<Segment>,
    open: Segment,
}

impl<'a> Builder<'a> {
    /// Nothing yet.
    pub fn new(
        (gpu, base, settings): (&'a Gpu, &'a Base, &'a Settings),
        work: &'a Device,
        factors: &'a [Option<LayerFactors>],
        ropes: &'a [Rope; 2],
        dropout: bool,
    ) -> Self {
        let (segments, open) = (Vec::new(), Segment::default());
        Self { gpu, base, settings, work, factors, ropes, dropout, segments, open }
    }

    /// What was built.
    pub fn finish(mut self) -> Vec<Segment> {
        self.cut(0.0);
        self.segments
    }

    /// Ends a segment, which may be submitted apart from the next. `cost` are its multiply-adds for a row.
    pub fn cut(&mut self, cost: f64) {
        self.open.cost += cost;
        if !self.open.steps.is_empty() {
            self.segments.push(std::mem::take(&mut self.open));
        }
    }

    /// Where the vector of a layer begins.
    pub fn vector(&self, layer: usize, name: &str) -> u32 {
        self.base.weights.vector(&format!("blk.{layer}.{name}"))
    }

    /// Appends a dispatch whose grid follows from the rows.
    pub async fn push<P: bytemuck::Pod>(
        &mut self,
        source: &Source,
        params: &P,
        buffers: &[&wgpu::Buffer],
        grid: impl Fn(u32) -> [u32; 3] + 'static,
    ) -> Result<(), TrainError> {
        Ok(self.open.steps.push(self.gpu, source, params, buffers, Grid::Rows(Rc::new(grid))).await?)
    }

    /// `y = x·Wᵀ` with some rows of a matrix.
    pub async fn matmul(
        &mut self,
        weights: (DType, &PlanarLayout, &wgpu::Buffer),
        state: &Buffer,
        x: &Buffer,
        y: &Buffer,
    ) -> Result<(), TrainError> {
        product::push_part(self.gpu, &mut self.open.steps, weights, None, [state, x, y]).await?;
        self.cut(f64::from(weights.1.n) * f64::from(weights.1.k));
        Ok(())
    }

    /// `dx (+)= dy·W`: one step for each size of tile, of which one has workgroups.
    pub async fn matmul_back(
        &mut self,
        (dtype, layout, weights): (DType, &PlanarLayout, &wgpu::Buffer),
        state: &wgpu::Buffer,
        dy: &wgpu::Buffer,
        into: Onto<'_>,
    ) -> Result<(), TrainError> {
        let params = input::Params::new(layout, into.add);
        let k = layout.k;
        for tile in input::Tile::ALL {
            let grid = move |rows| {
                if input::Tile::choose(rows, k) == tile { tile.dispatch(&params, rows) } else { [0; 3] }
            };
            self.push(&tile.source(dtype)?, &params, &[weights, state, dy, into.dx], grid).await?;
        }
        self.cut(f64::from(layout.n) * f64::from(layout.k));
        Ok(())
    }

    async fn lora(
        &mut self,
        kernel: Lora,
        params: shaders::train::lora::Params,
        dropout: bool,
        buffers: [&wgpu::Buffer; 3],
    ) -> Result<(), TrainError> {
        let [a, b, out] = buffers;
        let grid = move |rows| kernel.dispatch(&params, rows);
        let state = Arc::clone(&self.work.state);
        self.push(&kernel.source(dropout)?, &params, &[&state, a, b, out], grid).await
    }

    fn place(&self, layer: usize, projection: Projection) -> Option<(&'a LayerFactors, Place)> {
        let factors = self.factors[layer].as_ref()?;
        Some((factors, *factors.layout.place(Target { layer, projection })?))
    }

    /// What the input of A is scaled with.
    fn keep(&self) -> f32 {
        if self.dropout { 1.0 / (1.0 - self.settings.dropout) } else { 1.0 }
    }

    /// `y = W·x + s·B·(A·x)`; A·x is kept.
    pub async fn product(&mut self, layer: usize, product: Product<'_>) -> Result<(), TrainError> {
        let Product { projection, x, y } = product;
        let (base, work) = (self.base, self.work);
        let matrix = base.matrix(&Target { layer, projection }.to_string())?;
        let part = matrix.whole();
        self.matmul((matrix.dtype, &part.layout, &part.buffer), &work.state, x, y).await?;
        if let Some((factors, place)) = self.place(layer, projection) {
            let (settings, dropout) = (self.settings, self.dropout);
            let z = &work.z[projection as usize];
            self.lora(Lora::Reduce, place.a(settings, self.keep()), dropout, [x, &factors.theta, z]).await?;
            let b = place.b(settings, settings.scale());
            self.lora(Lora::Expand, b, false, [z, &factors.theta, y]).await?;
        }
        Ok(())
    }

    /// From the gradient in the place of the result: gradients of the factors, then of the input. The input may lie in
    /// the buffer that takes its gradient.
    pub async fn product_back(
        &mut self,
        layer: usize,
        product: Product<'_>,
        into: Onto<'_>,
    ) -> Result<(), TrainError> {
        let Product { projection, x, y: dy } = product;
        let (base, work) = (self.base, self.work);
        let corrected = self.place(layer, projection);
        let (settings, dropout, keep) = (self.settings, self.dropout, self.keep());
        let (z, dz) = (&work.z[projection as usize], &work.dz);
        if let Some((factors, place)) = corrected {
            let b = place.b(settings, settings.scale());
            self.lora(Lora::Reduce, b, false, [dy, &factors.theta, dz]).await?;
            self.lora(Lora::Gradient, b, false, [dy, z, &factors.gradients]).await?;
            self.lora(Lora::Gradient, place.a(settings, keep), dropout, [x, dz, &factors.gradients]).await?;
        }
        let matrix = base.matrix(&Target { layer, projection }.to_string())?;
        let part = matrix.whole();
        self.matmul_back((matrix.dtype, &part.layout, &part.buffer), &work.state, dy, into).await?;
        if let Some((factors, place)) = corrected {
            let a = place.a(settings, keep);
            self.lora(Lora::Expand, a, dropout, [dz, &factors.theta, into.dx]).await?;
        }
        Ok(())
    }

    /// `x = rms(h; norm)`.
    pub async fn norm(
        &mut self,
        state: &wgpu::Buffer,
        h: &wgpu::Buffer,
        norm: u32,
        x: &wgpu::Buffer,
    ) -> Result<(), TrainError> {
        let params = NormParams { norm, ..NormParams::new(self.base.config.width, self.base.config.eps) };
        let vectors = &self.base.weights.vectors;
        let grid = move |rows| NormAdd::dispatch(&params, rows);
        self.push(&NormAdd::Norm.source()?, &params, &[state, vectors, h, x], grid).await
    }

    /// `h = (h + rms(branch; norm))·scale`, in place.
    pub async fn add(
        &mut self,
        h: &wgpu::Buffer,
        branch: &wgpu::Buffer,
        norm: u32,
        scale: Option<u32>,
    ) -> Result<(), TrainError> {
        let mut params = NormParams::new(self.base.config.width, self.base.config.eps);
        params.branch_norm = norm;
        params.scale_at = scale.unwrap_or(NormParams::NONE);
        let (state, vectors) = (&self.work.state, &self.base.weights.vectors);
        let grid = move |rows| NormAdd::dispatch(&params, rows);
        self.push(&NormAdd::Add.source()?, &params, &[state, vectors, h, branch], grid).await
    }

    /// `dx (+)=` the gradient of `rms(x; norm)`.
    pub async fn norm_back(
        &mut self,
        state: &wgpu::Buffer,
        x: &wgpu::Buffer,
        norm: u32,
        dy: &wgpu::Buffer,
        into: Onto<'_>,
    ) -> Result<(), TrainError> {
        let config = &self.base.config;
        let params = norm::Params { width4: config.width / 4, norm, add: into.add.into(), eps: config.eps };
        let vectors = &self.base.weights.vectors;
        self.push(&norm::source()?, &params, &[state, vectors, x, dy, into.dx], norm::dispatch).await
    }

    /// `out = x`, or `out = x·scale`; rows as wide as the stream.
    pub async fn copy(
        &mut self,
        x: &wgpu::Buffer,
        scale: Option<u32>,
        out: &wgpu::Buffer,
    ) -> Result<(), TrainError> {
        let params = rows::Params::new(self.base.config.width, scale);
        let (state, vectors) = (&self.work.state, &self.base.weights.vectors);
        let grid = move |rows| params.dispatch(rows);
        self.push(&rows::copy()?, &params, &[state, vectors, x, out], grid).await
    }

    /// Rows of the stream chosen by number.
    pub async fn pick(
        &mut self,
        state: &wgpu::Buffer,
        numbers: &wgpu::Buffer,
        x: &wgpu::Buffer,
        out: &wgpu::Buffer,
    ) -> Result<(), TrainError> {
        let params = rows::Params::new(self.base.config.width, None);
        let grid = move |rows| params.dispatch(rows);
        self.push(&rows::pick_rows()?, &params, &[state, numbers, x, out], grid).await
    }

    /// `out = gelu_tanh(gate)·up`.
    pub async fn activation(
        &mut self,
        params: gelu_mul::Params,
        gate: &wgpu::Buffer,
        up: &wgpu::Buffer,
        out: &wgpu::Buffer,
    ) -> Result<(), TrainError> {
        let state = Arc::clone(&self.work.state);
        let grid = move |rows| gelu_mul::dispatch(&params, rows);
        self.push(&gelu_mul::source()?, &params, &[&state, gate, up, out], grid).await
    }

    /// The gradient of that, in the places of `gate` and, with `both`, of `up`.
    pub async fn activation_back(
        &mut self,
        params: gelu_mul::Params,
        dy: &wgpu::Buffer,
        gate: &wgpu::Buffer,
        up: &wgpu::Buffer,
        both: bool,
    ) -> Result<(), TrainError> {
        let state = Arc::clone(&self.work.state);
        let grid = move |rows| gelu_mul::dispatch(&params, rows);
        let source = shaders::backward::geglu::source(both)?;
        self.push(&source, &params, &[&state, dy, gate, up], grid).await
    }
}
