//! An audio signal, and its clips.

use super::{RATE, mel, resample, wav};

/// Samples of the longest clip: 30 s, 750 soft tokens.
pub const CLIP_SAMPLES: usize = 30 * RATE as usize;
/// A peak below this, −80 dB, counts as silence.
const SILENT: f32 = 1e-4;

/// A mono signal at 16 kHz.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sound {
    /// The samples.
    pub samples: Vec<f32>,
    /// Number of bytes that the file declared but did not contain.
    pub missing_bytes: u64,
}

impl Sound {
    /// Converts from any sample rate.
    pub fn new(samples: Vec<f32>, rate: u32) -> Self {
        Self { samples: resample::to_16k(samples, rate), missing_bytes: 0 }
    }

    /// Reads a WAV file.
    ///
    /// # Errors
    /// When the file is not a WAV file, or has no samples.
    pub fn from_wav(file: &[u8]) -> Result<Self, wav::WavError> {
        let wav = wav::read(file)?;
        Ok(Self { missing_bytes: wav.missing_bytes, ..Self::new(wav.samples, wav.rate) })
    }

    /// Its length in seconds.
    pub fn seconds(&self) -> f64 {
        self.samples.len() as f64 / f64::from(RATE)
    }

    /// Its largest sample.
    pub fn peak(&self) -> f32 {
        self.samples.iter().fold(0.0, |most, v| most.max(v.abs()))
    }

    /// Returns whether it is silent: a muted microphone, an empty recording.
    pub fn is_silent(&self) -> bool {
        self.peak() < SILENT
    }

    /// Returns the clips: 30 s each, and the rest. A rest shorter than a frame (10 ms) is omitted.
    pub fn clips(&self) -> Vec<&[f32]> {
        let heard = |clip: &&[f32]| clip.len() >= mel::MIN_SAMPLES;
        let mut clips: Vec<&[f32]> = self.samples.chunks(CLIP_SAMPLES).collect();
        if clips.len() > 1 {
            clips.retain(heard);
        }
        clips
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_sound_is_cut_and_nothing_is_lost() {
        let lengths = |samples: usize| -> Vec<usize> {
            Sound::new(vec![0.1; samples], RATE).clips().iter().map(|clip| clip.len()).collect()
        };
        assert_eq!(lengths(CLIP_SAMPLES), [CLIP_SAMPLES]);
        assert_eq!(lengths(CLIP_SAMPLES + 161), [CLIP_SAMPLES, 161]);
        assert_eq!(lengths(CLIP_SAMPLES + 160), [CLIP_SAMPLES]);
        assert_eq!(lengths(100), [100], "too short, which the tower says");
        // Ten minutes.
        assert_eq!(lengths(600 * RATE as usize), [CLIP_SAMPLES; 20]);
    }

    #[test]
    fn silence_is_noticed() {
        assert!(Sound::new(vec![0.0; 100], RATE).is_silent());
        assert!(Sound::new(vec![5e-5; 100], RATE).is_silent());
        assert!(!Sound::new(vec![0.0, -0.01], RATE).is_silent());
        assert!(Sound::default().is_silent());
    }
}
