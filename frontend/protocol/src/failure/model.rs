//! Models that do not work here.

use serde::{Deserialize, Serialize};

use super::{Cause, Failure, Remedy};
use crate::media::Sense;

/// What is wrong with a model or its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ModelFailure {
    /// The file is not GGUF.
    NotGguf,
    /// The file ends before its tensors do.
    Truncated {
        /// Bytes that it has.
        size: u64,
        /// Bytes that are missing.
        missing: u64,
    },
    /// A version of GGUF that is not read.
    GgufVersion {
        /// The version.
        version: u32,
    },
    /// GGUF for big-endian machines.
    BigEndian,
    /// GGUF with something that is not read here.
    UnsupportedHeader,
    /// The bytes of the file contradict one another.
    Damaged,
    /// The file does not say what architecture it is.
    NoArchitecture,
    /// An architecture that is not run.
    Architecture {
        /// `general.architecture`.
        name: String,
    },
    /// A file of the Gemma 4 family that is no language model by itself.
    OtherKind(OtherKind),
    /// It makes no embeddings.
    NotEncoder,
    /// A tensor in a type that is not read.
    TensorType {
        /// The tensor.
        tensor: String,
        /// Its type.
        dtype: String,
    },
    /// The vocabulary has no such token, without which a conversation cannot be written.
    NoToken {
        /// The token.
        token: String,
    },
    /// None of the server's files for it holds a model.
    NoModelFile {
        /// The model.
        name: String,
    },
    /// The projector belongs to another model.
    WrongProjector,
    /// It has no tower for this.
    Lacks(Sense),
    /// The towers are in a form that is not read. Text works.
    TowerUnreadable,
    /// The file has a chat template that is not Gemma's. Prompts have Gemma's format instead.
    ForeignTemplate,
    /// The drafter within the model's file is not used.
    DrafterIncluded,
    /// The drafter cannot be used. The model works without.
    DrafterUnusable,
    /// A picked file that cannot be opened as a model.
    NotOpened {
        /// The file.
        name: String,
        /// Why.
        failure: Box<Failure>,
    },
    /// One of the files that a model was split into.
    Part {
        /// Its number, counted from 1.
        number: u32,
        /// Number of files.
        count: u32,
    },
    /// The file lacks a key or a tensor.
    Incomplete {
        /// Which.
        what: String,
    },
    /// A key or tensor of the file does not suit the others.
    Inconsistent {
        /// Which.
        what: String,
    },
    /// A table has fewer rows than there are tokens.
    FewRows {
        /// The table.
        tensor: String,
        /// Its rows.
        rows: u64,
        /// Tokens of the tokenizer.
        tokens: u64,
    },
    /// The tokenizer in the file cannot be used.
    Tokenizer,
}

/// What a file of the family holds that is no language model by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OtherKind {
    /// A drafter for speculative decoding.
    Drafter,
    /// Towers for pictures and sound alone.
    Projector,
    /// What makes embeddings.
    Encoder,
}

impl ModelFailure {
    pub(super) fn nature(&self) -> (Cause, Vec<Remedy>) {
        let other = || vec![Remedy::OtherModel];
        match self {
            Self::NotGguf
            | Self::Truncated { .. }
            | Self::Damaged
            | Self::NoModelFile { .. }
            | Self::Incomplete { .. }
            | Self::Inconsistent { .. }
            | Self::FewRows { .. }
            | Self::Tokenizer => (Cause::BadFile, other()),
            Self::GgufVersion { .. }
            | Self::BigEndian
            | Self::UnsupportedHeader
            | Self::NoArchitecture
            | Self::Architecture { .. }
            | Self::OtherKind(_)
            | Self::NotEncoder
            | Self::TensorType { .. }
            | Self::NoToken { .. }
            | Self::WrongProjector
            | Self::Part { .. }
            | Self::Lacks(_) => (Cause::Unsupported, other()),
            Self::TowerUnreadable | Self::ForeignTemplate | Self::DrafterIncluded | Self::DrafterUnusable => {
                (Cause::Unsupported, Vec::new())
            }
            // The file was not taken, so there is nothing to do about it but to close the message.
            Self::NotOpened { failure, .. } => (failure.cause(), Vec::new()),
        }
    }
}
