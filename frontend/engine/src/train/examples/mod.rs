//! Training examples: from files to token ids with labels.
//!
//! A file is JSON (one object per line, or one array) or a table (CSV). A row of JSON is a chat, a prompt with an
//! answer, or ids with labels: see [`RowKind`]. A row may say which of its answers count. It may name media files
//! ([`Named`]), which the caller finds and inspects. Rows become conversations, which the template converts to ids
//! ([`encode`]). A row that cannot be used is a [`Problem`] with its line number; the others are kept.
//!
//! Labels follow the specification (`GEMMA4.md`, training): tokens that the model would generate are targets,
//! including the token that ends its turn; all others are [`MASKED`](super::MASKED). `labels[t]` belongs to
//! `ids[t]`.

mod counts;
mod decode;
mod encode;
mod fields;
mod messages;
mod named;
mod parsed;
mod problem;
mod read;
mod records;
mod row;
mod rows;
mod split;
mod table;
mod tools;

pub use decode::{NotUnicode, decode};
pub use encode::{encode, encode_conversation};
pub use parsed::{Columns, Format, Head, Parsed};
pub use problem::{FieldFault, JsonFault, Problem, Reason};
pub use read::read;
pub use row::{Content, Named, Row};
pub use rows::RowKind;
pub use split::split;

/// Maximum number of rows per file.
pub const MAX_ROWS: usize = 100_000;
/// Maximum size of a row in bytes: ids and labels of the longest context take less.
pub const MAX_ROW_BYTES: usize = 2 << 20;
