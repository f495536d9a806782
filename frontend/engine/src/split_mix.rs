//! SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014), for initial weights,
//! orders and seeds. Not cryptographic.

/// Increment of the state: 2⁶⁴ divided by the golden ratio.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns a pseudorandom number that depends only on `x`.
pub const fn mix(x: u64) -> u64 {
    let mut z = x.wrapping_add(STEP);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Returns the next number of the sequence.
pub const fn next(state: &mut u64) -> u64 {
    let drawn = mix(*state);
    *state = state.wrapping_add(STEP);
    drawn
}

/// Returns a Fisher–Yates shuffle of the numbers below `count`. `draw` is called for each position from the last to the
/// second; the bias of the modulus is below count / 2⁶⁴.
pub fn shuffled(count: usize, mut draw: impl FnMut(u64) -> u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        order.swap(last, (draw(last as u64) % (last as u64 + 1)) as usize);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_the_published_one() {
        // The first numbers for seed 1234567, the usual test vector.
        let mut state = 1_234_567;
        let drawn: [u64; 3] = std::array::from_fn(|_| next(&mut state));
        assert_eq!(drawn, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn an_order_has_every_number_once() {
        let mut state = 7;
        let mut order = shuffled(50, |_| next(&mut state));
        assert!(!order.is_sorted());
        order.sort_unstable();
        assert!(order.into_iter().eq(0..50));
    }
}
