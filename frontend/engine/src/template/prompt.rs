//! A rendered prompt, with control tokens separated from text.

use std::collections::HashMap;
use std::fmt;

use thiserror::Error;

use crate::media::{Input, Media, MediaError, Medium};
use crate::tokenizer::{Specials, Tokenizer, special};

/// The label of the thought channel, which follows `<|channel>`.
pub(super) const THOUGHT: &str = "thought\n";

/// A segment of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// A control token, by its text (see [`special`]).
    Special(&'static str),
    /// The place of a medium: one slot token, to be replaced by one per soft token.
    Media(Media),
    /// Text. Control tokens spelled in it remain text.
    Text(String),
}

/// A prompt. [`fmt::Display`] formats it as one string, like the public template.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt {
    segments: Vec<Segment>,
    starts: Vec<Start>,
}

/// Where a message starts in a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Start {
    /// Its index in the conversation.
    pub message: usize,
    /// The index of the segment.
    pub segment: usize,
    /// Bytes of the segment that belong to what precedes it.
    pub byte: usize,
}

/// The token counts of a prompt's texts, and the number of bytes that were tokenized for them.
#[derive(Clone, Debug, Default)]
pub struct KnownCounts(HashMap<String, usize>, usize);

impl KnownCounts {
    /// Bytes of text that the last count tokenized.
    pub fn bytes_read(&self) -> usize {
        self.1
    }
}

/// A prompt that cannot be encoded.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PromptError {
    /// The vocabulary does not have a required control token.
    #[error("the model has no token {token}")]
    NoToken {
        /// The token's text.
        token: &'static str,
    },
    /// The media do not match the places in the prompt.
    #[error(transparent)]
    Media(#[from] MediaError),
}

impl FromIterator<Segment> for Prompt {
    fn from_iter<I: IntoIterator<Item = Segment>>(segments: I) -> Self {
        let mut prompt = Self::default();
        prompt.append(Self { segments: segments.into_iter().collect(), starts: Vec::new() });
        prompt
    }
}

impl Prompt {
    /// Returns the segments, in order. There are no adjacent text segments.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Returns the media of the prompt in order.
    pub fn media(&self) -> impl Iterator<Item = Media> {
        self.segments.iter().filter_map(|segment| match segment {
            Segment::Media(media) => Some(*media),
            Segment::Special(_) | Segment::Text(_) => None,
        })
    }

    /// Returns whether the answer starts inside a thought that the prompt has opened.
    pub fn ends_in_thought(&self) -> bool {
        match self.segments.as_slice() {
            [.., Segment::Special(special::CHANNEL_OPEN), Segment::Text(label)] => label == THOUGHT,
            _ => false,
        }
    }

    /// Token ids, starting with exactly one `<bos>`. Each medium is one slot token.
    ///
    /// # Errors
    /// When the vocabulary does not have a control token of the prompt.
    pub fn encode(&self, tokenizer: &Tokenizer) -> Result<Vec<u32>, PromptError> {
        self.ids(tokenizer, |media, ids| {
            ids.push(control(tokenizer, media.slot())?);
            Ok(())
        })
    }

    /// Token ids of the beginning of an answer: its thought and its text so far. If there is text, the thought has
    /// ended.
    ///
    /// # Errors
    /// Same as [`Self::encode`].
    pub fn begun(&self, tokenizer: &Tokenizer, thought: &str, answer: &str) -> Result<Vec<u32>, PromptError> {
        let mut begun = Self::default();
        let opened = self.ends_in_thought();
        // Gemma 3 has no thoughts.
        let thought = if tokenizer.special().channel_open.is_some() { thought } else { "" };
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

    /// Returns the number of ids that [`Self::encode`] returns. Counts of texts are cached in `known`, so that while a
    /// conversation is edited, only the changed text is tokenized.
    ///
    /// # Errors
    /// Same as [`Self::encode`].
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

    /// Returns the input for the model: each medium, in order, has one slot per soft token, between its begin and end
    /// tokens.
    ///
    /// # Errors
    /// Same as [`Self::encode`], and when the media are not those that the prompt has places for.
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

    /// Token ids; `medium` appends those of a medium.
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

    /// Where messages start, in order. Messages of tools and of the system have no start.
    pub(crate) fn starts(&self) -> &[Start] {
        &self.starts
    }

    /// Has a message start here.
    pub(super) fn start(&mut self, message: usize) {
        let (segment, byte) = match self.segments.last() {
            Some(Segment::Text(text)) => (self.segments.len() - 1, text.len()),
            _ => (self.segments.len(), 0),
        };
        self.starts.push(Start { message, segment, byte });
    }

    pub(super) fn special(&mut self, token: &'static str) {
        self.segments.push(Segment::Special(token));
    }

    /// Writes other control tokens for the same meanings.
    pub(super) fn rename(&mut self, name: fn(&'static str) -> &'static str) {
        for segment in &mut self.segments {
            if let Segment::Special(token) = segment {
                *token = name(token);
            }
        }
    }

    pub(super) fn medium(&mut self, media: Media) {
        self.segments.push(Segment::Media(media));
    }

    /// Adjacent texts are joined, since merges may cross their boundary.
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
