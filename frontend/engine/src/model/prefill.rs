//! The layers for several rows: a prefill chunk, or a canvas. One matrix product at a time, row-major, with row kernels
//! in between.

use shaders::attention::block::{Block, Params as BlockParams};
use shaders::attention::cooperative::Cooperative;
use shaders::attention::decode::Kv;
use shaders::matrix_units::{MIN_ROWS, MatrixUnits};
use shaders::selftest::Form;

use super::corrections::{Corrections, Site};
use super::rows::{
    correct, feed_forward_activation, norm_add, per_layer_activation, products as push_products, qkv_finish,
};
use super::{Attention, Parts, experts};
use crate::plan::{Amount, Plan, PlanError, Value};

/// What the rows are.
#[derive(Clone, Copy)]
enum Kind {
    /// Consecutive tokens of a prompt.
    Chunk,
    /// A canvas: all of it sees all of it, and layers have the scalars of the decoder.
    Canvas,
}

struct Builder<'a> {
    parts: &'a Parts,
    corrections: Option<&'a Corrections>,
    kind: Kind,
    steps: Plan,
}

/// Layers `0..last`. Ends with the complete stream in `h[0]`.
///
/// # Errors
/// [`PlanError`] when a tensor is missing, or a kernel cannot be generated.
pub fn plan(parts: &Parts, corrections: Option<&Corrections>, last: usize) -> Result<Plan, PlanError> {
    let mut builder = Builder { parts, corrections, kind: Kind::Chunk, steps: Plan::default() };
    for i in 0..last {
        builder.layer(i)?;
    }
    Ok(builder.steps)
}

/// All layers for a canvas of a diffusion model, which `visible_until` says the end of, row by row.
///
/// # Errors
/// [`PlanError`] when a tensor is missing, or a kernel cannot be generated.
pub fn canvas(parts: &Parts) -> Result<Plan, PlanError> {
    let mut builder = Builder { parts, corrections: None, kind: Kind::Canvas, steps: Plan::default() };
    for i in 0..parts.config.layers.len() {
        builder.layer(i)?;
    }
    Ok(builder.steps)
}

impl Builder<'_> {
    fn is_canvas(&self) -> bool {
        matches!(self.kind, Kind::Canvas)
    }

    fn norm(&mut self, add: Option<(u32, Option<u32>)>, norm: Option<u32>) -> Result<(), PlanError> {
        norm_add(self.parts, &mut self.steps, &self.parts.scratch.h[0], add, norm)
    }

    fn product(&mut self, name: &str, x: &Value, y: &Value) -> Result<(), PlanError> {
        self.products(&[(name, y)], x)
    }

    fn products(&mut self, products: &[(&str, &Value)], x: &Value) -> Result<(), PlanError> {
        push_products(self.parts, &mut self.steps, products, x)
    }

    /// Adds the corrections of adapters to products of `x`, in the order of their site.
    fn correct(&mut self, layer: usize, site: Site, x: &Value, products: &[&Value]) -> Result<(), PlanError> {
        correct(self.parts, &mut self.steps, self.corrections, (layer, site), x, products)
    }

    fn layer(&mut self, i: usize) -> Result<(), PlanError> {
        let parts = self.parts;
        let (s, w, config) = (&parts.scratch, &parts.weights, &parts.config);
        let name = |part: &str| format!("blk.{i}.{part}");
        let vector = |part: &str| w.vector(&name(part));

        // The previous layer ended with its branch added, so the stream is complete.
        self.norm(None, Some(vector("attn_norm")?))?;
        self.attention(i)?;
        self.product(&name("attn_output"), &s.attention, &s.branch)?;
        self.correct(i, Site::Output, &s.attention, &[&s.branch])?;

        self.norm(Some((vector("post_attention_norm")?, None)), Some(vector("ffn_norm")?))?;
        self.products(&[(&name("ffn_gate"), &s.gate), (&name("ffn_up"), &s.up)], &s.x)?;
        self.correct(i, Site::GateUp, &s.x, &[&s.gate, &s.up])?;
        feed_forward_activation(parts, &mut self.steps, i)?;
        self.product(&name("ffn_down"), &s.act, &s.branch)?;
        self.correct(i, Site::Down, &s.act, &[&s.branch])?;
        if config.experts.is_some() {
            experts::chunk::build(parts, &mut self.steps, i, self.corrections)?;
        }
        let of_encoder = config.diffusion.is_some() && !self.is_canvas();
        let scale = Some(vector(if of_encoder { "enc_layer_output_scale" } else { "layer_output_scale" })?);
        if config.ple == 0 {
            return self.norm(Some((vector("post_ffw_norm")?, scale)), None);
        }
        self.norm(Some((vector("post_ffw_norm")?, None)), None)?;
        self.product(&name("inp_gate"), &s.h[0], &s.ple_gate)?;
        self.correct(i, Site::PleGate, &s.h[0], &[&s.ple_gate])?;
        per_layer_activation(parts, &mut self.steps, i)?;
        self.product(&name("proj"), &s.act, &s.branch)?;
        self.correct(i, Site::PleProjection, &s.act, &[&s.branch])?;
        self.norm(Some((vector("post_norm")?, scale)), None)
    }

    fn attention(&mut self, i: usize) -> Result<(), PlanError> {
        let parts = self.parts;
        let (s, w, config) = (&parts.scratch, &parts.weights, &parts.config);
        let name = |part: &str| format!("blk.{i}.{part}");
        let layer = &config.layers[i];
        let cache = parts.cache(i)?;
        let kv_type = parts.kv_type;
        let kv = Kv::of_layer(config.owns_kv(i), w.matrix(&name("attn_v")).is_some());
        let products: [&Value; 3] = [&s.q, &s.k, &s.v];
        let count = match kv {
            Kv::Shared => 1,
            Kv::OwnVIsK => 2,
            Kv::Own => 3,
        };
        let names = ["attn_q", "attn_k", "attn_v"].map(name);
        let named: Vec<_> = names.iter().map(String::as_str).zip(products).take(count).collect();
        self.products(&named, &s.x)?;
        self.correct(i, Site::Qkv, &s.x, &products[..count])?;
        qkv_finish(parts, &mut self.steps, i, kv, false)?;

        let sees_pictures = config.sees_pictures_whole() && layer.attention == Attention::Sliding;
        let until = self.is_canvas() || sees_pictures;
        let block = Block { head_dim: layer.head_dim, kv_type, until };
        let params = BlockParams {
            heads: config.heads,
            kv_heads: layer.kv_heads,
            window: parts.window(i),
            ring: cache.ring,
            together: self.is_canvas().into(),
            ..BlockParams::default()
        };
        let mut buffers: Vec<&Value> = vec![&s.state, &s.q, &cache.k, &cache.v, &s.attention];
        if until {
            buffers.push(&s.visible_until);
        }
        let multiply_adds =
            Amount::Visible { each: 2 * u64::from(config.q_width(i)), window: parts.window(i) };
        let by_units = parts.limits.matrix_units == MatrixUnits::Halves
            && Cooperative::supports(layer.head_dim, kv_type);
        if by_units {
            let form = Cooperative { head_dim: layer.head_dim, kv_type, until };
            let grid = move |rows| if rows < MIN_ROWS { [0; 3] } else { form.dispatch(&params, rows) };
            self.steps.push_rows(
                (form.source()?, Form::CooperativeAttention(form)),
                &params,
                &buffers,
                grid,
            )?;
            self.steps.computing(multiply_adds);
        }
        let kernel = (block.source()?, Form::Block(block));
        let grid = move |rows| {
            let others = by_units && rows >= MIN_ROWS;
            if others { [0; 3] } else { block.dispatch(&params, rows) }
        };
        self.steps.push_rows(kernel, &params, &buffers, grid)?;
        self.steps.computing(multiply_adds);
        Ok(())
    }
}
