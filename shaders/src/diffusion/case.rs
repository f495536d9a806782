//! What the self-test cases of diffusion have in common.

use crate::case::{LEN, random};

/// Pieces of the tile, and how many come before it.
pub(super) const PIECES: u32 = 2500;
pub(super) const BEFORE: u32 = 64;
pub(super) const SOFTCAP: f32 = 30.0;
pub(super) const TEMPERATURE: f32 = 0.6;

/// Raw logits: far apart, so that some probabilities are next to nothing.
pub(super) fn logits() -> Vec<f32> {
    random(83, (LEN * PIECES) as usize).into_iter().map(|v| 40.0 * v).collect()
}
