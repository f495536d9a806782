//! The forward pass of training. The input of every layer is stored; everything else is overwritten by the next
//! layer, and recomputed for the backward pass.

use shaders::attention::KvType;
use shaders::attention::block::{Block, Params as BlockParams};
use shaders::attention::decode::Kv as KvForm;
use shaders::embed::gather;
use shaders::ple::combine::{self, Table};
use shaders::rows::gelu_mul::{self, Rows};
use shaders::rows::qkv_finish::{Params as QkvParams, QkvFinish};

use super::builder::{Builder, Product};
use super::working::Kv;
use crate::adapter::Projection as P;
use crate::model::Attention;
use crate::plan::{Amount, PlanError, Value};

impl<'a> Builder<'a> {
    /// Embeddings into the first layer's input. Soft tokens are copied before the next plan runs.
    pub fn embed(&mut self) -> Result<(), PlanError> {
        let (base, work, config) = (self.base, self.work, &self.base.config);
        let table = base.matrix("token_embd")?;
        for part in &table.parts {
            let params = gather::Params::new(&part.layout, part.row0, (config.width as f32).sqrt());
            let buffers = [&part.value, &work.tokens, &work.state, &work.inputs[0]];
            let source = gather::source(table.dtype)?;
            self.push(&source, &params, &buffers, move |rows| params.dispatch(rows))?;
        }
        Ok(())
    }

    /// Per-layer inputs, from the first layer's input and the table.
    pub fn per_layer(&mut self) -> Result<(), PlanError> {
        let (base, work) = (self.base, self.work);
        let (config, weights) = (&base.config, &base.weights);
        let Some(norm) = &weights.ple_norm else { return Ok(()) };
        let matrix = base.matrix("per_layer_model_proj")?;
        let part = matrix.whole();
        let projection = (matrix.dtype, &part.layout, &part.value);
        self.matmul(projection, &work.state, &work.inputs[0], &work.gate)?;
        let params = combine::Params::new(config.width, config.layers.len() as u32, config.ple, config.eps);
        if let Some(table) = weights.matrix("per_layer_token_embd") {
            for part in &table.parts {
                let params = params.with_table(&part.layout, part.row0);
                let buffers = [&work.gate, norm, &work.state, &part.value, &work.ple, &work.tokens];
                let source = combine::source(Table::Planar(table.dtype))?;
                self.push(&source, &params, &buffers, move |rows| params.dispatch(rows))?;
            }
        } else {
            let buffers = [&work.gate, norm, &work.state, &work.up, &work.ple];
            let source = combine::source(Table::Host)?;
            self.push(&source, &params, &buffers, move |rows| params.dispatch(rows))?;
        }
        Ok(())
    }

    /// Keys and values of layer `i`.
    pub fn kv(&self, i: usize) -> &'a Kv {
        let owner = self.base.config.layers[i].kv_layer;
        self.work.donors[owner].as_ref().unwrap_or(&self.work.kv)
    }

    /// Layout of layer `i`'s per-layer inputs, with gate and result packed.
    pub fn ple_rows(&self, i: usize) -> gelu_mul::Params {
        let (p, layers) = (self.base.config.ple, self.base.config.layers.len() as u32);
        let packed = Rows { stride: p, at: 0 };
        gelu_mul::Params::new(p, packed, Rows { stride: p * layers, at: i as u32 * p }, packed)
    }

    /// Layout of the feed-forward layer's gate, up and result, all packed.
    pub fn feed_forward_rows(&self, i: usize) -> gelu_mul::Params {
        let ff = self.base.config.layers[i].feed_forward;
        let rows = Rows { stride: ff, at: 0 };
        gelu_mul::Params::new(ff, rows, rows, rows)
    }

    /// Layer `i`, from its input to the next one's (specification §2.3).
    pub fn layer(&mut self, i: usize) -> Result<(), PlanError> {
        let w = self.work;
        self.norm(&w.state, &w.inputs[i], self.vector(i, "attn_norm")?, &w.x1)?;
        self.attention(i)?;
        self.product(i, Product { projection: P::Output, x: &w.attention, y: &w.b1 })?;
        self.copy(&w.inputs[i], None, &w.h1)?;
        self.add(&w.h1, &w.b1, self.vector(i, "post_attention_norm")?, None)?;

        self.norm(&w.state, &w.h1, self.vector(i, "ffn_norm")?, &w.x2)?;
        self.product(i, Product { projection: P::Gate, x: &w.x2, y: &w.gate })?;
        self.product(i, Product { projection: P::Up, x: &w.x2, y: &w.up })?;
        self.activation(self.feed_forward_rows(i), &w.gate, &w.up, &w.act)?;
        let dense = w.mixture.as_ref().map_or(&w.b2, |mixture| &mixture.dense);
        self.product(i, Product { projection: P::Down, x: &w.act, y: dense })?;
        if let Some(mixture) = &w.mixture {
            self.mixture(i, mixture)?;
        }
        let next = &w.inputs[i + 1];
        let scale = Some(self.vector(i, "layer_output_scale")?);
        let norm = self.vector(i, "post_ffw_norm")?;
        if self.base.config.ple == 0 {
            self.copy(&w.h1, None, next)?;
            self.add(next, &w.b2, norm, scale)?;
        } else {
            self.copy(&w.h1, None, &w.h2)?;
            self.add(&w.h2, &w.b2, norm, None)?;
            self.product(i, Product { projection: P::PleGate, x: &w.h2, y: &w.ple_gate })?;
            self.activation(self.ple_rows(i), &w.ple_gate, &w.ple, &w.ple_act)?;
            self.product(i, Product { projection: P::PleProjection, x: &w.ple_act, y: &w.b3 })?;
            self.copy(&w.h2, None, next)?;
            self.add(next, &w.b3, self.vector(i, "post_norm")?, scale)?;
        }
        Ok(())
    }

    fn attention(&mut self, i: usize) -> Result<(), PlanError> {
        let (w, base) = (self.work, self.base);
        let (config, layer) = (&base.config, &base.config.layers[i]);
        let kv = self.kv(i);
        let form = KvForm::of_layer(config.owns_kv(i), self.has_v(i));
        self.product(i, Product { projection: P::Q, x: &w.x1, y: &w.q_raw })?;
        if form != KvForm::Shared {
            self.product(i, Product { projection: P::K, x: &w.x1, y: &w.k_raw })?;
        }
        if form == KvForm::Own {
            self.product(i, Product { projection: P::V, x: &w.x1, y: &w.v_raw })?;
        }
        // Queries are finished in place, and the backward pass needs the raw ones.
        let copy = shaders::train::rows::Params::new(config.q_width(i), None);
        let buffers = [&w.state, &base.weights.vectors, &w.q_raw, &w.q];
        self.push(&shaders::train::rows::copy()?, &copy, &buffers, move |rows| copy.dispatch(rows))?;

        let rope = self.rope(i);
        let finish = QkvFinish { head_dim: layer.head_dim, kv: form, kv_type: KvType::F32, joined: false };
        let params = QkvParams {
            heads: config.heads,
            kv_heads: layer.kv_heads,
            ring: 0,
            q_norm: self.vector(i, "attn_q_norm")?,
            // Keys of another layer are normed already.
            k_norm: if form == KvForm::Shared { 0 } else { self.vector(i, "attn_k_norm")? },
            rope_hi_rows: rope.hi_rows,
            eps: config.eps,
            ..QkvParams::default()
        };
        let mut buffers: Vec<&Value> = vec![&w.state, &base.weights.vectors, &rope.table, &w.q];
        if form != KvForm::Shared {
            buffers.extend::<[&Value; 3]>([&kv.k, &kv.v, &w.k_raw]);
        }
        if form == KvForm::Own {
            buffers.push(&w.v_raw);
        }
        self.push(&finish.source()?, &params, &buffers, move |rows| finish.dispatch(&params, rows))?;

        let block =
            Block { head_dim: layer.head_dim, kv_type: KvType::F32, until: base.sees_pictures_whole(i) };
        let params = BlockParams {
            heads: config.heads,
            kv_heads: layer.kv_heads,
            window: base.window(i),
            ring: 0,
            ..BlockParams::default()
        };
        let mut buffers: Vec<&Value> = vec![&w.state, &w.q, &kv.k, &kv.v, &w.attention];
        if block.until {
            buffers.push(&w.visible_until);
        }
        self.push(&block.source()?, &params, &buffers, move |rows| block.dispatch(&params, rows))?;
        self.attention_multiply_adds(i, 1);
        Ok(())
    }

    /// Sets the multiply-adds of the last step: `times` those of attention.
    pub fn attention_multiply_adds(&mut self, i: usize, times: u64) {
        let (each, window) = (2 * times * u64::from(self.base.config.q_width(i)), self.base.window(i));
        self.steps().computing(Amount::Visible { each, window });
    }

    /// Whether layer `i` has a v projection; otherwise values are its raw keys.
    pub fn has_v(&self, i: usize) -> bool {
        self.base.weights.matrix(&format!("blk.{i}.attn_v")).is_some()
    }

    /// RoPE table of layer `i`.
    pub fn rope(&self, i: usize) -> &'a crate::model::Rope {
        match self.base.config.layers[i].attention {
            Attention::Sliding => &self.ropes[0],
            Attention::Global => &self.ropes[1],
        }
    }
}
