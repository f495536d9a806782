//! The answer that is being written.

use futures_channel::oneshot;
use leptos::prelude::*;
use protocol::{Canvas, Channel, RequestId};

use crate::history::{ConversationId, NodeId};

/// Where the running answer belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerPlace {
    /// Its conversation.
    pub conversation: ConversationId,
    /// Its message.
    pub node: NodeId,
    /// The request, to stop it by; `None` while what it needs is gathered.
    pub request: Option<RequestId>,
}

/// A call of a tool that takes its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunningCall {
    /// The conversation of the answer with the call.
    pub conversation: ConversationId,
    /// The answer.
    pub node: NodeId,
    /// Which of its calls.
    pub place: usize,
}

/// Phase of the running answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnswerPhase {
    /// The prompt is being read.
    #[default]
    Reading,
    /// A thought is being written.
    Thinking,
    /// The answer proper is being written.
    Writing,
    /// It was asked to stop.
    Stopping,
}

/// The running answer, in signals of its own: a token changes these and not the conversation, which takes the whole
/// when it has ended.
#[derive(Clone, Copy, Default)]
pub struct RunningAnswer {
    /// Where it belongs; `None` if nothing runs.
    pub place: RwSignal<Option<AnswerPlace>>,
    /// Its phase.
    pub phase: RwSignal<AnswerPhase>,
    /// What is done before the prompt can be read: a tower is loaded, pictures and sounds are encoded. In words.
    pub sensing: RwSignal<Option<String>>,
    /// Tokens of the prompt that were read, and in all.
    pub read: RwSignal<(u32, u32)>,
    /// The answer so far.
    pub text: RwSignal<String>,
    /// The thought so far.
    pub thought: RwSignal<String>,
    /// How long the thought took, in milliseconds; `None` until it ended.
    pub thought_ms: RwSignal<Option<u64>>,
    /// Whether a voice of the system reads it aloud.
    pub is_read_aloud: RwSignal<bool>,
    /// Tokens so far.
    pub tokens: RwSignal<u32>,
    /// The block that a diffusion model is denoising; `None` between blocks.
    pub canvas: RwSignal<Option<Canvas>>,
    /// The call that runs. Its answer has ended, and goes on behind it.
    pub call: RwSignal<Option<RunningCall>>,
    /// What the call waits for besides its end.
    stops_call: StoredValue<Option<oneshot::Sender<()>>>,
    thought_began: StoredValue<Option<u64>>,
}

impl RunningAnswer {
    /// Whether an answer runs, or a call of one, in whichever conversation.
    #[must_use]
    pub fn is_running(self) -> bool {
        self.place.with(Option::is_some) || self.call.with(Option::is_some)
    }

    /// [`Self::is_running`], without following it.
    #[must_use]
    pub fn is_running_untracked(self) -> bool {
        untrack(|| self.is_running())
    }

    /// Begins a call, and ends the one that runs. What is returned is ready when [`Self::stop_call`] is called.
    pub fn begin_call(self, call: RunningCall) -> oneshot::Receiver<()> {
        let (stops, stopped) = oneshot::channel();
        self.stops_call.set_value(Some(stops));
        self.call.set(Some(call));
        stopped
    }

    /// Ends the call that runs, if one does.
    pub fn stop_call(self) {
        self.stops_call.set_value(None);
        self.call.set(None);
    }

    /// Whether this message is the one that is being written.
    #[must_use]
    pub fn is_at(self, conversation: ConversationId, node: NodeId) -> bool {
        self.place
            .with(|place| place.is_some_and(|place| place.conversation == conversation && place.node == node))
    }

    /// Begins an answer.
    pub fn begin(self, place: AnswerPlace) {
        self.phase.set(AnswerPhase::Reading);
        self.sensing.set(None);
        self.read.set((0, 0));
        self.text.set(String::new());
        self.thought.set(String::new());
        self.thought_ms.set(None);
        self.tokens.set(0);
        self.canvas.set(None);
        self.thought_began.set_value(None);
        self.place.set(Some(place));
    }

    /// Lets the answer go on from what it has said before.
    pub fn begin_with(self, text: String, thought: String, thought_ms: Option<u64>) {
        self.text.set(text);
        self.thought.set(thought);
        self.thought_ms.set(thought_ms);
    }

    /// Takes what was written since the last time, in order. `now` in milliseconds.
    pub fn push(self, channel: Channel, text: &str, tokens: u32, now: u64) {
        match channel {
            Channel::Thought => {
                if self.thought_began.get_value().is_none() {
                    self.thought_began.set_value(Some(now));
                }
                self.enter(AnswerPhase::Thinking);
                self.thought.update(|thought| thought.push_str(text));
            }
            Channel::Answer => {
                self.end_thought(now);
                self.enter(AnswerPhase::Writing);
                self.text.update(|answer| answer.push_str(text));
            }
        }
        self.tokens.set(tokens);
        // The text of a block takes the place of its canvas.
        self.drop_canvas();
    }

    /// Shows a block of a diffusion model after a step.
    pub fn denoise(self, canvas: Canvas) {
        self.enter(AnswerPhase::Writing);
        self.canvas.set(Some(canvas));
    }

    /// Takes the canvas off the screen.
    pub fn drop_canvas(self) {
        if self.canvas.with_untracked(Option::is_some) {
            self.canvas.set(None);
        }
    }

    /// Notes how long the thought took, if there was one.
    pub fn end_thought(self, now: u64) {
        if let Some(began) = self.thought_began.get_value()
            && self.thought_ms.with_untracked(Option::is_none)
        {
            self.thought_ms.set(Some(now.saturating_sub(began)));
        }
    }

    fn enter(self, phase: AnswerPhase) {
        let now = self.phase.get_untracked();
        if now != phase && now != AnswerPhase::Stopping {
            self.phase.set(phase);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn running() -> RunningAnswer {
        let answer = RunningAnswer::default();
        answer.begin(AnswerPlace {
            conversation: ConversationId(1),
            node: NodeId(2),
            request: Some(RequestId(3)),
        });
        answer
    }

    #[test]
    fn a_thought_ends_where_the_answer_begins() {
        let owner = Owner::new();
        owner.set();
        let answer = running();
        assert_eq!(answer.phase.get_untracked(), AnswerPhase::Reading);
        answer.push(Channel::Thought, "Hm", 1, 1_000);
        assert_eq!(answer.phase.get_untracked(), AnswerPhase::Thinking);
        answer.push(Channel::Thought, "m.", 2, 2_000);
        answer.push(Channel::Answer, "Yes", 3, 4_000);
        answer.push(Channel::Answer, ".", 4, 9_000);
        assert_eq!(answer.phase.get_untracked(), AnswerPhase::Writing);
        assert_eq!(answer.thought_ms.get_untracked(), Some(3_000));
        assert_eq!(answer.thought.get_untracked(), "Hmm.");
        assert_eq!(answer.text.get_untracked(), "Yes.");
        assert_eq!(answer.tokens.get_untracked(), 4);
    }

    #[test]
    fn text_takes_the_place_of_its_canvas() {
        let owner = Owner::new();
        owner.set();
        let answer = running();
        answer.denoise(Canvas { step: 1, ..Canvas::default() });
        answer.denoise(Canvas { step: 2, ..Canvas::default() });
        assert_eq!(answer.phase.get_untracked(), AnswerPhase::Writing);
        assert_eq!(answer.canvas.get_untracked().map(|canvas| canvas.step), Some(2));
        answer.push(Channel::Answer, "Yes.", 2, 5);
        assert_eq!(answer.canvas.get_untracked(), None);
    }

    #[test]
    fn what_comes_after_stop_is_kept_and_stays_stopping() {
        let owner = Owner::new();
        owner.set();
        let answer = running();
        answer.phase.set(AnswerPhase::Stopping);
        answer.push(Channel::Answer, "late", 1, 5);
        assert_eq!(answer.phase.get_untracked(), AnswerPhase::Stopping);
        assert_eq!(answer.text.get_untracked(), "late");
        assert_eq!(answer.thought_ms.get_untracked(), None);
    }
}
