//! Examples to learn from: text of a person's to token ids with labels.
//!
//! A file is JSON (one object a line, or one array), or a table (CSV). A row of JSON is a chat, a pair of prompt and
//! answer, or ids with labels: see [`RowKind`]. It may name files with pictures and sound ([`Named`]), which the caller finds
//! and looks at. Rows become conversations, and these the template's ids
//! ([`encode`]). A row that cannot be used is a [`Problem`] with the number of its line; the others stay.
//!
//! Labels follow the specification (`GEMMA4.md`, training): what the model would write itself is learned, the token
//! that ends its turn included; everything else has [`MASKED`](super::MASKED). `labels[t]` belongs to `ids[t]`.

mod encode;
mod named;
mod parsed;
mod problem;
mod read;
mod row;
mod rows;
mod split;
mod table;

pub use encode::{encode, encode_conversation};
pub use parsed::{Columns, Format, Parsed};
pub use problem::{FieldFault, JsonFault, Problem, Reason};
pub use read::read;
pub use row::{Content, Named, Row};
pub use rows::RowKind;
pub use split::split;

/// Rows of one file at most.
pub const MOST_ROWS: usize = 100_000;
/// Bytes of one row at most: ids and labels of the longest context take less.
pub const MOST_ROW_BYTES: usize = 2 << 20;
