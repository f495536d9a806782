//! One clip on its way through a tower.

use std::rc::Rc;

use sha2::{Digest as _, Sha256};

use super::config::Kind;
use super::config::STEP_TOKENS;
use super::mel::{self, MelStream};
use super::{AudioError, CLIP_SAMPLES, Tower};
use crate::media::{ContentHash, Media, Medium, SoftTokens};

/// Tokens that are worth a step while more are to come: a third of a second.
const WORTH_A_STEP: u32 = 8;

/// The name of what was heard. It is a hash of samples, not of a file, so that a microphone's clip has one, too.
pub(super) fn content(heard: Sha256) -> ContentHash {
    let samples: [u8; 32] = heard.finalize().into();
    ContentHash::of(&samples, &[])
}

/// What has been heard of the clip.
enum Heard {
    Mel(Box<MelStream>),
    Raw(Vec<f32>),
}

/// Encodes the samples of one clip as they come.
///
/// The tower keeps the past of one clip. When another clip is encoded meanwhile, the next step of this one begins anew:
/// slower, with the same result.
pub struct Encoder {
    tower: Rc<Tower>,
    number: u64,
    heard: Heard,
    /// Names the content.
    digest: Sha256,
    /// Tokens encoded.
    done: u32,
}

impl Encoder {
    /// A clip without samples yet.
    #[must_use]
    pub fn new(tower: Rc<Tower>) -> Self {
        let heard = match tower.config().kind {
            Kind::Conformer(_) => Heard::Mel(Box::default()),
            Kind::Raw { .. } => Heard::Raw(Vec::new()),
        };
        Self { number: tower.enrol(), tower, heard, digest: Sha256::new(), done: 0 }
    }

    /// Samples so far.
    #[must_use]
    pub fn samples(&self) -> usize {
        match &self.heard {
            Heard::Mel(stream) => stream.samples(),
            Heard::Raw(samples) => samples.len(),
        }
    }

    /// Samples that the clip still takes: it holds 30 s.
    #[must_use]
    pub fn room(&self) -> usize {
        CLIP_SAMPLES - self.samples()
    }

    /// Tokens encoded so far.
    #[must_use]
    pub fn encoded(&self) -> u32 {
        self.done
    }

    /// What the tower reads, `[frames, width]`: mel features as the reference gives them, or samples, with zeros behind the
    /// last.
    #[must_use]
    pub fn features(&self) -> (Vec<f32>, usize) {
        match &self.heard {
            Heard::Mel(stream) => (stream.padded_rows(), mel::BINS),
            Heard::Raw(samples) => {
                let frame = self.frame();
                let mut rows = samples.clone();
                rows.resize(samples.len().next_multiple_of(frame), 0.0);
                (rows, frame)
            }
        }
    }

    /// Samples of a frame that is read raw.
    fn frame(&self) -> usize {
        match self.tower.config().kind {
            Kind::Raw { frame } => frame as usize,
            Kind::Conformer(_) => mel::HOP,
        }
    }

    /// Takes samples, as many as there is room for, and submits the encoding of what they complete. Returns how many were
    /// taken. Nothing is waited for.
    pub fn push(&mut self, samples: &[f32]) -> usize {
        let taken = &samples[..samples.len().min(self.room())];
        self.digest.update(bytemuck::cast_slice::<f32, u8>(taken));
        match &mut self.heard {
            Heard::Mel(stream) => stream.push(taken),
            Heard::Raw(heard) => heard.extend_from_slice(taken),
        }
        let complete = match &self.heard {
            // The last frame that a token looks at is its fourth.
            Heard::Mel(stream) => stream.frames() / mel::FRAMES_PER_TOKEN,
            Heard::Raw(samples) => samples.len() / self.frame(),
        };
        let complete = complete as u32;
        if complete >= self.done + WORTH_A_STEP {
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
            return Err(AudioError::TooShort { samples, least: mel::LEAST_SAMPLES });
        }
        self.encode(tokens);
        let medium = Medium { media: Media::Audio, content: content(self.digest), tokens };
        Ok(SoftTokens::new(medium, self.tower.config().width, self.tower.keep(tokens)?))
    }

    /// Brings the tower up to `until` tokens.
    fn encode(&mut self, until: u32) {
        if !self.tower.take(self.number) {
            self.done = 0;
        }
        let (rows, width) = match &self.heard {
            Heard::Mel(stream) => (stream.rows(), mel::BINS),
            Heard::Raw(samples) => (samples.as_slice(), self.frame()),
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
