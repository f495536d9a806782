//! The dispatches of one token: seven a layer with per-layer embeddings, five without, three more with experts.
//!
//! A layer (specification §2.3) is
//!
//! | dispatch | in front | product | behind |
//! |---|---|---|---|
//! | qkv | h += branch of the layer before, times its scale; norm | q, k, v | |
//! | attention | head norms, rotation, append | | partial results |
//! | output | merge | output | |
//! | gate, up | h += attention; norm | gate, up | GeGLU |
//! | down | | down | |
//! | per-layer gate | h += feed-forward | gate | GELU, times the per-layer input |
//! | per-layer projection | | projection | |
//!
//! A mixture of experts (§2.7) comes before what takes up the feed-forward branch, which is then made of two:
//!
//! | dispatch | in front | product | behind |
//! |---|---|---|---|
//! | router | norm | router | |
//! | experts' gate, up | choice; norm | gate, up of each | GeGLU |
//! | experts' down | | down of each | weighted sum |
//!
//! Where adapters correct a product, it adds B·z to its dots, z being the product with their stacked A. Most have z from
//! dispatches that are there anyway ([`super::corrections::Way`]). For others a dispatch before makes it: it takes the
//! prologue over and keeps the x that it made, so that the product needs none.
//!
//! The residual stream goes from one of two buffers to the other with each `h +=`: a dispatch must not write what its
//! other workgroups still read.

mod products;

use shaders::attention::decode::{Decode, Kv, Params as AttentionParams};
use shaders::matvec::{Adapted, Epilogue, Matvec, Merge, Norms, Prologue};
use shaders::selftest::Form;

use products::{Front, Left, Product};

use super::corrections::{Corrections, Site};
use super::forms::Choices;
use super::prefill::norm_add;
use super::scratch::{most_splits, smallest_run};
use super::{Parts, experts};
use crate::plan::{Grid, Plan, PlanError, Traffic, Value};
use crate::weights::{Matrix, Part};

/// A branch that has been computed and is still to be normed and added to the stream.
#[derive(Clone, Copy)]
struct Pending {
    /// Its norm's weights.
    norm: u32,
    /// Where it is made of a dense part and that of experts: the weights of their norms.
    mix: Option<[u32; 2]>,
    /// The scalar of the layer that ends with it.
    scale: Option<u32>,
}

/// Builds the list.
struct Builder<'a> {
    parts: &'a Parts,
    choices: Choices,
    corrections: Option<&'a Corrections>,
    steps: Plan,
    /// Which of the two stream buffers is current.
    h: usize,
    pending: Option<Pending>,
    /// What was left for the adapters that correct the next product.
    left: Option<Left>,
}

/// The layers from `first` on, the output norm and the head. The stream is expected in `h[0]`, whole.
///
/// # Errors
/// [`PlanError`].
pub fn plan(
    parts: &Parts,
    choices: Choices,
    corrections: Option<&Corrections>,
    first: usize,
) -> Result<Plan, PlanError> {
    let mut builder =
        Builder { parts, choices, corrections, steps: Plan::default(), h: 0, pending: None, left: None };
    for i in first..parts.config.layers.len() {
        builder.layer(i)?;
    }
    builder.head()?;
    Ok(builder.steps)
}

impl<'a> Builder<'a> {
    /// A product of the normed stream; what is pending is added to the stream first. `norm` is none where the stream
    /// itself is multiplied.
    fn of_stream(&mut self, product: &Product<'_>, norm: Option<u32>, y: &Value) -> Result<(), PlanError> {
        let parts = self.parts;
        let s = &parts.scratch;
        let eps = parts.config.eps;
        if parts.config.width > Matvec::MAX_NORM_K {
            return self.of_wide_stream(product, norm, y);
        }
        let input = norm.unwrap_or(0);
        match self.pending.take() {
            Some(Pending { norm: branch, mix, scale }) => {
                let norms = Norms { branch, input, scale, eps };
                let (from, to) = (self.h, 1 - self.h);
                let tail: [&Value; 3] = [&parts.weights.vectors, &s.branch, &s.h[to]];
                let prologue = Prologue::Add { norm: norm.is_some(), mix: mix.is_some() };
                let mix = mix.unwrap_or_default();
                let x = &s.h[from];
                let front =
                    Front { prologue, tail: tail.to_vec(), norms: Some(norms), mix, ..Front::plain(x) };
                self.push(product, front, y)?;
                self.h = to;
            }
            None if norm.is_some() => {
                let norms = Norms { branch: 0, input, scale: None, eps };
                let tail: Vec<&Value> = vec![&parts.weights.vectors];
                let (prologue, norms) = (Prologue::Norm, Some(norms));
                self.push(product, Front { prologue, tail, norms, ..Front::plain(&s.h[self.h]) }, y)?;
            }
            None => self.push(product, Front::plain(&s.h[self.h]), y)?,
        }
        Ok(())
    }

    /// Where the stream is too wide for workgroup memory, the norm is a dispatch of its own.
    fn of_wide_stream(
        &mut self,
        product: &Product<'_>,
        norm: Option<u32>,
        y: &Value,
    ) -> Result<(), PlanError> {
        let x = self.stream_in_a_dispatch(norm)?;
        self.push(product, Front::plain(x), y)
    }

    /// Adds what is pending to the stream, in a dispatch that also norms it; what is to be multiplied.
    fn stream_in_a_dispatch(&mut self, norm: Option<u32>) -> Result<&'a Value, PlanError> {
        let parts = self.parts;
        let s = &parts.scratch;
        // No mixed branch comes here: a mixture of experts needs a stream that fits (`Mixture::is_supported`).
        let pending = self.pending.take();
        let add = pending.map(|p| (p.norm, p.scale));
        norm_add(parts, &mut self.steps, &s.h[self.h], add, norm)?;
        Ok(if norm.is_some() { &s.x } else { &s.h[self.h] })
    }

    fn layer(&mut self, i: usize) -> Result<(), PlanError> {
        let parts = self.parts;
        let (s, w, config) = (&parts.scratch, &parts.weights, &parts.config);
        let name = |part: &str| format!("blk.{i}.{part}");
        let vector = |part: &str| w.vector(&name(part));

        let mut qkv = vec![parts.matrix(&name("attn_q"))?];
        if config.owns_kv(i) {
            qkv.push(parts.matrix(&name("attn_k"))?);
            qkv.extend(w.matrix(&name("attn_v")));
        }
        let has_v = qkv.len() == 3;
        self.of_stream(&Product::store(qkv).at(i, Site::Qkv), Some(vector("attn_norm")), &s.qkv)?;
        self.attention(i, has_v)?;

        let layer = &config.layers[i];
        let window = parts.window(i);
        let most = most_splits(config.heads, window);
        let merge = Merge { head_dim: layer.head_dim, most, smallest: smallest_run(parts.limits), window };
        let output = Product::store(vec![parts.matrix(&name("attn_output"))?]).at(i, Site::Output);
        let (prologue, merge) = (Prologue::Merge, Some(merge));
        let tail: Vec<&Value> = vec![&s.state];
        self.push(&output, Front { prologue, tail, merge, ..Front::plain(&s.part) }, &s.branch)?;
        self.pending = Some(Pending { norm: vector("post_attention_norm"), mix: None, scale: None });

        let gate_up = Product {
            matrices: vec![parts.matrix(&name("ffn_gate"))?, parts.matrix(&name("ffn_up"))?],
            epilogue: Epilogue::Geglu,
            out: [0; 3],
            ple: 0,
            site: Some((i, Site::GateUp)),
        };
        self.of_stream(&gate_up, Some(vector("ffn_norm")), &s.gate)?;
        let down = Product::store(vec![parts.matrix(&name("ffn_down"))?]).at(i, Site::Down);
        self.push(&down, Front::plain(&s.gate), &s.branch)?;
        let mix = match config.experts {
            Some(_) => Some(self.experts(i)?),
            None => None,
        };
        let scale = Some(vector("layer_output_scale"));
        let norm = vector("post_ffw_norm");
        if config.ple == 0 {
            self.pending = Some(Pending { norm, mix, scale });
            return Ok(());
        }
        self.pending = Some(Pending { norm, mix, scale: None });
        let gate = Product {
            matrices: vec![parts.matrix(&name("inp_gate"))?],
            epilogue: Epilogue::Ple,
            out: [0; 3],
            ple: i as u32 * config.ple,
            site: Some((i, Site::PleGate)),
        };
        self.of_stream(&gate, None, &s.ple_gate)?;
        let project = Product::store(vec![parts.matrix(&name("proj"))?]).at(i, Site::PleProjection);
        self.push(&project, Front::plain(&s.ple_gate), &s.branch)?;
        self.pending = Some(Pending { norm: vector("post_norm"), mix: None, scale });
        Ok(())
    }

    /// The experts of layer `i`, behind the dense part of the branch; the norms of both parts. The stream is whole: the
    /// dense part's gate has added what was pending.
    fn experts(&mut self, i: usize) -> Result<[u32; 2], PlanError> {
        let parts = self.parts;
        let vector = |part: &str| parts.weights.vector(&format!("blk.{i}.{part}"));
        let logits = parts.scratch.experts.as_ref().map(|e| &e.logits);
        let logits = logits.ok_or_else(|| PlanError::Missing { name: "room for experts".into() })?;
        let router = Product::store(vec![parts.matrix(&format!("blk.{i}.ffn_gate_inp"))?]);
        self.of_stream(&router, Some(vector("ffn_gate_inp.scale")), logits)?;
        experts::one::gate_up(parts, &mut self.steps, i, &parts.scratch.h[self.h])?;
        experts::one::down(parts, &mut self.steps, i)?;
        Ok([vector("post_ffw_norm_1"), vector("post_ffw_norm_2")])
    }

    fn attention(&mut self, i: usize, has_v: bool) -> Result<(), PlanError> {
        let parts = self.parts;
        let (s, w, config) = (&parts.scratch, &parts.weights, &parts.config);
        let layer = &config.layers[i];
        let cache = parts.cache(i)?;
        let rope = parts.rope(layer.attention);
        let kv = match (config.owns_kv(i), has_v) {
            (false, _) => Kv::Shared,
            (true, true) => Kv::Own,
            (true, false) => Kv::OwnVIsK,
        };
        let output = self.corrected(Some((i, Site::Output)));
        let columns = output.and_then(|site| site.way.columns());
        let kv_f16 = parts.kv_type == super::KvType::F16;
        let rank = self.corrections.map_or(0, Corrections::rank);
        let kernel = Decode {
            head_dim: layer.head_dim,
            kv,
            kv_f16,
            quads: if columns.is_some() { rank / 4 } else { 0 },
        };
        let most = most_splits(config.heads, parts.window(i));
        let params = AttentionParams {
            heads: config.heads,
            kv_heads: layer.kv_heads,
            window: parts.window(i),
            ring: cache.ring,
            q_norm: w.vector(&format!("blk.{i}.attn_q_norm")),
            k_norm: w.vector(&format!("blk.{i}.attn_k_norm")),
            smallest: smallest_run(parts.limits),
            most,
            rope_hi_rows: rope.hi_rows,
            eps: config.eps,
            pad: 0,
            columns: columns.unwrap_or(0) / 4,
        };
        let mut buffers: Vec<&Value> =
            vec![&s.part, &s.state, &s.qkv, &w.vectors, &rope.table, &cache.k, &cache.v];
        if let Some(output) = output.filter(|_| kernel.quads > 0) {
            buffers.push(&output.b);
            let at = Decode::partial_at(layer.head_dim, config.heads, most);
            self.left = Some(Left { site: (i, Site::Output), at, count: config.heads });
        }
        self.steps.push(&kernel.source()?, &params, &buffers, Grid::Fixed(Decode::dispatch(&params)))?;
        self.steps.reading(Traffic::Keys { bytes: 2 * cache.slot_bytes, window: params.window });
        self.steps.tried_as(Form::Decode(kernel));
        Ok(())
    }

    fn head(&mut self) -> Result<(), PlanError> {
        let parts = self.parts;
        let s = &parts.scratch;
        let norm = parts.weights.vector("output_norm");
        let head = parts.head()?;
        let one_part = |part: &Part| Matrix { n: part.layout.n, parts: vec![part.clone()], ..head.clone() };
        let matrices: Vec<_> = head.parts.iter().map(one_part).collect();
        // Packed products are so fast that it takes longer to norm the stream again in each of so many workgroups.
        let is_packed =
            |matrix| self.kernel(&Product::store(vec![matrix]), Prologue::Plain, Adapted::NOT).form.packed;
        let is_mixed = self.pending.is_some_and(|pending| pending.mix.is_some());
        let is_wide = parts.config.width > Matvec::MAX_NORM_K;
        let x = if is_wide || (matrices.iter().any(is_packed) && !is_mixed) {
            Some(self.stream_in_a_dispatch(Some(norm))?)
        } else {
            None
        };
        // A head that is split over several buffers is one product for each. Those that norm the stream themselves do so
        // anew, which costs less than a dispatch would.
        let pending = self.pending;
        let h = self.h;
        for (part, matrix) in head.parts.iter().zip(&matrices) {
            let product = Product { out: [part.row0, 0, 0], ..Product::store(vec![matrix]) };
            if let Some(x) = x {
                self.push(&product, Front::plain(x), &s.logits)?;
            } else {
                self.pending = pending;
                self.h = h;
                self.of_stream(&product, Some(norm), &s.logits)?;
            }
        }
        Ok(())
    }
}
