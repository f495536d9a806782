//! Pictures and sound in a prompt: blocks of soft tokens, which stand in place of embeddings.
//!
//! A tower makes [`SoftTokens`] of a file. A prompt is an [`Input`]: token ids, of which runs of slots are [`Block`]s.
//! How many slots a medium needs is known before it is encoded, so a prompt can be counted, and compared with what the
//! cache holds, without a tower; only blocks that have to be read need their rows.

mod error;
mod input;
mod soft_tokens;

pub use error::MediaError;
pub use input::{Block, Input};
pub use soft_tokens::{ContentHash, Media, Medium, SoftTokens};
