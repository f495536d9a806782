//! The dispatches of the conformer: subsampling, blocks, projector (specification §10.2 to §10.4).

use std::rc::Rc;
use std::sync::Arc;

use shaders::audio::attention::{self, KEYS};
use shaders::audio::conv2d::{self, Conv2d};
use shaders::audio::{light_conv, silu, unit_norm};
use shaders::rows::norm_add::{NormAdd, Params as NormParams};
use shaders::selftest::Form;
use shaders::state::State;

use super::config::Conformer;
use super::mel::FRAMES_PER_TOKEN;
use super::tensors::in_block;
use super::tower::{EPS, STEP_TOKENS};
use crate::gpu::{Buffer, Gpu, GpuError, Grid, Steps};
use crate::model::product;
use crate::weights::{Matrix, Weights};

/// Past positions and constants of one block.
pub struct BlockBuffers {
    /// The projected encodings of distances. `[KEYS, width]`.
    relative: Arc<Buffer>,
    /// Keys and values of attention. `[2, slots, width]`.
    keys: Arc<Buffer>,
    /// Gated inputs of the convolution. `[slots, width]`.
    gated: Arc<Buffer>,
}

/// Working buffers, f32; `T` is [`STEP_TOKENS`].
pub struct Buffers {
    state: Arc<Buffer>,
    /// Features of a step, with those that the first token looks back at. `[4T + 3, BINS]`.
    pub mel: Arc<Buffer>,
    /// Behind the first convolution. `[2T + 1, frequencies, channels]`.
    half: Arc<Buffer>,
    /// Behind the second. `[T, frequencies·channels]`.
    quarter: Arc<Buffer>,
    /// The stream, twice: a block ends with a norm from one to the other. `[T, width]`.
    h: [Arc<Buffer>; 2],
    /// The normed stream.
    x: Arc<Buffer>,
    /// What a branch adds.
    y: Arc<Buffer>,
    /// Queries, keys, values.
    qkv: [Arc<Buffer>; 3],
    /// The result of attention, or of the convolution.
    mixed: Arc<Buffer>,
    /// Inside a feed-forward part, and before the gate of the convolution.
    wide: Arc<Buffer>,
    /// What the projector takes, before and after its norm.
    out: [Arc<Buffer>; 2],
    blocks: Vec<BlockBuffers>,
}

/// Elements of the buffers above.
struct Sizes {
    mel: u64,
    half: u64,
    quarter: u64,
    row: u64,
    wide: u64,
    out: u64,
    keys: u64,
    gated: u64,
    relative: u64,
}

impl Sizes {
    fn of(c: &Conformer) -> Self {
        let [bins, half, _] = Conformer::FREQUENCIES.map(u64::from);
        let (t, d) = (u64::from(STEP_TOKENS), u64::from(c.width));
        Self {
            mel: (FRAMES_PER_TOKEN as u64 * t + 3) * bins,
            half: (2 * t + 1) * half * u64::from(c.channels[0]),
            quarter: t * u64::from(c.stem()),
            row: t * d,
            wide: t * u64::from(c.feed_forward).max(2 * d),
            out: t * u64::from(c.out),
            keys: 2 * u64::from(attention::slots(STEP_TOKENS)) * d,
            gated: u64::from(light_conv::slots(STEP_TOKENS, c.taps)) * d,
            relative: u64::from(KEYS) * d,
        }
    }
}

impl Buffers {
    /// Bytes of all of them.
    pub fn bytes(c: &Conformer) -> u64 {
        let s = Sizes::of(c);
        let rows = s.mel + s.half + s.quarter + 8 * s.row + s.wide + 2 * s.out;
        4 * (rows + u64::from(c.blocks) * (s.keys + s.gated + s.relative))
    }

    /// Allocates them.
    ///
    /// # Errors
    /// When one is larger than the device allows.
    pub fn new(gpu: &Gpu, c: &Conformer, state: &Arc<Buffer>) -> Result<Self, GpuError> {
        let s = Sizes::of(c);
        let make = |label: &str, elements: u64| gpu.storage(label, 4 * elements);
        let block = |_| {
            Ok(BlockBuffers {
                relative: make("audio distances", s.relative)?,
                keys: make("audio keys", s.keys)?,
                gated: make("audio gated", s.gated)?,
            })
        };
        Ok(Self {
            state: Arc::clone(state),
            mel: make("mel", s.mel)?,
            half: make("audio half", s.half)?,
            quarter: make("audio quarter", s.quarter)?,
            h: [make("audio h 0", s.row)?, make("audio h 1", s.row)?],
            x: make("audio x", s.row)?,
            y: make("audio branch", s.row)?,
            qkv: [make("audio q", s.row)?, make("audio k", s.row)?, make("audio v", s.row)?],
            mixed: make("audio mixed", s.row)?,
            wide: make("audio wide", s.wide)?,
            out: [make("audio out", s.out)?, make("audio normed", s.out)?],
            blocks: (0..c.blocks).map(block).collect::<Result<_, GpuError>>()?,
        })
    }
}

/// A matrix of the tensor list.
///
/// # Errors
/// A fault of this program: the list was checked.
pub fn matrix<'a>(weights: &'a Weights, name: &str) -> Result<&'a Matrix, GpuError> {
    weights.matrix(name).ok_or_else(|| GpuError::Fault { reason: format!("no matrix {name}") })
}

/// Projects the encodings of distances for each block. They depend on nothing but the weights, which are dropped then.
///
/// # Errors
/// When the device refuses a kernel.
pub async fn relatives(
    gpu: &Gpu,
    c: &Conformer,
    weights: &mut Weights,
    buffers: &Buffers,
) -> Result<(), GpuError> {
    let encodings = gpu.storage_with("audio encodings", &attention::encodings(c.width))?;
    let state = State { len: KEYS, ..State::default() };
    gpu.queue().write_buffer(&buffers.state, 0, bytemuck::bytes_of(&state));
    let name = |i: usize| in_block(i as u32, "relative");
    let mut steps = Steps::default();
    for (i, block) in buffers.blocks.iter().enumerate() {
        let matrix = matrix(weights, &name(i))?;
        product::push(gpu, &mut steps, matrix, None, [&buffers.state, &encodings, &block.relative]).await?;
    }
    gpu.run(&steps, KEYS);
    gpu.drained().await?;
    for i in 0..buffers.blocks.len() {
        weights.matrices.remove(&name(i));
    }
    Ok(())
}

/// The first convolution's parameters, of which two change with each step.
pub struct Stem {
    /// Where they are on the device.
    pub uniform: Arc<Buffer>,
    /// Those of the clip's first step.
    pub params: conv2d::Params,
}

/// The list for one step, from `mel` to `soft`.
///
/// # Errors
/// When the device refuses a kernel.
pub async fn build(
    gpu: &Gpu,
    c: &Conformer,
    weights: &Weights,
    buffers: &Buffers,
    soft: &Buffer,
) -> Result<(Steps, Stem), GpuError> {
    let mut builder = Builder { gpu, c, weights, b: buffers, steps: Steps::default() };
    let stem = builder.stem().await?;
    for i in 0..c.blocks {
        builder.block(i).await?;
    }
    builder.projector(soft).await?;
    Ok((builder.steps, stem))
}

struct Builder<'a> {
    gpu: &'a Gpu,
    c: &'a Conformer,
    weights: &'a Weights,
    b: &'a Buffers,
    steps: Steps,
}

impl Builder<'_> {
    async fn product(&mut self, name: &str, x: &Buffer, y: &Buffer) -> Result<(), GpuError> {
        let matrix = matrix(self.weights, name)?;
        let clamps = self.weights.clamps(name);
        product::push(self.gpu, &mut self.steps, matrix, clamps, [&self.b.state, x, y]).await
    }

    /// One of the residual kernels on the stream `h`, with the branch in `y` and its result in `x`. `branch` is the norm of
    /// the branch.
    async fn residual(
        &mut self,
        form: NormAdd,
        h: &wgpu::Buffer,
        (branch, branch_scale): (Option<String>, f32),
        norm: &str,
        x: &wgpu::Buffer,
    ) -> Result<(), GpuError> {
        let mut params = NormParams::new(self.c.width, EPS);
        params.branch_norm = branch.map_or(0, |name| self.weights.vector(&name));
        params.branch_scale = branch_scale;
        params.norm = self.weights.vector(norm);
        let mut buffers: Vec<&wgpu::Buffer> = vec![&self.b.state, &self.weights.vectors, h];
        if form != NormAdd::Norm {
            buffers.push(&self.b.y);
        }
        buffers.push(x);
        let grid = Grid::Rows(Rc::new(move |rows| NormAdd::dispatch(&params, rows)));
        self.steps.push(self.gpu, &form.source()?, &params, &buffers, grid).await?;
        self.steps.tried_as(Form::NormAdd(form));
        Ok(())
    }

    async fn conv(&mut self, i: usize, x: &wgpu::Buffer, y: &wgpu::Buffer) -> Result<Stem, GpuError> {
        let channels_in = if i == 0 { 1 } else { self.c.channels[0] };
        let kernel = Conv2d::new(channels_in, self.c.channels[i]);
        let params = conv2d::Params {
            first: 0,
            end: i32::MAX,
            freq_in: Conformer::FREQUENCIES[i],
            freq_out: Conformer::FREQUENCIES[i + 1],
            channels_in,
            weights: self.weights.vector(&format!("a.conv1d.{i}")),
            norm: self.weights.vector(&format!("a.conv1d.{i}.norm")),
            eps: EPS,
        };
        let source = kernel.source()?;
        let uniform = self.gpu.uniform_with(&source.name, &params)?;
        let rows_of = move |rows: u32| if i == 0 { 2 * rows + 1 } else { rows };
        let grid = Grid::Rows(Rc::new(move |rows| Conv2d::dispatch(&params, rows_of(rows))));
        let buffers: [&wgpu::Buffer; 3] = [&self.weights.vectors, x, y];
        self.steps.push_shared(self.gpu, &source, &uniform, &buffers, grid).await?;
        self.steps.tried_as(Form::Convolution(channels_in, self.c.channels[i]));
        Ok(Stem { uniform, params })
    }

    async fn stem(&mut self) -> Result<Stem, GpuError> {
        let b = self.b;
        let stem = self.conv(0, &b.mel, &b.half).await?;
        self.conv(1, &b.half, &b.quarter).await?;
        self.product("stem", &b.quarter, &b.h[0]).await?;
        Ok(stem)
    }

    /// One of the two feed-forward parts, from `x` to `y`.
    async fn feed_forward(&mut self, i: u32, suffix: &str) -> Result<(), GpuError> {
        let b = self.b;
        self.product(&in_block(i, &format!("ffn_up{suffix}")), &b.x, &b.wide).await?;
        let params = silu::Params::new(self.c.feed_forward);
        let grid = Grid::Rows(Rc::new(move |rows| silu::dispatch(&params, rows)));
        let buffers: [&wgpu::Buffer; 2] = [&b.state, &b.wide];
        self.steps.push(self.gpu, &silu::source()?, &params, &buffers, grid).await?;
        self.steps.tried_as(Form::Silu);
        self.product(&in_block(i, &format!("ffn_down{suffix}")), &b.wide, &b.y).await
    }

    async fn attention(&mut self, i: u32) -> Result<(), GpuError> {
        let (b, c) = (self.b, self.c);
        let [q, k, v] = &b.qkv;
        for (name, to) in [("attn_q", q), ("attn_k", k), ("attn_v", v)] {
            self.product(&in_block(i, name), &b.x, to).await?;
        }
        let scale = self.weights.vector(&in_block(i, "per_dim_scale"));
        let params = attention::Params::new(c.heads, c.head_dim, attention::slots(STEP_TOKENS), scale);
        let block = &b.blocks[i as usize];
        let buffers: [&wgpu::Buffer; 8] =
            [&b.state, &self.weights.vectors, q, k, v, &block.relative, &block.keys, &b.mixed];
        let grid = Grid::Rows(Rc::new(move |rows| attention::dispatch(&params, rows)));
        self.steps.push(self.gpu, &attention::source(c.head_dim)?, &params, &buffers, grid).await?;
        self.steps.tried_as(Form::SoundAttention(c.head_dim));
        self.product(&in_block(i, "attn_out"), &b.mixed, &b.y).await
    }

    async fn light_conv(&mut self, i: u32) -> Result<(), GpuError> {
        let (b, c) = (self.b, self.c);
        self.product(&in_block(i, "conv_pw1"), &b.x, &b.wide).await?;
        let params = light_conv::Params {
            width4: c.width / 4,
            taps: c.taps,
            slots: light_conv::slots(STEP_TOKENS, c.taps),
            weights: self.weights.vector(&in_block(i, "conv_dw")),
            norm: self.weights.vector(&in_block(i, "norm_conv")),
            eps: EPS,
            pad: [0; 2],
        };
        let gated = &b.blocks[i as usize].gated;
        let buffers: [&wgpu::Buffer; 5] = [&b.state, &self.weights.vectors, &b.wide, gated, &b.mixed];
        let grid = Grid::Rows(Rc::new(light_conv::dispatch));
        self.steps.push(self.gpu, &light_conv::source()?, &params, &buffers, grid).await?;
        self.steps.tried_as(Form::LightConvolution);
        self.product(&in_block(i, "conv_pw2"), &b.mixed, &b.y).await
    }

    async fn block(&mut self, i: u32) -> Result<(), GpuError> {
        let b = self.b;
        let (h, next) = (&b.h[i as usize % 2], &b.h[(i as usize + 1) % 2]);
        let name = |part: &str| in_block(i, part);
        let half = |norm: &str| (Some(in_block(i, norm)), 0.5);
        self.residual(NormAdd::Norm, h, (None, 1.0), &name("ffn_norm"), &b.x).await?;
        self.feed_forward(i, "").await?;
        self.residual(NormAdd::AddNorm, h, half("ffn_post_norm"), &name("attn_pre_norm"), &b.x).await?;
        self.attention(i).await?;
        let whole = (Some(name("attn_post_norm")), 1.0);
        self.residual(NormAdd::AddNorm, h, whole, &name("conv_norm"), &b.x).await?;
        self.light_conv(i).await?;
        self.residual(NormAdd::AddPlainNorm, h, (None, 1.0), &name("ffn_norm_1"), &b.x).await?;
        self.feed_forward(i, "_1").await?;
        self.residual(NormAdd::AddNorm, h, half("ffn_post_norm_1"), &name("out_norm"), next).await
    }

    async fn projector(&mut self, soft: &Buffer) -> Result<(), GpuError> {
        let b = self.b;
        let [out, normed] = &b.out;
        self.product("output", &b.h[self.c.blocks as usize % 2], out).await?;
        let bias = self.weights.vector("output.bias");
        let params = unit_norm::Params::new(self.c.out, Some(bias), EPS);
        let buffers: [&wgpu::Buffer; 4] = [&b.state, &self.weights.vectors, out, normed];
        let grid = Grid::Rows(Rc::new(unit_norm::dispatch));
        self.steps.push(self.gpu, &unit_norm::source()?, &params, &buffers, grid).await?;
        self.steps.tried_as(Form::UnitNorm);
        self.product("projection", normed, soft).await
    }
}
