//! Bicubic resampling with antialiasing, on 8-bit values.
//!
//! Bit-exact with PyTorch's resize of 8-bit images (`upsample_bicubic2d_aa`): the weights of a target position are
//! those of Keys' cubic (a = −½), widened by the scale when shrinking, normalised, and rounded to 16-bit integers
//! with as many fractional bits as the largest weight allows. Rows are resampled first and rounded to 8 bits, then
//! columns.

/// The weights of every target position along one axis.
pub struct Axis {
    /// First source position and weights of each target position.
    taps: Vec<(usize, Vec<i32>)>,
    /// Fractional bits of the weights.
    bits: u32,
    /// Whether source and target have the same length, so that nothing changes.
    same: bool,
}

/// Keys' cubic convolution with a = −½.
fn cubic(x: f64) -> f64 {
    const A: f64 = -0.5;
    let x = x.abs();
    if x < 1.0 {
        ((A + 2.0) * x - (A + 3.0)) * x * x + 1.0
    } else if x < 2.0 {
        ((A * x - 5.0 * A) * x + 8.0 * A) * x - 4.0 * A
    } else {
        0.0
    }
}

impl Axis {
    /// Weights from `source` to `target` positions, both positive.
    pub fn new(source: usize, target: usize) -> Self {
        let scale = source as f64 / target as f64;
        let stretch = scale.max(1.0);
        let support = 2.0 * stretch;
        let most = support.ceil() as usize * 2 + 1;
        let floats: Vec<(usize, Vec<f64>)> = (0..target)
            .map(|i| {
                let center = scale * (i as f64 + 0.5);
                // Both casts truncate; the first also clamps to 0.
                let first = (center - support + 0.5) as usize;
                let end = ((center + support + 0.5) as usize).min(source);
                let count = end.saturating_sub(first).min(most);
                let weight = |j: usize| cubic(((j + first) as f64 - center + 0.5) * (1.0 / stretch));
                let mut weights: Vec<f64> = (0..count).map(weight).collect();
                let total: f64 = weights.iter().sum();
                if total != 0.0 {
                    weights.iter_mut().for_each(|w| *w /= total);
                }
                (first, weights)
            })
            .collect();
        let largest = floats.iter().flat_map(|(_, weights)| weights).fold(0.0f64, |a, &b| a.max(b));
        let fits = |bits: &u32| ((0.5 + largest * f64::from(1u32 << (bits + 1))) as i64) < 1 << 15;
        let bits = (0..22).find(|bits| !fits(bits)).unwrap_or(22);
        let one = f64::from(1u32 << bits);
        let round = |w: f64| if w < 0.0 { (-0.5 + w * one) as i32 } else { (0.5 + w * one) as i32 };
        let taps = floats.into_iter().map(|(first, w)| (first, w.into_iter().map(round).collect()));
        Self { taps: taps.collect(), bits, same: source == target }
    }

    fn sum(&self, values: impl Iterator<Item = (i32, u8)>) -> u8 {
        let half = (1 << self.bits) >> 1;
        let sum = values.fold(half, |sum, (weight, value)| sum + weight * i32::from(value));
        (sum >> self.bits).clamp(0, 255) as u8
    }

    /// Resamples a row of RGB pixels.
    fn row(&self, from: &[u8]) -> Vec<u8> {
        if self.same {
            return from.to_vec();
        }
        let mut to = Vec::with_capacity(self.taps.len() * 3);
        for (first, weights) in &self.taps {
            for channel in 0..3 {
                let values = from[3 * first..].iter().skip(channel).step_by(3);
                to.push(self.sum(weights.iter().copied().zip(values.copied())));
            }
        }
        to
    }
}

/// Resamples an RGB image to `width` by `height`. `row` returns source row `y`; each is requested once, in order,
/// so that only the resampled rows for one target row are in memory.
pub fn resize(
    source: (usize, usize),
    (width, height): (usize, usize),
    mut row: impl FnMut(usize) -> Vec<u8>,
) -> Vec<u8> {
    let across = Axis::new(source.0, width);
    let down = Axis::new(source.1, height);
    let mut out = Vec::with_capacity(width * height * 3);
    if down.same {
        (0..height).for_each(|y| out.extend(across.row(&row(y))));
        return out;
    }
    // The rows `from..from + held.len()`, resampled along the row.
    let mut held: std::collections::VecDeque<Vec<u8>> = std::collections::VecDeque::new();
    let mut from = 0;
    for (first, weights) in &down.taps {
        while from < *first {
            if held.pop_front().is_none() {
                // A row that no target row uses.
                row(from);
            }
            from += 1;
        }
        while held.len() < weights.len() {
            held.push_back(across.row(&row(from + held.len())));
        }
        let (head, tail) = held.as_slices();
        let rows: Vec<&[u8]> = head.iter().chain(tail).map(Vec::as_slice).collect();
        for i in 0..width * 3 {
            out.push(down.sum(weights.iter().copied().zip(rows.iter().map(|row| row[i]))));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_as_long_as_16_bits_allow_and_sum_to_one() {
        for (source, target) in [(320, 480), (97, 192), (5000, 48), (1, 48), (48, 1), (20_000, 3)] {
            let axis = Axis::new(source, target);
            for (first, weights) in &axis.taps {
                assert!(first + weights.len() <= source);
                assert!(weights.iter().all(|w| w.abs() < 1 << 15));
                let sum: i32 = weights.iter().sum();
                let one = 1 << axis.bits;
                // Each weight has an error of at most half a unit.
                assert!(
                    (sum - one).unsigned_abs() as usize <= weights.len(),
                    "{source}→{target}: {sum}/{one}"
                );
            }
        }
    }

    #[test]
    fn an_even_picture_stays_even_at_any_size() {
        for (w, h) in [(1, 1), (3, 700), (640, 33)] {
            let out = resize((w, h), (96, 48), |_| [9, 200, 255].repeat(w));
            assert!(out.chunks(3).all(|p| p == [9, 200, 255]), "{w}×{h}");
        }
    }
}
