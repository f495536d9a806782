//! WAV files of 16 kHz, mono, 16 bits: the form in which sound is kept and sent.

use super::SAMPLE_RATE;

/// Bytes before the samples.
pub const HEADER: usize = 44;
/// Bytes of a sample.
const SAMPLE_BYTES: u32 = 2;

/// A file under construction: samples are added as they come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wav {
    bytes: Vec<u8>,
}

impl Wav {
    /// An empty file.
    #[must_use]
    pub fn new() -> Self {
        Self { bytes: vec![0; HEADER] }
    }

    /// A file of these samples.
    #[must_use]
    pub fn of(samples: &[i16]) -> Self {
        let mut wav = Self::new();
        wav.bytes.extend(samples.iter().flat_map(|sample| sample.to_le_bytes()));
        wav
    }

    /// Adds samples; what is beyond ±1 is cut off.
    pub fn push(&mut self, samples: &[f32]) {
        self.bytes.reserve(samples.len() * SAMPLE_BYTES as usize);
        for sample in samples {
            let value = (sample.clamp(-1.0, 1.0) * f32::from(i16::MAX)).round() as i16;
            self.bytes.extend_from_slice(&value.to_le_bytes());
        }
    }

    /// Samples so far.
    #[must_use]
    pub fn samples(&self) -> u64 {
        (self.bytes.len() - HEADER) as u64 / u64::from(SAMPLE_BYTES)
    }

    /// Returns the samples from this one on, as the file holds them.
    #[must_use]
    pub fn since(&self, sample: u64) -> Vec<i16> {
        let begin = usize::try_from(sample).unwrap_or(usize::MAX).saturating_mul(SAMPLE_BYTES as usize);
        values(self.bytes[HEADER..].get(begin..).unwrap_or_default())
    }

    /// Its length in milliseconds.
    #[must_use]
    pub fn millis(&self) -> u64 {
        self.samples() * 1000 / u64::from(SAMPLE_RATE)
    }

    /// Returns the whole file.
    #[must_use]
    pub fn finish(mut self) -> Vec<u8> {
        let data = u32::try_from(self.bytes.len() - HEADER).unwrap_or(u32::MAX);
        let mut header = Vec::with_capacity(HEADER);
        header.extend_from_slice(b"RIFF");
        header.extend_from_slice(&data.saturating_add(HEADER as u32 - 8).to_le_bytes());
        header.extend_from_slice(b"WAVEfmt ");
        header.extend_from_slice(&16_u32.to_le_bytes());
        // Plain samples, one channel.
        header.extend_from_slice(&1_u16.to_le_bytes());
        header.extend_from_slice(&1_u16.to_le_bytes());
        header.extend_from_slice(&SAMPLE_RATE.to_le_bytes());
        header.extend_from_slice(&(SAMPLE_RATE * SAMPLE_BYTES).to_le_bytes());
        header.extend_from_slice(&(SAMPLE_BYTES as u16).to_le_bytes());
        header.extend_from_slice(&(8 * SAMPLE_BYTES as u16).to_le_bytes());
        header.extend_from_slice(b"data");
        header.extend_from_slice(&data.to_le_bytes());
        self.bytes[..HEADER].copy_from_slice(&header);
        self.bytes
    }
}

impl Default for Wav {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns the samples of such a file.
#[must_use]
pub fn samples(file: &[u8]) -> Vec<i16> {
    values(file.get(HEADER..).unwrap_or_default())
}

fn values(bytes: &[u8]) -> Vec<i16> {
    bytes.as_chunks::<2>().0.iter().map(|&sample| i16::from_le_bytes(sample)).collect()
}

/// Returns the loudest sample in each of `count` equal parts of such a file, from 0 to 1: its waveform.
#[must_use]
pub fn peaks(file: &[u8], count: usize) -> Vec<f32> {
    let (samples, _) = file.get(HEADER..).unwrap_or_default().as_chunks::<2>();
    let peak = |part: &[[u8; 2]]| {
        let loudest = part.iter().map(|&bytes| i16::from_le_bytes(bytes).unsigned_abs()).max();
        f32::from(loudest.unwrap_or_default()) / f32::from(i16::MAX)
    };
    let bound = |at: usize| samples.len() * at / count.max(1);
    (0..count).map(|at| peak(&samples[bound(at)..bound(at + 1)]).min(1.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_what_it_holds() {
        let mut wav = Wav::new();
        wav.push(&[0.0, 1.0, -1.0, 7.0]);
        assert_eq!(wav.samples(), 4);
        let bytes = wav.finish();
        assert_eq!(bytes.len(), HEADER + 8);
        assert_eq!(&bytes[..4], b"RIFF");
        assert_eq!(bytes[4..8], 44_u32.to_le_bytes());
        assert_eq!(&bytes[8..16], b"WAVEfmt ");
        assert_eq!(bytes[24..28], 16_000_u32.to_le_bytes());
        assert_eq!(bytes[40..44], 8_u32.to_le_bytes());
        let sample = |at: usize| i16::from_le_bytes([bytes[HEADER + 2 * at], bytes[HEADER + 2 * at + 1]]);
        assert_eq!([sample(0), sample(1), sample(2), sample(3)], [0, i16::MAX, -i16::MAX, i16::MAX]);
    }

    #[test]
    fn what_came_lately_is_told_apart() {
        let mut wav = Wav::new();
        wav.push(&[1.0, 0.0, -1.0]);
        assert_eq!(wav.since(0), [i16::MAX, 0, -i16::MAX]);
        assert_eq!(wav.since(2), [-i16::MAX]);
        assert_eq!(wav.since(3), [0_i16; 0]);
        assert_eq!(wav.since(u64::MAX), [0_i16; 0]);
        let all = wav.since(0);
        assert_eq!(Wav::of(&all), wav);
        assert_eq!(samples(&wav.finish()), all);
        assert_eq!(samples(&[1, 2, 3]), [0_i16; 0]);
    }

    #[test]
    fn a_second_is_a_second() {
        let mut wav = Wav::new();
        wav.push(&vec![0.0; SAMPLE_RATE as usize * 3 / 2]);
        assert_eq!(wav.millis(), 1_500);
    }

    #[test]
    fn the_waveform_shows_where_it_is_loud() {
        let mut wav = Wav::new();
        wav.push(&[0.0, 0.0, 0.5, -1.0]);
        let file = wav.finish();
        assert_eq!(peaks(&file, 2), [0.0, 1.0]);
        // More parts than samples, and no samples at all.
        assert_eq!(peaks(&file, 8).len(), 8);
        assert_eq!(peaks(&[], 3), [0.0; 3]);
        assert_eq!(peaks(&file, 0), [0.0; 0]);
    }
}
