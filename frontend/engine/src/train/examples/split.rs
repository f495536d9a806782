//! Splitting examples for evaluation.

use crate::split_mix::{next, shuffled};

/// Splits `count` examples into training and evaluation indices, each ascending. The evaluation share is `share` (0
/// to 1), rounded down; at least one example is left for training. The split depends only on the seed.
pub fn split(count: usize, share: f32, seed: u64) -> (Vec<usize>, Vec<usize>) {
    let kept = if share > 0.0 && count > 1 {
        // 0.1 as f32 is slightly larger than 0.1.
        ((count as f64 * f64::from(share) + 1e-4) as usize).min(count - 1)
    } else {
        0
    };
    let mut state = seed;
    let mut order = shuffled(count, |_| next(&mut state));
    let (evaluate, learn) = order.split_at_mut(kept);
    evaluate.sort_unstable();
    learn.sort_unstable();
    (learn.to_vec(), evaluate.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_is_on_one_side() {
        for (count, share, kept) in
            [(0, 0.5, 0), (1, 0.5, 0), (10, 0.0, 0), (9, 0.1, 0), (10, 0.1, 1), (19, 0.1, 1), (3, 1.0, 2)]
        {
            let (learn, evaluate) = split(count, share, 7);
            assert_eq!((learn.len(), evaluate.len()), (count - kept, kept), "{count} {share}");
            let mut all = [learn, evaluate].concat();
            all.sort_unstable();
            assert_eq!(all, (0..count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_seed_decides() {
        assert_eq!(split(100, 0.2, 1), split(100, 0.2, 1));
        assert_ne!(split(100, 0.2, 1), split(100, 0.2, 2));
    }
}
