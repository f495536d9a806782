//! What a decoder layer computes (specification §2.3): operations on named values, without kernels, buffers, packing or rows.
//!
//! An architecture describes its layers as a list of them ([`super::Architecture`]). Prefill, few rows, fused decode, the canvas of
//! diffusion and both passes of training follow from that list.

use std::fmt;

use shaders::attention::decode::Kv;

use crate::adapter::{Projection, Target};
use crate::plan::PlanError;
use crate::weights::{Matrix, Weights};

/// A part of a layer whose result is normed and added to the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Branch {
    /// Attention.
    Attention,
    /// The feed-forward part, with the experts of a mixture.
    FeedForward,
    /// The per-layer input.
    PerLayer,
}

/// A value of a layer, with a row for each token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// The stream at the beginning of a branch. `[width]`.
    Stream(Branch),
    /// Its norm. `[width]`.
    Normed(Branch),
    /// Queries. `[heads·head_dim]`.
    Q,
    /// Keys. `[kv_heads·head_dim]`.
    K,
    /// Values. `[kv_heads·head_dim]`.
    V,
    /// The result of attention. `[heads·head_dim]`.
    Attention,
    /// Its norm. `[heads·head_dim]`.
    NormedAttention,
    /// The gate of the feed-forward part. `[feed_forward]`.
    Gate,
    /// What it is multiplied with. `[feed_forward]`.
    Up,
    /// The product of both. `[feed_forward]`.
    Activated,
    /// The gate of the per-layer input. `[P]`.
    PerLayerGate,
    /// The per-layer input. `[P]`.
    PerLayerInput,
    /// The product of both. `[P]`.
    PerLayerActivated,
    /// The result of a branch before its norm. `[width]`.
    Result(Branch),
}

/// Products that share an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Site {
    /// Queries, keys, values.
    Qkv,
    /// The output of attention.
    Output,
    /// Both halves of the feed-forward part.
    GateUp,
    /// Its output.
    Down,
    /// The gate of the per-layer input.
    PleGate,
    /// Its projection.
    PleProjection,
    /// The router of a mixture of experts.
    Router,
}

/// A vector of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vector {
    /// Its tensor's name without `blk.N.` and `.weight`.
    pub name: &'static str,
    /// Its offset in [`Weights::vectors`].
    pub at: u32,
}

/// A product of a site.
#[derive(Clone, Copy, Debug)]
pub struct Product<'w> {
    /// Which.
    pub projection: Projection,
    /// Its matrix.
    pub matrix: &'w Matrix,
    /// Where the result goes.
    pub y: Slot,
}

/// Which keys a query attends to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mask {
    /// Keys, including the token's own; 0: all before it.
    pub window: u32,
    /// Whether tokens of a picture attend to each other in both directions.
    pub pictures_whole: bool,
    /// Whether all tokens of a canvas attend to each other.
    pub canvas: bool,
    /// Whether the rows are of several texts, each of which sees all of itself, within the window to both sides.
    pub texts: bool,
}

impl Mask {
    /// Returns whether rows see keys behind their own.
    pub fn sees_ahead(self) -> bool {
        self.pictures_whole || self.canvas || self.texts
    }
}

/// The norms and rotations of heads, and the place of keys and values.
#[derive(Clone, Copy, Debug)]
pub struct Heads {
    /// Where keys and values come from.
    pub kv: Kv,
    /// The norm of queries.
    pub q_norm: Vector,
    /// The norm of keys; `None` for keys of another layer, which are normed already.
    pub k_norm: Option<Vector>,
    /// Whether values are normed, without weights.
    pub normed_v: bool,
}

/// Gate or up rows of each expert, in a matrix that may contain both.
#[derive(Clone, Copy, Debug)]
pub struct Half<'w> {
    /// The matrix.
    pub matrix: &'w Matrix,
    /// Rows per expert in the matrix.
    pub stride: u32,
    /// First row within an expert.
    pub at: u32,
}

/// Router and experts of a mixture (specification §2.7).
#[derive(Clone, Copy, Debug)]
pub struct Experts<'w> {
    /// The norm of the router's input.
    pub router_norm: Vector,
    /// The router.
    pub router: &'w Matrix,
    /// Factors of the router's weights, one for each expert.
    pub scales: Vector,
    /// The norm of the experts' input.
    pub norm: Vector,
    /// Gate and up.
    pub halves: [Half<'w>; 2],
    /// Down.
    pub down: &'w Matrix,
    /// The norm of the dense part's result.
    pub dense_norm: Vector,
    /// The norm of the experts' result.
    pub result_norm: Vector,
}

/// A step of a layer. rms(x) = x / √(mean(x²) + ε).
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the fields are what the formulas name")]
pub enum Operation<'w> {
    /// per_layer_input = rms(W·embedding / √width)·norm, of the embedding before the first layer.
    PerLayerInput { matrix: &'w Matrix, norm: Vector },
    /// x = rms(of)·weight.
    Norm { of: Slot, weight: Vector, x: Slot },
    /// y = W·x for each product, with what adapters add to it.
    Products { site: Site, x: Slot, products: Vec<Product<'w>> },
    /// Norms and RoPE of q, k and v; k and v go to the cache.
    Heads(Heads),
    /// attention = softmax(q·kᵀ)·v.
    Attend(Mask),
    /// y = gelu(gate)·factor.
    Activate { gate: Slot, factor: Slot, y: Slot },
    /// result = rms(result) + rms(experts of the stream), each with its own norm (specification §2.7).
    Experts(Experts<'w>),
    /// stream = (stream + rms(result)·norm)·scale.
    Add { branch: Branch, norm: Vector, scale: Option<Vector> },
}

/// What the rows of a layer are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// Consecutive tokens.
    Tokens,
    /// The canvas of a diffusion model, whose layers then have the scalars of the decoder.
    Canvas,
}

/// The tensors of a layer.
pub struct Tensors<'w> {
    weights: &'w Weights,
    i: usize,
}

impl<'w> Tensors<'w> {
    /// Returns those of layer `i`.
    pub fn new(weights: &'w Weights, i: usize) -> Self {
        Self { weights, i }
    }

    /// Returns a vector.
    ///
    /// # Errors
    /// [`PlanError::Missing`] when the model lacks it.
    pub fn vector(&self, name: &'static str) -> Result<Vector, PlanError> {
        let at = self.weights.vector(&format!("blk.{}.{name}", self.i))?;
        Ok(Vector { name, at })
    }

    fn product(&self, projection: Projection, y: Slot) -> Result<Product<'w>, PlanError> {
        let name = Target { layer: self.i, projection }.to_string();
        Ok(Product { projection, matrix: self.weights.require(&name)?, y })
    }

    /// Products of a site: the projections, and where their results go.
    ///
    /// # Errors
    /// [`PlanError::Missing`] when the model lacks one of the matrices.
    pub fn products(
        &self,
        site: Site,
        x: Slot,
        products: &[(Projection, Slot)],
    ) -> Result<Operation<'w>, PlanError> {
        let products = products.iter().map(|&(projection, y)| self.product(projection, y));
        Ok(Operation::Products { site, x, products: products.collect::<Result<_, _>>()? })
    }

    /// Returns the norm of the stream at the beginning of a branch.
    ///
    /// # Errors
    /// As [`Self::vector`].
    pub fn norm(&self, branch: Branch, name: &'static str) -> Result<Operation<'w>, PlanError> {
        let (of, x) = (Slot::Stream(branch), Slot::Normed(branch));
        Ok(Operation::Norm { of, weight: self.vector(name)?, x })
    }

    /// Returns the end of a branch.
    ///
    /// # Errors
    /// As [`Self::vector`].
    pub fn add(
        &self,
        branch: Branch,
        name: &'static str,
        scale: Option<Vector>,
    ) -> Result<Operation<'w>, PlanError> {
        Ok(Operation::Add { branch, norm: self.vector(name)?, scale })
    }

    /// Returns a matrix.
    ///
    /// # Errors
    /// [`PlanError::Missing`] when the model lacks it.
    pub fn matrix(&self, name: &str) -> Result<&'w Matrix, PlanError> {
        self.weights.require(&format!("blk.{}.{name}", self.i))
    }

    /// Gate and up of the experts, `rows` rows each, which are one tensor or two in files.
    ///
    /// # Errors
    /// As [`Self::matrix`].
    pub fn halves(&self, rows: u32) -> Result<[Half<'w>; 2], PlanError> {
        if let Ok(both) = self.matrix("ffn_gate_up_exps") {
            return Ok([0, rows].map(|at| Half { matrix: both, stride: 2 * rows, at }));
        }
        let [gate, up] = [self.matrix("ffn_gate_exps")?, self.matrix("ffn_up_exps")?];
        Ok([gate, up].map(|matrix| Half { matrix, stride: rows, at: 0 }))
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stream(_) => "h",
            Self::Normed(_) => "x",
            Self::Q => "q",
            Self::K => "k",
            Self::V => "v",
            Self::Attention | Self::NormedAttention => "attention",
            Self::Gate | Self::PerLayerGate => "gate",
            Self::Up => "up",
            Self::PerLayerInput => "per_layer_input",
            Self::Activated | Self::PerLayerActivated => "act",
            Self::Result(_) => "y",
        })
    }
}

impl fmt::Display for Operation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PerLayerInput { norm, .. } => {
                write!(f, "per_layer_input = rms(per_layer_model_proj·embedding / √width)·{}", norm.name)
            }
            Self::Norm { of, weight, x } => write!(f, "{x} = rms({of})·{}", weight.name),
            Self::Products { x, products, .. } => {
                for (at, product) in products.iter().enumerate() {
                    let separator = if at == 0 { "" } else { ", " };
                    write!(f, "{separator}{} = {}·{x}", product.y, product.projection.tensor())?;
                }
                Ok(())
            }
            Self::Heads(Heads { kv, q_norm, k_norm, normed_v }) => {
                write!(f, "q = rope(rms(q)·{})", q_norm.name)?;
                if *normed_v && *kv != Kv::Shared {
                    write!(f, ", v = rms({})", if *kv == Kv::OwnVIsK { "k" } else { "v" })?;
                }
                k_norm.map_or(Ok(()), |k_norm| write!(f, ", k = rope(rms(k)·{})", k_norm.name))
            }
            Self::Attend(Mask { window, pictures_whole, canvas, texts }) => {
                f.write_str("attention = attend(q, k, v")?;
                if *window > 0 {
                    write!(f, ", window {window}")?;
                }
                f.write_str(if *pictures_whole { ", pictures whole" } else { "" })?;
                f.write_str(if *texts { ", both sides" } else { "" })?;
                f.write_str(if *canvas { ", canvas whole)" } else { ")" })
            }
            Self::Activate { gate, factor, y } => write!(f, "{y} = gelu({gate})·{factor}"),
            Self::Experts(Experts { dense_norm, result_norm, .. }) => {
                write!(f, "y = rms(y)·{} + rms(experts(h))·{}", dense_norm.name, result_norm.name)
            }
            Self::Add { norm, scale, .. } => {
                write!(f, "h = h + rms(y)·{}", norm.name)?;
                scale.map_or(Ok(()), |scale| write!(f, ", h = h·{}", scale.name))
            }
        }
    }
}
