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

/// The text of a thought that is held back: it may be part of the format.
#[derive(Clone, Debug, Default)]
struct Thought {
    /// The beginning of a possible label.
    label: Option<String>,
    /// A line end that belongs to the closing tag if that follows.
    line_end: bool,
}

/// Parses the tokens of one answer. Call [`AnswerParser::push`] for every id, then [`AnswerParser::finish`].
///
/// ```text
/// answer --<|channel>--> thought --<channel|>--> answer      the label "thought\n" and the last "\n" are dropped
/// answer --<|tool_call>--> call --<tool_call|>--> answer
/// ```
/// It works on ids, so text that looks like a control token remains text. Misplaced control tokens (a second
/// `<tool_call|>`, an end of turn) are ignored.
#[derive(Clone, Debug)]
pub struct AnswerParser {
    special: SpecialTokens,
    state: State,
    decoder: StreamDecoder,
    stops: StopStrings,
}

impl AnswerParser {
    /// Starts an answer: inside a thought if the prompt [ends in one](super::Prompt::ends_in_thought). Stop strings
    /// are only searched in the answer's text, not in thoughts and calls.
    pub fn new(special: &SpecialTokens, in_thought: bool, stops: StopStrings) -> Self {
        let state = if in_thought { State::Thought(Thought::default()) } else { State::Answer };
        Self { special: special.clone(), state, decoder: StreamDecoder::default(), stops }
    }

    /// Returns whether the next text belongs to a thought.
    pub fn in_thought(&self) -> bool {
        matches!(self.state, State::Thought(_))
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
            if let State::Thought(thought) = &mut self.state {
                thought.line_end = false;
            }
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
        if id == self.special.channel_open {
            self.leave(false, &mut pieces);
            self.state = State::Thought(Thought { label: Some(String::new()), line_end: false });
        } else if id == self.special.channel_close && self.in_thought() {
            self.leave(true, &mut pieces);
        } else if id == self.special.tool_call_open {
            self.leave(false, &mut pieces);
            self.state = State::Call(ToolCallText::default());
        } else if (id == self.special.tool_call_close || id == self.special.tool_response_open)
            && matches!(self.state, State::Call(_))
        {
            self.leave(true, &mut pieces);
        } else if id == self.special.quote
            && let State::Call(call) = &mut self.state
        {
            call.push_quote();
        }
        pieces
    }

    /// Ends the answer: returns held-back text. An incomplete call is a [`Piece::BrokenCall`].
    pub fn finish(&mut self, pieces: &mut Vec<Piece>) {
        if self.stopped().is_none() {
            let text = self.decoder.flush();
            self.text(text, pieces);
            self.leave(false, pieces);
        }
    }

    fn text(&mut self, text: Option<String>, pieces: &mut Vec<Piece>) {
        let Some(text) = text else { return };
        match &mut self.state {
            State::Answer => push_text(pieces, Piece::Answer, self.stops.push(&text)),
            State::Thought(thought) => push_text(pieces, Piece::Thought, thought.push(&text)),
            State::Call(call) => call.push_text(&text),
        }
    }

    /// Ends the current thought or call, with or without its closing tag, and returns to the answer.
    fn leave(&mut self, closed: bool, pieces: &mut Vec<Piece>) {
        match std::mem::replace(&mut self.state, State::Answer) {
            State::Answer => push_text(pieces, Piece::Answer, self.stops.flush()),
            State::Thought(thought) => push_text(pieces, Piece::Thought, thought.end(closed)),
            State::Call(call) => pieces.push(match call.parse() {
                Ok(call) => Piece::Call(call),
                Err(error) => Piece::BrokenCall { raw: call.raw(), error },
            }),
        }
    }
}

fn push_text(pieces: &mut Vec<Piece>, piece: fn(String) -> Piece, text: String) {
    if !text.is_empty() {
        pieces.push(piece(text));
    }
}

impl Thought {
    fn push(&mut self, text: &str) -> String {
        let mut out = String::new();
        let text = match self.label.take() {
            None => text.to_owned(),
            Some(label) => {
                let label = label + text;
                if label.len() < THOUGHT.len() && THOUGHT.starts_with(&label) {
                    self.label = Some(label);
                    return out;
                }
                label.strip_prefix(THOUGHT).map_or(label.clone(), str::to_owned)
            }
        };
        if text.is_empty() {
            return out;
        }
        if std::mem::take(&mut self.line_end) {
            out.push('\n');
        }
        match text.strip_suffix('\n') {
            Some(before) => {
                out.push_str(before);
                self.line_end = true;
            }
            None => out.push_str(&text),
        }
        out
    }

    /// Returns the remaining text. Before the closing tag, one line end belongs to the format.
    fn end(self, closed: bool) -> String {
        let mut out = self.label.unwrap_or_default();
        if self.line_end && !closed {
            out.push('\n');
        }
        out
    }
}
