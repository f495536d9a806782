//! The plan of one token, with fused products: seven dispatches per layer with per-layer embeddings, five without, and one
//! more in global layers. Wide models and mixtures of experts run the plan of a few rows instead ([`super::few_rows`]),
//! where the device is faster with it.
//!
//! A layer (specification §2.3) is
//!
//! | dispatch | prologue | product | epilogue |
//! |---|---|---|---|
//! | qkv | h += branch of the previous layer, times its scale; norm | q, k, v | |
//! | attention | head norms, RoPE, append | | partial results |
//! | merge, in global layers | | | |
//! | output | merge, in sliding-window layers | output | |
//! | gate, up | h += attention; norm | gate, up | GeGLU |
//! | down | | down | |
//! | per-layer gate | h += feed-forward | gate | GELU, times the per-layer input |
//! | per-layer projection | | projection | |
//!
//! With adapters, a product adds B·z, where z is the product with their stacked A. In most cases dispatches that
//! exist anyway compute z ([`super::corrections::UpdateSource`]). Otherwise a dispatch in front of the product computes it;
//! that dispatch also runs the prologue and writes x, so that the product needs none.
//!
//! The residual stream alternates between two buffers with each `h +=`, since a dispatch must not overwrite what
//! its other workgroups still read.

mod products;

use shaders::attention::decode::{Decode, Kv, Params as AttentionParams};
use shaders::matvec::{Epilogue, LowRank, Matvec, Merge, Norms, Prologue};

use products::{Handoff, Input, Product};

use super::corrections::Corrections;
use super::few_rows::{FewRows, Rows, layers, merge};
use super::layer::{Heads, Mask, Operation, Pass, Site, Slot};
use super::scratch::{grouped_from, max_splits, min_split_keys};
use super::{Parts, Tuning, rows};
use crate::plan::{Amount, Grid, Plan, PlanError, Value};
use crate::weights::{Matrix, Part};

/// The residual stream between products.
#[derive(Clone, Copy)]
struct Stream {
    /// Index of the current buffer.
    h: usize,
    /// The branch that has not been added yet.
    branch: Option<Branch>,
}

/// A branch that was computed but not yet normed and added to the stream.
#[derive(Clone, Copy)]
struct Branch {
    /// Offset of its norm's weights.
    norm: u32,
    /// Offset of the scale of the layer that ends with it.
    scale: Option<u32>,
    /// The output of its product for the adapters on the product that adds it.
    handoff: Option<Handoff>,
}

/// Builds the plan.
struct Builder<'a> {
    parts: &'a Parts,
    tuning: Tuning,
    corrections: Option<&'a Corrections>,
    steps: Plan,
}

/// Returns the layers from `first` on, the output norm and the head. The stream must be in `h[0]`, without a pending
/// branch.
pub fn plan(
    parts: &Parts,
    tuning: Tuning,
    corrections: Option<&Corrections>,
    first: usize,
) -> Result<Plan, PlanError> {
    // How much memory adapters take follows from the usual forms.
    let tuning = if corrections.is_some() { tuning.with_usual_forms() } else { tuning };
    if !tuning.is_fused(&parts.config) {
        return layers::plan(parts, FewRows::new(&parts.config, 1, tuning), corrections, first);
    }
    let mut builder = Builder { parts, tuning, corrections, steps: Plan::default() };
    let stream = builder.layers(first)?;
    builder.head(stream, parts.keeps_hidden)?;
    Ok(builder.steps)
}

/// Returns all layers, the output norm and the head, for a model without experts. The stream must be in `h[0]`, without a pending
/// branch.
pub fn logits(parts: &Parts, tuning: Tuning) -> Result<Plan, PlanError> {
    let mut builder = Builder { parts, tuning, corrections: None, steps: Plan::default() };
    let stream = builder.layers(0)?;
    builder.head(stream, false)?;
    Ok(builder.steps)
}

/// Returns all layers and the output norm, whose result goes to [`Scratch::x`](super::Scratch::x), for a model without experts.
/// The stream must be in `h[0]`, without a pending branch.
pub fn hidden(parts: &Parts, tuning: Tuning) -> Result<Plan, PlanError> {
    let mut builder = Builder { parts, tuning, corrections: None, steps: Plan::default() };
    let stream = builder.layers(0)?;
    builder.stream_in_a_dispatch(stream, Some(parts.weights.vector("output_norm")?))?;
    Ok(builder.steps)
}

impl<'a> Builder<'a> {
    /// Returns a product of the normed stream, after the pending branch is added. Without `norm` the stream itself is
    /// multiplied. Returns the stream, and the output for the adapters on the next product.
    fn of_stream(
        &mut self,
        product: &Product<'_>,
        stream: Stream,
        norm: Option<u32>,
        y: &Value,
    ) -> Result<(Stream, Option<Handoff>), PlanError> {
        let parts = self.parts;
        let s = &parts.scratch;
        if parts.config.width > Matvec::MAX_NORM_K {
            let (stream, x) = self.stream_in_a_dispatch(stream, norm)?;
            return Ok((stream, self.push(product, Input::plain(x), y)?));
        }
        let mut input = Input::plain(&s.h[stream.h]);
        let mut norms = Norms { branch: 0, input: norm.unwrap_or(0), scale: None, eps: parts.config.eps };
        let mut after = stream;
        if let Some(Branch { norm: branch, scale, handoff }) = stream.branch {
            after = Stream { h: 1 - stream.h, branch: None };
            (norms.branch, norms.scale) = (branch, scale);
            input.prologue = Prologue::Add { norm: norm.is_some() };
            input.tail = vec![&parts.weights.vectors, &s.branch, &s.h[after.h]];
            (input.norms, input.handoff) = (Some(norms), handoff);
        } else if norm.is_some() {
            input.prologue = Prologue::Norm;
            input.tail = vec![&parts.weights.vectors];
            input.norms = Some(norms);
        }
        Ok((after, self.push(product, input, y)?))
    }

    /// Adds the pending branch in a separate dispatch that also norms the stream, for streams too wide for
    /// workgroup memory. Returns the stream and the product's input.
    fn stream_in_a_dispatch(
        &mut self,
        stream: Stream,
        norm: Option<u32>,
    ) -> Result<(Stream, &'a Value), PlanError> {
        let parts = self.parts;
        let s = &parts.scratch;
        let add = stream.branch.map(|branch| (branch.norm, branch.scale));
        let h = &s.h[stream.h];
        rows::norm_add(parts, &mut self.steps, h, add, norm)?;
        Ok((Stream { branch: None, ..stream }, if norm.is_some() { &s.x } else { h }))
    }

    /// Returns the layers from `first` on, of a complete stream in `h[0]`.
    fn layers(&mut self, first: usize) -> Result<Stream, PlanError> {
        let layers = first..self.parts.config.layers.len();
        layers.into_iter().try_fold(Stream { h: 0, branch: None }, |stream, i| self.layer(i, stream))
    }

    fn layer(&mut self, i: usize, mut stream: Stream) -> Result<Stream, PlanError> {
        let parts = self.parts;
        let s = &parts.scratch;
        let operations = parts.config.operations(&parts.weights, i, Pass::Tokens)?;
        let (mut norm, mut heads) = (None, None);
        // What the last dispatch has left for the next product, and for the adapters on what reads its result.
        let (mut left, mut handoff) = (None, None);
        for (at, operation) in operations.iter().enumerate() {
            match operation {
                Operation::Norm { of: Slot::Stream(_), weight, .. } => norm = Some(weight.at),
                Operation::Heads(of) => heads = Some(of),
                Operation::Attend(mask) => {
                    let heads = heads.ok_or_else(|| PlanError::Missing { name: "norms of heads".into() })?;
                    left = Some(self.attention(i, heads, *mask)?);
                }
                Operation::Products { site, products, .. } => {
                    let matrices = products.iter().map(|product| product.matrix).collect();
                    let mut product = Product::store(matrices).at(i, *site);
                    let activated = match operations.get(at + 1) {
                        Some(Operation::Activate { factor: Slot::PerLayerInput, .. }) => {
                            (product.epilogue, product.ple) = (Epilogue::Ple, i as u32 * parts.config.ple);
                            Some(&s.ple_gate)
                        }
                        Some(Operation::Activate { .. }) => {
                            (product.epilogue, product.out) = (Epilogue::Geglu, [0; 3]);
                            Some(&s.gate)
                        }
                        _ => None,
                    };
                    let y = activated.unwrap_or(if *site == Site::Qkv { &s.qkv } else { &s.branch });
                    match left.take() {
                        Some(input) => handoff = self.push(&product.onto(&s.h[stream.h]), input, y)?,
                        None => (stream, handoff) = self.of_stream(&product, stream, norm.take(), y)?,
                    }
                    left = activated.map(|act| Input { handoff: handoff.take(), ..Input::plain(act) });
                }
                // With the products before.
                Operation::Activate { .. } => {}
                Operation::Norm { .. } | Operation::Experts(_) | Operation::PerLayerInput { .. } => {
                    return Err(PlanError::Unknown { operation: operation.to_string() });
                }
                Operation::Add { norm, scale, .. } => {
                    let scale = scale.map(|scale| scale.at);
                    stream.branch = Some(Branch { norm: norm.at, scale, handoff: handoff.take() });
                }
            }
        }
        Ok(stream)
    }

    /// Attention of layer `i`. Returns the input of the output projection: partial results that it merges or, where there are
    /// splits for all positions, what a dispatch has merged.
    fn attention(&mut self, i: usize, heads: &Heads, mask: Mask) -> Result<Input<'a>, PlanError> {
        let parts = self.parts;
        let (s, w, config) = (&parts.scratch, &parts.weights, &parts.config);
        let layer = &config.layers[i];
        let cache = parts.cache(i)?;
        let rope = parts.rope(layer.attention);
        let output = self.corrected(Some((i, Site::Output)));
        let columns = output.and_then(|site| site.source.columns());
        let rank = self.corrections.map_or(0, Corrections::rank);
        let kernel = Decode {
            head_dim: layer.head_dim,
            kv: heads.kv,
            kv_type: parts.kv_type,
            group: if columns.is_some() { 1 } else { parts.query_group(i, heads.kv != Kv::Shared) },
            quads: if columns.is_some() { rank / 4 } else { 0 },
        };
        let window = mask.window;
        let max_splits = max_splits(parts.limits, config.heads, window);
        let params = AttentionParams {
            heads: config.heads,
            kv_heads: layer.kv_heads,
            window,
            ring: cache.ring,
            q_norm: heads.q_norm.at,
            k_norm: heads.k_norm.map_or(0, |norm| norm.at),
            raw_v: (!heads.normed_v).into(),
            min_split_keys: min_split_keys(parts.limits),
            max_splits,
            rope_hi_rows: rope.hi_rows,
            eps: config.eps,
            ahead: parts.ahead,
            columns: columns.unwrap_or(0) / 4,
            grouped_from: grouped_from(parts.limits, config.heads, window),
            ..AttentionParams::default()
        };
        let mut buffers: Vec<&Value> =
            vec![&s.part, &s.state, &s.qkv, &w.vectors, &rope.table, &cache.k, &cache.v];
        let handoff = self.corrections.filter(|_| kernel.quads > 0).map(|all| {
            buffers.push(&all.layers[i].buffer);
            let at = Decode::partial_at(layer.head_dim, config.heads, max_splits);
            Handoff { at, count: config.heads }
        });
        self.steps.push(kernel, &params, &buffers, Grid::Fixed(Decode::dispatch(&params)))?;
        self.steps.reading(Amount::Visible { each: 2 * cache.slot_bytes, window });
        if window == 0 {
            let out = Rows::Floats(&s.attention);
            merge(parts, &mut self.steps, (layer.head_dim, &params), &s.part, out)?;
            return Ok(Input::plain(&s.attention));
        }
        let merge = Merge {
            head_dim: layer.head_dim,
            max_splits,
            min_split_keys: min_split_keys(parts.limits),
            window,
        };
        let (prologue, merge) = (Prologue::Merge, Some(merge));
        Ok(Input { prologue, tail: vec![&s.state], merge, handoff, ..Input::plain(&s.part) })
    }

    /// The output norm, which is left in `x` if that is to be kept, and the head.
    fn head(&mut self, stream: Stream, keeps_hidden: bool) -> Result<(), PlanError> {
        let parts = self.parts;
        let s = &parts.scratch;
        let norm = parts.weights.vector("output_norm")?;
        let head = parts.head()?;
        let one_part = |part: &Part| Matrix { n: part.layout.n, parts: vec![part.clone()], ..head.clone() };
        let matrices: Vec<_> = head.parts.iter().map(one_part).collect();
        // Packed products are so fast that repeating the norm in each workgroup would dominate.
        let is_packed =
            |matrix| self.kernel(&Product::store(vec![matrix]), Prologue::Plain, LowRank::NONE).form.packed;
        let is_wide = parts.config.width > Matvec::MAX_NORM_K;
        let x = if is_wide || matrices.iter().any(is_packed) {
            Some(self.stream_in_a_dispatch(stream, Some(norm))?.1)
        } else {
            None
        };
        // A head that is split over several buffers is one product per part. Each repeats the norm, which costs
        // less than a dispatch.
        let mut complete = None;
        for (part, matrix) in head.parts.iter().zip(&matrices) {
            let product = Product { out: [part.row0, 0, 0], ..Product::store(vec![matrix]) };
            if let Some(x) = x {
                self.push(&product, Input::plain(x), &s.logits)?;
            } else {
                complete = Some(self.of_stream(&product, stream, Some(norm), &s.logits)?.0);
            }
        }
        if let Some(stream) = complete.filter(|_| keeps_hidden) {
            rows::norm_add(parts, &mut self.steps, &s.h[stream.h], None, Some(norm))?;
        }
        Ok(())
    }
}
