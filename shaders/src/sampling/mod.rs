//! From logits to the next token, without a word from the CPU.
//!
//! Two or three dispatches: `top_k` adjusts each slice of the logits (softcap, penalties, suppression) and keeps its
//! best candidates, `merge_lists` folds many lists into few when the vocabulary is large, and `sample` draws a token
//! and advances the [`State`](crate::state::State), the input token, the output ring and the ring of recent tokens.

mod launcher;
mod settings;
pub mod twin;

pub use launcher::{Params, Sampling};
pub use settings::{Candidates, MAX_RECENT, MAX_SUPPRESSED, Settings};

/// What is drawn where no logit is a finite number.
pub const NOTHING: u32 = u32::MAX;
