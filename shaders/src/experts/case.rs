//! What the self-test cases of mixtures have in common.

use super::{Choice, Mixture};
use crate::case::random;

/// Rows of the chunk.
pub(crate) const LEN: u32 = 21;

/// Choices where each row uses consecutive experts, so that some are chosen often and some never.
pub(crate) fn made_up(mixture: Mixture, rows: u32) -> Vec<Choice> {
    let weights = random(61, (rows * mixture.used) as usize);
    let choice = |p: u32| {
        let start = (p / mixture.used) * (p / mixture.used) % mixture.experts;
        Choice { expert: (start + p % mixture.used) % mixture.experts, weight: weights[p as usize] }
    };
    (0..rows * mixture.used).map(choice).collect()
}
