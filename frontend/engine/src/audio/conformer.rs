//! The plan of the conformer: subsampling, blocks, projector (specification §10.2 to §10.4).

use std::rc::Rc;

use shaders::audio::attention::{self, KEYS};
use shaders::audio::conv2d::{self, Conv2d};
use shaders::audio::{light_conv, silu, unit_norm};
use shaders::rows::norm_add::{NormAdd, NormAddRows, Params as NormParams};

use super::config::{Conformer, EPS, STEP_TOKENS};
use super::mel::FRAMES_PER_TOKEN;
use super::tensors::in_block;
use crate::model::product;
use crate::plan::{Grid, Origin, Plan, PlanError, Value};
use crate::weights::{Matrix, Weights};

/// Past positions and constants of one block.
pub struct BlockBuffers {
    /// The projected encodings of the distances. `[KEYS, width]`.
    relative: Value,
    /// The ring of keys and values of attention. `[2, slots, width]`.
    keys: Value,
    /// The ring of gated inputs of the convolution. `[slots, width]`.
    gated: Value,
}

/// Working buffers, f32; `T` is [`STEP_TOKENS`].
pub struct Buffers {
    state: Value,
    /// Mel features of a step, including those before it that the first token needs. `[4T + 3, BINS]`.
    pub mel: Value,
    /// Output of the first convolution. `[2T + 1, frequencies, channels]`.
    half: Value,
    /// Output of the second convolution. `[T, frequencies·channels]`.
    quarter: Value,
    /// The residual stream, twice: each block ends with a norm from one to the other. `[T, width]`.
    h: [Value; 2],
    /// The normed stream.
    x: Value,
    /// The branch before it is added.
    y: Value,
    /// Queries, keys, values.
    qkv: [Value; 3],
    /// The result of attention, or of the convolution.
    mixed: Value,
    /// The hidden layer of a feed-forward block, also the input of the convolution's gate.
    wide: Value,
    /// The projector's input, before and after its norm.
    out: [Value; 2],
    blocks: Vec<BlockBuffers>,
}

impl Buffers {
    /// Describes them.
    pub fn describe(c: &Conformer, state: &Value) -> Self {
        let [bins, half, _] = Conformer::FREQUENCIES.map(u64::from);
        let (t, d) = (u64::from(STEP_TOKENS), u64::from(c.width));
        let make = |name: &'static str, elements: u64| Value::temporary(name, 4 * elements);
        let row = |name: &'static str| make(name, t * d);
        let past = |name: &'static str, slots: u32| Value::new(name, 4 * u64::from(slots) * d, Origin::Cache);
        let block = |_| BlockBuffers {
            relative: Value::new("audio distances", 4 * u64::from(KEYS) * d, Origin::Constant),
            keys: past("audio keys", 2 * attention::slots(STEP_TOKENS)),
            gated: past("audio gated", light_conv::slots(STEP_TOKENS, c.taps)),
        };
        Self {
            state: state.clone(),
            mel: Value::state("mel", 4 * (FRAMES_PER_TOKEN as u64 * t + 3) * bins),
            half: make("audio half", (2 * t + 1) * half * u64::from(c.channels[0])),
            quarter: make("audio quarter", t * u64::from(c.stem())),
            h: [row("audio h 0"), row("audio h 1")],
            x: row("audio x"),
            y: row("audio branch"),
            qkv: [row("audio q"), row("audio k"), row("audio v")],
            mixed: row("audio mixed"),
            wide: make("audio wide", t * u64::from(c.feed_forward).max(2 * d)),
            out: ["audio out", "audio normed"].map(|name| make(name, t * u64::from(c.out))),
            blocks: (0..c.blocks).map(block).collect(),
        }
    }
}

/// The plans that project the encodings of distances for each block.
pub struct Relatives {
    pub plan: Plan,
    /// f32. `[KEYS, width]`.
    pub encodings: Value,
    /// `State` whose length is [`KEYS`].
    pub state: Value,
}

/// Describes how the encodings of distances are projected for each block. The result depends only on the weights,
/// which are not needed afterwards.
pub fn relatives(c: &Conformer, weights: &Weights, buffers: &Buffers) -> Result<Relatives, PlanError> {
    let bytes = 4 * u64::from(KEYS) * u64::from(c.width);
    let encodings = Value::new("audio encodings", bytes, Origin::Constant);
    let mut plan = Plan::default();
    for (i, block) in buffers.blocks.iter().enumerate() {
        let matrix = weights.require(&in_block(i as u32, "relative"))?;
        product::push(
            &mut plan,
            weights.limits,
            matrix,
            None,
            [&buffers.state, &encodings, &block.relative],
        )?;
    }
    Ok(Relatives { plan, encodings, state: buffers.state.clone() })
}

/// Removes the matrices that only [`Relatives`] uses.
pub fn take_relatives(c: &Conformer, weights: &mut Weights) -> Vec<Matrix> {
    (0..c.blocks).filter_map(|i| weights.matrices.remove(&in_block(i, "relative"))).collect()
}

/// The parameters of a convolution. Two of the first convolution's change with each step.
pub struct Stem {
    /// The parameter buffer.
    pub value: Value,
    /// The parameters of the clip's first step.
    pub params: conv2d::Params,
}

/// Returns the plan of one step, from `mel` to `soft`, and the parameters of both convolutions.
pub fn plan(
    c: &Conformer,
    weights: &Weights,
    buffers: &Buffers,
    soft: &Value,
) -> Result<(Plan, [Stem; 2]), PlanError> {
    let mut builder = Builder { c, weights, b: buffers, steps: Plan::default() };
    let stem = builder.stem()?;
    for i in 0..c.blocks {
        builder.block(i)?;
    }
    builder.projector(soft)?;
    Ok((builder.steps, stem))
}

struct Builder<'a> {
    c: &'a Conformer,
    weights: &'a Weights,
    b: &'a Buffers,
    steps: Plan,
}

impl Builder<'_> {
    fn product(&mut self, name: &str, x: &Value, y: &Value) -> Result<(), PlanError> {
        let matrix = self.weights.require(name)?;
        let clamps = self.weights.clamps(name);
        product::push(&mut self.steps, self.weights.limits, matrix, clamps, [&self.b.state, x, y])
    }

    /// A residual kernel on the stream `h`, with the branch in `y` and the result in `x`. `branch` names the
    /// branch's norm.
    fn residual(
        &mut self,
        form: NormAdd,
        h: &Value,
        (branch, branch_scale): (Option<String>, f32),
        norm: &str,
        x: &Value,
    ) -> Result<(), PlanError> {
        let mut params = NormParams::new(self.c.width, EPS);
        params.branch_norm = branch.map_or(Ok(0), |name| self.weights.vector(&name))?;
        params.branch_scale = branch_scale;
        params.norm = self.weights.vector(norm)?;
        let mut buffers: Vec<&Value> = vec![&self.b.state, &self.weights.vectors, h];
        if form != NormAdd::Norm {
            buffers.push(&self.b.y);
        }
        buffers.push(x);
        let kernel = NormAddRows { form, width: self.c.width };
        self.steps.push_rows(kernel, &params, &buffers, move |rows| NormAdd::dispatch(&params, rows))
    }

    fn conv(&mut self, i: usize, x: &Value, y: &Value) -> Result<Stem, PlanError> {
        let channels_in = if i == 0 { 1 } else { self.c.channels[0] };
        let kernel = Conv2d::new(channels_in, self.c.channels[i]);
        let params = conv2d::Params {
            first: 0,
            end: i32::MAX,
            freq_in: Conformer::FREQUENCIES[i],
            freq_out: Conformer::FREQUENCIES[i + 1],
            channels_in,
            weights: self.weights.vector(&format!("a.conv1d.{i}"))?,
            norm: self.weights.vector(&format!("a.conv1d.{i}.norm"))?,
            eps: EPS,
        };
        let value = Value::new("audio convolution", size_of::<conv2d::Params>() as u64, Origin::Params);
        let rows_of = move |rows: u32| if i == 0 { 2 * rows + 1 } else { rows };
        let grid = Grid::Rows(Rc::new(move |rows| Conv2d::dispatch(&params, rows_of(rows))));
        self.steps.push_shared(kernel, &value, &[&self.weights.vectors, x, y], grid)?;
        Ok(Stem { value, params })
    }

    fn stem(&mut self) -> Result<[Stem; 2], PlanError> {
        let b = self.b;
        let first = self.conv(0, &b.mel, &b.half)?;
        let second = self.conv(1, &b.half, &b.quarter)?;
        self.product("stem", &b.quarter, &b.h[0])?;
        Ok([first, second])
    }

    /// One of the two feed-forward blocks, from `x` to `y`.
    fn feed_forward(&mut self, i: u32, suffix: &str) -> Result<(), PlanError> {
        let b = self.b;
        self.product(&in_block(i, &format!("ffn_up{suffix}")), &b.x, &b.wide)?;
        let params = silu::Params::new(self.c.feed_forward);
        let grid = move |rows| silu::dispatch(&params, rows);
        self.steps.push_rows(silu::Silu, &params, &[&b.state, &b.wide], grid)?;
        self.product(&in_block(i, &format!("ffn_down{suffix}")), &b.wide, &b.y)
    }

    fn attention(&mut self, i: u32) -> Result<(), PlanError> {
        let (b, c) = (self.b, self.c);
        let [q, k, v] = &b.qkv;
        for (name, to) in [("attn_q", q), ("attn_k", k), ("attn_v", v)] {
            self.product(&in_block(i, name), &b.x, to)?;
        }
        let scale = self.weights.vector(&in_block(i, "per_dim_scale"))?;
        let params = attention::Params::new(c.heads, c.head_dim, attention::slots(STEP_TOKENS), scale);
        let block = &b.blocks[i as usize];
        let buffers = [&b.state, &self.weights.vectors, q, k, v, &block.relative, &block.keys, &b.mixed];
        let kernel = attention::Attention { head_dim: c.head_dim };
        self.steps.push_rows(kernel, &params, &buffers, move |rows| attention::dispatch(&params, rows))?;
        self.product(&in_block(i, "attn_out"), &b.mixed, &b.y)
    }

    fn light_conv(&mut self, i: u32) -> Result<(), PlanError> {
        let (b, c) = (self.b, self.c);
        self.product(&in_block(i, "conv_pw1"), &b.x, &b.wide)?;
        let params = light_conv::Params {
            width4: c.width / 4,
            taps: c.taps,
            slots: light_conv::slots(STEP_TOKENS, c.taps),
            weights: self.weights.vector(&in_block(i, "conv_dw"))?,
            norm: self.weights.vector(&in_block(i, "norm_conv"))?,
            eps: EPS,
            pad: [0; 2],
        };
        let gated = &b.blocks[i as usize].gated;
        let buffers = [&b.state, &self.weights.vectors, &b.wide, gated, &b.mixed];
        self.steps.push_rows(light_conv::LightConv, &params, &buffers, light_conv::dispatch)?;
        self.product(&in_block(i, "conv_pw2"), &b.mixed, &b.y)
    }

    fn block(&mut self, i: u32) -> Result<(), PlanError> {
        let b = self.b;
        let (h, next) = (&b.h[i as usize % 2], &b.h[(i as usize + 1) % 2]);
        let name = |part: &str| in_block(i, part);
        let half = |norm: &str| (Some(in_block(i, norm)), 0.5);
        self.residual(NormAdd::Norm, h, (None, 1.0), &name("ffn_norm"), &b.x)?;
        self.feed_forward(i, "")?;
        self.residual(NormAdd::AddNorm, h, half("ffn_post_norm"), &name("attn_pre_norm"), &b.x)?;
        self.attention(i)?;
        let whole = (Some(name("attn_post_norm")), 1.0);
        self.residual(NormAdd::AddNorm, h, whole, &name("conv_norm"), &b.x)?;
        self.light_conv(i)?;
        self.residual(NormAdd::AddPlainNorm, h, (None, 1.0), &name("ffn_norm_1"), &b.x)?;
        self.feed_forward(i, "_1")?;
        self.residual(NormAdd::AddNorm, h, half("ffn_post_norm_1"), &name("out_norm"), next)
    }

    fn projector(&mut self, soft: &Value) -> Result<(), PlanError> {
        let b = self.b;
        let [out, normed] = &b.out;
        self.product("output", &b.h[self.c.blocks as usize % 2], out)?;
        let bias = self.weights.vector("output.bias")?;
        let params = unit_norm::Params::new(self.c.out, Some(bias), EPS);
        let buffers = [&b.state, &self.weights.vectors, out, normed];
        self.steps.push_rows(unit_norm::UnitNorm, &params, &buffers, unit_norm::dispatch)?;
        self.product("projection", normed, soft)
    }
}
