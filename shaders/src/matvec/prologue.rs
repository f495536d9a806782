//! How a kernel computes x: `wgsl/matvec/prologue/`.

use super::Params;
use crate::Defines;

/// Maximum of heads × splits in the merge prologue: 32 heads with 32 splits.
pub(super) const MAX_SPLIT_WEIGHTS: u32 = 1024;

/// Elements of x staged at a time, if the prologue does not need all of them.
const TILE: u32 = 2048;

/// How a kernel computes x.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Prologue {
    /// x is the input.
    Plain,
    /// x = rms(in; w2).
    Norm,
    /// h' = (in + rms(branch; w1))·s is written; x = rms(h'; w2), or h' itself.
    Add {
        /// Whether x is normed.
        norm: bool,
    },
    /// x is merged from the partial results of `attention/decode.wgsl`.
    Merge,
}

impl Prologue {
    /// Name of the file.
    const fn file(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Norm => "norm",
            Self::Add { .. } => "add",
            Self::Merge => "merge",
        }
    }

    /// Returns the part of the kernel's name.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Add { norm: true } => "add_norm",
            _ => self.file(),
        }
    }

    /// Sets the defines of the template.
    pub(super) fn define(self, defines: Defines) -> Defines {
        defines
            .set("PROLOGUE", self.file())
            .set("NORMED", self == Self::Add { norm: true })
            .set("MERGED", self == Self::Merge)
            .set("WEIGHTS", MAX_SPLIT_WEIGHTS)
    }

    /// Elements of x, of `k`, that are staged at a time. A norm needs all of them.
    pub(super) fn tile(self, k: u32) -> u32 {
        match self {
            Self::Plain | Self::Merge => k.min(TILE),
            Self::Norm | Self::Add { .. } => k,
        }
    }

    /// Bytes of workgroup memory in addition to x.
    pub(super) const fn workgroup_bytes(self) -> u32 {
        match self {
            Self::Merge => MAX_SPLIT_WEIGHTS * 4,
            _ => 0,
        }
    }
}

/// Offsets in the layer's vectors, in elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Norms {
    /// Weights of the branch norm.
    pub branch: u32,
    /// Weights of the input norm.
    pub input: u32,
    /// The scalar s, if any.
    pub scale: Option<u32>,
    /// ε of every norm.
    pub eps: f32,
}

/// How `attention/decode.wgsl` split the keys; see `wgsl/shared/splits.wgsl`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merge {
    /// Elements per head.
    pub head_dim: u32,
    /// Maximum number of splits.
    pub max_splits: u32,
    /// Minimum number of keys per split.
    pub min_split_keys: u32,
    /// Attention window in keys; 0: unlimited.
    pub window: u32,
}

impl Params {
    /// Sets the offsets of the norms.
    pub fn with_norms(mut self, norms: Norms) -> Self {
        let Norms { branch, input, scale, eps } = norms;
        (self.branch_norm, self.input_norm) = (branch, input);
        (self.scale_at, self.eps) = (scale.unwrap_or(u32::MAX), eps);
        self
    }

    /// Sets how attention was split.
    pub fn with_merge(mut self, merge: Merge) -> Self {
        (self.head_dim, self.window) = (merge.head_dim, merge.window);
        (self.max_splits, self.min_split_keys) = (merge.max_splits, merge.min_split_keys);
        self
    }
}
