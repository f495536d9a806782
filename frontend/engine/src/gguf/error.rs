//! Errors of a GGUF file.

use crate::bytes::SourceError;

/// Why a header cannot be used. The message is for users: it has names and numbers.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum GgufError {
    /// The bytes could not be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The magic number is wrong.
    #[error("This is not a GGUF file: it begins with {}.", show_magic(*.found))]
    NotGguf { found: [u8; 4] },
    /// An unsupported version.
    #[error("This GGUF file has version {version}. Versions 2 and 3 can be read.")]
    Version { version: u32 },
    /// Written by a big-endian machine.
    #[error("This GGUF file was written for big-endian machines and cannot be read here.")]
    BigEndian,
    /// The file ends in the header.
    #[error(
        "The file is cut short: it ends after {file_size} bytes, inside its header (while reading {what})."
    )]
    HeaderCut { what: &'static str, file_size: u64 },
    /// The file ends in the tensor data.
    #[error(
        "The file is cut short: {missing} bytes are missing. It has {file_size} bytes and its tensors need {needed}."
    )]
    Truncated { missing: u64, file_size: u64, needed: u64 },
    /// A count or size above the limit of any real file.
    #[error("The header is not plausible: {what} would be {value}, and at most {limit} is accepted.")]
    TooMany { what: &'static str, value: u64, limit: u64 },
    /// A count or size that exceeds the file.
    #[error(
        "The header contradicts the file: {what} would be {value}, more than the {available} bytes left can hold."
    )]
    Overfull { what: &'static str, value: u64, available: u64 },
    /// A string that is not UTF-8.
    #[error("The header is broken: {what} is not valid text (\u{ab}{text}\u{bb}).")]
    NotText { what: &'static str, text: String },
    /// A value type outside the format.
    #[error("The header is broken: \u{ab}{key}\u{bb} has the unknown value type {value_type}.")]
    UnknownValueType { key: String, value_type: u32 },
    /// Arrays inside one another, deeper than the limit.
    #[error(
        "The header is not supported: \u{ab}{key}\u{bb} has more arrays inside one another than are read."
    )]
    NestedArray { key: String },
    /// A key that occurs twice.
    #[error("The header is broken: the key \u{ab}{key}\u{bb} occurs twice.")]
    DuplicateKey { key: String },
    /// A tensor that occurs twice.
    #[error("The header is broken: the tensor \u{ab}{tensor}\u{bb} occurs twice.")]
    DuplicateTensor { tensor: String },
    /// Zero, not a power of two, or too large.
    #[error("The header is broken: its alignment is {found}, which is not a power of two up to {limit}.")]
    BadAlignment { found: String, limit: u32 },
    /// More dimensions than the format allows.
    #[error("The header is broken: the tensor \u{ab}{tensor}\u{bb} has {dimensions} dimensions.")]
    TooManyDimensions { tensor: String, dimensions: u32 },
    /// A dimension of zero, or a product that overflows.
    #[error("The header is broken: the tensor \u{ab}{tensor}\u{bb} has the impossible shape {shape:?}.")]
    BadShape { tensor: String, shape: Vec<u64> },
    /// The contiguous dimension is not a whole number of blocks.
    #[error(
        "The header is broken: rows of the tensor \u{ab}{tensor}\u{bb} have {row} elements, which is no multiple of \
         the {block} that a block of {dtype} has."
    )]
    PartialBlock { tensor: String, row: u64, block: u64, dtype: &'static str },
    /// An offset that is not a multiple of the alignment.
    #[error(
        "The header is broken: the tensor \u{ab}{tensor}\u{bb} begins at offset {offset}, which is no multiple of \
         {alignment}."
    )]
    Misaligned { tensor: String, offset: u64, alignment: u32 },
    /// Two tensors that share bytes.
    #[error("The header is broken: the tensors \u{ab}{first}\u{bb} and \u{ab}{second}\u{bb} overlap.")]
    Overlap { first: String, second: String },
    /// A tensor that the model requires.
    #[error("The file has no tensor \u{ab}{tensor}\u{bb}.")]
    MissingTensor { tensor: String },
}

/// Four bytes as text where they are printable, else as numbers.
fn show_magic(found: [u8; 4]) -> String {
    if found.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ') {
        format!("\u{ab}{}\u{bb}", found.escape_ascii())
    } else {
        format!("the bytes {found:02x?}")
    }
}
