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
use crate::model::corrections::{Corrections, Site};
use crate::model::rows::{mixture_norms, norm_add, packed_norm_add, qkv_finish};
use crate::plan::{Plan, PlanError};
use crate::weights::Matrix;

struct Builder<'a> {
    parts: &'a Parts,
    few: FewRows,
    corrections: Option<&'a Corrections>,
    steps: Plan,
    /// The branch that has not been added to the stream yet: offsets of its norm's weights and of the scalar.
    branch: Option<(u32, Option<u32>)>,
}

/// The layers from `first` on, the output norm and the head. The stream must be in `h[0]`.
///
/// # Errors
/// [`PlanError`] when a tensor is missing, or a kernel cannot be generated.
pub fn plan(
    parts: &Parts,
    few: FewRows,
    corrections: Option<&Corrections>,
    first: usize,
) -> Result<Plan, PlanError> {
    let mut builder = Builder { parts, few, corrections, steps: Plan::default(), branch: None };
    for i in first..parts.config.layers.len() {
        builder.attention(i)?;
        builder.feed_forward(i)?;
        if parts.config.ple > 0 {
            builder.per_layer_input(i)?;
        }
    }
    let head = parts.head()?;
    // A drafter reads the hidden states in f32.
    let packed = few.packs(&[head]) && !parts.keeps_hidden;
    let (x, logits) =
        (builder.stream(Some(parts.weights.vector("output_norm")?), packed)?, &parts.scratch.logits);
    match x {
        Rows::Floats(x) => few.apart(parts, &mut builder.steps, x, &[(head, logits)])?,
        Rows::Packed(_) => few.product(parts, &mut builder.steps, &Product::store(&[head], x, logits))?,
    }
    Ok(builder.steps)
}

impl<'a> Builder<'a> {
    fn matrix(&self, i: usize, part: &str) -> Result<&'a Matrix, PlanError> {
        self.parts.matrix(&format!("blk.{i}.{part}"))
    }

    fn vector(&self, i: usize, part: &str) -> Result<u32, PlanError> {
        self.parts.weights.vector(&format!("blk.{i}.{part}"))
    }

    fn is_corrected(&self, i: usize, site: Site) -> bool {
        self.corrections.is_some_and(|all| all.at(i, site).is_some())
    }

    /// Whether the products of a site take packed rows from the dispatch before.
    fn packs(&self, i: usize, site: Site, matrices: &[&Matrix]) -> bool {
        self.few.packs_at(self.parts.limits, matrices, self.is_corrected(i, site))
    }

    /// Adds the pending branch to the stream. Returns the normed stream or, without `norm`, the stream itself.
    fn stream(&mut self, norm: Option<u32>, packed: bool) -> Result<Rows<'a>, PlanError> {
        let (parts, add) = (self.parts, self.branch.take());
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

    /// [`Self::stream`] for the feed-forward of a mixture, whose norms are those of the same stream.
    fn mixture_norms(&mut self, i: usize) -> Result<Rows<'a>, PlanError> {
        let add = self
            .branch
            .take()
            .ok_or_else(|| PlanError::Missing { name: "the branch of attention".into() })?;
        let norms = [
            self.vector(i, "ffn_norm")?,
            self.vector(i, "ffn_gate_inp.scale")?,
            self.vector(i, "pre_ffw_norm_2")?,
        ];
        mixture_norms(self.parts, &mut self.steps, add, norms)?;
        Ok(Rows::Packed(&self.parts.scratch.packed))
    }

    /// The product of a site, with what adapters add to it.
    fn product(&mut self, i: usize, site: Site, product: Product<'_>) -> Result<(), PlanError> {
        self.few.product_at(self.parts, &mut self.steps, self.corrections, (i, site), product)
    }

    /// The product that ends a branch.
    fn end(&mut self, i: usize, site: Site, matrix: &Matrix, x: Rows<'_>) -> Result<(), PlanError> {
        self.product(i, site, Product::store(&[matrix], x, &self.parts.scratch.branch))
    }

    fn attention(&mut self, i: usize) -> Result<(), PlanError> {
        let parts = self.parts;
        let s = &parts.scratch;
        let mut qkv = vec![self.matrix(i, "attn_q")?];
        if parts.config.owns_kv(i) {
            qkv.push(self.matrix(i, "attn_k")?);
            qkv.extend(parts.weights.matrix(&format!("blk.{i}.attn_v")));
        }
        let kv = Kv::of_layer(parts.config.owns_kv(i), qkv.len() == 3);
        let packed = self.packs(i, Site::Qkv, &qkv);
        let x = self.stream(Some(self.vector(i, "attn_norm")?), packed)?;
        self.product(i, Site::Qkv, Product::store(&qkv, x, &s.q))?;
        if kv != Kv::Shared {
            qkv_finish(parts, &mut self.steps, i, kv, true)?;
        }
        let output = self.matrix(i, "attn_output")?;
        let packed = self.packs(i, Site::Output, &[output]);
        let attention = if packed { Rows::Packed(&s.packed) } else { Rows::Floats(&s.attention) };
        self.few.attention(parts, &mut self.steps, i, attention)?;
        self.end(i, Site::Output, output, attention)?;
        self.branch = Some((self.vector(i, "post_attention_norm")?, None));
        Ok(())
    }

    /// Where an activation goes that this product reads.
    fn activated(&self, i: usize, site: Site, reader: &Matrix) -> Rows<'a> {
        let s = &self.parts.scratch;
        if self.packs(i, site, &[reader]) { Rows::Packed(&s.packed_act) } else { Rows::Floats(&s.act) }
    }

    fn feed_forward(&mut self, i: usize) -> Result<(), PlanError> {
        let parts = self.parts;
        let config = &parts.config;
        let (gate, up) = (self.matrix(i, "ffn_gate")?, self.matrix(i, "ffn_up")?);
        let down = self.matrix(i, "ffn_down")?;
        let packed = self.packs(i, Site::GateUp, &[gate, up]);
        let mixture = packed && experts::take_norms(parts, i, self.few)?;
        let x = if mixture {
            self.mixture_norms(i)?
        } else {
            self.stream(Some(self.vector(i, "ffn_norm")?), packed)?
        };
        let act = self.activated(i, Site::Down, down);
        let (matrices, epilogue) = (&[gate, up], Epilogue::Geglu);
        let product = Product { matrices, epilogue, x, y: act, ple_at: 0, update: None };
        self.product(i, Site::GateUp, product)?;
        self.end(i, Site::Down, down, act)?;
        if config.experts.is_some() {
            experts::build(parts, &mut self.steps, i, self.few, (self.corrections, mixture))?;
        }
        let scale = (config.ple == 0).then(|| self.vector(i, "layer_output_scale")).transpose()?;
        self.branch = Some((self.vector(i, "post_ffw_norm")?, scale));
        Ok(())
    }

    fn per_layer_input(&mut self, i: usize) -> Result<(), PlanError> {
        let parts = self.parts;
        let (gate, projection) = (self.matrix(i, "inp_gate")?, self.matrix(i, "proj")?);
        let packed = self.packs(i, Site::PleGate, &[gate]);
        let x = self.stream(None, packed)?;
        let act = self.activated(i, Site::PleProjection, projection);
        let ple_at = i as u32 * parts.config.ple;
        let product = Product { matrices: &[gate], epilogue: Epilogue::Ple, x, y: act, ple_at, update: None };
        self.product(i, Site::PleGate, product)?;
        self.end(i, Site::PleProjection, projection, act)?;
        self.branch = Some((self.vector(i, "post_norm")?, Some(self.vector(i, "layer_output_scale")?)));
        Ok(())
    }
}
