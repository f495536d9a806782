//! Images and audio in a prompt: blocks of soft tokens, which replace embeddings.
//!
//! A tower computes the [`SoftTokens`] of a file. A prompt is an [`Input`]: token ids, in which runs of slots are
//! [`Block`]s. The number of slots of a medium is known before it is encoded, so a prompt can be counted and
//! compared with the cache without a tower. Only blocks that are not in the cache need their soft tokens.

mod error;
mod input;
mod on_demand;
mod soft_tokens;

pub use error::MediaError;
pub use input::{Block, Input};
pub use on_demand::OnDemand;
pub use soft_tokens::{ContentHash, Media, Medium, SoftTokens};
