//! The text of answers while other tabs write them.
//!
//! A tab that writes an answer tells the others what is new. Whenever it keeps the answer, it repeats what came since it did so
//! the time before; a tab that missed the beginning reads what is kept, and goes on from there.

use std::collections::BTreeMap;

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::super::answer::AnswerPlace;
use super::ChatStore;
use crate::channel::{Channel, Subscription};
use crate::history::{ConversationId, NodeId};

/// What is new of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct News {
    conversation: ConversationId,
    node: NodeId,
    text: Piece,
    thought: Piece,
}

/// What follows the first `from` bytes of a text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Piece {
    from: usize,
    more: String,
}

/// An answer that another tab is writing, as far as it is known here.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LiveText {
    /// The answer.
    pub text: String,
    /// The thought.
    pub thought: String,
}

/// The channel between tabs that write and tabs that follow.
#[derive(Clone, Copy, Default)]
pub struct LiveAnswers {
    /// The answers of other tabs, by conversation and message.
    all: RwSignal<BTreeMap<(ConversationId, NodeId), LiveText>>,
    channel: StoredValue<Option<Channel<News>>>,
    subscription: StoredValue<Option<Subscription>>,
    /// Bytes of this tab's running answer and thought that were sent to the others.
    sent: StoredValue<(usize, usize)>,
    /// Those that were kept the last time.
    kept: StoredValue<(usize, usize)>,
}

impl LiveAnswers {
    /// Begins to tell of an answer, of which the others know this much.
    pub(super) fn begin(self, text: &str, thought: &str) {
        self.sent.set_value((text.len(), thought.len()));
        self.kept.set_value((text.len(), thought.len()));
    }

    /// Lets go of an answer that has ended, or that this tab writes itself.
    pub(super) fn forget(self, at: (ConversationId, NodeId)) {
        if self.all.with_untracked(|all| all.contains_key(&at)) {
            self.all.update(|all| {
                all.remove(&at);
            });
        }
    }
}

impl Piece {
    fn new(text: &str, sent: usize) -> Self {
        // An answer only grows; if it were another one, all of it would be new.
        let from = if text.is_char_boundary(sent) { sent } else { 0 };
        Self { from, more: text[from..].to_owned() }
    }

    /// Puts what is new into a text, of which `kept` is stored. Whether there was no gap.
    fn put(&self, text: &mut String, kept: &str) -> bool {
        if text.len() < kept.len() {
            kept.clone_into(text);
        }
        let fits = text.is_char_boundary(self.from);
        if fits {
            text.truncate(self.from);
            text.push_str(&self.more);
        }
        fits
    }
}

impl ChatStore {
    /// Follows the answers of other tabs. Called once, in the browser.
    pub(super) fn watch_live(self) {
        let channel = Channel::open("gemtab-answers");
        let subscription = channel.listen(move |news: News| self.hear_of(&news));
        self.live.channel.set_value(Some(channel));
        self.live.subscription.set_value(Some(subscription));
    }

    /// The running answer was kept. What was new since the time before is sent to the others once more: a tab that has missed
    /// some of it has read that by now.
    pub(super) fn tell_again(self) {
        let now =
            (self.answer.text.with_untracked(String::len), self.answer.thought.with_untracked(String::len));
        self.live.sent.set_value(self.live.kept.get_value());
        self.live.kept.set_value(now);
    }

    /// Sends other tabs what is new of the running answer.
    pub(super) fn tell_others(self, place: AnswerPlace) {
        if self.library.at_hand(place.conversation).is_some_and(|now| now.with_untracked(|now| now.temporary))
        {
            return;
        }
        let live = self.live;
        let (text, thought) = live.sent.get_value();
        let text = self.answer.text.with_untracked(|now| (Piece::new(now, text), now.len()));
        let thought = self.answer.thought.with_untracked(|now| (Piece::new(now, thought), now.len()));
        live.sent.set_value((text.1, thought.1));
        let AnswerPlace { conversation, node, .. } = place;
        let news = News { conversation, node, text: text.0, thought: thought.0 };
        live.channel.with_value(|channel| {
            if let Some(channel) = channel.as_ref().filter(|_| !news.is_empty()) {
                channel.announce(&news);
            }
        });
    }

    fn hear_of(self, news: &News) {
        let at = (news.conversation, news.node);
        if !self.elsewhere.with_untracked(|all| all.contains(&at)) {
            return;
        }
        let kept = self.library.at_hand(news.conversation).and_then(|conversation| {
            conversation
                .with_untracked(|it| it.message(news.node).map(|it| (it.text.clone(), it.thought.clone())))
        });
        let (text, thought) = kept.unwrap_or_default();
        self.live.all.update(|all| {
            let live = all.entry(at).or_default();
            news.text.put(&mut live.text, &text);
            news.thought.put(&mut live.thought, &thought);
        });
    }

    /// Returns an answer that another tab is writing, as far as it is known here.
    #[must_use]
    pub fn live_text(self, conversation: ConversationId, node: NodeId) -> Option<LiveText> {
        self.live.all.with(|all| all.get(&(conversation, node)).cloned())
    }
}

impl News {
    fn is_empty(&self) -> bool {
        self.text.more.is_empty() && self.thought.more.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_new_follows_what_is_known() {
        let mut text = String::new();
        let whole = "Mercury, Venus, Erde, Überschall";
        let mut sent = 0;
        for end in [8, 16, 21, whole.len()] {
            assert!(Piece::new(&whole[..end], sent).put(&mut text, ""));
            sent = end;
            assert_eq!(text, whole[..end]);
        }
        // Nothing is doubled when the same comes once more.
        assert!(Piece::new(whole, 8).put(&mut text, ""));
        assert_eq!(text, whole);
    }

    #[test]
    fn a_gap_is_filled_from_what_is_kept() {
        let whole = "Mercury, Venus, Earth, Mars";
        let mut text = String::new();
        assert!(!Piece::new(&whole[..16], 8).put(&mut text, ""), "the beginning was missed");
        assert_eq!(text, "");
        assert!(Piece::new(whole, 16).put(&mut text, &whole[..22]));
        assert_eq!(text, whole);
        // What is kept may be older than what is known.
        assert!(Piece::new(whole, 23).put(&mut text, &whole[..9]));
        assert_eq!(text, whole);
    }

    #[test]
    fn news_cross_between_tabs() {
        let news = News {
            conversation: ConversationId(1),
            node: NodeId(2),
            text: Piece { from: 3, more: "“yes”".into() },
            thought: Piece::default(),
        };
        let json = serde_json::to_string(&news).expect("JSON");
        assert_eq!(serde_json::from_str::<News>(&json).expect("news"), news);
        assert!(!news.is_empty());
    }
}
