//! Sampling on the device: from logits to the next token.
//!
//! There are two or three dispatches for all rows of a step. `top_k` adjusts each slice of the logits (softcap,
//! penalties, suppression) and keeps its best candidates. `merge_lists` merges the lists of a large vocabulary. `sample`
//! chooses a token for each row, up to the first wrong draft, and updates the [`State`](crate::state::State), the input
//! token, the output ring and the history of tokens.

pub(crate) mod case;
pub mod draft;
mod launcher;
pub mod look_up;
pub mod mask;
mod params;
mod settings;
pub mod twin;

pub use launcher::{MergeLists, Sample, TopK};
pub use params::{Params, Sampling};
pub use settings::{Candidates, MAX_RECENT, MAX_SUPPRESSED, Settings};

/// The id that is returned if no logit is finite.
pub const NOTHING: u32 = u32::MAX;
