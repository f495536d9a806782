//! Which tokens the cache holds, and how much of a new prompt that spares.

/// The tokens in the cache.
#[derive(Clone, Debug, Default)]
pub struct Sequence {
    /// Ids whose keys and values are valid, from position 0.
    ids: Vec<u32>,
    /// One past the highest position ever written: slots of rings below `written - ring` are gone.
    written: u32,
}

impl Sequence {
    /// The ids.
    #[must_use]
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// Leading tokens of `prompt` that need not be computed again; never all of it, for the last one's logits are
    /// wanted. `ring` and `window` are those of the sliding layers (`ring` 0 where slots are never used twice).
    #[must_use]
    pub fn reusable(&self, prompt: &[u32], ring: u32, window: u32) -> u32 {
        let common = self.ids.iter().zip(prompt).take_while(|(a, b)| a == b).count();
        let common = common.min(prompt.len().saturating_sub(1)) as u32;
        // The first new token sees `window - 1` tokens back; their slots must not have been used again.
        let oldest_needed = common.saturating_sub(window.saturating_sub(1));
        let oldest_kept = if ring == 0 { 0 } else { self.written.saturating_sub(ring) };
        if oldest_needed >= oldest_kept { common } else { 0 }
    }

    /// The cache now holds exactly `ids`, and positions below `written` have been written.
    pub fn set(&mut self, ids: &[u32], written: u32) {
        // Beginning anew, old slots no longer stand in the way of anything.
        let kept = self.ids.iter().zip(ids).take_while(|(a, b)| a == b).count();
        self.written = if kept == 0 { written } else { self.written.max(written) };
        self.ids.truncate(kept);
        self.ids.extend_from_slice(&ids[kept..]);
    }

    /// Nothing is held.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(count: u32, written: u32) -> Sequence {
        let mut sequence = Sequence::default();
        sequence.set(&(0..count).collect::<Vec<_>>(), written);
        sequence
    }

    #[test]
    fn a_longer_prompt_reuses_all_that_is_held() {
        let prompt: Vec<u32> = (0..20).collect();
        assert_eq!(held(10, 10).reusable(&prompt, 0, 16), 10);
        assert_eq!(held(10, 10).reusable(&prompt[..10], 0, 16), 9);
        assert_eq!(held(0, 0).reusable(&prompt, 0, 16), 0);
    }

    #[test]
    fn a_ring_that_has_turned_keeps_its_latest_slots_only() {
        let mut prompt: Vec<u32> = (0..100).collect();
        prompt[90] = 7;
        // Ring of 32, window of 16: positions 68.. are kept; the token at 90 looks back to 75.
        assert_eq!(held(100, 100).reusable(&prompt, 32, 16), 90);
        prompt[80] = 7;
        assert_eq!(held(100, 100).reusable(&prompt, 32, 16), 0);
        // Tokens that were drawn ahead and thrown away have used slots too.
        assert_eq!(held(100, 110).reusable(&(0..95).collect::<Vec<_>>(), 32, 16), 94);
        assert_eq!(held(100, 115).reusable(&(0..95).collect::<Vec<_>>(), 32, 16), 0);
    }
}
