//! The backward pass of one layer (specification §12.1 to §12.3), after its forward pass was recomputed.

use shaders::backward::attention::{self, Params as AttentionParams};
use shaders::backward::heads::{Heads, Params as HeadParams};
use shaders::rows::group_sum;

use super::builder::{Builder, InputGradient, Product};
use crate::adapter::Projection as P;
use crate::plan::{PlanError, Value};

impl Builder<'_> {
    /// From the gradient of layer `i`'s output in `dh[from]` to that of its input, in the other `dh`.
    pub fn layer_back(&mut self, i: usize, from: usize) -> Result<(), PlanError> {
        let w = self.work;
        let dh = &w.dh[1 - from];
        let (store, add) = (false, true);
        self.copy(&w.dh[from], Some(self.vector(i, "layer_output_scale")?), dh)?;

        if self.base.config.ple > 0 {
            let db = InputGradient { dx: &w.db, add: store };
            self.norm_back(&w.state, &w.b3, self.vector(i, "post_norm")?, dh, db)?;
            let project = Product { projection: P::PleProjection, x: &w.ple_act, y: &w.db };
            self.product_back(i, project, InputGradient { dx: &w.ple_dact, add: store })?;
            self.activation_back(self.ple_rows(i), &w.ple_dact, &w.ple_gate, &w.ple, false)?;
            let gate = Product { projection: P::PleGate, x: &w.h2, y: &w.ple_gate };
            self.product_back(i, gate, InputGradient { dx: dh, add })?;
        }

        let db = InputGradient { dx: &w.db, add: store };
        self.norm_back(&w.state, &w.b2, self.vector(i, "post_ffw_norm")?, dh, db)?;
        let mut dense = &w.db;
        if let Some(mixture) = &w.mixture {
            self.mixture_back(i, mixture, dh)?;
            dense = &w.b2;
        }
        let down = Product { projection: P::Down, x: &w.act, y: dense };
        self.product_back(i, down, InputGradient { dx: &w.act, add: store })?;
        self.activation_back(self.feed_forward_rows(i), &w.act, &w.gate, &w.up, true)?;
        let gate = Product { projection: P::Gate, x: &w.x2, y: &w.gate };
        self.product_back(i, gate, InputGradient { dx: &w.dx, add: store })?;
        let up = Product { projection: P::Up, x: &w.x2, y: &w.up };
        self.product_back(i, up, InputGradient { dx: &w.dx, add })?;
        self.norm_back(&w.state, &w.h1, self.vector(i, "ffn_norm")?, &w.dx, InputGradient { dx: dh, add })?;

        let db = InputGradient { dx: &w.db, add: store };
        self.norm_back(&w.state, &w.b1, self.vector(i, "post_attention_norm")?, dh, db)?;
        let output = Product { projection: P::Output, x: &w.attention, y: &w.db };
        self.product_back(i, output, InputGradient { dx: &w.dattention, add: store })?;
        self.attention_back(i)?;
        let q = Product { projection: P::Q, x: &w.x1, y: &w.part_k };
        self.product_back(i, q, InputGradient { dx: &w.dx, add: store })?;
        if self.base.config.owns_kv(i) {
            let k = Product { projection: P::K, x: &w.x1, y: &w.dk_raw };
            self.product_back(i, k, InputGradient { dx: &w.dx, add })?;
            if self.has_v(i) {
                let v = Product { projection: P::V, x: &w.x1, y: &w.dv_raw };
                self.product_back(i, v, InputGradient { dx: &w.dx, add })?;
            }
        }
        let norm = self.vector(i, "attn_norm")?;
        self.norm_back(&w.state, &w.inputs[i], norm, &w.dx, InputGradient { dx: dh, add })?;
        Ok(())
    }

    /// From the gradient of attention's result to those of the raw products: of q in `part_k`, of k and v in
    /// `dk_raw` and `dv_raw`. A layer that uses another layer's KV cache adds its gradients to that layer's and
    /// stops there.
    fn attention_back(&mut self, i: usize) -> Result<(), PlanError> {
        let (w, base) = (self.work, self.base);
        let (config, layer) = (&base.config, &base.config.layers[i]);
        let (heads, kv_heads, hd) = (config.heads, layer.kv_heads, layer.head_dim);
        let kv = self.kv(i);
        let spans = base.sees_pictures_whole(i);
        let params = AttentionParams { heads, kv_heads, window: base.window(i), pad: 0 };
        let grid = move |rows| params.dispatch(rows);
        let buffers = [&w.state, &w.q, &kv.k, &kv.v, &w.dattention, &w.attention, &w.dq, &w.attention_stats];
        self.push(&attention::queries(hd, spans)?, &params, &buffers, grid)?;
        self.attention_multiply_adds(i, 2);
        let buffers = [&w.state, &w.q, &kv.k, &kv.v, &w.dattention, &w.attention_stats, &w.part_k, &w.part_v];
        self.push(&attention::keys_values(hd, spans)?, &params, &buffers, grid)?;
        self.attention_multiply_adds(i, 2);
        let donor = base.is_donor(layer.kv_layer);
        let params =
            group_sum::Params { quads: hd / 4, sums: kv_heads, group: heads / kv_heads, add: donor.into() };
        for (part, out) in [(&w.part_k, &kv.dk), (&w.part_v, &kv.dv)] {
            let buffers = [&w.state, part, out];
            let grid = move |rows| params.dispatch(rows);
            self.push(&group_sum::source()?, &params, &buffers, grid)?;
        }

        let rope_hi_rows = self.rope(i).hi_rows;
        let head = |heads: u32, norm: u32, add: bool| HeadParams {
            heads,
            norm,
            rope_hi_rows,
            add: add.into(),
            eps: config.eps,
            ..HeadParams::default()
        };
        let params = head(heads, self.vector(i, "attn_q_norm")?, false);
        self.heads_back(i, params, [&w.q_raw, &w.dq, &w.part_k], true)?;
        if !config.owns_kv(i) {
            return Ok(());
        }
        let params = head(kv_heads, self.vector(i, "attn_k_norm")?, false);
        self.heads_back(i, params, [&w.k_raw, &kv.dk, &w.dk_raw], true)?;
        if self.has_v(i) {
            let params = head(kv_heads, 0, false);
            self.heads_back(i, params, [&w.v_raw, &kv.dv, &w.dv_raw], false)
        } else {
            // Values are the raw keys, so both gradients are added.
            let params = head(kv_heads, 0, true);
            self.heads_back(i, params, [&w.k_raw, &kv.dv, &w.dk_raw], false)
        }
    }

    fn heads_back(
        &mut self,
        i: usize,
        params: HeadParams,
        [x, dy, dx]: [&Value; 3],
        turned: bool,
    ) -> Result<(), PlanError> {
        let form = Heads { head_dim: self.base.config.layers[i].head_dim, turned };
        let state = self.work.state.clone();
        let mut buffers: Vec<&Value> = vec![&state, x, dy, dx];
        if turned {
            buffers.extend::<[&Value; 2]>([&self.base.weights.vectors, &self.rope(i).table]);
        }
        self.push(&form.source()?, &params, &buffers, move |rows| form.dispatch(&params, rows))
    }
}
