//! A small FFT of real numbers, for frames of one fixed length.

use std::f64::consts::PI;

/// Complex numbers as pairs.
type Complex = (f64, f64);

fn multiply(a: Complex, b: Complex) -> Complex {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

/// Tables for frames of `2·half` samples, `half` a power of two.
///
/// In f64: in single precision, the rounding errors of a loud bin would exceed the values of quiet bins, whose
/// logarithm is taken.
#[derive(Debug)]
pub struct RealFft {
    half: usize,
    /// `e^(−πik/half)`, k < half.
    turns: Vec<Complex>,
}

impl RealFft {
    /// Tables for frames of `len` samples, a power of two of at least 4.
    pub fn new(len: usize) -> Self {
        let half = len / 2;
        let turn = |k: usize| {
            let angle = -PI * k as f64 / half as f64;
            (angle.cos(), angle.sin())
        };
        Self { half, turns: (0..half).map(turn).collect() }
    }

    /// `|X[k]|` for k in `0..=half` of a frame.
    pub fn magnitudes(&self, frame: &[f64], out: &mut Vec<f64>) {
        let half = self.half;
        // Two real samples are packed into one complex number.
        let mut z: Vec<Complex> = frame.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        self.transform(&mut z);
        out.clear();
        for k in 0..=half {
            let (a, b) = (z[k % half], z[(half - k) % half]);
            // Spectra of the even and the odd samples.
            let even = ((a.0 + b.0) / 2.0, (a.1 - b.1) / 2.0);
            let odd = ((a.1 + b.1) / 2.0, (b.0 - a.0) / 2.0);
            let turn = if k == half { (-1.0, 0.0) } else { self.turns[k] };
            let turned = multiply(odd, turn);
            out.push((even.0 + turned.0).hypot(even.1 + turned.1));
        }
    }

    /// In-place complex FFT of `half` values.
    fn transform(&self, z: &mut [Complex]) {
        let half = self.half;
        let shift = usize::BITS - half.trailing_zeros();
        for i in 0..half {
            let j = i.reverse_bits() >> shift;
            if i < j {
                z.swap(i, j);
            }
        }
        let mut len = 2;
        while len <= half {
            // e^(−2πik/len) = turns[2k·half/len].
            let step = 2 * half / len;
            for block in z.chunks_exact_mut(len) {
                let (low, high) = block.split_at_mut(len / 2);
                for (k, (a, b)) in low.iter_mut().zip(high).enumerate() {
                    let turned = multiply(*b, self.turns[k * step]);
                    *b = (a.0 - turned.0, a.1 - turned.1);
                    *a = (a.0 + turned.0, a.1 + turned.1);
                }
            }
            len *= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_definition() {
        for len in [4, 8, 64, 512] {
            let frame: Vec<f64> = (0..len).map(|i| ((i * i * 37 + 11) % 101) as f64 / 50.0 - 1.0).collect();
            let mut got = Vec::new();
            RealFft::new(len).magnitudes(&frame, &mut got);
            assert_eq!(got.len(), len / 2 + 1);
            for (k, got) in got.iter().enumerate() {
                let term = |(i, x): (usize, &f64)| {
                    let angle = -2.0 * PI * (i * k % len) as f64 / len as f64;
                    (x * angle.cos(), x * angle.sin())
                };
                let sum = frame.iter().enumerate().map(term).fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
                assert!((got - sum.0.hypot(sum.1)).abs() < 1e-10, "{len} {k}");
            }
        }
    }
}
