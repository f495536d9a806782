//! GGUF: header, metadata, tensor table. Reading versions 2 and 3 ([`Header`]), and writing version 3 ([`Writer`]).
//!
//! Layout of a file, all little endian: `GGUF`, u32 version, u64 number of tensors, u64 number of metadata pairs, the
//! pairs, the tensor table, then the tensors' data from the next multiple of `general.alignment`. Source: the format
//! description of the GGML project, and the constants of its `gguf.h`.
//!
//! Headers may be hostile. Every count and length is checked against the remaining size of the file before memory
//! is allocated, and against [`limits`].

mod error;
mod family;
mod header;
pub mod metadata;
mod reader;
mod summary;
mod tensor;
mod value;
mod writer;

pub use error::GgufError;
pub use family::{EMBEDDING, EMBEDDING2, Family};
pub use header::{Header, Part};
pub use metadata::{Metadata, StringArray, Value, WrongType};
pub use summary::{Summary, TypeShare, summary};
pub use tensor::{DTypeId, TensorInfo};
pub use writer::{TensorSpec, WriteError, WriteValue, Writer};

/// The first four bytes of a file.
const MAGIC: [u8; 4] = *b"GGUF";

/// The default of `general.alignment`.
const DEFAULT_ALIGNMENT: u32 = 32;

/// The key that sets the alignment of tensor data.
const ALIGNMENT_KEY: &str = "general.alignment";

/// Limits of headers. They are far above any published file (the largest headers have half a million merges and 15
/// to 30 MB), and low enough that no header can fill a worker's memory.
pub mod limits {
    /// Bytes of the whole header.
    pub const HEADER_BYTES: u64 = 64 << 20;
    /// Metadata pairs.
    pub const PAIRS: u64 = 1 << 16;
    /// Arrays inside one another. Only skipped values have them.
    pub const NESTING: usize = 8;
    /// Elements of all metadata arrays together, those that are skipped too.
    pub const ARRAY_ELEMENTS: u64 = 6 << 20;
    /// Bytes of one string value: chat templates are the longest, with tens of kilobytes.
    pub const STRING_BYTES: u64 = 4 << 20;
    /// Bytes of a key or tensor name, as the format has it.
    pub const NAME_BYTES: u64 = (1 << 16) - 1;
    /// Tensors.
    pub const TENSORS: u64 = 1 << 16;
    /// Dimensions of a tensor, as in GGML.
    pub const DIMENSIONS: u32 = 4;
    /// The largest alignment.
    pub const ALIGNMENT: u32 = 1 << 16;
}
