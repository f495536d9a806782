//! Encoding a clip with an audio tower.

use std::rc::Rc;

use sha2::{Digest as _, Sha256};

use super::config::Kind;
use super::config::STEP_TOKENS;
use super::mel::{self, MelStream};
use super::{AudioError, CLIP_SAMPLES, Tower};
use crate::media::{ContentHash, Media, Medium, SoftTokens};

/// Minimum number of tokens per step, unless the clip has ended: a third of a second.
const MIN_STEP_TOKENS: u32 = 8;

/// Returns the content hash of a clip. It is computed from samples, not from a file, so that recorded clips have one, too.
pub(super) fn content(input: Sha256) -> ContentHash {
    let samples: [u8; 32] = input.finalize().into();
    ContentHash::of(&samples, &[])
}

/// The samples, or the features computed from them.
enum Input {
    Mel(Box<MelStream>),
    Raw(Vec<f32>),
}

/// Encodes the samples of one clip as they arrive.
///
/// The tower stores the past of one clip only. If another clip is encoded in between, the next step of this one
/// starts again from the beginning: slower, with the same result.
pub struct Encoder {
    tower: Rc<Tower>,
    number: u64,
    input: Input,
    /// The hash of the content.
    digest: Sha256,
    /// Tokens encoded so far.
    done: u32,
}

impl Encoder {
    /// Starts a clip without samples.
    pub fn new(tower: Rc<Tower>) -> Self {
        let input = match tower.config().kind {
            Kind::Conformer(_) => Input::Mel(Box::default()),
            Kind::Raw { .. } => Input::Raw(Vec::new()),
        };
        Self { number: tower.new_encoder_id(), tower, input, digest: Sha256::new(), done: 0 }
    }

    /// Returns the number of samples so far.
    pub fn samples(&self) -> usize {
        match &self.input {
            Input::Mel(stream) => stream.samples(),
            Input::Raw(samples) => samples.len(),
        }
    }

    /// Returns the number of samples that the clip can still take, up to 30 s.
    pub fn room(&self) -> usize {
        CLIP_SAMPLES - self.samples()
    }

    /// Tokens encoded so far.
    pub fn encoded(&self) -> u32 {
        self.done
    }

    /// Returns the input of the tower, `[frames, width]`: mel features padded as in the reference, or samples padded with
    /// zeros.
    pub fn features(&self) -> (Vec<f32>, usize) {
        match &self.input {
            Input::Mel(stream) => (stream.padded_rows(), mel::BINS),
            Input::Raw(samples) => {
                let frame = self.frame();
                let mut rows = samples.clone();
                rows.resize(samples.len().next_multiple_of(frame), 0.0);
                (rows, frame)
            }
        }
    }

    /// Samples per frame of raw input.
    fn frame(&self) -> usize {
        match self.tower.config().kind {
            Kind::Raw { frame } => frame as usize,
            Kind::Conformer(_) => mel::HOP,
        }
    }

    /// Adds samples, up to the limit of the clip, and submits the encoding of complete tokens. Returns the number
    /// of samples taken. It does not wait for the device.
    pub fn push(&mut self, samples: &[f32]) -> usize {
        let taken = &samples[..samples.len().min(self.room())];
        self.digest.update(bytemuck::cast_slice::<f32, u8>(taken));
        match &mut self.input {
            Input::Mel(stream) => stream.push(taken),
            Input::Raw(input) => input.extend_from_slice(taken),
        }
        let complete = match &self.input {
            // The last frame that a token needs is its fourth.
            Input::Mel(stream) => stream.frames() / mel::FRAMES_PER_TOKEN,
            Input::Raw(samples) => samples.len() / self.frame(),
        };
        let complete = complete as u32;
        if complete >= self.done + MIN_STEP_TOKENS {
            self.encode(complete);
        }
        taken.len()
    }

    /// Ends the clip.
    ///
    /// # Errors
    /// [`AudioError::TooShort`], or when the device has no room for the soft tokens.
    pub fn finish(mut self) -> Result<SoftTokens, AudioError> {
        let samples = self.samples();
        let tokens = self.tower.config().tokens(samples);
        if tokens == 0 {
            return Err(AudioError::TooShort { samples, least: mel::MIN_SAMPLES });
        }
        self.encode(tokens);
        let medium = Medium { media: Media::Audio, content: content(self.digest), tokens };
        Ok(SoftTokens::new(medium, self.tower.config().width, self.tower.keep(tokens)?))
    }

    /// Encodes all tokens up to `until`.
    fn encode(&mut self, until: u32) {
        if !self.tower.take(self.number) {
            self.done = 0;
        }
        let (rows, width) = match &self.input {
            Input::Mel(stream) => (stream.rows(), mel::BINS),
            Input::Raw(samples) => (samples.as_slice(), self.frame()),
        };
        let frames = rows.len().div_ceil(width);
        let frame = |i: i64| {
            let begin = usize::try_from(i).ok().filter(|&i| i < frames)? * width;
            Some(&rows[begin..rows.len().min(begin + width)])
        };
        while self.done < until {
            let count = STEP_TOKENS.min(until - self.done);
            self.tower.step(self.done, count, frames, frame);
            self.done += count;
        }
    }
}
