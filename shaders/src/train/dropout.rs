//! The CPU's side of `wgsl/train/dropout.wgsl`.

/// The bound of [`keeps`] for a probability of leaving out, below 1.
#[must_use]
pub fn bound(probability: f32) -> u32 {
    (f64::from(probability) * 4_294_967_296.0) as u32
}

/// Whether element `i` of row `t` is kept.
#[must_use]
pub const fn keeps(seed: u64, salt: u32, t: u32, i: u32, bound: u32) -> bool {
    const fn scramble(x: u32) -> u32 {
        x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)
    }
    let [mut x, mut y, mut z] =
        [scramble(seed as u32 ^ i), scramble((seed >> 32) as u32 ^ t), scramble(salt)];
    x = x.wrapping_add(y.wrapping_mul(z));
    y = y.wrapping_add(z.wrapping_mul(x));
    z = z.wrapping_add(x.wrapping_mul(y));
    x ^= x >> 16;
    y ^= y >> 16;
    z ^= z >> 16;
    x.wrapping_add(y.wrapping_mul(z)) >= bound
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_are_left_out_as_asked() {
        for probability in [0.0, 0.1, 0.5] {
            let bound = bound(probability);
            let left_out = (0..200_000).filter(|&n| !keeps(7, 3, n / 500, n % 500, bound)).count();
            let share = left_out as f32 / 200_000.0;
            assert!((share - probability).abs() < 0.01, "{share} for {probability}");
        }
    }
}
