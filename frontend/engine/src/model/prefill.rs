//! The dispatches of a chunk of prompt tokens: one matrix product at a time, row-major, with the rows kernels between.

use shaders::adapter::expand;
use shaders::attention::block::{Block, Params as BlockParams};
use shaders::attention::decode::Kv;
use shaders::rows::gelu_mul::{self, Rows};
use shaders::rows::norm_add::{NormAdd, Params as NormParams};
use shaders::rows::qkv_finish::{Params as QkvParams, QkvFinish};
use shaders::selftest::Form;

use super::corrections::{Corrections, Site};
use super::{Attention, KvType, Parts, experts};
use crate::plan::{Grid, Plan, PlanError, Value};
use crate::weights::Matrix;
use std::rc::Rc;

/// Adds a normed branch to the stream in place (`add`: where the norm's weights and the scalar begin), then norms the
/// stream into `x` (`norm`: where the weights begin).
///
/// # Errors
/// [`PlanError`].
pub fn norm_add(
    parts: &Parts,
    steps: &mut Plan,
    h: &Value,
    add: Option<(u32, Option<u32>)>,
    norm: Option<u32>,
) -> Result<(), PlanError> {
    let s = &parts.scratch;
    let mut params = NormParams::new(parts.config.width, parts.config.eps);
    params.norm = norm.unwrap_or(0);
    let mut buffers: Vec<&Value> = vec![&s.state, &parts.weights.vectors, h];
    if let Some((branch_norm, scale)) = add {
        params.branch_norm = branch_norm;
        params.scale_at = scale.unwrap_or(NormParams::NONE);
        buffers.push(&s.branch);
    }
    let form = match (add.is_some(), norm.is_some()) {
        (true, true) => NormAdd::AddNorm,
        (true, false) => NormAdd::Add,
        (false, _) => NormAdd::Norm,
    };
    if norm.is_some() {
        buffers.push(&s.x);
    }
    let grid = Grid::Rows(Rc::new(move |rows| NormAdd::dispatch(&params, rows)));
    steps.push(&form.source()?, &params, &buffers, grid)?;
    steps.tried_as(Form::NormAdd(form));
    Ok(())
}

/// A product with the rows of `x`.
///
/// # Errors
/// [`PlanError`].
pub fn product(parts: &Parts, steps: &mut Plan, name: &str, x: &Value, y: &Value) -> Result<(), PlanError> {
    product_with(parts, steps, parts.matrix(name)?, x, y)
}

fn product_with(
    parts: &Parts,
    steps: &mut Plan,
    matrix: &Matrix,
    x: &Value,
    y: &Value,
) -> Result<(), PlanError> {
    super::product::push(steps, matrix, None, [&parts.scratch.state, x, y])
}

struct Builder<'a> {
    parts: &'a Parts,
    corrections: Option<&'a Corrections>,
    steps: Plan,
}

/// Layers `0..last`, ending with the whole stream in `h[0]`.
///
/// # Errors
/// [`PlanError`].
pub fn plan(parts: &Parts, corrections: Option<&Corrections>, last: usize) -> Result<Plan, PlanError> {
    let mut builder = Builder { parts, corrections, steps: Plan::default() };
    for i in 0..last {
        builder.layer(i)?;
    }
    Ok(builder.steps)
}

impl Builder<'_> {
    fn norm(&mut self, add: Option<(u32, Option<u32>)>, norm: Option<u32>) -> Result<(), PlanError> {
        norm_add(self.parts, &mut self.steps, &self.parts.scratch.h[0], add, norm)
    }

    fn product(&mut self, name: &str, x: &Value, y: &Value) -> Result<(), PlanError> {
        product(self.parts, &mut self.steps, name, x, y)
    }

    /// Adds the corrections of adapters to products of `x`, in the order of their site: two dispatches, however many
    /// products and adapters there are.
    fn correct(&mut self, layer: usize, site: Site, x: &Value, products: &[&Value]) -> Result<(), PlanError> {
        let corrected = self.corrections.and_then(|all| Some((all, all.at(layer, site)?)));
        let Some((all, corrections)) = corrected else { return Ok(()) };
        let parts = self.parts;
        product_with(parts, &mut self.steps, &corrections.a, x, &all.z)?;
        let n = site.rows(&parts.weights, layer);
        let params = expand::Params::new(&n, corrections.a.n, &corrections.correction);
        let mut buffers: Vec<&Value> = vec![&parts.scratch.state, &all.z, &corrections.b, &all.scales];
        buffers.extend(products);
        let grid = Grid::Rows(Rc::new(move |rows| params.dispatch(rows)));
        self.steps.push(&expand::source(products.len())?, &params, &buffers, grid)?;
        self.steps.tried_as(Form::Expand(products.len()));
        Ok(())
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
        let grid = Grid::Rows(Rc::new(move |rows| gelu_mul::dispatch(&params, rows)));
        let buffers: [&Value; 4] = [&self.parts.scratch.state, gate.0, up.0, out.0];
        self.steps.push(&gelu_mul::source()?, &params, &buffers, grid)?;
        self.steps.tried_as(Form::GeluMul);
        Ok(())
    }

    fn layer(&mut self, i: usize) -> Result<(), PlanError> {
        let parts = self.parts;
        let (s, w, config) = (&parts.scratch, &parts.weights, &parts.config);
        let name = |part: &str| format!("blk.{i}.{part}");
        let vector = |part: &str| w.vector(&name(part));
        let layer = &config.layers[i];

        // The layer before ended with its branch added: the stream is whole.
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
        let scale = Some(vector("layer_output_scale"));
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
        let has_v = w.matrix(&name("attn_v")).is_some();
        let kv = match (config.owns_kv(i), has_v) {
            (false, _) => Kv::Shared,
            (true, true) => Kv::Own,
            (true, false) => Kv::OwnVIsK,
        };
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
        let grid = Grid::Rows(Rc::new(move |rows| finish.dispatch(&params, rows)));
        self.steps.push(&finish.source()?, &params, &buffers, grid)?;
        self.steps.tried_as(Form::QkvFinish(finish));

        let until = config.sees_pictures_whole() && layer.attention == Attention::Sliding;
        let block = Block { head_dim: layer.head_dim, kv_f16, until };
        let params = BlockParams {
            heads: config.heads,
            kv_heads: layer.kv_heads,
            window: parts.window(i),
            ring: cache.ring,
            ..BlockParams::default()
        };
        let mut buffers: Vec<&Value> = vec![&s.state, &s.q, &cache.k, &cache.v, &s.attention];
        if until {
            buffers.push(&s.visible_until);
        }
        let grid = Grid::Rows(Rc::new(move |rows| block.dispatch(&params, rows)));
        self.steps.push(&block.source()?, &params, &buffers, grid)?;
        self.steps.tried_as(Form::Block(block));
        Ok(())
    }
}
