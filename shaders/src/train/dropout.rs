//! CPU twin of `wgsl/train/dropout.wgsl`.

use crate::math::pcg3d;

/// Returns the bound that [`keeps`] takes for a dropout probability below 1.
pub fn bound(probability: f32) -> u32 {
    (f64::from(probability) * 4_294_967_296.0) as u32
}

/// Returns whether element `i` of row `t` is kept.
pub const fn keeps(seed: u64, salt: u32, t: u32, i: u32, bound: u32) -> bool {
    pcg3d([seed as u32 ^ i, (seed >> 32) as u32 ^ t, salt])[0] >= bound
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
