//! Titles that the model writes while it is idle.
//!
//! The request goes on from the conversation as the model has just read it, so little is computed. It gives way to everything:
//! a message that is sent, an answer of another tab, a training.

use std::time::Duration;

use leptos::{prelude::*, task::spawn_local};
use protocol::{Finish, Outcome, Progress, Request};

use super::super::models::ModelState;
use super::ChatStore;
use super::prompt::generate_options;
use crate::browser;
use crate::history::{self, ConversationId, TitleSource};
use crate::language::t;

/// How long nothing must have happened.
const REST: Duration = Duration::from_millis(1_500);
/// Most tokens of a title, and of a thought before it.
const TOKENS: (u32, u32) = (40, 600);

impl ChatStore {
    /// Has titles written while the model is idle; `is_training` tells whether it trains. Called once, in the browser.
    pub fn watch_titles(self, is_training: impl Fn() -> bool + Copy + Send + Sync + 'static) {
        let on = self.settings.field(|settings| settings.titles);
        let idle = Memo::new(move |_| {
            self.engine.model.with(ModelState::is_ready)
                && !self.answer.is_running()
                && !self.transcribing.get()
                && self.queued.with(Option::is_none)
                && !is_training()
        });
        Effect::new(move |_| {
            let Some(id) = self.untitled.get() else { return };
            if on.get() && idle.get() {
                let rests = self.title_rests.begin();
                browser::after(REST, move || {
                    let still = self.title_rests.is(rests) && self.untitled.get_untracked() == Some(id);
                    if still && idle.get_untracked() && on.get_untracked() {
                        spawn_local(self.write_title(id));
                    }
                });
            } else {
                self.stop_title();
            }
        });
    }

    /// Takes note of a conversation that was just answered, if its title is but the beginning of its first message.
    pub(super) fn note_untitled(self, id: ConversationId) {
        let wants = self.library.at_hand(id).is_some_and(|now| {
            now.with_untracked(|now| now.title_source == TitleSource::FirstMessage && !now.temporary)
        });
        if wants {
            self.untitled.set(Some(id));
        }
    }

    /// Breaks off a title that is being written. It is written after the next answer.
    pub(super) fn stop_title(self) {
        self.title_rests.begin();
        if let Some(request) = self.titling.try_update_value(Option::take).flatten() {
            self.engine.cancel(request);
        }
    }

    async fn write_title(self, id: ConversationId) {
        let ModelState::Ready { loaded_by, choice, details, .. } = self.engine.model.get_untracked() else {
            return;
        };
        let Some(conversation) = self.library.load(id).await else { return self.untitled.set(None) };
        let mut asked = self.with_system(conversation, &choice);
        let Ok(until) = asked.add_user(t().title_prompt(), Vec::new(), history::now()) else { return };
        let mut options = generate_options(&asked, &choice, &details);
        options.max_tokens = if options.thinking { TOKENS.1 } else { TOKENS.0 };
        options.adapters = self.adapters.scales();
        options.model = Some(loaded_by);
        let gathered = self.gather(&asked.attachments_to(until), details.capabilities).await;
        // A message may have been sent meanwhile.
        if self.answer.is_running_untracked() || self.queued.with_untracked(Option::is_some) {
            return;
        }
        let messages = gathered.messages(&asked, until);
        let request = Request::Generate { messages, options };
        let Some(mut reply) = self.engine.request_with(gathered.handles, request) else { return };
        self.titling.set_value(Some(reply.id()));
        let mut goes_on = |progress: &Progress| {
            // Somebody else has the model.
            if matches!(progress, Progress::Waiting) {
                self.stop_title();
            }
            true
        };
        let Some((title, outcome)) = reply.text(&mut goes_on).await else { return };
        self.titling.update_value(|titling| {
            titling.take_if(|it| *it == reply.id());
        });
        match outcome {
            Ok(Outcome::Done { finish: Finish::Cancelled, .. }) => {}
            Ok(_) => self.take_title(id, &title).await,
            Err(_) => self.untitled.set(None),
        }
    }

    async fn take_title(self, id: ConversationId, title: &str) {
        self.untitled.set(None);
        // It may have left the screen, or been deleted.
        if self.library.hold(id).await.ok().flatten().is_some() {
            self.library.change(id, |conversation| conversation.take_title(title));
            self.release();
        }
    }
}
