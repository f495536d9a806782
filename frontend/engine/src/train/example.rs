//! What is learned from.

use crate::media::{Block, Input};

/// The label of a token that is not learned.
pub const MASKED: i32 = -100;

/// One sequence of tokens, some of which may be slots that a picture or a sound fills.
#[derive(Clone, Debug, Default)]
pub struct Example {
    /// Token ids, and the blocks of slots. Their soft tokens come from a [`SoftTokenStore`](super::SoftTokenStore).
    pub input: Input,
    /// For each id: itself where it is to be learned, [`MASKED`] elsewhere. The first is never learned, for nothing
    /// stands before it, and neither is a slot.
    pub labels: Vec<i32>,
}

impl Example {
    /// A sequence without media.
    #[must_use]
    pub fn text(ids: Vec<u32>, labels: Vec<i32>) -> Self {
        Self { input: ids.into(), labels }
    }

    /// Its ids; slots of media included.
    #[must_use]
    pub fn ids(&self) -> &[u32] {
        self.input.ids()
    }

    /// Its pictures and sounds, in order.
    #[must_use]
    pub fn blocks(&self) -> &[Block] {
        self.input.blocks()
    }

    /// Tokens that are learned.
    #[must_use]
    pub fn learned(&self) -> usize {
        self.labels.iter().skip(1).filter(|&&label| label >= 0).count()
    }

    /// The first slot that has a label, if one has.
    pub(super) fn learned_slot(&self) -> Option<u32> {
        let mut slots = self.blocks().iter().flat_map(Block::range);
        slots.find(|&slot| self.labels.get(slot as usize).is_some_and(|&label| label >= 0))
    }
}
