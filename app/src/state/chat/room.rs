//! Room in the context for a conversation that has become too long: what is oldest is left out, or summarized by the model. The
//! user chooses once; from then on it happens by itself in the same way, about half of the context at a time, so that the start of
//! the prompt seldom changes and the engine need not read it again.

use leptos::{prelude::*, task::spawn_local};
use protocol::{Outcome, Progress, Request};

use super::super::answer::AnswerPhase;
use super::super::models::ModelState;
use super::ChatStore;
use super::documents::Measure;
use super::prompt::generate_options;
use crate::history::{self, ContextStart, Conversation, ConversationId, NodeId, first_that_fits};
use crate::{format, language::t};

/// Most tokens of a summary, whatever the context.
const SUMMARY: u32 = 512;

/// What happens to messages for which the context has no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// The oldest are left out.
    LeaveOut,
    /// A summary takes the place of the oldest.
    Summarize,
}

impl ChatStore {
    /// Returns what happens in a conversation whose context is full; `None` until the user has chosen.
    #[must_use]
    pub fn overflow_of(self, conversation: &Conversation) -> Option<Overflow> {
        let chosen = self.overflow.get().filter(|(of, _)| *of == conversation.id);
        chosen.map(|(_, overflow)| overflow).or_else(|| {
            let start = &conversation.context_start;
            let overflow = if start.summary.is_empty() { Overflow::LeaveOut } else { Overflow::Summarize };
            (!start.is_default()).then_some(overflow)
        })
    }

    /// Has room made with the next message of the conversation on screen.
    pub fn choose_overflow(self, overflow: Option<Overflow>) {
        self.overflow.set(overflow.map(|overflow| (self.conversation.id_untracked(), overflow)));
    }

    /// Makes room for an answer, if there is little left and the user has chosen how. What then still is too long, the engine
    /// says. `measured` is the message that is to fit the context with all before it: an answer that goes on or is given again,
    /// too.
    pub(super) async fn make_room(
        self,
        asked: &mut Conversation,
        until: NodeId,
        measured: NodeId,
        measure: Measure,
    ) {
        if let Some(start) = self.later_start(asked, until, measured, measure).await {
            asked.context_start = start;
        }
    }

    /// Moves the start so that the prompt takes about half of the context. Returns `None` if there is room, or none can be made.
    async fn later_start(
        self,
        asked: &Conversation,
        until: NodeId,
        measured: NodeId,
        measure: Measure,
    ) -> Option<ContextStart> {
        let overflow = untrack(|| self.overflow_of(asked))?;
        let Measure { context, able } = measure;
        // Documents get half of the context, an answer an eighth.
        let most = if asked.wants_documents(until) { context / 2 } else { context - context / 8 };
        if self.count(asked, measured, able).await? <= most {
            return None;
        }
        let begun = asked.start_on(&asked.path_to(until));
        let count = async |at| self.count(&starting_at(asked, at), measured, able).await;
        let at = first_that_fits(&asked.later_starts(until), context / 2, count).await?;
        let before = asked.context_start.clone();
        let (summary, said) = match overflow {
            Overflow::LeaveOut => (String::new(), t().room_left_out()),
            Overflow::Summarize => match self.summary(asked, at, measure).await? {
                summary if !summary.is_empty() => (summary, t().room_summarized()),
                // The one before is better than none.
                _ => (begun.map(|_| before.summary.clone()).unwrap_or_default(), t().room_failed()),
            },
        };
        let start = ContextStart { at: Some(at), summary };
        self.library.change(asked.id, |conversation| conversation.context_start = start.clone());
        self.tell_start(asked.id, before, said);
        Some(start)
    }

    /// Has the model read the conversation on screen from its first message on.
    pub fn read_everything(self) {
        self.choose_overflow(None);
        let before = self.conversation.with_untracked(|conversation| conversation.context_start.clone());
        self.edit(|conversation| conversation.context_start = ContextStart::default());
        self.tell_start(self.conversation.id_untracked(), before, t().reading_whole_again());
    }

    /// Says that the start has moved. Undo puts it back.
    fn tell_start(self, id: ConversationId, before: ContextStart, said: &'static str) {
        self.ui.toast_with_undo(said, move || {
            let before = before.clone();
            self.choose_overflow(None);
            spawn_local(async move {
                // It may have left the screen meanwhile.
                if self.library.hold(id).await.ok().flatten().is_some() {
                    self.library.change(id, |conversation| conversation.context_start = before);
                    self.release();
                }
            });
        });
    }

    /// Returns what the model writes in place of the messages before `at` that it reads now, and of their summary; empty if it
    /// could not. `None` if the user has stopped it, or the engine is gone. Of more than the context holds, the oldest is lost.
    async fn summary(self, asked: &Conversation, at: NodeId, measure: Measure) -> Option<String> {
        let Measure { context, able } = measure;
        let ModelState::Ready { loaded_by, choice, details, .. } = self.engine.model.get_untracked() else {
            return None;
        };
        self.ui.say(t().room_summarizing());
        self.answer.sensing.set(Some(t().room_summarizing().to_owned()));
        let most = SUMMARY.min(context / 8);
        let mut part = asked.fork(asked.node(at)?.parent()?, asked.id, history::now()).ok()?;
        if part.context_start.at.is_none() {
            // One of another branch.
            part.context_start.summary.clear();
        }
        part.options.thinking = false;
        let words = t().room_prompt(u64::from(most / 2));
        let until = part.add_user(words, Vec::new(), history::now()).ok()?;
        let room = context.saturating_sub(2 * most);
        if self.count(&part, until, able).await.is_some_and(|tokens| tokens > room) {
            let mut starts = part.later_starts(until);
            starts.pop();
            let count = async |at| self.count(&starting_at(&part, at), until, able).await;
            if let Some(from) = first_that_fits(&starts, room, count).await {
                part.context_start.at = Some(from);
            }
        }
        let mut options = generate_options(&part, &choice, &details);
        options.max_tokens = most;
        options.adapters = self.adapters.scales();
        options.drafts = self.engine.drafts(details.drafter);
        options.pause_training = true;
        options.model = Some(loaded_by);
        let gathered = self.gather(&part.attachments_to(until), able).await;
        let is_stopped = || self.answer.phase.get_untracked() == AnswerPhase::Stopping;
        if is_stopped() {
            return None;
        }
        let request = Request::Generate { messages: gathered.messages(&part, until), options };
        let mut reply = self.engine.request_with(gathered.handles, request)?;
        // Stop stops this.
        self.answer.place.update(|place| {
            if let Some(place) = place {
                place.request = Some(reply.id());
            }
        });
        let mut goes_on = |progress: &Progress| {
            if let Progress::Prefilling { done, total } = *progress
                && total > 0
            {
                let share = f64::from(done) / f64::from(total) * 100.0;
                let share = t().unit_percent(&format::number(share, 0));
                self.answer.sensing.set(Some(t().with_amount(t().room_summarizing(), &share)));
            }
            true
        };
        let (summary, outcome) = reply.text(&mut goes_on).await?;
        self.answer.sensing.set(None);
        let is_written = matches!(outcome, Ok(Outcome::Done { .. }));
        (!is_stopped()).then(|| if is_written { summary.trim().to_owned() } else { String::new() })
    }
}

/// The conversation as it would be read from a message on, without a summary.
fn starting_at(conversation: &Conversation, at: NodeId) -> Conversation {
    let mut conversation = conversation.clone();
    conversation.context_start = ContextStart { at: Some(at), summary: String::new() };
    conversation
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::Options;

    #[test]
    fn the_manner_is_the_chosen_one_or_that_of_the_start() {
        let owner = Owner::new();
        owner.set();
        let (chat, ..) = ChatStore::for_test();
        let mut conversation = chat.conversation.get_untracked();
        let overflow = |conversation: &Conversation| untrack(|| chat.overflow_of(conversation));
        assert_eq!(overflow(&conversation), None, "the user is to be asked");
        conversation.context_start.at = Some(NodeId(1));
        assert_eq!(overflow(&conversation), Some(Overflow::LeaveOut));
        conversation.context_start.summary = "Of trees.".into();
        assert_eq!(overflow(&conversation), Some(Overflow::Summarize));
        chat.choose_overflow(Some(Overflow::LeaveOut));
        assert_eq!(overflow(&conversation), Some(Overflow::LeaveOut));
        let other = Conversation::new(ConversationId(1), Options::default(), 1);
        assert_eq!(overflow(&other), None, "it was chosen for one conversation");
    }
}
