//! Everything that can end a load or an answer.

use crate::adapter::AdapterError;
use crate::audio::AudioError;
use crate::bytes::SourceError;
use crate::gguf::GgufError;
use crate::gpu::GpuError;
use crate::media::MediaError;
use crate::model::{ConfigError, RowError, StepError, TensorError};
use crate::template::PromptError;
use crate::tokenizer::TokenizerError;
use crate::vision::PictureError;
use crate::weights::LoadError;

/// Why a load or an answer ended early.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The file could not be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The header is broken.
    #[error(transparent)]
    Gguf(#[from] GgufError),
    /// The metadata is of another model, or contradicts itself.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A tensor is missing or wrong.
    #[error(transparent)]
    Tensor(#[from] TensorError),
    /// The tokenizer cannot be built.
    #[error(transparent)]
    Tokenizer(#[from] TokenizerError),
    /// The prompt cannot be written with this vocabulary.
    #[error(transparent)]
    Prompt(#[from] PromptError),
    /// Weights could not be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The device.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// A row of the per-layer embeddings could not be had.
    #[error(transparent)]
    Row(#[from] RowError),
    /// Media that do not fit the prompt or the model.
    #[error(transparent)]
    Media(#[from] MediaError),
    /// A sound that cannot be encoded.
    #[error(transparent)]
    Audio(AudioError),
    /// A picture that cannot be read.
    #[error(transparent)]
    Picture(#[from] PictureError),
    /// An adapter cannot be used.
    #[error(transparent)]
    Adapter(#[from] AdapterError),
    /// The vocabulary of the tokenizer is larger than the embedding has rows.
    #[error("the tokenizer has {pieces} pieces, but token_embd.weight has only {rows} rows")]
    Vocabulary {
        /// Pieces of the tokenizer.
        pieces: usize,
        /// Rows of the embedding.
        rows: u32,
    },
    /// The model needs more memory than the device is taken to have.
    #[error("the model needs {needed} bytes of graphics memory; this device is taken to have {available}")]
    TooLarge {
        /// Bytes needed with the shortest useful context.
        needed: u64,
        /// Bytes assumed.
        available: u64,
    },
    /// The device has no room for the per-layer table, and no copy of it is on this machine.
    #[error(
        "the device has no room for the per-layer embeddings: {bytes} bytes of them need a place on this machine"
    )]
    NoTable {
        /// Bytes of the table.
        bytes: u64,
    },
    /// The prompt fills the context.
    #[error("the conversation takes {tokens} tokens; the context holds {context}")]
    ContextFull {
        /// Tokens of the prompt.
        tokens: u32,
        /// Tokens that the context holds.
        context: u32,
    },
    /// A token that the vocabulary lacks.
    #[error("there is no token {id}: the vocabulary has {vocabulary}")]
    NoToken {
        /// The id.
        id: u32,
        /// Pieces of the vocabulary.
        vocabulary: u32,
    },
    /// What the model computed is nothing that a token could be drawn from.
    #[error("no logit of the model is a finite number")]
    NotNumbers,
    /// Nothing to answer.
    #[error("the prompt is empty")]
    Empty,
}

impl From<AudioError> for EngineError {
    fn from(error: AudioError) -> Self {
        match error {
            AudioError::Tensor(error) => Self::Tensor(error),
            AudioError::Load(error) => Self::Load(error),
            AudioError::Gpu(error) => Self::Gpu(error),
            error => Self::Audio(error),
        }
    }
}

impl From<StepError> for EngineError {
    fn from(error: StepError) -> Self {
        match error {
            StepError::Gpu(error) => Self::Gpu(error),
            StepError::Row(error) => Self::Row(error),
            StepError::Media(error) => Self::Media(error),
        }
    }
}

impl EngineError {
    /// Whether a person stopped it.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        matches!(
            self,
            Self::Source(SourceError::Cancelled)
                | Self::Load(LoadError::Source(SourceError::Cancelled))
                | Self::Row(RowError::Source(SourceError::Cancelled))
        )
    }

    /// Whether the device has gone.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        matches!(self, Self::Gpu(GpuError::Lost { .. }) | Self::Load(LoadError::Gpu(GpuError::Lost { .. })))
    }
}
