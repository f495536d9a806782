//! Streaming parser: from an answer's token ids to text, thoughts and tool calls.

use crate::tokenizer::{SpecialTokens, StreamDecoder, Tokenizer};

use super::call::{CallError, ToolCallText};
use super::message::ToolCall;
use super::prompt::THOUGHT;
use super::stop::StopStrings;

/// A piece of an answer. Texts are non-empty and consist of whole characters.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// Text of the answer.
    Answer(String),
    /// Text of a thought.
    Thought(String),
    /// A tool call.
    Call(ToolCall),
    /// A tool call that cannot be parsed.
    BrokenCall {
        /// The text between `<|tool_call>` and `<tool_call|>`.
        raw: String,
        /// The parse error.
        error: CallError,
    },
}

/// The state of the parser.
#[derive(Clone, Debug)]
enum State {
    Answer,
    Thought(Thought),
    Call(ToolCallText),
}

/// The beginning of a thought, held back while it may be the label.
#[derive(Clone, Debug, Default)]
struct Thought {
    label: Option<String>,
}

/// Parses the tokens of one answer. Call [`AnswerParser::push`] for every id, then [`AnswerParser::finish`].
///
/// ```text
/// answer --<|channel>--> thought --<channel|>--> answer      the label "thought\n" is dropped
/// answer --<|tool_call>--> call --<tool_call|>--> answer
/// ```
/// White space before an opening token, at the end of a thought and behind a closing token is dropped. It works on ids,
/// so text that looks like a control token remains text. Misplaced control tokens (a second `<tool_call|>`, a call in a
/// thought, an end of turn) are ignored.
#[derive(Clone, Debug)]
pub struct AnswerParser {
    special: SpecialTokens,
    state: State,
    decoder: StreamDecoder,
    stops: StopStrings,
    /// White space that belongs to the format if a control token follows.
    space: String,
    /// Whether white space that follows belongs to the format.
    after_close: bool,
}

impl AnswerParser {
    /// Starts an answer: inside a thought if the prompt [ends in one](super::Prompt::ends_in_thought). Stop strings
    /// are only searched in the answer's text, not in thoughts and calls.
    pub fn new(special: &SpecialTokens, in_thought: bool, stops: StopStrings) -> Self {
        let state = if in_thought { State::Thought(Thought::default()) } else { State::Answer };
        let (decoder, space) = (StreamDecoder::default(), String::new());
        Self { special: special.clone(), state, decoder, stops, space, after_close: false }
    }

    /// Returns whether the next text belongs to a thought.
    pub fn in_thought(&self) -> bool {
        matches!(self.state, State::Thought(_))
    }

    /// Returns whether the next text belongs to a call.
    pub fn in_call(&self) -> bool {
        matches!(self.state, State::Call(_))
    }

    /// Returns the stop string that ended the answer. After it, nothing is returned.
    pub fn stopped(&self) -> Option<&str> {
        self.stops.found()
    }

    /// Resumes an answer whose text was already returned: that of `begun` as a whole, that of `drawn` id by id.
    pub fn resume(&mut self, tokenizer: &Tokenizer, begun: &[u32], drawn: &[u32]) {
        for &id in begun {
            self.push(tokenizer, id);
        }
        if !begun.is_empty() {
            self.decoder.flush();
            self.stops.flush();
            self.space.clear();
        }
        for &id in drawn {
            self.push(tokenizer, id);
        }
    }

    /// Processes the next id. Usually returns one piece, sometimes none or two.
    pub fn push(&mut self, tokenizer: &Tokenizer, id: u32) -> Vec<Piece> {
        let mut pieces = Vec::new();
        if self.stopped().is_some() {
            return pieces;
        }
        if !tokenizer.is_special(id) {
            let text = self.decoder.push(tokenizer, id);
            self.text(text, &mut pieces);
            return pieces;
        }
        let text = self.decoder.flush();
        self.text(text, &mut pieces);
        let id = Some(id);
        let special = &self.special;
        match &mut self.state {
            State::Call(call) if id == special.quote => call.push_quote(),
            State::Call(_) if id == special.tool_call_close => self.leave(End::Closed, &mut pieces),
            State::Call(_) if id == special.tool_response_open => self.leave(End::Cut, &mut pieces),
            State::Thought(_) if id == special.channel_close => self.leave(End::Closed, &mut pieces),
            State::Thought(_) => {}
            State::Answer | State::Call(_) if id == special.channel_open => {
                self.leave(End::Opened, &mut pieces);
                self.state = State::Thought(Thought { label: Some(String::new()) });
            }
            State::Answer | State::Call(_) if id == special.tool_call_open => {
                self.leave(End::Opened, &mut pieces);
                self.state = State::Call(ToolCallText::default());
            }
            State::Answer | State::Call(_) => {}
        }
        pieces
    }

    /// Ends the answer: returns held-back text. An incomplete call is a [`Piece::BrokenCall`].
    pub fn finish(&mut self, pieces: &mut Vec<Piece>) {
        if self.stopped().is_none() {
            let text = self.decoder.flush();
            self.text(text, pieces);
            self.leave(End::Cut, pieces);
        }
    }

    fn text(&mut self, text: Option<String>, pieces: &mut Vec<Piece>) {
        let Some(text) = text else { return };
        if let State::Call(call) = &mut self.state {
            return call.push_text(&text);
        }
        let text = if self.after_close { text.trim_start() } else { &text };
        if text.is_empty() {
            return;
        }
        self.after_close = false;
        self.space += &match &mut self.state {
            State::Thought(thought) => thought.push(text),
            State::Answer | State::Call(_) => self.stops.push(text),
        };
        // What precedes a stop string is text.
        let end = if self.stopped().is_some() { self.space.len() } else { self.space.trim_end().len() };
        let space = self.space.split_off(end);
        let text = std::mem::replace(&mut self.space, space);
        self.write(text, pieces);
    }

    /// Returns a text of the answer or the thought.
    fn write(&self, text: String, pieces: &mut Vec<Piece>) {
        match self.state {
            _ if text.is_empty() => {}
            State::Thought(_) => pieces.push(Piece::Thought(text)),
            State::Answer | State::Call(_) => pieces.push(Piece::Answer(text)),
        }
    }

    /// Ends the current part, and returns to the answer.
    fn leave(&mut self, end: End, pieces: &mut Vec<Piece>) {
        let mut text = std::mem::take(&mut self.space);
        text += &match &mut self.state {
            State::Thought(thought) => thought.label.take().unwrap_or_default(),
            State::Answer => self.stops.flush(),
            State::Call(_) => String::new(),
        };
        if end != End::Cut || self.in_thought() {
            text.truncate(text.trim_end().len());
        }
        self.write(text, pieces);
        if let State::Call(call) = std::mem::replace(&mut self.state, State::Answer) {
            pieces.push(match call.parse(end == End::Closed) {
                Ok(call) => Piece::Call(call),
                Err(error) => Piece::BrokenCall { raw: call.raw(), error },
            });
        }
        self.after_close = end == End::Closed;
    }
}

/// What ends a part of an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// Its closing token.
    Closed,
    /// The opening token of another part.
    Opened,
    /// The end of the answer, or of the model's turn.
    Cut,
}

impl Thought {
    /// Returns the text without the label.
    fn push(&mut self, text: &str) -> String {
        let Some(label) = self.label.take() else { return text.to_owned() };
        let label = label + text;
        if label.len() < THOUGHT.len() && THOUGHT.starts_with(&label) {
            self.label = Some(label);
            return String::new();
        }
        label.strip_prefix(THOUGHT).map_or(label.clone(), str::to_owned)
    }
}
