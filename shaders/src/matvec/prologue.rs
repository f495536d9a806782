//! What makes the x of a product: `wgsl/matvec/prologue/`.

use super::Params;
use crate::Defines;

/// Heads times splits that the merging prologue has room to weigh: 32 heads of 32 splits.
pub(super) const MAX_SPLIT_WEIGHTS: u32 = 1024;

/// Elements of x staged at a time where the prologue does not need all of them.
const TILE: u32 = 2048;

/// Where x comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Prologue {
    /// x is the input.
    Plain,
    /// x = rms(in; w2).
    Norm,
    /// h' = (in + rms(branch; w1))·s is written out; x = rms(h'; w2), or h' itself.
    Add {
        /// Whether x is the norm of h'.
        norm: bool,
        /// Whether the branch is the sum of two, each with a norm of its own: a dense one and that of the experts,
        /// one after the other in its buffer.
        mix: bool,
    },
    /// x is merged from the partial results of `attention/decode.wgsl`.
    Merge,
}

impl Prologue {
    /// The name of its file.
    const fn file(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Norm => "norm",
            Self::Add { .. } => "add",
            Self::Merge => "merge",
        }
    }

    /// Its part of a kernel's name.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Add { norm: true, mix: false } => "add_norm",
            Self::Add { norm: true, mix: true } => "mix_norm",
            Self::Add { norm: false, mix: true } => "mix",
            _ => self.file(),
        }
    }

    /// What its text is expanded with.
    pub(super) fn define(self, defines: Defines) -> Defines {
        defines
            .set("PROLOGUE", self.file())
            .set("NORMED", matches!(self, Self::Add { norm: true, .. }))
            .set("MIX", matches!(self, Self::Add { mix: true, .. }))
            .set("MERGED", self == Self::Merge)
            .set("WEIGHTS", MAX_SPLIT_WEIGHTS)
    }

    /// Elements of an x of `k` elements that it stages at a time. A norm needs all of them.
    pub(super) fn tile(self, k: u32) -> u32 {
        match self {
            Self::Plain | Self::Merge => k.min(TILE),
            Self::Norm | Self::Add { .. } => k,
        }
    }

    /// Bytes of workgroup memory beside x.
    pub(super) const fn workgroup_bytes(self) -> u32 {
        match self {
            Self::Merge => MAX_SPLIT_WEIGHTS * 4,
            _ => 0,
        }
    }
}

/// Offsets into the layer's vectors, in elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Norms {
    /// Weights of the branch's norm.
    pub branch: u32,
    /// Weights of the norm that makes x.
    pub input: u32,
    /// The scalar s, if there is one.
    pub scale: Option<u32>,
    /// ε of every norm.
    pub eps: f32,
}

/// How `attention/decode.wgsl` cut the keys; see `wgsl/shared/splits.wgsl`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merge {
    /// Elements of a head.
    pub head_dim: u32,
    /// Most splits.
    pub most: u32,
    /// Smallest run of keys.
    pub smallest: u32,
    /// Visible keys; 0 for all.
    pub window: u32,
}

impl Params {
    /// Sets the norms of the prologue.
    #[must_use]
    pub fn with_norms(mut self, norms: Norms) -> Self {
        let Norms { branch, input, scale, eps } = norms;
        (self.branch_norm, self.input_norm) = (branch, input);
        (self.scale_at, self.eps) = (scale.unwrap_or(u32::MAX), eps);
        self
    }

    /// Sets how the attention was cut.
    #[must_use]
    pub fn with_merge(mut self, merge: Merge) -> Self {
        (self.head_dim, self.window) = (merge.head_dim, merge.window);
        (self.most_splits, self.smallest_run) = (merge.most, merge.smallest);
        self
    }
}
