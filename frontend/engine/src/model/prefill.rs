//! The plan of a prefill chunk: one matrix product at a time, row-major, with row kernels in between.

use shaders::adapter::expand;
use shaders::attention::block::{Block, Params as BlockParams};
use shaders::attention::decode::Kv;
use shaders::rows::gelu_mul::{self, Rows};
use shaders::rows::qkv_finish::{Params as QkvParams, QkvFinish};
use shaders::selftest::Form;

use super::corrections::{Corrections, Site};
use super::rows::{norm_add, product as push_product};
use super::{Attention, KvType, Parts, experts, product};
use crate::plan::{Plan, PlanError, Value};

struct Builder<'a> {
    parts: &'a Parts,
    corrections: Option<&'a Corrections>,
    /// Whether the rows are a canvas: all of it sees all of it, and layers have the scalars of the decoder.
    is_canvas: bool,
    steps: Plan,
}

/// Layers `0..last`. Ends with the complete stream in `h[0]`.
///
/// # Errors
/// [`PlanError`].
pub fn plan(parts: &Parts, corrections: Option<&Corrections>, last: usize) -> Result<Plan, PlanError> {
    let mut builder = Builder { parts, corrections, is_canvas: false, steps: Plan::default() };
    for i in 0..last {
        builder.layer(i)?;
    }
    Ok(builder.steps)
}

/// All layers for a canvas of a diffusion model, which `visible_until` says the end of, row by row.
///
/// # Errors
/// [`PlanError`].
pub fn canvas(parts: &Parts) -> Result<Plan, PlanError> {
    let mut builder = Builder { parts, corrections: None, is_canvas: true, steps: Plan::default() };
    for i in 0..parts.config.layers.len() {
        builder.layer(i)?;
    }
    Ok(builder.steps)
}

impl Builder<'_> {
    fn norm(&mut self, add: Option<(u32, Option<u32>)>, norm: Option<u32>) -> Result<(), PlanError> {
        norm_add(self.parts, &mut self.steps, &self.parts.scratch.h[0], add, norm)
    }

    fn product(&mut self, name: &str, x: &Value, y: &Value) -> Result<(), PlanError> {
        push_product(self.parts, &mut self.steps, name, x, y)
    }

    /// Adds the corrections of adapters to products of `x`, in the order of their site: two dispatches for any
    /// number of products and adapters.
    fn correct(&mut self, layer: usize, site: Site, x: &Value, products: &[&Value]) -> Result<(), PlanError> {
        let corrected = self.corrections.and_then(|all| Some((all, all.at(layer, site)?)));
        let Some((all, corrections)) = corrected else { return Ok(()) };
        let parts = self.parts;
        product::push(&mut self.steps, &corrections.a, None, [&parts.scratch.state, x, &all.z])?;
        let n = site.rows(&parts.weights, layer);
        let params = expand::Params::new(&n, corrections.a.n, &corrections.correction);
        let mut buffers: Vec<&Value> =
            vec![&parts.scratch.state, &all.z, &all.layers[layer].buffer, &all.scales];
        buffers.extend(products);
        let kernel = (expand::source(products.len())?, Form::Expand(products.len()));
        self.steps.push_rows(kernel, &params, &buffers, move |rows| params.dispatch(rows))
    }

    /// out = gelu_tanh(gate)·up, over rows.
    fn activation(
        &mut self,
        width: u32,
        gate: (&Value, Rows),
        up: (&Value, Rows),
        out: (&Value, Rows),
    ) -> Result<(), PlanError> {
        let params = gelu_mul::Params::new(width, gate.1, up.1, out.1);
        let buffers = [&self.parts.scratch.state, gate.0, up.0, out.0];
        let kernel = (gelu_mul::source()?, Form::GeluMul);
        self.steps.push_rows(kernel, &params, &buffers, move |rows| gelu_mul::dispatch(&params, rows))
    }

    fn layer(&mut self, i: usize) -> Result<(), PlanError> {
        let parts = self.parts;
        let (s, w, config) = (&parts.scratch, &parts.weights, &parts.config);
        let name = |part: &str| format!("blk.{i}.{part}");
        let vector = |part: &str| w.vector(&name(part));
        let layer = &config.layers[i];

        // The previous layer ended with its branch added, so the stream is complete.
        self.norm(None, Some(vector("attn_norm")))?;
        self.attention(i)?;
        self.product(&name("attn_output"), &s.attention, &s.branch)?;
        self.correct(i, Site::Output, &s.attention, &[&s.branch])?;

        self.norm(Some((vector("post_attention_norm"), None)), Some(vector("ffn_norm")))?;
        self.product(&name("ffn_gate"), &s.x, &s.gate)?;
        self.product(&name("ffn_up"), &s.x, &s.up)?;
        self.correct(i, Site::GateUp, &s.x, &[&s.gate, &s.up])?;
        let ff = layer.feed_forward;
        let rows = Rows { stride: ff, at: 0 };
        self.activation(ff, (&s.gate, rows), (&s.up, rows), (&s.act, rows))?;
        self.product(&name("ffn_down"), &s.act, &s.branch)?;
        self.correct(i, Site::Down, &s.act, &[&s.branch])?;
        if config.experts.is_some() {
            experts::chunk::build(parts, &mut self.steps, i)?;
        }
        let of_encoder = config.diffusion.is_some() && !self.is_canvas;
        let scale = Some(vector(if of_encoder { "enc_layer_output_scale" } else { "layer_output_scale" }));
        if config.ple == 0 {
            return self.norm(Some((vector("post_ffw_norm"), scale)), None);
        }
        self.norm(Some((vector("post_ffw_norm"), None)), None)?;
        self.product(&name("inp_gate"), &s.h[0], &s.ple_gate)?;
        self.correct(i, Site::PleGate, &s.h[0], &[&s.ple_gate])?;
        let p = config.ple;
        let own = Rows { stride: p * config.layers.len() as u32, at: i as u32 * p };
        let packed = Rows { stride: p, at: 0 };
        self.activation(p, (&s.ple_gate, packed), (&s.ple, own), (&s.act, packed))?;
        self.product(&name("proj"), &s.act, &s.branch)?;
        self.correct(i, Site::PleProjection, &s.act, &[&s.branch])?;
        self.norm(Some((vector("post_norm"), scale)), None)
    }

    fn attention(&mut self, i: usize) -> Result<(), PlanError> {
        let parts = self.parts;
        let (s, w, config) = (&parts.scratch, &parts.weights, &parts.config);
        let name = |part: &str| format!("blk.{i}.{part}");
        let layer = &config.layers[i];
        let cache = parts.cache(i)?;
        let rope = parts.rope(layer.attention);
        let kv_f16 = parts.kv_type == KvType::F16;
        let kv = Kv::of_layer(config.owns_kv(i), w.matrix(&name("attn_v")).is_some());
        self.product(&name("attn_q"), &s.x, &s.q)?;
        if kv != Kv::Shared {
            self.product(&name("attn_k"), &s.x, &s.k)?;
        }
        if kv == Kv::Own {
            self.product(&name("attn_v"), &s.x, &s.v)?;
        }
        let products: [&Value; 3] = [&s.q, &s.k, &s.v];
        let count = match kv {
            Kv::Shared => 1,
            Kv::OwnVIsK => 2,
            Kv::Own => 3,
        };
        self.correct(i, Site::Qkv, &s.x, &products[..count])?;
        let finish = QkvFinish { head_dim: layer.head_dim, kv, kv_f16 };
        let params = QkvParams {
            heads: config.heads,
            kv_heads: layer.kv_heads,
            ring: cache.ring,
            q_norm: w.vector(&name("attn_q_norm")),
            k_norm: w.vector(&name("attn_k_norm")),
            rope_hi_rows: rope.hi_rows,
            eps: config.eps,
            pad: 0,
        };
        let mut buffers: Vec<&Value> = vec![&s.state, &w.vectors, &rope.table, &s.q];
        if kv != Kv::Shared {
            buffers.extend::<[&Value; 3]>([&cache.k, &cache.v, &s.k]);
        }
        if kv == Kv::Own {
            buffers.push(&s.v);
        }
        let kernel = (finish.source()?, Form::QkvFinish(finish));
        self.steps.push_rows(kernel, &params, &buffers, move |rows| finish.dispatch(&params, rows))?;

        let sees_pictures = config.sees_pictures_whole() && layer.attention == Attention::Sliding;
        let until = self.is_canvas || sees_pictures;
        let block = Block { head_dim: layer.head_dim, kv_f16, until };
        let params = BlockParams {
            heads: config.heads,
            kv_heads: layer.kv_heads,
            window: parts.window(i),
            ring: cache.ring,
            together: self.is_canvas.into(),
            ..BlockParams::default()
        };
        let mut buffers: Vec<&Value> = vec![&s.state, &s.q, &cache.k, &cache.v, &s.attention];
        if until {
            buffers.push(&s.visible_until);
        }
        let kernel = (block.source()?, Form::Block(block));
        self.steps.push_rows(kernel, &params, &buffers, move |rows| block.dispatch(&params, rows))
    }
}
