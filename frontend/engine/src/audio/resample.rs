//! Resampling with a windowed sinc.
//!
//! An output sample is the input after a low-pass filter at half the lower of the two rates. The filter's impulse
//! response is a sinc with a Kaiser window, tabulated finely and interpolated, so that any ratio of rates works.

use std::f64::consts::PI;

use super::RATE;

/// Zero crossings of the sinc on each side.
const CROSSINGS: f64 = 24.0;
/// Shape of the window: stop-band ripple of about −90 dB.
const BETA: f64 = 9.0;
/// Cut-off of the filter, relative to half the lower rate.
const EDGE: f64 = 0.95;
/// Table entries per zero crossing. The interpolation error is below the ripple.
const POINTS: usize = 512;

/// Converts audio of another rate to 16 kHz as it arrives.
#[derive(Debug)]
pub struct Resampler {
    /// Input samples per output sample: `step / unit`, in lowest terms.
    step: u64,
    unit: u64,
    /// Half of the impulse response, from its centre on.
    response: Vec<f32>,
    /// Table entries per input sample.
    points: f64,
    /// Input samples on each side that the response covers.
    reach: usize,
    /// Input samples from `first` on. Zeros precede sample 0.
    input: Vec<f32>,
    /// Number of the first sample in `input`, counting the `reach` zeros before the clip.
    first: u64,
    /// Number of output samples so far.
    made: u64,
    /// Number of input samples so far.
    taken: u64,
}

/// Returns the modified Bessel function of the first kind, of order 0.
fn bessel(x: f64) -> f64 {
    let mut term = 1.0;
    let mut sum = 1.0;
    let mut n = 1.0;
    while term > 1e-12 * sum {
        term *= (x / (2.0 * n)).powi(2);
        sum += term;
        n += 1.0;
    }
    sum
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl Resampler {
    /// Converts from `rate` samples per second, at least 1, to [`RATE`].
    pub fn new(rate: u32) -> Self {
        let (from, to) = (u64::from(rate.max(1)), u64::from(RATE));
        let common = gcd(from, to);
        // Relative to half the input's rate.
        let edge = EDGE * (to as f64 / from as f64).min(1.0);
        let reach = (CROSSINGS / edge).ceil();
        let count = (CROSSINGS as usize) * POINTS;
        let points = POINTS as f64 * edge;
        let value = |i: usize| {
            let x = i as f64 / POINTS as f64;
            let sinc = if i == 0 { 1.0 } else { (PI * x).sin() / (PI * x) };
            let window = bessel(BETA * (1.0 - (x / CROSSINGS).powi(2)).max(0.0).sqrt()) / bessel(BETA);
            (edge * sinc * window) as f32
        };
        // Two more entries, so that interpolation at the end stays in bounds.
        let response = (0..=count).map(value).chain([0.0, 0.0]).collect();
        let reach = reach as usize;
        Self {
            step: from / common,
            unit: to / common,
            response,
            points,
            reach,
            input: vec![0.0; reach],
            first: 0,
            made: 0,
            taken: 0,
        }
    }

    /// Adds samples, and appends the output samples that are complete to `out`.
    pub fn push(&mut self, samples: &[f32], out: &mut Vec<f32>) {
        self.taken += samples.len() as u64;
        if self.step == self.unit {
            out.extend_from_slice(samples);
            return;
        }
        self.input.extend_from_slice(samples);
        self.make(out, u64::MAX);
    }

    /// Ends the input: appends the rest, as if zeros followed.
    pub fn finish(mut self, out: &mut Vec<f32>) {
        if self.step == self.unit {
            return;
        }
        let total = (self.taken * self.unit).div_ceil(self.step);
        self.input.resize(self.input.len() + 2 * self.reach + 1, 0.0);
        self.make(out, total);
    }

    /// Computes output samples below `until` while there is enough input.
    fn make(&mut self, out: &mut Vec<f32>, until: u64) {
        while self.made < until {
            let at = self.made * self.step;
            // With the zeros in front, input sample n is at n + reach.
            let begin = (at / self.unit + 1 - self.first) as usize;
            let fraction = (at % self.unit) as f64 / self.unit as f64;
            let Some(input) = self.input.get(begin..begin + 2 * self.reach) else { break };
            let mut sum = 0.0;
            for (i, &x) in input.iter().enumerate() {
                // Distance from the centre in input samples. The centre is `fraction` after number reach − 1.
                let distance = (i as f64 - (self.reach - 1) as f64 - fraction).abs() * self.points;
                let point = distance as usize;
                if let Some(&[a, b]) = self.response.get(point..point + 2) {
                    sum += x * (a + (b - a) * (distance - point as f64) as f32);
                }
            }
            out.push(sum);
            self.made += 1;
        }
        // Samples that no later output needs.
        let done = ((self.made * self.step / self.unit - self.first) as usize).min(self.input.len());
        self.input.drain(..done);
        self.first += done as u64;
    }
}

/// Converts a whole signal to 16 kHz.
pub fn to_16k(samples: Vec<f32>, rate: u32) -> Vec<f32> {
    if rate == RATE {
        return samples;
    }
    let mut resampler = Resampler::new(rate);
    let mut out =
        Vec::with_capacity((samples.len() as u64 * u64::from(RATE) / u64::from(rate.max(1))) as usize + 1);
    // In pieces, so that used input is freed.
    for piece in samples.chunks(1 << 16) {
        resampler.push(piece, &mut out);
    }
    resampler.finish(&mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sine(hz: f64, rate: u32, seconds: f64) -> Vec<f32> {
        let count = (f64::from(rate) * seconds) as usize;
        (0..count).map(|i| (2.0 * PI * hz * i as f64 / f64::from(rate)).sin() as f32).collect()
    }

    /// Largest difference away from the ends, where the surrounding zeros matter.
    fn difference(a: &[f32], b: &[f32]) -> f32 {
        let inner = 200..a.len().min(b.len()) - 200;
        a[inner.clone()].iter().zip(&b[inner]).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
    }

    #[test]
    fn a_tone_is_the_same_tone_at_another_rate() {
        for rate in [8_000, 11_025, 22_050, 44_100, 48_000, 96_000, 15_999] {
            for hz in [100.0, 1234.5, 3000.0] {
                let out = to_16k(sine(hz, rate, 0.25), rate);
                assert_eq!(out.len(), 4000, "{rate}");
                let error = difference(&out, &sine(hz, RATE, 0.25));
                assert!(error < 2e-4, "{hz} Hz at {rate}: {error}");
            }
        }
    }

    #[test]
    fn what_is_too_high_for_the_lower_rate_is_gone() {
        for (rate, hz) in [(96_000, 12_000.0), (44_100, 9_000.0), (48_000, 20_000.0)] {
            let out = to_16k(sine(hz, rate, 0.25), rate);
            assert!(out[200..3800].iter().all(|v| v.abs() < 1e-3), "{hz} Hz at {rate}");
        }
    }

    #[test]
    fn sixteen_kilohertz_pass_as_they_are() {
        let sound = sine(7_900.0, RATE, 0.01);
        assert_eq!(to_16k(sound.clone(), RATE), sound);
        let mut out = Vec::new();
        let mut resampler = Resampler::new(RATE);
        resampler.push(&sound, &mut out);
        resampler.finish(&mut out);
        assert_eq!(out, sound);
    }

    #[test]
    fn samples_may_come_in_any_pieces() {
        let sound = sine(500.0, 44_100, 0.1);
        let whole = to_16k(sound.clone(), 44_100);
        for size in [1, 37, 1000] {
            let mut out = Vec::new();
            let mut resampler = Resampler::new(44_100);
            sound.chunks(size).for_each(|piece| resampler.push(piece, &mut out));
            resampler.finish(&mut out);
            assert_eq!(out, whole);
        }
    }

    #[test]
    fn hardly_any_sound_is_sound_too() {
        assert!(to_16k(vec![], 44_100).is_empty());
        assert_eq!(to_16k(vec![0.5], 8_000).len(), 2);
        assert_eq!(to_16k(vec![0.5], 768_000).len(), 1);
    }
}
