//! The graphics device.

use serde::{Deserialize, Serialize};

use super::{Cause, Remedy};

/// Why there is no graphics device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NoGpu {
    /// The page came over a connection that the browser does not trust.
    InsecureContext,
    /// The browser has no WebGPU, or it is switched off.
    NoWebGpu,
    /// WebGPU is there and gives no adapter.
    NoAdapter,
    /// The adapter gives no device.
    NoDevice,
}

/// What is wrong with the graphics device, or too much for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DeviceFailure {
    /// There is none.
    None(NoGpu),
    /// It was lost twice without anything going well in between.
    LostTwice,
    /// It has run out of memory.
    OutOfMemory {
        /// Bytes that this engine already holds.
        in_use: u64,
        /// Bytes asked for.
        requested: u64,
        /// A context that may fit, in tokens.
        shorter_context: Option<u32>,
    },
    /// A buffer is larger than the device allows.
    BufferTooLarge {
        /// What it was for.
        buffer: String,
        /// Its bytes.
        needed: u64,
        /// The most that the device allows.
        limit: u64,
    },
    /// The model needs more memory than the device is taken to have.
    ModelTooLarge {
        /// Bytes needed with the shortest useful context.
        needed: u64,
        /// Bytes that the device is taken to offer.
        available: u64,
    },
    /// A part of the model must be in ordinary memory, which the user has to allow.
    NeedsHostMemory {
        /// Bytes of that part.
        bytes: u64,
    },
    /// The memory that was chosen for experts does not hold those of a token.
    ExpertMemory {
        /// Bytes that were chosen.
        asked: u64,
        /// Bytes that those of a token take.
        least: u64,
    },
    /// It has less memory than it was taken to have, so fewer experts got a place. The model works.
    FewerExperts {
        /// Bytes for experts.
        held: u64,
        /// Bytes that all of them take.
        all: u64,
    },
    /// It has less memory than it was taken to have, so a part of the model is stored in less of it. The model works.
    Saved(MemorySaving),
    /// It took no more of the weights.
    UploadRefused,
    /// It refused a kernel.
    KernelRefused {
        /// The kernel.
        kernel: String,
    },
    /// It reported another error.
    Fault,
}

/// How graphics memory was saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MemorySaving {
    /// The per-layer embeddings are stored in 8 bits.
    TableInEightBits,
    /// The per-layer embeddings are outside of graphics memory.
    TableOutside,
    /// Keys and values are stored in 8 bits.
    CacheInEightBits,
}

impl DeviceFailure {
    pub(super) fn nature(&self) -> (Cause, Vec<Remedy>) {
        use Remedy as R;
        match self {
            Self::None(_) => (Cause::NoGpu, vec![R::EnableWebGpu]),
            Self::LostTwice => (Cause::DeviceLost, vec![R::Retry, R::ReloadPage]),
            Self::OutOfMemory { shorter_context, .. } => {
                let shorter = shorter_context.map(R::SmallerContext);
                (Cause::OutOfMemory, shorter.into_iter().chain([R::OtherModel]).collect())
            }
            Self::BufferTooLarge { .. } | Self::ModelTooLarge { .. } => {
                (Cause::OutOfMemory, vec![R::OtherModel])
            }
            Self::NeedsHostMemory { bytes } => {
                (Cause::OutOfMemory, vec![R::UseMemory(*bytes), R::OtherModel])
            }
            Self::ExpertMemory { .. } => (Cause::Invalid, vec![R::OtherModel]),
            Self::FewerExperts { .. } | Self::Saved(_) => (Cause::OutOfMemory, Vec::new()),
            Self::UploadRefused => (Cause::OutOfMemory, vec![R::Retry, R::OtherModel]),
            Self::KernelRefused { .. } => (Cause::Internal, vec![R::ReloadPage]),
            Self::Fault => (Cause::Internal, vec![R::ReloadPage, R::Retry]),
        }
    }
}
