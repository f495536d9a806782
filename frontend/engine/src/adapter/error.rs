//! Errors of an adapter.

use crate::bytes::SourceError;
use crate::gguf::{GgufError, WriteError};

/// Why an adapter cannot be used. The message is for users: it has names and numbers.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum AdapterError {
    /// The bytes could not be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A broken GGUF header.
    #[error(transparent)]
    Gguf(#[from] GgufError),
    /// A GGUF file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A broken header of a safetensors file.
    #[error("this is no whole safetensors file: {reason}")]
    Safetensors { reason: String },
    /// A broken `adapter_config.json`.
    #[error("adapter_config.json cannot be read: {reason}")]
    Config { reason: String },
    /// The file is of another kind.
    #[error("this is no LoRA adapter: {reason}")]
    NotAnAdapter { reason: String },
    /// The adapter is for another architecture.
    #[error(
        "the adapter is for the architecture {found:?}; gemtab runs Gemma 4 and Gemma 3 (gemma4, gemma3)"
    )]
    Architecture { found: String },
    /// A feature of adapters that is not supported.
    #[error("the adapter uses {what}, which gemtab does not support")]
    Unsupported { what: String },
    /// A storage type that is not supported.
    #[error("{tensor} is stored as {dtype}, which gemtab does not read")]
    Storage { tensor: String, dtype: String },
    /// A factor A without B, or B without A.
    #[error("{tensor} has no partner: a correction needs both A and B")]
    Unpaired { tensor: String },
    /// The adapter changes nothing in this model.
    #[error("the adapter has no weights for any projection of this model")]
    Empty,
    /// A rank of zero, or above the limit.
    #[error("{tensor} has rank {rank}; gemtab takes ranks from 1 to {most}")]
    Rank { tensor: String, rank: u64, most: u32 },
    /// A tensor whose shape does not match the model or the other factor. Shapes are row-major: rows, columns.
    #[error("{tensor} has the shape {found:?}, but {expected:?} is needed: the adapter is for another model")]
    Shape { tensor: String, found: Vec<u64>, expected: Vec<u64> },
    /// The factors of experts that are not stacked by the rank that the configuration has.
    #[error(
        "{tensor} has {size} rows or columns for all experts, which the rank {rank} of adapter_config.json does not divide"
    )]
    Stack { tensor: String, size: u64, rank: u32 },
    /// The file has factors for other parameters of experts than the configuration names.
    #[error(
        "{module} has factors for {found} parameters, but target_parameters in adapter_config.json names {named} of them"
    )]
    Parameters { module: String, found: usize, named: usize },
    /// The model does not have the projection.
    #[error("the adapter corrects {tensor}, which this model does not have")]
    NoProjection { tensor: String },
    /// NaN or infinity in the weights or in a scale.
    #[error("{tensor} holds numbers that are not finite: the adapter is damaged, or its training failed")]
    NotFinite { tensor: String },
    /// Two corrections of the same projection.
    #[error("the adapter corrects {tensor} twice")]
    Twice { tensor: String },
    /// More adapters, or a larger total rank, than a session supports.
    #[error("at most {most} adapters can be open at once, whose ranks add up to at most {ranks}")]
    TooMany { most: usize, ranks: u32 },
}
