//! The tokens in the KV cache, and prefix reuse.

use crate::media::Input;

/// The tokens in the cache.
#[derive(Clone, Debug, Default)]
pub struct Sequence {
    /// The tokens with valid keys and values, from position 0, without attached soft tokens.
    held: Input,
    /// One past the highest position ever written: ring slots below `written - ring` were overwritten.
    written: u32,
}

impl Sequence {
    /// Returns a sequence of these tokens. Positions below `written` have been written.
    pub fn new(held: Input, written: u32) -> Self {
        Self { held, written }
    }

    /// Returns one past the highest position ever written.
    pub fn written(&self) -> u32 {
        self.written
    }

    /// Returns the tokens.
    pub fn held(&self) -> &Input {
        &self.held
    }

    /// Length of the prefix of `prompt` that can be reused; never all of it, since the logits of the last token are
    /// needed. `ring` and `window` are those of the sliding layers (`ring` is 0 without rings).
    pub fn reusable(&self, prompt: &Input, ring: u32, window: u32) -> u32 {
        let common = self.held.common(prompt).min(prompt.len().saturating_sub(1)) as u32;
        // An image is reused completely or not at all.
        let common = prompt.block_across(common).map_or(common, |block| block.range().start);
        if self.reaches(common, ring, window) { common } else { 0 }
    }

    /// Whether the cache can go on behind its first `tokens` tokens: what the next one attends to, the `window - 1` tokens before
    /// it, must still be in the rings.
    pub fn reaches(&self, tokens: u32, ring: u32, window: u32) -> bool {
        let oldest_needed = tokens.saturating_sub(window.saturating_sub(1));
        let oldest_kept = if ring == 0 { 0 } else { self.written.saturating_sub(ring) };
        oldest_needed >= oldest_kept
    }

    /// Sets the tokens in the cache. Positions below `written` have been written.
    pub fn set(&mut self, held: Input, written: u32) {
        // If nothing is kept, old slots no longer matter.
        let anew = self.held.common(&held) == 0;
        self.written = if anew { written } else { self.written.max(written) };
        self.held = held;
    }

    /// Clears the sequence.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(count: u32) -> Input {
        (0..count).collect::<Vec<_>>().into()
    }

    fn held(count: u32, written: u32) -> Sequence {
        let mut sequence = Sequence::default();
        sequence.set(ids(count), written);
        sequence
    }

    #[test]
    fn a_longer_prompt_reuses_all_that_is_held() {
        assert_eq!(held(10, 10).reusable(&ids(20), 0, 16), 10);
        assert_eq!(held(10, 10).reusable(&ids(10), 0, 16), 9);
        assert_eq!(held(0, 0).reusable(&ids(20), 0, 16), 0);
    }

    #[test]
    fn a_ring_that_has_turned_keeps_its_latest_slots_only() {
        let mut prompt: Vec<u32> = (0..100).collect();
        prompt[90] = 7;
        // Ring of 32, window of 16: positions 68.. are kept; the token at 90 attends back to 75.
        assert_eq!(held(100, 100).reusable(&Input::from(&prompt), 32, 16), 90);
        prompt[80] = 7;
        assert_eq!(held(100, 100).reusable(&Input::from(&prompt), 32, 16), 0);
        // Tokens that were generated ahead and discarded have overwritten slots too.
        assert_eq!(held(100, 110).reusable(&ids(95), 32, 16), 94);
        assert_eq!(held(100, 115).reusable(&ids(95), 32, 16), 0);
    }
}
