//! A rendered prompt: control tokens apart from text.

use std::collections::HashMap;
use std::fmt;

use thiserror::Error;

use crate::media::{Input, Media, MediaError, Medium};
use crate::tokenizer::{Specials, Tokenizer, special};

/// The label of the channel that holds thoughts, as it follows `<|channel>`.
pub(super) const THOUGHT: &str = "thought\n";

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

/// The counts of the texts of a prompt, and how many bytes had to be read for them.
#[derive(Clone, Debug, Default)]
pub struct KnownCounts(HashMap<String, usize>, usize);

impl KnownCounts {
    /// Bytes of text that the last count had to read.
    #[must_use]
    pub fn bytes_read(&self) -> usize {
        self.1
    }
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
            [.., Segment::Special(special::CHANNEL_OPEN), Segment::Text(label)] => label == THOUGHT,
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

    /// Token ids of an answer to this prompt that goes on: its thought and its text so far. An answer that has text has
    /// ended its thought.
    ///
    /// # Errors
    /// As [`Self::encode`].
    pub fn begun(&self, tokenizer: &Tokenizer, thought: &str, answer: &str) -> Result<Vec<u32>, PromptError> {
        let mut begun = Self::default();
        let opened = self.ends_in_thought();
        if !thought.is_empty() && !opened {
            begun.special(special::CHANNEL_OPEN);
            begun.text(THOUGHT);
        }
        begun.text(thought);
        if !answer.is_empty() && (opened || !thought.is_empty()) {
            begun.text("\n");
            begun.special(special::CHANNEL_CLOSE);
        }
        begun.text(answer);
        let mut ids = Vec::new();
        begun.push_ids(tokenizer, &mut ids, |_, _| Ok(()))?;
        Ok(ids)
    }

    /// How many ids [`Self::encode`] gives. The counts of texts are looked up in `known`, which afterwards holds those of
    /// this prompt: of a conversation to which something is being written, only that is read each time.
    ///
    /// # Errors
    /// As [`Self::encode`].
    pub fn count(&self, tokenizer: &Tokenizer, known: &mut KnownCounts) -> Result<usize, PromptError> {
        let mut seen = KnownCounts::default();
        let mut ids = 0;
        for segment in &self.segments {
            ids += match segment {
                Segment::Text(text) => {
                    let count = known.0.remove(text).or_else(|| seen.0.get(text).copied());
                    let count = count.unwrap_or_else(|| {
                        seen.1 += text.len();
                        tokenizer.encode(text, Specials::Ignore).len()
                    });
                    seen.0.insert(text.clone(), count);
                    count
                }
                Segment::Special(special::BOS) => 1,
                Segment::Special(token) => control(tokenizer, token).map(|_| 1)?,
                Segment::Media(media) => control(tokenizer, media.slot()).map(|_| 1)?,
            };
        }
        *known = seen;
        let begins = matches!(self.segments.first(), Some(Segment::Special(special::BOS)));
        Ok(ids + usize::from(!begins))
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
        medium: impl FnMut(Media, &mut Vec<u32>) -> Result<(), PromptError>,
    ) -> Result<Vec<u32>, PromptError> {
        let mut ids = Vec::new();
        self.push_ids(tokenizer, &mut ids, medium)?;
        Ok(tokenizer.with_one_bos(ids))
    }

    /// Token ids of the segments alone.
    fn push_ids(
        &self,
        tokenizer: &Tokenizer,
        ids: &mut Vec<u32>,
        mut medium: impl FnMut(Media, &mut Vec<u32>) -> Result<(), PromptError>,
    ) -> Result<(), PromptError> {
        for segment in &self.segments {
            match segment {
                Segment::Text(text) => ids.extend(tokenizer.encode(text, Specials::Ignore)),
                Segment::Special(special::BOS) => ids.push(tokenizer.special().bos),
                Segment::Special(token) => ids.push(control(tokenizer, token)?),
                Segment::Media(media) => medium(*media, ids)?,
            }
        }
        Ok(())
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
