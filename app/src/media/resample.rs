//! Resampling to 16 kHz while the sound comes in: a sinc filter under a Kaiser window.
//!
//! `y[n] = Σ_k x[k] · c · sinc(c (n·r − k)) · w((n·r − k) / h)`, where `r` is the rate of the input over 16 kHz, `c` the
//! cutoff as a share of the input's Nyquist frequency, and `h` half the filter's width in input samples. The response
//! is read from a table with linear interpolation.

use std::f64::consts::PI;

use super::SAMPLE_RATE;

/// Zero crossings of the sinc on either side.
const CROSSINGS: usize = 32;
/// Entries of the table between two zero crossings.
const STEPS: usize = 256;
/// Shape of the Kaiser window: about 80 dB of attenuation.
const KAISER: f64 = 8.0;
/// The middle of the transition band, as a share of the Nyquist frequency of the slower rate.
const ROLLOFF: f64 = 0.95;

/// A stream of samples on its way to 16 kHz.
#[derive(Clone, Debug)]
pub struct Resampler {
    /// Input samples to an output sample.
    ratio: f64,
    /// Cutoff as a share of the input's Nyquist frequency.
    cutoff: f64,
    /// Half of the filter's width in input samples.
    half: f64,
    /// The filter's response at multiples of `1 / STEPS` zero crossings, from the middle outward.
    table: Vec<f32>,
    /// Input that is still needed.
    kept: Vec<f32>,
    /// The place of the first sample of `kept` in the input.
    first: u64,
    /// Output samples so far.
    made: u64,
}

impl Resampler {
    /// A resampler for input of this many samples a second. A rate that no device has is taken for 16 kHz.
    #[must_use]
    pub fn new(rate: f64) -> Self {
        let rate =
            if rate.is_finite() && (1_000.0..=1e6).contains(&rate) { rate } else { SAMPLE_RATE.into() };
        let ratio = rate / f64::from(SAMPLE_RATE);
        let cutoff = ROLLOFF / ratio.max(1.0);
        let mut resampler = Self {
            ratio,
            cutoff,
            half: CROSSINGS as f64 / cutoff,
            table: response(),
            kept: Vec::new(),
            first: 0,
            made: 0,
        };
        // Silence before the beginning, so that the first samples have something on their left.
        resampler.kept.resize(resampler.lead(), 0.0);
        resampler
    }

    /// Takes samples, and gives those of the output that they complete.
    pub fn push(&mut self, samples: &[f32]) -> Vec<f32> {
        self.kept.extend_from_slice(samples);
        let mut out = Vec::with_capacity((samples.len() as f64 / self.ratio) as usize + 1);
        loop {
            // The place of the next output sample in `kept`.
            let place = self.made as f64 * self.ratio + self.lead() as f64 - self.first as f64;
            if place + self.half + 1.0 >= self.kept.len() as f64 {
                break;
            }
            out.push(self.at(place));
            self.made += 1;
        }
        let next = self.made as f64 * self.ratio + self.lead() as f64 - self.first as f64;
        let spent = ((next - self.half - 1.0).max(0.0) as usize).min(self.kept.len());
        self.kept.drain(..spent);
        self.first += spent as u64;
        out
    }

    /// Returns what the end of the input completes.
    #[must_use]
    pub fn finish(mut self) -> Vec<f32> {
        self.push(&vec![0.0; self.lead()])
    }

    /// Samples of silence before the beginning and after the end.
    fn lead(&self) -> usize {
        self.half as usize + 2
    }

    fn at(&self, place: f64) -> f32 {
        let from = (place - self.half).ceil().max(0.0) as usize;
        let to = ((place + self.half) as usize).min(self.kept.len().saturating_sub(1));
        let mut sum = 0.0;
        for (k, &sample) in self.kept.iter().enumerate().take(to + 1).skip(from) {
            let at = (place - k as f64).abs() * self.cutoff * STEPS as f64;
            let (step, part) = (at as usize, at.fract() as f32);
            if let [here, next, ..] = self.table[step.min(self.table.len())..] {
                sum += sample * (here + part * (next - here));
            }
        }
        sum * self.cutoff as f32
    }
}

/// The filter's response, for a cutoff of 1.
fn response() -> Vec<f32> {
    let window = |share: f64| bessel(KAISER * (1.0 - share * share).max(0.0).sqrt()) / bessel(KAISER);
    let value = |step: usize| {
        let x = step as f64 / STEPS as f64;
        let sinc = if step == 0 { 1.0 } else { (PI * x).sin() / (PI * x) };
        (sinc * window(x / CROSSINGS as f64)) as f32
    };
    (0..=CROSSINGS * STEPS).map(value).collect()
}

/// The modified Bessel function of the first kind and order 0, by its series.
fn bessel(x: f64) -> f64 {
    let mut term = 1.0;
    let mut sum = 1.0;
    for k in 1..60 {
        term *= (x / 2.0 / f64::from(k)).powi(2);
        sum += term;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tone(rate: f64, frequency: f64, seconds: f64) -> Vec<f32> {
        let count = (rate * seconds) as usize;
        (0..count).map(|n| (2.0 * PI * frequency * n as f64 / rate).sin() as f32).collect()
    }

    fn resampled(rate: f64, input: &[f32], piece: usize) -> Vec<f32> {
        let mut resampler = Resampler::new(rate);
        let mut out: Vec<f32> = input.chunks(piece).flat_map(|chunk| resampler.push(chunk)).collect();
        out.extend(resampler.finish());
        out
    }

    /// Root of the mean square of what differs, away from both ends.
    fn error(a: &[f32], b: &[f32]) -> f64 {
        let inner = 200..a.len().min(b.len()) - 200;
        let count = inner.len() as f64;
        (inner.map(|n| f64::from(a[n] - b[n]).powi(2)).sum::<f64>() / count).sqrt()
    }

    #[test]
    fn a_tone_stays_the_same_tone() {
        for rate in [8_000.0, 16_000.0, 44_100.0, 48_000.0, 96_000.0] {
            for frequency in [200.0, 1_000.0, 3_400.0] {
                let out = resampled(rate, &tone(rate, frequency, 0.5), 480);
                let expected = tone(16_000.0, frequency, 0.5);
                assert!(out.len().abs_diff(expected.len()) <= 2, "{rate}: {} samples", out.len());
                let error = error(&out, &expected);
                assert!(error < 1e-3, "{frequency} Hz at {rate} Hz: {error}");
            }
        }
    }

    #[test]
    fn what_16_khz_cannot_hold_is_gone() {
        for frequency in [9_000.0, 12_000.0, 20_000.0] {
            let out = resampled(48_000.0, &tone(48_000.0, frequency, 0.5), 480);
            let loudest = out[200..out.len() - 200].iter().fold(0.0_f32, |most, it| most.max(it.abs()));
            assert!(loudest < 2e-3, "{frequency} Hz is still there: {loudest}");
        }
    }

    #[test]
    fn pieces_of_any_size_give_the_same() {
        let input = tone(44_100.0, 440.0, 0.2);
        let whole = resampled(44_100.0, &input, input.len());
        for piece in [1, 7, 441, 4_096] {
            assert_eq!(resampled(44_100.0, &input, piece), whole);
        }
    }

    #[test]
    fn nothing_gives_nothing() {
        assert!(resampled(48_000.0, &[], 1).len() <= 2);
        assert!(Resampler::new(f64::NAN).push(&[0.0; 4]).is_empty());
    }
}
