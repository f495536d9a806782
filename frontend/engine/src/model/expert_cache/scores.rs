//! Which expert of a layer makes room for another.

use crate::model::slots::Policy;

/// What remains of an expert's score after each token: a use counts half as much after 69 tokens.
const DECAY: f32 = 0.99;

/// The score of each expert: the number of its uses, each weighted by its age. The lowest one makes room.
#[derive(Clone, Debug)]
pub struct Scores(Vec<f32>);

impl Scores {
    /// Returns the scores of unused experts.
    pub fn new(experts: u32) -> Self {
        Self(vec![0.0; experts as usize])
    }

    /// Counts the uses of each expert by so many tokens.
    pub fn count(&mut self, tokens: u32, uses: impl IntoIterator<Item = u32>) {
        let decay = DECAY.powi(tokens.min(10_000) as i32);
        for (score, uses) in self.0.iter_mut().zip(uses) {
            *score = *score * decay + uses as f32;
        }
    }
}

impl Policy for Scores {
    fn place(&mut self, _: u32, held: &[Option<u32>], keep: &[u32]) -> Option<u32> {
        let may_go = |expert: &Option<u32>| expert.is_none_or(|expert| !keep.contains(&expert));
        let score = |expert: &Option<u32>| expert.map_or(f32::NEG_INFINITY, |e| self.0[e as usize]);
        let slots = held.iter().enumerate().filter(|(_, expert)| may_go(expert));
        let lowest = slots.min_by(|(_, a), (_, b)| score(a).total_cmp(&score(b)));
        lowest.map(|(slot, _)| slot as u32)
    }
}

#[cfg(test)]
mod tests {
    use shaders::experts::locate::NONE;

    use super::*;
    use crate::model::slots::Slots;

    #[test]
    fn the_expert_that_was_used_least_and_longest_ago_makes_room() {
        let mut slots = Slots::new(6, 3, Scores::new(6));
        for expert in [4, 0, 2] {
            let slot = slots.place(expert, &[]).expect("a free slot");
            let _ = slots.insert(expert, slot);
        }
        assert_eq!(slots.table(), [1, NONE, 2, NONE, 0, NONE]);
        // 0 was used often, but long ago; 2 once, just now; 4 twice, a while ago.
        slots.policy.count(1, [3, 0, 0, 0, 0, 0]);
        slots.policy.count(200, [0, 0, 0, 0, 2, 0]);
        slots.policy.count(10, [0, 0, 1, 0, 0, 0]);
        assert_eq!(slots.place(5, &[]), Some(1));
        assert_eq!(slots.place(5, &[0]), Some(2));
        assert_eq!(slots.place(5, &[0, 2, 4]), None);
        let _ = slots.insert(5, 1);
        assert!(slots.holds(5) && !slots.holds(0) && !slots.holds(6));
        assert_eq!(slots.table(), [NONE, NONE, 2, NONE, 0, 1]);
    }
}
