//! Changing the rate of sound, by a windowed sinc.
//!
//! A sample of the output is the input through a low-pass filter that passes nothing above half of the lower of the two
//! rates. The filter's response is a sinc under a Kaiser window, tabulated finely and interpolated, so that any ratio of
//! rates will do.

use std::f64::consts::PI;

use super::RATE;

/// Zero crossings of the sinc on each side.
const CROSSINGS: f64 = 24.0;
/// Shape of the window: ripples of about −90 dB.
const BETA: f64 = 9.0;
/// The edge of the filter, as a part of half the lower rate.
const EDGE: f64 = 0.95;
/// Points of the table for each zero crossing. Interpolating between them errs by less than the ripples.
const POINTS: usize = 512;

/// Makes sound of 16 kHz of one of another rate, as it comes.
#[derive(Debug)]
pub struct Resampler {
    /// Input samples for each output sample: `step / unit`, in lowest terms.
    step: u64,
    unit: u64,
    /// Half of the response, from its middle on.
    response: Vec<f32>,
    /// Points of the response for each input sample.
    points: f64,
    /// Input samples that the response reaches to each side.
    reach: usize,
    /// Input from `first` on; before sample 0 stand zeros.
    input: Vec<f32>,
    /// Number of the first sample in `input`, with `reach` zeros in front of the clip counted.
    first: u64,
    /// Output samples so far.
    made: u64,
    /// Input samples so far.
    taken: u64,
}

/// The modified Bessel function of the first kind, of order 0.
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
    /// From `rate` samples a second to [`RATE`]. `rate` is at least 1.
    #[must_use]
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
        // Two more, so that interpolating at the end stays within.
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

    /// Takes samples and appends those to `out` that they complete.
    pub fn push(&mut self, samples: &[f32], out: &mut Vec<f32>) {
        self.taken += samples.len() as u64;
        if self.step == self.unit {
            out.extend_from_slice(samples);
            return;
        }
        self.input.extend_from_slice(samples);
        self.make(out, u64::MAX);
    }

    /// Ends the sound: appends what is left, as if zeros followed.
    pub fn finish(mut self, out: &mut Vec<f32>) {
        if self.step == self.unit {
            return;
        }
        let total = (self.taken * self.unit).div_ceil(self.step);
        self.input.resize(self.input.len() + 2 * self.reach + 1, 0.0);
        self.make(out, total);
    }

    /// Makes output samples below number `until` for as long as there is input.
    fn make(&mut self, out: &mut Vec<f32>, until: u64) {
        while self.made < until {
            let at = self.made * self.step;
            // With the zeros in front, sample n of the input is at n + reach.
            let begin = (at / self.unit + 1 - self.first) as usize;
            let fraction = (at % self.unit) as f64 / self.unit as f64;
            let Some(input) = self.input.get(begin..begin + 2 * self.reach) else { break };
            let mut sum = 0.0;
            for (i, &x) in input.iter().enumerate() {
                // Distance from the middle, in input samples: the middle lies `fraction` behind number reach − 1.
                let distance = (i as f64 - (self.reach - 1) as f64 - fraction).abs() * self.points;
                let point = distance as usize;
                if let Some(&[a, b]) = self.response.get(point..point + 2) {
                    sum += x * (a + (b - a) * (distance - point as f64) as f32);
                }
            }
            out.push(sum);
            self.made += 1;
        }
        // What no sample to come reaches any more.
        let done = ((self.made * self.step / self.unit - self.first) as usize).min(self.input.len());
        self.input.drain(..done);
        self.first += done as u64;
    }
}

/// A whole sound at 16 kHz.
#[must_use]
pub fn to_16k(samples: Vec<f32>, rate: u32) -> Vec<f32> {
    if rate == RATE {
        return samples;
    }
    let mut resampler = Resampler::new(rate);
    let mut out =
        Vec::with_capacity((samples.len() as u64 * u64::from(RATE) / u64::from(rate.max(1))) as usize + 1);
    // In pieces: what has been used is let go.
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

    /// Largest difference away from the ends, where the zeros around the sound are heard.
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
