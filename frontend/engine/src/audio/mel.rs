//! Log-mel features, identical to the reference's (specification §10.1).

use std::f64::consts::PI;

use super::RATE;
use super::fft::RealFft;

/// Features per frame.
pub const BINS: usize = 128;
/// Samples from one frame to the next: 10 ms.
pub const HOP: usize = 160;
/// Samples per frame: 20 ms.
const WINDOW: usize = 320;
/// Samples needed for a frame: one more than the window.
const NEEDED: usize = WINDOW + 1;
/// Zeros before a clip.
const LEAD: usize = WINDOW / 2;
/// Length of the Fourier transform.
const FFT: usize = 512;
/// Added before the logarithm.
const FLOOR: f64 = 1e-3;
/// The reference pads clips to a multiple of this number of samples.
const PADDED_TO: usize = 128;
/// Frames per soft token.
pub const FRAMES_PER_TOKEN: usize = 4;

/// Samples of the shortest clip that has a frame.
pub const MIN_SAMPLES: usize = NEEDED - LEAD;

/// Returns the number of frames of a clip of `samples` samples.
pub const fn frames(samples: usize) -> usize {
    if samples < MIN_SAMPLES { 0 } else { (samples - MIN_SAMPLES) / HOP + 1 }
}

/// Returns the number of frames that the reference computes: those of the padded clip. Frames that overlap the padding are
/// zeros, and masked.
pub const fn padded_frames(samples: usize) -> usize {
    frames(samples.next_multiple_of(PADDED_TO))
}

/// Returns the number of soft tokens of a clip of `samples` samples.
pub const fn tokens(samples: usize) -> usize {
    frames(samples).div_ceil(FRAMES_PER_TOKEN)
}

/// A triangular filter: its first frequency, and the weights from there on.
#[derive(Debug)]
struct Filter {
    first: usize,
    weights: Vec<f64>,
}

/// Computes features of one clip as samples arrive.
#[derive(Debug)]
pub struct MelStream {
    fft: RealFft,
    window: Vec<f64>,
    filters: Vec<Filter>,
    /// Samples needed by later frames.
    pending: Vec<f32>,
    /// Number of samples so far.
    samples: usize,
    /// `[frames, BINS]`.
    rows: Vec<f32>,
}

impl Default for MelStream {
    fn default() -> Self {
        let window = |i: usize| 0.5 - 0.5 * (2.0 * PI * i as f64 / WINDOW as f64).cos();
        Self {
            fft: RealFft::new(FFT),
            window: (0..WINDOW).map(window).collect(),
            filters: filters(),
            pending: vec![0.0; LEAD],
            samples: 0,
            rows: Vec::new(),
        }
    }
}

/// Triangular filters with edges evenly spaced on the mel scale, up to the Nyquist frequency.
fn filters() -> Vec<Filter> {
    let mel = |hz: f64| 2595.0 * (1.0 + hz / 700.0).log10();
    let hz = |mel: f64| 700.0 * (10f64.powf(mel / 2595.0) - 1.0);
    let top = f64::from(RATE) / 2.0;
    let edges: Vec<f64> = (0..BINS + 2).map(|i| hz(mel(top) * i as f64 / (BINS + 1) as f64)).collect();
    let frequencies = FFT / 2 + 1;
    let filter = |edges: &[f64]| {
        let (left, centre, right) = (edges[0], edges[1], edges[2]);
        let weight = |k: usize| {
            let f = top * k as f64 / (FFT / 2) as f64;
            ((f - left) / (centre - left)).min((right - f) / (right - centre)).max(0.0)
        };
        let weighed: Vec<usize> = (0..frequencies).filter(|&k| weight(k) > 0.0).collect();
        // The narrowest triangles may contain no frequency.
        let (first, end) = (weighed.first().copied().unwrap_or(0), weighed.last().map_or(0, |last| last + 1));
        Filter { first, weights: (first..end).map(weight).collect() }
    };
    edges.windows(3).map(filter).collect()
}

impl MelStream {
    /// Starts a clip without samples.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds samples and computes the frames that are complete.
    pub fn push(&mut self, samples: &[f32]) {
        self.samples += samples.len();
        self.pending.extend_from_slice(samples);
        let mut frame = vec![0.0; FFT];
        let mut magnitudes = Vec::new();
        let mut at = 0;
        while at + NEEDED <= self.pending.len() {
            let samples = self.pending[at..at + WINDOW].iter().zip(&self.window);
            frame.iter_mut().zip(samples).for_each(|(out, (&x, w))| *out = f64::from(x) * w);
            self.fft.magnitudes(&frame, &mut magnitudes);
            self.rows.extend(self.filters.iter().map(|filter| {
                let weighed = filter.weights.iter().zip(&magnitudes[filter.first..]);
                let sum: f64 = weighed.map(|(w, m)| w * m).sum();
                (sum + FLOOR).ln() as f32
            }));
            at += HOP;
        }
        self.pending.drain(..at);
    }

    /// Returns the number of samples so far.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// Returns the number of frames so far.
    pub fn frames(&self) -> usize {
        self.rows.len() / BINS
    }

    /// Features of the frames so far, `[frames, BINS]`.
    pub fn rows(&self) -> &[f32] {
        &self.rows
    }

    /// Features of the whole clip as in the reference: rows of zeros for frames that overlap its padding.
    pub fn padded_rows(&self) -> Vec<f32> {
        let mut rows = self.rows.clone();
        rows.resize(padded_frames(self.samples) * BINS, 0.0);
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sine(hz: f64, samples: usize) -> Vec<f32> {
        let turn = 2.0 * PI * hz / f64::from(RATE);
        (0..samples).map(|i| (turn * i as f64).sin() as f32).collect()
    }

    fn loudest(row: &[f32]) -> usize {
        (0..BINS).max_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap_or(0)
    }

    #[test]
    fn counts_are_the_references() {
        assert_eq!((frames(480_000), tokens(480_000)), (2999, 750));
        assert_eq!((frames(16_000), tokens(16_000)), (99, 25));
        assert_eq!((frames(160), frames(161), frames(320), frames(321)), (0, 1, 1, 2));
        // The reference's count for the chirp of the golden set: 139 frames, of which the last is masked.
        assert_eq!((frames(22_220), padded_frames(22_220)), (138, 139));
    }

    #[test]
    fn a_sine_is_one_loud_bin_that_stays_where_it_is() {
        let mut stream = MelStream::new();
        stream.push(&sine(1000.0, 16_000));
        let rows: Vec<&[f32]> = stream.rows().chunks(BINS).collect();
        assert_eq!(rows.len(), 99);
        let bin = loudest(rows[2]);
        assert!(rows[2..].iter().all(|row| loudest(row) == bin));
        assert!(rows[0][bin] < rows[2][bin], "half of the first frame is zeros");
    }

    #[test]
    fn silence_is_the_logarithm_of_the_floor() {
        let mut stream = MelStream::new();
        stream.push(&[0.0; 1000]);
        assert_eq!(stream.frames(), frames(1000));
        assert!(stream.rows().iter().all(|&v| (v + 6.907_755_3).abs() < 1e-6));
        // Padded to 1024 samples, which completes one more frame.
        let padded = stream.padded_rows();
        assert_eq!(padded.len(), padded_frames(1000) * BINS);
        assert!(padded[stream.rows().len()..].iter().all(|&v| v == 0.0));
    }

    #[test]
    fn samples_may_come_in_any_pieces() {
        let sound = sine(440.0, 3000);
        let mut whole = MelStream::new();
        whole.push(&sound);
        for size in [1, 7, 160, 999] {
            let mut pieces = MelStream::new();
            for piece in sound.chunks(size) {
                pieces.push(piece);
                assert_eq!(pieces.frames(), frames(pieces.samples()));
            }
            assert_eq!(pieces.rows(), whole.rows());
        }
    }

    #[test]
    fn one_triangle_falls_between_two_frequencies() {
        assert_eq!(filters().iter().filter(|filter| filter.weights.is_empty()).count(), 1);
    }
}
