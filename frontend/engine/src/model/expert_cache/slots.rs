//! Which expert of a layer is in which slot, and which one makes room for another.

use shaders::experts::locate::NONE;

/// What remains of an expert's score after each token: a use counts half as much after 69 tokens.
const DECAY: f32 = 0.99;

/// The slots of a layer.
///
/// The expert with the lowest score makes room: the number of its uses, each weighted by its age.
#[derive(Clone, Debug)]
pub struct SlotTable {
    /// The slot of each expert, or [`NONE`].
    slot_of: Vec<u32>,
    /// The expert in each slot.
    experts: Vec<Option<u32>>,
    scores: Vec<f32>,
}

impl SlotTable {
    /// Empty slots for some of the experts.
    #[must_use]
    pub fn new(experts: u32, slots: u32) -> Self {
        Self {
            slot_of: vec![NONE; experts as usize],
            experts: vec![None; slots as usize],
            scores: vec![0.0; experts as usize],
        }
    }

    /// The slot of each expert, or [`NONE`].
    #[must_use]
    pub fn table(&self) -> &[u32] {
        &self.slot_of
    }

    /// The same for these experts alone, as if no other were there.
    #[must_use]
    pub fn table_of(&self, experts: &[u32]) -> Vec<u32> {
        let mut table = vec![NONE; self.slot_of.len()];
        for &expert in experts {
            table[expert as usize] = self.slot_of[expert as usize];
        }
        table
    }

    /// Number of slots.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.experts.len()
    }

    /// Whether an expert is there.
    #[must_use]
    pub fn holds(&self, expert: u32) -> bool {
        self.slot_of.get(expert as usize).is_some_and(|&slot| slot != NONE)
    }

    /// Counts the uses of each expert by so many tokens.
    pub fn count(&mut self, tokens: u32, uses: impl IntoIterator<Item = u32>) {
        let decay = DECAY.powi(tokens.min(10_000) as i32);
        for (score, uses) in self.scores.iter_mut().zip(uses) {
            *score = *score * decay + uses as f32;
        }
    }

    /// The slot for another expert: a free one, or that of the lowest score that is not in `keep`. `None` if all are
    /// kept.
    #[must_use]
    pub fn place(&self, keep: &[u32]) -> Option<u32> {
        let may_go = |expert: &Option<u32>| expert.is_none_or(|expert| !keep.contains(&expert));
        let score = |expert: &Option<u32>| expert.map_or(f32::NEG_INFINITY, |e| self.scores[e as usize]);
        let slots = self.experts.iter().enumerate().filter(|(_, expert)| may_go(expert));
        let lowest = slots.min_by(|(_, a), (_, b)| score(a).total_cmp(&score(b)));
        lowest.map(|(slot, _)| slot as u32)
    }

    /// Puts an expert into a slot, in the place of the one that was there.
    pub fn insert(&mut self, expert: u32, slot: u32) {
        if let Some(gone) = self.experts[slot as usize].replace(expert) {
            self.slot_of[gone as usize] = NONE;
        }
        self.slot_of[expert as usize] = slot;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expert_that_was_used_least_and_longest_ago_makes_room() {
        let mut slots = SlotTable::new(6, 3);
        for expert in [4, 0, 2] {
            let slot = slots.place(&[]).expect("a free slot");
            slots.insert(expert, slot);
        }
        assert_eq!(slots.table(), [1, NONE, 2, NONE, 0, NONE]);
        // 0 was used often, but long ago; 2 once, just now; 4 twice, a while ago.
        slots.count(1, [3, 0, 0, 0, 0, 0]);
        slots.count(200, [0, 0, 0, 0, 2, 0]);
        slots.count(10, [0, 0, 1, 0, 0, 0]);
        assert_eq!(slots.place(&[]), Some(1));
        assert_eq!(slots.place(&[0]), Some(2));
        assert_eq!(slots.place(&[0, 2, 4]), None);
        slots.insert(5, 1);
        assert!(slots.holds(5) && !slots.holds(0) && !slots.holds(6));
        assert_eq!(slots.table(), [NONE, NONE, 2, NONE, 0, 1]);
        assert_eq!(slots.table_of(&[5]), [NONE, NONE, NONE, NONE, NONE, 1]);
    }
}
