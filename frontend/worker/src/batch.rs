//! Joins pieces of an answer that are posted together.

use engine::template::Piece;
use protocol::{Channel, Progress, RequestId};

use crate::convert;

/// Turns pieces into progress: neighbours of one channel become one text.
#[derive(Debug)]
pub struct Batch {
    /// The answer.
    id: RequestId,
    /// Whether thoughts are shown. A model may think without being asked to.
    thoughts: bool,
    pending: String,
    channel: Channel,
    tokens: u32,
}

impl Batch {
    /// An empty batch.
    pub fn new(id: RequestId, thoughts: bool) -> Self {
        Self { id, thoughts, pending: String::new(), channel: Channel::Answer, tokens: 0 }
    }

    /// Whether thoughts are shown.
    pub fn has_thoughts(&self) -> bool {
        self.thoughts
    }

    /// Adds a piece of an answer that has `tokens` tokens so far. Returns what is to be posted now.
    pub fn push(&mut self, piece: Piece, tokens: u32) -> Vec<Progress> {
        let mut events = Vec::new();
        match piece {
            Piece::Thought(_) if !self.thoughts => {}
            Piece::Thought(text) => self.text(Channel::Thought, &text, &mut events),
            // Shown as the model wrote it: better than nothing at all.
            Piece::Answer(text) | Piece::BrokenCall { raw: text, .. } => {
                self.text(Channel::Answer, &text, &mut events);
            }
            Piece::Call(call) => {
                events.extend(self.flush());
                events.push(Progress::Tool(convert::tool_call(self.id, tokens, call)));
            }
        }
        self.tokens = tokens;
        events
    }

    /// Returns the text that was not posted yet.
    pub fn flush(&mut self) -> Option<Progress> {
        if self.pending.is_empty() {
            return None;
        }
        let text = std::mem::take(&mut self.pending);
        Some(Progress::Text { channel: self.channel, text, tokens: self.tokens })
    }

    fn text(&mut self, channel: Channel, text: &str, events: &mut Vec<Progress>) {
        if channel != self.channel {
            events.extend(self.flush());
            self.channel = channel;
        }
        self.pending.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::template::{CallError, ToolCall};

    fn text(channel: Channel, text: &str, tokens: u32) -> Progress {
        Progress::Text { channel, text: text.into(), tokens }
    }

    #[test]
    fn neighbours_of_one_channel_are_one_event() {
        let mut batch = Batch::new(RequestId(5), true);
        assert_eq!(batch.push(Piece::Thought("Hm".into()), 1), []);
        assert_eq!(batch.push(Piece::Thought("m.".into()), 2), []);
        assert_eq!(batch.push(Piece::Answer("Five".into()), 4), [text(Channel::Thought, "Hmm.", 2)]);
        assert_eq!(batch.push(Piece::Answer(".".into()), 5), []);
        assert_eq!(batch.flush(), Some(text(Channel::Answer, "Five.", 5)));
        assert_eq!(batch.flush(), None);
    }

    #[test]
    fn unwanted_thoughts_are_dropped_and_broken_calls_are_text() {
        let mut batch = Batch::new(RequestId(5), false);
        assert_eq!(batch.push(Piece::Thought("secret".into()), 1), []);
        let broken = Piece::BrokenCall { raw: "call:f{".into(), error: CallError::Unfinished };
        assert_eq!(batch.push(broken, 2), []);
        assert_eq!(batch.flush(), Some(text(Channel::Answer, "call:f{", 2)));
    }

    #[test]
    fn a_call_comes_after_the_text_before_it() {
        let mut batch = Batch::new(RequestId(5), false);
        batch.push(Piece::Answer("Let me see.".into()), 3);
        let call = ToolCall { name: "weather".into(), ..ToolCall::default() };
        let events = batch.push(Piece::Call(call), 9);
        let call = protocol::ToolCall { id: "5-9".into(), name: "weather".into(), arguments: "{}".into() };
        assert_eq!(events, [text(Channel::Answer, "Let me see.", 3), Progress::Tool(call)]);
    }
}
