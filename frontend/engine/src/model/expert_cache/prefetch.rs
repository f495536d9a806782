//! Prefetching experts: those that the next layer is likely to choose are read while the device computes.
//!
//! The guess is the next layer's router, applied to the stream that the experts of this layer read. How many of the
//! guessed experts are read is decided by what is measured: a right guess saves the time that the device computes anyway,
//! a wrong one costs what reading takes longer than that.

use std::time::Duration;

use crate::bytes::Bytes;

/// Weight of a new measurement in the running means.
const NEW: f64 = 0.2;
/// One in so many waits passes without reading, so that the device's own time is measured.
const MEASURE_EVERY: u32 = 8;

/// Experts that were prefetched, and what is known of their use.
#[derive(Debug, Default)]
pub struct Prefetch {
    /// The layer that the guess is for, and its guessed experts that are in no slot, likeliest first.
    guess: Option<(usize, Vec<u32>)>,
    /// Layer and number of those that were read, and their bytes, matrix by matrix.
    read: Vec<((usize, u32), Vec<Bytes>)>,
    /// What is measured.
    means: Means,
    /// Waits so far.
    waits: u32,
}

/// Running means; none before the first measurement.
#[derive(Clone, Copy, Debug, Default)]
struct Means {
    /// The share of guessed experts that were missed.
    accuracy: Option<f64>,
    /// Milliseconds from one layer that misses experts to the next.
    wait_ms: Option<f64>,
    /// Milliseconds that reading an expert takes.
    read_ms: Option<f64>,
}

fn learn(mean: &mut Option<f64>, new: f64) {
    *mean = Some(mean.map_or(new, |mean| mean + NEW * (new - mean)));
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

impl Means {
    /// How many of `guessed` experts to read: as long as what a right guess saves outweighs what a wrong one costs.
    fn count(&self, guessed: usize) -> usize {
        let (Some(accuracy), Some(wait), Some(read)) = (self.accuracy, self.wait_ms, self.read_ms) else {
            return 0;
        };
        let pays = |&before: &usize| {
            let left = (wait - before as f64 * read).max(0.0);
            accuracy * read.min(left) > (1.0 - accuracy) * (read - left).max(0.0)
        };
        (0..guessed).take_while(pays).count()
    }
}

impl Prefetch {
    /// Takes what the device guesses for a layer: experts that are in no slot.
    pub fn guess(&mut self, layer: usize, experts: Vec<u32>) {
        (self.guess, self.read) = (Some((layer, experts)), Vec::new());
    }

    /// The experts to read before the device is waited for.
    pub fn wanted(&mut self) -> Option<(usize, Vec<u32>)> {
        self.waits += 1;
        let (layer, experts) = self.guess.as_ref()?;
        let count =
            if self.waits.is_multiple_of(MEASURE_EVERY) { 0 } else { self.means.count(experts.len()) };
        (count > 0).then(|| (*layer, experts[..count].to_vec()))
    }

    /// Keeps an expert of the guess.
    pub fn keep(&mut self, layer: usize, expert: u32, bytes: Vec<Bytes>) {
        self.read.push(((layer, expert), bytes));
    }

    /// Records that an expert was read.
    pub fn has_read(&mut self, time: Duration) {
        learn(&mut self.means.read_ms, ms(time));
    }

    /// Compares the guess with the experts that are missing in a layer, the next one that misses any, of which the device told
    /// after `time`: one that misses none has made the guess wrong. Only the experts that are missing are kept.
    pub fn compare(&mut self, layer: Option<usize>, missing: &[u32], time: Duration) {
        let Some((guessed, experts)) = self.guess.take() else { return };
        // While experts are read the device may long have been done.
        if layer == Some(guessed) && self.read.is_empty() {
            learn(&mut self.means.wait_ms, ms(time));
        }
        let is_missing = |expert: &u32| layer == Some(guessed) && missing.contains(expert);
        if !experts.is_empty() {
            let right = experts.iter().filter(|expert| is_missing(expert)).count();
            learn(&mut self.means.accuracy, right as f64 / experts.len() as f64);
        }
        self.read.retain(|((_, expert), _)| is_missing(expert));
    }

    /// The bytes of an expert, if it was prefetched.
    pub fn take(&mut self, layer: usize, expert: u32) -> Option<Vec<Bytes>> {
        let at = self.read.iter().position(|(read, _)| *read == (layer, expert))?;
        Some(self.read.swap_remove(at).1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn means(accuracy: f64, wait_ms: f64, read_ms: f64) -> Means {
        Means { accuracy: Some(accuracy), wait_ms: Some(wait_ms), read_ms: Some(read_ms) }
    }

    #[test]
    fn as_many_are_read_as_the_device_gives_time_for() {
        assert_eq!(means(0.7, 3.1, 1.0).count(8), 3);
        assert_eq!(means(0.7, 3.1, 1.0).count(2), 2);
        // A part of the time of an expert, if the guess is good enough.
        assert_eq!(means(0.9, 0.5, 1.0).count(8), 1);
        assert_eq!(means(0.3, 0.5, 1.0).count(8), 0);
        // A device that is much faster than the file, or guesses that are never right.
        assert_eq!(means(0.8, 0.2, 3.0).count(8), 0);
        assert_eq!(means(0.0, 100.0, 1.0).count(8), 0);
        assert_eq!(Means::default().count(8), 0);
    }

    const TIME: Duration = Duration::from_millis(9);

    #[test]
    fn what_is_read_waits_for_the_layer_that_misses_it() {
        let mut prefetch = Prefetch::default();
        prefetch.has_read(Duration::from_millis(1));
        prefetch.guess(3, vec![5, 2, 7]);
        assert_eq!(prefetch.wanted(), None, "nothing is known yet");
        prefetch.compare(Some(3), &[7, 5], TIME);
        prefetch.guess(4, vec![1, 6]);
        assert_eq!(prefetch.wanted(), Some((4, vec![1, 6])));
        for expert in [1, 6] {
            prefetch.keep(4, expert, Vec::new());
        }
        prefetch.compare(Some(4), &[6, 0], TIME);
        assert!(prefetch.take(4, 1).is_none() && prefetch.take(3, 6).is_none());
        assert!(prefetch.take(4, 6).is_some() && prefetch.take(4, 6).is_none());
    }

    #[test]
    fn a_layer_that_misses_nothing_makes_its_guess_wrong() {
        for next in [Some(4), None] {
            let mut prefetch = Prefetch::default();
            prefetch.guess(3, vec![5]);
            prefetch.compare(next, &[5], TIME);
            assert_eq!((prefetch.means.accuracy, prefetch.means.wait_ms), (Some(0.0), None));
        }
    }

    #[test]
    fn the_time_of_the_device_is_measured_without_reading() {
        let mut prefetch = Prefetch { means: means(1.0, 5.0, 1.0), ..Prefetch::default() };
        let mut counts = Vec::new();
        for layer in 0..MEASURE_EVERY as usize {
            prefetch.guess(layer, vec![1, 2]);
            counts.push(prefetch.wanted().map_or(0, |(_, experts)| experts.len()));
        }
        assert_eq!(counts.iter().filter(|&&count| count == 0).count(), 1);
        prefetch.keep(7, 1, Vec::new());
        prefetch.compare(Some(7), &[1], TIME);
        assert_eq!(prefetch.means.wait_ms, Some(5.0));
    }
}
