//! The backward pass of one layer (specification §12.1 to §12.3), after its forward pass was recomputed.

use shaders::Kernel as _;
use shaders::attention::decode::Kv;
use shaders::backward::attention::{self, Params as AttentionParams};
use shaders::backward::heads::{Heads as HeadsBack, Params as HeadParams};
use shaders::rows::group_sum;

use super::builder::{Builder, InputGradient, Product};
use crate::model::activation_params;
use crate::model::layer::{Branch, Heads, Mask, Operation, Slot};
use crate::plan::{PlanError, Value};

impl<'a> Builder<'a> {
    /// From the gradient of layer `i`'s output in `dh[from]` to that of its input, in the other `dh`: the gradients of its
    /// operations, from the last to the first.
    pub fn layer_back(&mut self, i: usize, from: usize) -> Result<(), PlanError> {
        let w = self.work;
        let dh = &w.dh[1 - from];
        let operations = self.operations(i)?;
        for (at, operation) in operations.iter().enumerate().rev() {
            match operation {
                &Operation::Add { branch, norm, scale } => {
                    if at + 1 == operations.len() {
                        self.copy(&w.dh[from], scale.map(|scale| scale.at), dh)?;
                    }
                    let db = InputGradient { dx: &w.db, add: false };
                    self.norm_back(&w.state, self.value(i, Slot::Result(branch)), norm.at, dh, db)?;
                }
                Operation::Experts(of) => {
                    if let Some(mixture) = &w.mixture {
                        self.mixture_back((i, *of), mixture, dh)?;
                    }
                }
                Operation::Products { x, products, .. } => {
                    let of_stream = matches!(x, Slot::Stream(_));
                    let dx = if of_stream { dh } else { self.gradient(*x) };
                    for (at, product) in products.iter().enumerate() {
                        let (projection, y) = (product.projection, self.gradient(product.y));
                        let product = Product { projection, x: self.value(i, *x), y };
                        // The products of a site add up.
                        self.product_back(i, product, InputGradient { dx, add: of_stream || at > 0 })?;
                    }
                }
                &Operation::Activate { gate, factor, y } => {
                    let params = activation_params(&self.base.config, i, factor);
                    let [gate, up] = [gate, factor].map(|slot| self.value(i, slot));
                    self.activation_back(params, self.gradient(y), gate, up, factor == Slot::Up)?;
                }
                // The forward pass has none.
                Operation::PerLayerInput { .. } => {}
                Operation::Attend(mask) => self.attention_back(i, *mask)?,
                Operation::Heads(heads) => self.heads_back(i, heads)?,
                &Operation::Norm { of, weight, x } => {
                    let (h, dx) = (self.value(i, of), self.gradient(x));
                    self.norm_back(&w.state, h, weight.at, dx, InputGradient { dx: dh, add: true })?;
                }
            }
        }
        Ok(())
    }

    /// Returns the gradient of a slot. Some take the place of what they are the gradients of.
    fn gradient(&self, slot: Slot) -> &'a Value {
        let w = self.work;
        match slot {
            // That of the dense part.
            Slot::Result(Branch::FeedForward) if w.mixture.is_some() => &w.b2,
            Slot::Result(_) | Slot::Stream(_) => &w.db,
            Slot::Normed(_) => &w.dx,
            Slot::Q => &w.part_k,
            Slot::K => &w.dk_raw,
            Slot::V => &w.dv_raw,
            Slot::Attention | Slot::NormedAttention => &w.dattention,
            Slot::Gate => &w.gate,
            Slot::Up => &w.up,
            Slot::Activated => &w.act,
            Slot::PerLayerGate => &w.ple_gate,
            Slot::PerLayerInput => &w.ple,
            Slot::PerLayerActivated => &w.ple_dact,
        }
    }

    /// From the gradient of attention's result to those of the rotated queries, in `dq`, and of keys and values. A layer that
    /// uses another layer's KV cache adds its gradients to that layer's.
    fn attention_back(&mut self, i: usize, mask: Mask) -> Result<(), PlanError> {
        let (w, base) = (self.work, self.base);
        let (config, layer) = (&base.config, &base.config.layers[i]);
        let (heads, kv_heads, hd) = (config.heads, layer.kv_heads, layer.head_dim);
        let kv = self.kv(i);
        let spans = mask.pictures_whole;
        let params = AttentionParams { heads, kv_heads, window: mask.window, pad: 0 };
        let grid = move |rows| params.dispatch(rows);
        let buffers = [&w.state, &w.q, &kv.k, &kv.v, &w.dattention, &w.attention, &w.dq, &w.attention_stats];
        self.push(&attention::queries(hd, spans)?, &params, &buffers, grid)?;
        self.attention_multiply_adds(i, mask, 2);
        let buffers = [&w.state, &w.q, &kv.k, &kv.v, &w.dattention, &w.attention_stats, &w.part_k, &w.part_v];
        self.push(&attention::keys_values(hd, spans)?, &params, &buffers, grid)?;
        self.attention_multiply_adds(i, mask, 2);
        let donor = base.is_donor(layer.kv_layer);
        let params =
            group_sum::Params { quads: hd / 4, sums: kv_heads, group: heads / kv_heads, add: donor.into() };
        for (part, out) in [(&w.part_k, &kv.dk), (&w.part_v, &kv.dv)] {
            let buffers = [&w.state, part, out];
            let grid = move |rows| params.dispatch(rows);
            self.push(&group_sum::GroupSum.source()?, &params, &buffers, grid)?;
        }
        Ok(())
    }

    /// From the gradients of queries, keys and values to those of the raw products: of q in `part_k`, of k and v in `dk_raw` and
    /// `dv_raw`. Those of another layer's keys and values stop there.
    fn heads_back(&mut self, i: usize, heads: &Heads) -> Result<(), PlanError> {
        let (w, config) = (self.work, &self.base.config);
        let (kv, kv_heads) = (self.kv(i), config.layers[i].kv_heads);
        let rope_hi_rows = self.rope(i).hi_rows;
        let head = |heads: u32, norm: u32, add: bool| HeadParams {
            heads,
            norm,
            rope_hi_rows,
            add: add.into(),
            eps: config.eps,
            ..HeadParams::default()
        };
        let params = head(config.heads, heads.q_norm.at, false);
        self.push_heads_back(i, params, [&w.q_raw, &w.dq, &w.part_k], true)?;
        let Some(k_norm) = heads.k_norm else { return Ok(()) };
        let params = head(kv_heads, k_norm.at, false);
        self.push_heads_back(i, params, [&w.k_raw, &kv.dk, &w.dk_raw], true)?;
        if !heads.normed_v {
            return self.copy_rows(config.kv_width(i), &kv.dv, &w.dv_raw);
        }
        // Values that are the raw keys add their gradient to that of the keys.
        let is_k = heads.kv == Kv::OwnVIsK;
        let (raw, gradient) = if is_k { (&w.k_raw, &w.dk_raw) } else { (&w.v_raw, &w.dv_raw) };
        self.push_heads_back(i, head(kv_heads, 0, is_k), [raw, &kv.dv, gradient], false)
    }

    fn push_heads_back(
        &mut self,
        i: usize,
        params: HeadParams,
        [x, dy, dx]: [&Value; 3],
        turned: bool,
    ) -> Result<(), PlanError> {
        let form = HeadsBack { head_dim: self.base.config.layers[i].head_dim, turned };
        let state = self.work.state.clone();
        let mut buffers: Vec<&Value> = vec![&state, x, dy, dx];
        if turned {
            buffers.extend::<[&Value; 2]>([&self.base.weights.vectors, &self.rope(i).table]);
        }
        self.push(&form.source()?, &params, &buffers, move |rows| form.dispatch(&params, rows))
    }
}
