//! Benchmarking a session with synthetic tokens.

use super::{Constraint, Control, EngineError, Options, Outcome, Session};

/// Returns a prompt of `tokens` ids below `vocabulary`. The prompts of two rounds differ from the first id on, so that the
/// cache is not reused.
pub fn made_up_prompt(tokens: u32, vocabulary: u32, round: u32) -> Vec<u32> {
    let id = |i: u32| (u64::from(i) * 7919 + u64::from(round) * 104_729 + 300) % u64::from(vocabulary.max(1));
    (0..tokens).map(|i| id(i) as u32).collect()
}

impl Session {
    /// Prefills a synthetic prompt and greedily generates tokens after it, beyond the end of the turn if there is no constraint.
    /// The cache is empty before and after.
    ///
    /// # Errors
    /// Same as [`Self::generate_constrained`].
    pub async fn time(
        &mut self,
        prompt: u32,
        answer: u32,
        round: u32,
        control: &Control,
        constraint: Option<&mut dyn Constraint>,
    ) -> Result<Outcome, EngineError> {
        self.forget();
        let ids = made_up_prompt(prompt, self.decoder.vocabulary(), round);
        let ignore_eos = constraint.is_none();
        let options = Options { max_tokens: answer, ignore_eos, ..Options::default() };
        let outcome = match constraint {
            None => self.generate(&ids, &options, control, &mut |_| ()).await,
            Some(it) => self.generate_constrained(&ids, &options, control, it, &mut |_| ()).await,
        };
        self.forget();
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_of_different_rounds_differ_from_the_first_token_on() {
        let (a, b) = (made_up_prompt(600, 1024, 0), made_up_prompt(600, 1024, 1));
        assert!(a.iter().zip(&b).all(|(a, b)| a != b));
        assert!(a.iter().chain(&b).all(|&id| id < 1024));
        assert_eq!(made_up_prompt(2, 32_768, u32::MAX).len(), 2);
    }
}
