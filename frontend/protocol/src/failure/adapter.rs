//! LoRA adapters that cannot be used.

use serde::{Deserialize, Serialize};

use super::{Cause, Remedy};

/// Why an adapter cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AdapterFailure {
    /// It was opened for the model before, or closed meanwhile.
    NotOpen {
        /// Its key.
        key: String,
    },
    /// It is not kept in this browser any more.
    NotKept,
    /// Weights of PEFT without their configuration, or the other way round.
    Incomplete,
    /// Several adapters of PEFT at once: nobody knows which files belong together.
    SeveralAtOnce,
    /// The model has to be loaded first.
    NeedsModel {
        /// Names of the files.
        names: Vec<String>,
    },
    /// A file of another kind.
    NotAnAdapter,
    /// The configuration is too large to be one.
    ConfigTooLarge {
        /// Name of its file.
        file: String,
    },
    /// A broken file.
    Damaged,
    /// For another architecture.
    Architecture {
        /// Which.
        name: String,
    },
    /// It uses something that is not done here.
    Unsupported,
    /// A tensor in a type that is not read.
    TensorType {
        /// The tensor.
        tensor: String,
        /// Its type.
        dtype: String,
    },
    /// A rank of 0, or too large.
    Rank {
        /// The rank.
        rank: u64,
        /// The largest.
        most: u32,
    },
    /// It does not fit the model that is loaded.
    OtherModel,
    /// Its weights are not finite.
    NotFinite,
    /// More adapters at once than are taken.
    TooMany {
        /// The most.
        most: u32,
        /// The most that their ranks may add up to.
        ranks: u32,
    },
    /// Its files could not be written.
    NotWritten,
    /// Its tensors or its configuration don't go together.
    Inconsistent,
}

impl AdapterFailure {
    pub(super) fn nature(&self) -> (Cause, Vec<Remedy>) {
        let cause = match self {
            Self::NotOpen { .. }
            | Self::NotKept
            | Self::Incomplete
            | Self::SeveralAtOnce
            | Self::NeedsModel { .. }
            | Self::TooMany { .. } => Cause::Invalid,
            Self::NotAnAdapter
            | Self::ConfigTooLarge { .. }
            | Self::Damaged
            | Self::Inconsistent
            | Self::NotFinite => Cause::BadFile,
            Self::Architecture { .. }
            | Self::Unsupported
            | Self::TensorType { .. }
            | Self::Rank { .. }
            | Self::OtherModel => Cause::Unsupported,
            Self::NotWritten => Cause::Internal,
        };
        (cause, Vec::new())
    }
}
