//! What a kernel does with the dot products: `wgsl/matvec/epilogue/`.

use crate::Defines;

/// What a kernel does with the dot products.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Epilogue {
    /// y = W·x, for one to three matrices with the same x.
    Store,
    /// y = gelu_tanh(W0·x)·(W1·x).
    Geglu,
    /// y = gelu_tanh(W·x)·ple.
    Ple,
    /// z of the adapters: y = A·x, each row multiplied by the scale of its adapter.
    Shrink {
        /// Whether x is written too, so that the product with the weights needs no prologue.
        keep: bool,
    },
}

impl Epilogue {
    /// Name of the file.
    const fn file(self) -> &'static str {
        match self {
            Self::Store => "store",
            Self::Geglu => "geglu",
            Self::Ple => "ple",
            Self::Shrink { .. } => "shrink",
        }
    }

    /// Returns the part of the kernel's name.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Shrink { keep: true } => "shrink_keep",
            _ => self.file(),
        }
    }

    /// Sets the defines of the template.
    pub(super) fn define(self, defines: Defines) -> Defines {
        defines
            .set("EPILOGUE", self.file())
            .set("PAIR", self.is_pair())
            .set("KEEP", self == Self::Shrink { keep: true })
    }

    /// Returns whether each output row needs a row of two matrices.
    pub(super) const fn is_pair(self) -> bool {
        matches!(self, Self::Geglu)
    }
}
