//! What becomes of the products: `wgsl/matvec/epilogue/`.

use crate::Defines;

/// What becomes of the products.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Epilogue {
    /// y = W·x, for one to three matrices that share x.
    Store,
    /// y = gelu_tanh(W0·x)·(W1·x).
    Geglu,
    /// y = gelu_tanh(W·x)·ple.
    Ple,
    /// z of adapters: y = W·x, each row times the scale of its adapter.
    Shrink {
        /// Whether x is written out, so that the product with the weights needs no prologue.
        keep: bool,
    },
}

impl Epilogue {
    /// The name of its file.
    const fn file(self) -> &'static str {
        match self {
            Self::Store => "store",
            Self::Geglu => "geglu",
            Self::Ple => "ple",
            Self::Shrink { .. } => "shrink",
        }
    }

    /// Its part of a kernel's name.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Shrink { keep: true } => "shrink_keep",
            _ => self.file(),
        }
    }

    /// What its text is expanded with.
    pub(super) fn define(self, defines: Defines) -> Defines {
        defines
            .set("EPILOGUE", self.file())
            .set("PAIR", self.is_pair())
            .set("KEEP", self == Self::Shrink { keep: true })
    }

    /// Whether a row is that of two matrices.
    pub(super) const fn is_pair(self) -> bool {
        matches!(self, Self::Geglu)
    }
}
