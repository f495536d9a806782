//! A whole turn of the model: thoughts, text or JSON, and calls.
//!
//! ```text
//! turn    = [thought] (text | JSON) | [thought] [text] call {call}
//! thought = <|channel> text <channel|>
//! ```

use std::rc::Rc;

use crate::error::GrammarError;
use crate::prefix::{Grammar, Prefix};
use crate::vocabulary::{Mask, Vocabulary};

/// What the model may write in a turn.
#[derive(Clone, Debug, Default)]
pub struct Format {
    /// What the text must be; `None` for any.
    pub text: Option<Grammar>,
    /// What may be called instead of an answer, or behind free text.
    pub calls: Option<Grammar>,
    /// Whether something must be called.
    pub must_call: bool,
    /// Whether there may be thoughts.
    pub thinking: bool,
}

/// The most tokens of which each is the beginning of one text.
const MOST_FORCED: u32 = 64;

enum State {
    Thought,
    /// Behind a thought, or at the beginning.
    Start,
    /// In free text.
    Text,
    Json(Prefix),
    Calls(Prefix),
    Ended,
}

/// The answer that is being written.
pub struct Answer {
    vocabulary: Rc<Vocabulary>,
    format: Format,
    /// The grammars with nothing written, ready to be begun once each.
    json: Option<Prefix>,
    calls: Option<Prefix>,
    state: State,
    mask: Mask,
    /// Whether the mask is that of the next token.
    is_current: bool,
}

impl Answer {
    /// Begins an answer; inside of a thought if the prompt has opened one.
    ///
    /// # Errors
    /// As [`Prefix::new`].
    pub fn new(vocabulary: Rc<Vocabulary>, format: Format, in_thought: bool) -> Result<Self, GrammarError> {
        let begin = |grammar: &Option<Grammar>| {
            grammar.as_ref().map(|grammar| Prefix::new(grammar, &vocabulary)).transpose()
        };
        let (json, calls) = (begin(&format.text)?, begin(&format.calls)?);
        let mask = Mask::none(vocabulary.size());
        let state = if in_thought { State::Thought } else { State::Start };
        Ok(Self { vocabulary, format, json, calls, state, mask, is_current: false })
    }

    /// Takes the next token.
    ///
    /// # Errors
    /// [`GrammarError::Forbidden`] if it isn't allowed.
    pub fn push(&mut self, id: u32) -> Result<(), GrammarError> {
        self.is_current = false;
        let vocabulary = Rc::clone(&self.vocabulary);
        let markers = vocabulary.markers();
        let is = |marker: Option<u32>| marker == Some(id);
        let is_text = vocabulary.text().allows(id);
        let next = match &mut self.state {
            State::Thought if is(markers.channel_close) => Some(State::Start),
            State::Thought if is_text => None,
            State::Start | State::Text if self.format.thinking && is(markers.channel_open) => {
                Some(State::Thought)
            }
            State::Start | State::Text if is(markers.call_open) => match self.calls.take() {
                Some(mut calls) => {
                    calls.push(id)?;
                    Some(State::Calls(calls))
                }
                None => return Err(GrammarError::Forbidden { id }),
            },
            State::Start | State::Text if self.format.must_call => {
                return Err(GrammarError::Forbidden { id });
            }
            State::Start if self.json.is_some() => match self.json.take() {
                Some(mut json) => {
                    json.push(id)?;
                    Some(State::Json(json))
                }
                None => None,
            },
            State::Json(prefix) | State::Calls(prefix) if prefix.is_end(id) => {
                if !prefix.is_whole()? {
                    return Err(GrammarError::Forbidden { id });
                }
                Some(State::Ended)
            }
            State::Json(prefix) | State::Calls(prefix) => {
                prefix.push(id)?;
                None
            }
            State::Start | State::Text if markers.ends.contains(&id) => Some(State::Ended),
            State::Start | State::Text if is_text => Some(State::Text),
            State::Start | State::Text | State::Thought | State::Ended => {
                return Err(GrammarError::Forbidden { id });
            }
        };
        if let Some(next) = next {
            self.state = next;
        }
        Ok(())
    }

    /// Returns the beginning of the text that must come next; empty if there is a choice.
    ///
    /// # Errors
    /// As [`Self::allowed`].
    pub fn forced(&mut self) -> Result<String, GrammarError> {
        // Where there is one text, few tokens are allowed: those that it begins with.
        let has_choice = self.allowed()?.count() > MOST_FORCED;
        match &self.state {
            State::Json(prefix) | State::Calls(prefix) if !has_choice => Ok(prefix.forced()),
            _ => Ok(String::new()),
        }
    }

    /// Returns the tokens that may come next.
    ///
    /// # Errors
    /// As [`Prefix::allowed`].
    pub fn allowed(&mut self) -> Result<&Mask, GrammarError> {
        let Self { vocabulary, format, json, calls, state, mask, is_current } = self;
        if *is_current {
            return Ok(mask);
        }
        let markers = vocabulary.markers();
        match state {
            State::Thought => {
                mask.clone_from(vocabulary.text());
                allow(mask, markers.channel_close);
            }
            State::Json(prefix) | State::Calls(prefix) => prefix.allowed(vocabulary, mask)?,
            State::Start | State::Text => {
                match json {
                    _ if format.must_call => *mask = Mask::none(vocabulary.size()),
                    Some(json) => json.allowed(vocabulary, mask)?,
                    None => {
                        mask.clone_from(vocabulary.text());
                        markers.ends.iter().for_each(|&end| mask.set(end, true));
                    }
                }
                if calls.is_some() {
                    allow(mask, markers.call_open);
                }
                if format.thinking {
                    allow(mask, markers.channel_open);
                }
            }
            State::Ended => return Err(GrammarError::DeadEnd),
        }
        *is_current = true;
        Ok(mask)
    }
}

fn allow(mask: &mut Mask, marker: Option<u32>) {
    if let Some(id) = marker {
        mask.set(id, true);
    }
}
