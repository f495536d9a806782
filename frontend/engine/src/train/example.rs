//! Training examples.

use crate::media::{Block, Input};

/// The label of a token without a target.
pub const MASKED: i32 = -100;

/// A sequence of tokens, possibly with slots for media.
#[derive(Clone, Debug, Default)]
pub struct Example {
    /// Token ids and blocks of slots. Their soft tokens come from a [`SoftTokenStore`](super::SoftTokenStore).
    pub input: Input,
    /// For each id: the id if it is a target, otherwise [`MASKED`]. The first token and slots are never targets.
    pub labels: Vec<i32>,
}

impl Example {
    /// Returns a sequence without media.
    pub fn text(ids: Vec<u32>, labels: Vec<i32>) -> Self {
        Self { input: ids.into(), labels }
    }

    /// Its ids, including slots.
    pub fn ids(&self) -> &[u32] {
        self.input.ids()
    }

    /// Its media, in order.
    pub fn blocks(&self) -> &[Block] {
        self.input.blocks()
    }

    /// Returns the number of targets.
    pub fn learned(&self) -> usize {
        self.labels.iter().skip(1).filter(|&&label| label >= 0).count()
    }

    /// Returns the first slot with a label, if any.
    pub(super) fn learned_slot(&self) -> Option<u32> {
        let mut slots = self.blocks().iter().flat_map(Block::range);
        slots.find(|&slot| self.labels.get(slot as usize).is_some_and(|&label| label >= 0))
    }
}
