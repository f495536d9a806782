//! A rendered prompt: control tokens apart from text.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::media::{Input, MediaError, Medium};
use crate::tokenizer::{Specials, Tokenizer, special};

/// A kind of media with a place in a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Media {
    /// A picture.
    Image,
    /// Sound.
    Audio,
    /// A sequence of pictures.
    Video,
}

impl Media {
    /// The tokens before and after its soft tokens.
    #[must_use]
    pub fn brackets(self) -> [&'static str; 2] {
        match self {
            Self::Image | Self::Video => [special::IMAGE_BEGIN, special::IMAGE_END],
            Self::Audio => [special::AUDIO_BEGIN, special::AUDIO_END],
        }
    }

    /// The token that stands in its place.
    #[must_use]
    pub fn slot(self) -> &'static str {
        match self {
            Self::Image => special::IMAGE_SLOT,
            Self::Audio => special::AUDIO_SLOT,
            Self::Video => special::VIDEO_SLOT,
        }
    }
}

/// A stretch of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// A control token, by its text (see [`special`]).
    Special(&'static str),
    /// The place of a medium: one slot token, to be replaced by as many as the medium needs.
    Media(Media),
    /// Text. Control tokens spelled in it are text too.
    Text(String),
}

/// A prompt. [`fmt::Display`] gives it as one string, as the public template would.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt {
    segments: Vec<Segment>,
}

/// A prompt that the model has no tokens for.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PromptError {
    /// The vocabulary lacks a control token that the prompt needs.
    #[error("the model has no token {token}")]
    NoToken {
        /// The token's text.
        token: &'static str,
    },
    /// The media given are not those that the prompt has places for.
    #[error(transparent)]
    Media(#[from] MediaError),
}

impl Prompt {
    /// The stretches in order; never two of text side by side.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The media of the prompt in order.
    pub fn media(&self) -> impl Iterator<Item = Media> {
        self.segments.iter().filter_map(|segment| match segment {
            Segment::Media(media) => Some(*media),
            Segment::Special(_) | Segment::Text(_) => None,
        })
    }

    /// Whether the answer begins inside a thought that the prompt has opened.
    #[must_use]
    pub fn ends_in_thought(&self) -> bool {
        match self.segments.as_slice() {
            [.., Segment::Special(special::CHANNEL_OPEN), Segment::Text(label)] => {
                label == super::render::THOUGHT
            }
            _ => false,
        }
    }

    /// Token ids. They begin with exactly one `<bos>`; media stand as one slot token each.
    ///
    /// # Errors
    /// When the vocabulary lacks a control token of the prompt.
    pub fn encode(&self, tokenizer: &Tokenizer) -> Result<Vec<u32>, PromptError> {
        self.ids(tokenizer, |media, ids| {
            ids.push(control(tokenizer, media.slot())?);
            Ok(())
        })
    }

    /// The prompt as the model reads it: each of the media, in order, has as many slots as it has soft tokens, between
    /// the tokens that begin and end it.
    ///
    /// # Errors
    /// As [`Self::encode`], and when the media are not those that the prompt has places for.
    pub fn expand(&self, tokenizer: &Tokenizer, media: &[Medium]) -> Result<Input, PromptError> {
        let places = self.media().count();
        if places != media.len() {
            return Err(MediaError::Count { places, given: media.len() }.into());
        }
        let mut given = media.iter();
        let ids = self.ids(tokenizer, |place, ids| {
            let [begin, end] = place.brackets();
            let slots = given.next().map_or(0, |medium| medium.tokens as usize);
            ids.push(control(tokenizer, begin)?);
            ids.extend(std::iter::repeat_n(control(tokenizer, place.slot())?, slots));
            ids.push(control(tokenizer, end)?);
            Ok(())
        })?;
        Ok(Input::with_media(ids, tokenizer.special(), media)?)
    }

    /// Token ids, where `medium` writes those of a medium.
    fn ids(
        &self,
        tokenizer: &Tokenizer,
        mut medium: impl FnMut(Media, &mut Vec<u32>) -> Result<(), PromptError>,
    ) -> Result<Vec<u32>, PromptError> {
        let mut ids = Vec::new();
        for segment in &self.segments {
            match segment {
                Segment::Text(text) => ids.extend(tokenizer.encode(text, Specials::Ignore)),
                Segment::Special(special::BOS) => ids.push(tokenizer.special().bos),
                Segment::Special(token) => ids.push(control(tokenizer, token)?),
                Segment::Media(media) => medium(*media, &mut ids)?,
            }
        }
        Ok(tokenizer.with_one_bos(ids))
    }

    pub(super) fn special(&mut self, token: &'static str) {
        self.segments.push(Segment::Special(token));
    }

    pub(super) fn medium(&mut self, media: Media) {
        self.segments.push(Segment::Media(media));
    }

    /// Adjacent texts are joined: merges run across them.
    pub(super) fn text(&mut self, text: &str) {
        match self.segments.last_mut() {
            _ if text.is_empty() => {}
            Some(Segment::Text(last)) => last.push_str(text),
            _ => self.segments.push(Segment::Text(text.to_owned())),
        }
    }

    pub(super) fn append(&mut self, other: Self) {
        for segment in other.segments {
            match segment {
                Segment::Text(text) => self.text(&text),
                other => self.segments.push(other),
            }
        }
    }
}

fn control(tokenizer: &Tokenizer, token: &'static str) -> Result<u32, PromptError> {
    tokenizer.id(token).ok_or(PromptError::NoToken { token })
}

impl fmt::Display for Prompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.segments.iter().try_for_each(|segment| {
            f.write_str(match segment {
                Segment::Special(token) => token,
                Segment::Media(media) => media.slot(),
                Segment::Text(text) => text,
            })
        })
    }
}
