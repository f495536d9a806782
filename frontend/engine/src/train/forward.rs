//! The forward pass of training. The input of every layer is stored; everything else is overwritten by the next
//! layer, and recomputed for the backward pass.

use shaders::Kernel as _;
use shaders::attention::KvType;
use shaders::attention::block::{Block, Params as BlockParams};
use shaders::attention::decode::Kv as KvForm;
use shaders::embed::gather;
use shaders::ple::combine::{self, Table};
use shaders::rows::qkv_finish::{Params as QkvParams, QkvFinish};

use super::builder::{Builder, Product};
use super::working::Kv;
use crate::model::Attention;
use crate::model::activation_params;
use crate::model::layer::{Branch, Heads, Mask, Operation, Pass, Slot};
use crate::plan::{Amount, PlanError, Value};

impl<'a> Builder<'a> {
    /// Embeddings into the first layer's input. Soft tokens are copied before the next plan runs.
    pub fn embed(&mut self) -> Result<(), PlanError> {
        let (base, work, config) = (self.base, self.work, &self.base.config);
        let table = base.matrix("token_embd")?;
        for part in &table.parts {
            let params = gather::Params::new(&part.layout, part.row0, (config.width as f32).sqrt());
            let buffers = [&part.value, &work.tokens, &work.state, &work.inputs[0]];
            let source = gather::Gather(table.dtype).source()?;
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
                let source = combine::Combine(Table::Planar(table.dtype)).source()?;
                self.push(&source, &params, &buffers, move |rows| params.dispatch(rows))?;
            }
        } else {
            let buffers = [&work.gate, norm, &work.state, &work.up, &work.ple];
            let source = combine::Combine(Table::Host).source()?;
            self.push(&source, &params, &buffers, move |rows| params.dispatch(rows))?;
        }
        Ok(())
    }

    /// Keys and values of layer `i`.
    pub fn kv(&self, i: usize) -> &'a Kv {
        let owner = self.base.config.layers[i].kv_layer;
        self.work.donors[owner].as_ref().unwrap_or(&self.work.kv)
    }

    /// Returns the operations of layer `i`.
    pub fn operations(&self, i: usize) -> Result<Vec<Operation<'a>>, PlanError> {
        self.base.config.operations(&self.base.weights, i, Pass::Tokens)
    }

    /// Returns the value of a slot of layer `i`.
    pub fn value(&self, i: usize, slot: Slot) -> &'a Value {
        let w = self.work;
        match slot {
            Slot::Stream(Branch::Attention) => &w.inputs[i],
            Slot::Stream(Branch::FeedForward) => &w.h1,
            Slot::Stream(Branch::PerLayer) => &w.h2,
            Slot::Normed(Branch::Attention) => &w.x1,
            Slot::Normed(_) => &w.x2,
            Slot::Q => &w.q_raw,
            Slot::K => &w.k_raw,
            Slot::V => &w.v_raw,
            Slot::Attention | Slot::NormedAttention => &w.attention,
            Slot::Gate => &w.gate,
            Slot::Up => &w.up,
            Slot::Activated => &w.act,
            Slot::PerLayerGate => &w.ple_gate,
            Slot::PerLayerInput => &w.ple,
            Slot::PerLayerActivated => &w.ple_act,
            Slot::Result(Branch::Attention) => &w.b1,
            Slot::Result(Branch::FeedForward) => &w.b2,
            Slot::Result(Branch::PerLayer) => &w.b3,
        }
    }

    /// Layer `i`, from its input to the next one's (specification §2.3).
    pub fn layer(&mut self, i: usize) -> Result<(), PlanError> {
        let w = self.work;
        let operations = self.operations(i)?;
        for (at, operation) in operations.iter().enumerate() {
            match operation {
                &Operation::Norm { of: of @ Slot::Stream(_), weight, x } => {
                    let [h, x] = [of, x].map(|slot| self.value(i, slot));
                    self.norm(&w.state, h, weight.at, x)?;
                }
                // The backward pass would need its result, which has no value of its own.
                Operation::Norm { .. } | Operation::PerLayerInput { .. } => {
                    return Err(PlanError::Unknown { operation: operation.to_string() });
                }
                Operation::Products { x, products, .. } => {
                    for product in products {
                        let y = match (&w.mixture, product.y) {
                            (Some(mixture), Slot::Result(Branch::FeedForward)) => &mixture.dense,
                            (_, y) => self.value(i, y),
                        };
                        let projection = product.projection;
                        self.product(i, Product { projection, x: self.value(i, *x), y })?;
                    }
                }
                Operation::Heads(heads) => self.heads(i, heads)?,
                Operation::Attend(mask) => self.attention(i, *mask)?,
                &Operation::Activate { gate, factor, y } => {
                    let params = activation_params(&self.base.config, i, factor);
                    let [gate, up, out] = [gate, factor, y].map(|slot| self.value(i, slot));
                    self.activation(params, gate, up, out)?;
                }
                Operation::Experts(of) => {
                    if let Some(mixture) = &w.mixture {
                        self.mixture((i, *of), mixture)?;
                    }
                }
                &Operation::Add { branch, norm, scale } => {
                    let after = match branch {
                        _ if at + 1 == operations.len() => &w.inputs[i + 1],
                        Branch::Attention => &w.h1,
                        Branch::FeedForward | Branch::PerLayer => &w.h2,
                    };
                    self.copy(self.value(i, Slot::Stream(branch)), None, after)?;
                    let result = self.value(i, Slot::Result(branch));
                    self.add(after, result, norm.at, scale.map(|scale| scale.at))?;
                }
            }
        }
        Ok(())
    }

    /// Norms and rotates heads into `q` and the keys and values.
    fn heads(&mut self, i: usize, heads: &Heads) -> Result<(), PlanError> {
        let (w, base) = (self.work, self.base);
        let (config, layer, kv) = (&base.config, &base.config.layers[i], self.kv(i));
        // Queries are finished in place, and the backward pass needs the raw ones.
        self.copy_rows(config.q_width(i), &w.q_raw, &w.q)?;

        let rope = self.rope(i);
        let form = heads.kv;
        let finish = QkvFinish { head_dim: layer.head_dim, kv: form, kv_type: KvType::F32, joined: false };
        let params = QkvParams {
            heads: config.heads,
            kv_heads: layer.kv_heads,
            ring: 0,
            q_norm: heads.q_norm.at,
            k_norm: heads.k_norm.map_or(0, |norm| norm.at),
            raw_v: (!heads.normed_v).into(),
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
        self.push(&finish.source()?, &params, &buffers, move |rows| finish.dispatch(&params, rows))
    }

    fn attention(&mut self, i: usize, mask: Mask) -> Result<(), PlanError> {
        let (w, base) = (self.work, self.base);
        let (config, layer, kv) = (&base.config, &base.config.layers[i], self.kv(i));
        let block = Block { head_dim: layer.head_dim, kv_type: KvType::F32, until: mask.sees_ahead() };
        let params = BlockParams {
            heads: config.heads,
            kv_heads: layer.kv_heads,
            window: mask.window,
            ring: 0,
            ..BlockParams::default()
        };
        let mut buffers: Vec<&Value> = vec![&w.state, &w.q, &kv.k, &kv.v, &w.attention];
        if block.until {
            buffers.push(&w.visible_until);
        }
        self.push(&block.source()?, &params, &buffers, move |rows| block.dispatch(&params, rows))?;
        self.attention_multiply_adds(i, mask, 1);
        Ok(())
    }

    /// Sets the multiply-adds of the last step: `times` those of attention.
    pub fn attention_multiply_adds(&mut self, i: usize, mask: Mask, times: u64) {
        let each = 2 * times * u64::from(self.base.config.q_width(i));
        self.steps().computing(Amount::Visible { each, window: mask.window });
    }

    /// RoPE table of layer `i`.
    pub fn rope(&self, i: usize) -> &'a crate::model::Rope {
        match self.base.config.layers[i].attention {
            Attention::Sliding => &self.ropes[0],
            Attention::Global => &self.ropes[1],
        }
    }
}
