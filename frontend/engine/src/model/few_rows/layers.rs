//! The plan of a few rows: twelve dispatches per layer with per-layer embeddings, nine without, and five to seven more with
//! experts ([`super::experts`]), and four beside those where a cache has only some of them.
//!
//! A layer (specification §2.3) is
//!
//! | dispatch | computes |
//! |---|---|
//! | norm | h += branch of the previous layer, times its scale; norm |
//! | qkv | q, k, v |
//! | finish | head norms, RoPE, append; if the layer has a cache of its own, else attention does it |
//! | attention, merge | two dispatches |
//! | output | |
//! | norm | h += attention; norm |
//! | gate, up | with GeGLU |
//! | down | |
//! | add | h += feed-forward |
//! | per-layer gate | with GELU, times the per-layer input |
//! | per-layer projection | |
//!
//! Where products take packed rows, the dispatch before leaves them so. With adapters, a dispatch in front of the products
//! that share an input computes z, and they add B·z.

use shaders::attention::decode::Kv;
use shaders::matmul::few_rows::Epilogue;

use super::{FewRows, Product, Rows, experts};
use crate::model::Parts;
use crate::model::corrections::Corrections;
use crate::model::layer::{Experts, Operation, Pass, Site, Slot};
use crate::model::rows::{mixture_norms, norm_add, norm_heads, packed_norm_add, qkv_finish};
use crate::plan::{Plan, PlanError};
use crate::weights::Matrix;

struct Builder<'a> {
    parts: &'a Parts,
    few: FewRows,
    corrections: Option<&'a Corrections>,
    steps: Plan,
    /// The branch that has not been added to the stream yet: offsets of its norm's weights and of the scalar.
    branch: Option<(u32, Option<u32>)>,
    /// The norm that has not been computed yet: the offset of its weights.
    norm: Option<u32>,
    /// Whether the norms of a mixture's experts were computed with that of its dense part.
    normed: bool,
}

/// Returns the layers from `first` on, the output norm and the head. The stream must be in `h[0]`.
pub fn plan(
    parts: &Parts,
    few: FewRows,
    corrections: Option<&Corrections>,
    first: usize,
) -> Result<Plan, PlanError> {
    let mut builder =
        Builder { parts, few, corrections, steps: Plan::default(), branch: None, norm: None, normed: false };
    for i in first..parts.config.layers.len() {
        builder.layer(i)?;
    }
    let head = parts.head()?;
    // A drafter reads the hidden states in f32.
    let packed = few.packs(&[head]) && !parts.keeps_hidden;
    builder.norm = Some(parts.weights.vector("output_norm")?);
    let (x, logits) = (builder.stream(packed)?, &parts.scratch.logits);
    match x {
        Rows::Floats(x) => few.apart(parts, &mut builder.steps, x, &[(head, logits)])?,
        Rows::Packed(_) => few.product(parts, &mut builder.steps, &Product::store(&[head], x, logits))?,
    }
    Ok(builder.steps)
}

/// Returns the site and the matrices of the next products.
fn reader<'w>(operations: &[Operation<'w>]) -> Option<(Site, Vec<&'w Matrix>)> {
    operations.iter().find_map(|operation| match operation {
        Operation::Products { site, products, .. } => {
            Some((*site, products.iter().map(|product| product.matrix).collect()))
        }
        _ => None,
    })
}

impl<'a> Builder<'a> {
    /// Returns whether the products of a site take packed rows from the dispatch before.
    fn packs(&self, i: usize, site: Site, matrices: &[&Matrix]) -> bool {
        let is_corrected = self.corrections.is_some_and(|all| all.at(i, site).is_some());
        self.few.packs_at(self.parts.limits, matrices, is_corrected)
    }

    /// Returns whether the next products take packed rows.
    fn reader_packs(&self, i: usize, operations: &[Operation<'_>]) -> bool {
        reader(operations).is_some_and(|(site, matrices)| self.packs(i, site, &matrices))
    }

    /// Adds the pending branch to the stream and norms it, if a norm is pending. Returns the result.
    fn stream(&mut self, packed: bool) -> Result<Rows<'a>, PlanError> {
        let (parts, add, norm) = (self.parts, self.branch.take(), self.norm.take());
        let s = &parts.scratch;
        if packed {
            packed_norm_add(parts, &mut self.steps, &s.h[0], add, norm)?;
            return Ok(Rows::Packed(&s.packed));
        }
        if add.is_some() || norm.is_some() {
            norm_add(parts, &mut self.steps, &s.h[0], add, norm)?;
        }
        Ok(Rows::Floats(if norm.is_some() { &s.x } else { &s.h[0] }))
    }

    /// [`Self::stream`] for the feed-forward part of a mixture, whose norms are those of the same stream.
    fn mixture_norms(&mut self, of: &Experts<'_>) -> Result<Rows<'a>, PlanError> {
        let missing = |name: &str| PlanError::Missing { name: name.into() };
        let add = self.branch.take().ok_or_else(|| missing("branch of attention"))?;
        let norm = self.norm.take().ok_or_else(|| missing("norm of the feed-forward part"))?;
        let norms = [norm, of.router_norm.at, of.norm.at];
        mixture_norms(self.parts, &mut self.steps, add, norms)?;
        Ok(Rows::Packed(&self.parts.scratch.packed))
    }

    fn layer(&mut self, i: usize) -> Result<(), PlanError> {
        let parts = self.parts;
        let s = &parts.scratch;
        let operations = parts.config.operations(&parts.weights, i, Pass::Tokens)?;
        // What the last dispatch has left for the next products.
        let mut left: Option<Rows<'a>> = None;
        let mut heads = None;
        for (at, operation) in operations.iter().enumerate() {
            let later = &operations[at + 1..];
            match operation {
                Operation::PerLayerInput { .. } => {
                    return Err(PlanError::Unknown { operation: operation.to_string() });
                }
                Operation::Norm { of: Slot::Stream(_), weight, .. } => self.norm = Some(weight.at),
                Operation::Norm { weight, .. } => {
                    // The queries have been read.
                    norm_heads(parts, &mut self.steps, i, weight.at, [&s.attention, &s.q])?;
                    left = Some(Rows::Floats(&s.q));
                }
                Operation::Add { norm, scale, .. } => {
                    self.branch = Some((norm.at, scale.map(|scale| scale.at)));
                }
                // Attention finishes the queries of a layer that uses another's cache.
                Operation::Heads(of) => {
                    heads = Some(of);
                    if of.kv != Kv::Shared {
                        qkv_finish(parts, &mut self.steps, i, of, true)?;
                    }
                }
                Operation::Attend(mask) => {
                    let heads = heads.ok_or_else(|| PlanError::Missing { name: "norms of heads".into() })?;
                    let is_normed = matches!(later.first(), Some(Operation::Norm { .. }));
                    let packed = !is_normed && self.reader_packs(i, later);
                    let out = if packed { Rows::Packed(&s.packed) } else { Rows::Floats(&s.attention) };
                    self.few.attention(parts, &mut self.steps, (i, heads, *mask), out)?;
                    left = Some(out);
                }
                Operation::Products { site, products, .. } => {
                    let matrices: Vec<_> = products.iter().map(|product| product.matrix).collect();
                    let x = match left.take() {
                        Some(rows) => rows,
                        None => self.input((i, *site), &matrices, later)?,
                    };
                    let y = if *site == Site::Qkv { &s.q } else { &s.branch };
                    let mut product = Product::store(&matrices, x, y);
                    if let Some(Operation::Activate { factor, .. }) = later.first() {
                        let packed = self.reader_packs(i, later);
                        let act = if packed { Rows::Packed(&s.packed_act) } else { Rows::Floats(&s.act) };
                        left = Some(act);
                        let of_layer = *factor == Slot::PerLayerInput;
                        product.epilogue = if of_layer { Epilogue::Ple } else { Epilogue::Geglu };
                        product.ple_at = if of_layer { i as u32 * parts.config.ple } else { 0 };
                        product.y = act;
                    }
                    self.few.product_at(parts, &mut self.steps, self.corrections, (i, *site), product)?;
                }
                // With the products before.
                Operation::Activate { .. } => {}
                Operation::Experts(of) => {
                    let with = (self.corrections, std::mem::take(&mut self.normed));
                    experts::build(parts, &mut self.steps, (i, *of), self.few, with)?;
                }
            }
        }
        Ok(())
    }

    /// Returns the input of the products that begin a branch. `later` are the operations behind them.
    fn input(
        &mut self,
        (i, site): (usize, Site),
        matrices: &[&Matrix],
        later: &[Operation<'_>],
    ) -> Result<Rows<'a>, PlanError> {
        let packed = self.packs(i, site, matrices);
        let mixture = later.iter().find_map(|operation| match operation {
            Operation::Experts(of) if packed && site == Site::GateUp => Some(of),
            _ => None,
        });
        match mixture.filter(|of| experts::take_norms(self.parts, of, self.few)) {
            Some(of) => {
                self.normed = true;
                self.mixture_norms(of)
            }
            None => self.stream(packed),
        }
    }
}
