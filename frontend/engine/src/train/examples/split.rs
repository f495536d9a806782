//! Keeping examples back for evaluation.

/// Divides `count` examples: which are learned from, and which only evaluated, each in ascending order. `share` of
/// them (0 to 1, rounded) is kept back, at least one where `share` is not 0, and at least one is left to learn from.
/// The same seed gives the same division.
#[must_use]
pub fn split(count: usize, share: f32, seed: u64) -> (Vec<usize>, Vec<usize>) {
    let kept = if share > 0.0 && count > 1 {
        ((count as f64 * f64::from(share)).round() as usize).clamp(1, count - 1)
    } else {
        0
    };
    let mut order: Vec<usize> = (0..count).collect();
    let mut state = seed;
    // Fisher–Yates; the modulus favours small numbers by less than count / 2⁶⁴.
    for last in (1..count).rev() {
        order.swap(last, (next(&mut state) % (last as u64 + 1)) as usize);
    }
    let (evaluate, learn) = order.split_at_mut(kept);
    evaluate.sort_unstable();
    learn.sort_unstable();
    (learn.to_vec(), evaluate.to_vec())
}

/// The next number of a SplitMix64 sequence (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_is_on_one_side() {
        for (count, share, kept) in
            [(0, 0.5, 0), (1, 0.5, 0), (10, 0.0, 0), (10, 0.1, 1), (10, 0.01, 1), (3, 1.0, 2)]
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
