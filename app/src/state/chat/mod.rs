//! The conversation on screen: what a person does with it, and the answer that runs.

mod answering;
mod attaching;
mod draft;

pub use answering::with_system;
pub(super) use answering::{encoding_words, tower_words};
pub(super) use attaching::content;
pub use attaching::{Attached, Look, Senses, size_words};

use leptos::{prelude::*, task::spawn_local};
use protocol::Failure;

use super::answer::{AnswerPhase, RunningAnswer};
use super::engine::EngineStore;
use super::models::ModelState;
use super::{AdapterStore, Library, MediaStore, SettingsStore, Ui};
use crate::history::{self, Conversation, ConversationId, Draft, NodeId, Options};

/// What is to be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// The message that a person has sent.
    After(NodeId),
    /// An answer, once more: the old one stays a variant.
    Again(NodeId),
}

/// A turn that waits for a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queued {
    /// Its conversation.
    pub conversation: ConversationId,
    /// The turn.
    pub turn: Turn,
}

/// What went wrong with an answer, with what can be done; the message itself keeps the words alone.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerFailure {
    /// The answer's conversation.
    pub conversation: ConversationId,
    /// The answer.
    pub node: NodeId,
    /// What happened.
    pub failure: Failure,
}

/// The conversation on screen.
#[derive(Clone, Copy)]
pub struct ChatStore {
    /// The conversation. Without messages it is a new one, kept nowhere yet.
    pub conversation: RwSignal<Conversation>,
    /// Whether the address names a conversation that is not in this browser.
    pub missing: RwSignal<bool>,
    /// The running answer, perhaps of another conversation.
    pub answer: RunningAnswer,
    /// What waits for a model.
    pub queued: RwSignal<Option<Queued>>,
    /// The last failure.
    pub failure: RwSignal<Option<AnswerFailure>>,
    /// The message of the person's that is being edited.
    pub editing: RwSignal<Option<NodeId>>,
    /// What is typed and not sent.
    pub draft: RwSignal<String>,
    /// What is attached and not sent.
    pub attached: RwSignal<Vec<Attached>>,
    /// What is being attached, in words.
    pub attaching: RwSignal<Option<String>>,
    /// What could not be attached, and why: a line each.
    pub attach_trouble: RwSignal<Option<String>>,
    /// The conversation of the running answer, while another one is on screen.
    background: StoredValue<Option<Conversation>>,
    /// Whether the settings of a conversation that has not begun were changed: then those for new ones do not replace them.
    shaped: StoredValue<bool>,
    /// How often a conversation was asked for.
    moves: StoredValue<u32>,
    draft_changes: StoredValue<u32>,
    library: Library,
    settings: SettingsStore,
    engine: EngineStore,
    adapters: AdapterStore,
    media: MediaStore,
    ui: Ui,
}

impl ChatStore {
    /// A new conversation on screen.
    #[must_use]
    pub fn new(
        library: Library,
        settings: SettingsStore,
        engine: EngineStore,
        adapters: AdapterStore,
        media: MediaStore,
        ui: Ui,
    ) -> Self {
        let blank = Conversation::new(ConversationId::random(), Options::default(), 0);
        Self {
            conversation: RwSignal::new(blank),
            missing: RwSignal::new(false),
            answer: RunningAnswer::new(),
            queued: RwSignal::new(None),
            failure: RwSignal::new(None),
            editing: RwSignal::new(None),
            draft: RwSignal::new(String::new()),
            attached: RwSignal::new(Vec::new()),
            attaching: RwSignal::new(None),
            attach_trouble: RwSignal::new(None),
            background: StoredValue::new(None),
            shaped: StoredValue::new(false),
            moves: StoredValue::new(0),
            draft_changes: StoredValue::new(0),
            library,
            settings,
            engine,
            adapters,
            media,
            ui,
        }
    }

    /// Lets what waits for a model go as soon as one is ready. Called once, in the browser.
    pub fn watch_model(self) {
        Effect::new(move |_| {
            if self.engine.model.with(ModelState::is_ready)
                && !self.answer.is_running()
                && let Some(queued) = self.queued.get()
            {
                self.queued.set(None);
                self.run(queued.conversation, queued.turn);
            }
        });
    }

    // Which conversation is on screen.

    /// Puts a new conversation on screen, unless an empty one is there.
    pub fn begin_new(self) {
        self.move_on();
        if !self.has_begun() && !self.missing.get_untracked() {
            if !self.shaped.get_value() {
                self.apply_defaults();
            }
            // What was typed before the store was open is newer than what it kept.
            if self.draft.with_untracked(String::is_empty) && self.attached.with_untracked(Vec::is_empty) {
                self.read_draft();
            }
            return;
        }
        self.put_aside();
        self.conversation.set(Conversation::new(
            ConversationId::random(),
            Options::default(),
            history::now(),
        ));
        self.shaped.set_value(false);
        self.apply_defaults();
        self.missing.set(false);
        self.read_draft();
    }

    /// Gives an empty conversation the settings for new ones.
    pub fn apply_defaults(self) {
        let settings = self.settings.value.get_untracked();
        self.conversation.update(|conversation| {
            if conversation.is_empty() {
                conversation.system = settings.system;
                conversation.options.sampling = settings.sampling;
                conversation.options.context = settings.context;
                conversation.options.thinking = settings.thinking;
            }
        });
    }

    /// Puts a conversation of this browser on screen.
    pub fn open(self, id: ConversationId) {
        let move_made = self.move_on();
        if self.conversation.with_untracked(|open| open.id == id) && !self.missing.get_untracked() {
            return;
        }
        // What was typed before the page had read anything belongs to the conversation that the address names.
        let arrives = move_made == 1;
        if !arrives {
            self.put_aside();
        }
        let running = self.background.with_value(|aside| aside.clone().filter(|aside| aside.id == id));
        if let Some(conversation) = running {
            self.background.set_value(None);
            self.show(conversation);
            return;
        }
        spawn_local(async move {
            let loaded = self.library.load(id).await;
            // The person may have gone somewhere else meanwhile.
            if self.moves.get_value() != move_made {
                return;
            }
            match loaded {
                Some(conversation) if arrives && !self.draft.with_untracked(String::is_empty) => {
                    self.conversation.set(conversation);
                }
                Some(conversation) => self.show(conversation),
                None => self.missing.set(true),
            }
        });
    }

    /// Counts that a conversation is to be on screen, and gives the count: what was to come before comes too late.
    fn move_on(self) -> u32 {
        self.moves.update_value(|moves| *moves = moves.wrapping_add(1));
        self.moves.get_value()
    }

    /// Reads the conversation on screen again, after another tab has changed it.
    pub fn reread(self, id: ConversationId) {
        let here = self.conversation.with_untracked(|open| open.id == id && !open.is_empty());
        if !here
            || self.answer.place.with_untracked(|place| place.is_some_and(|place| place.conversation == id))
        {
            return;
        }
        spawn_local(async move {
            if let Some(conversation) = self.library.load(id).await
                && self.conversation.with_untracked(|open| open.id == id && *open != conversation)
            {
                self.conversation.set(conversation);
            }
        });
    }

    fn show(self, conversation: Conversation) {
        self.conversation.set(conversation);
        self.missing.set(false);
        self.editing.set(None);
        self.read_draft();
    }

    /// Keeps what leaves the screen: the draft, and the conversation of the running answer.
    fn put_aside(self) {
        self.editing.set(None);
        self.keep_draft();
        self.media.hold_only(&[]);
        let open = self.conversation.get_untracked();
        if self.answer.place.with_untracked(|place| place.is_some_and(|place| place.conversation == open.id))
        {
            self.background.set_value(Some(open));
        }
    }

    /// Changes a conversation that is on screen or has the running answer, and gives it as it is then.
    fn change(self, id: ConversationId, change: impl FnOnce(&mut Conversation)) -> Option<Conversation> {
        if self.conversation.with_untracked(|open| open.id == id) {
            self.conversation.update(change);
            return Some(self.conversation.get_untracked());
        }
        self.background
            .try_update_value(|aside| {
                let aside = aside.as_mut().filter(|aside| aside.id == id)?;
                change(aside);
                Some(aside.clone())
            })
            .flatten()
    }

    /// Changes the conversation on screen, and keeps it if it has begun.
    pub fn edit(self, change: impl FnOnce(&mut Conversation)) {
        if !self.has_begun() {
            self.shaped.set_value(true);
        }
        self.conversation.update(|conversation| {
            change(conversation);
            conversation.updated = history::now();
        });
        self.keep();
    }

    fn keep(self) {
        if self.has_begun() {
            self.library.save(self.conversation.get_untracked());
        }
    }

    /// Whether the conversation on screen has messages, or had some that were deleted.
    fn has_begun(self) -> bool {
        self.conversation.with_untracked(|conversation| {
            !conversation.is_empty()
                || self.library.list.with_untracked(|list| list.iter().any(|kept| kept.id == conversation.id))
        })
    }

    // What a person does.

    /// Sends a message, after the last one on screen.
    pub fn send(self, text: &str) {
        let text = text.trim();
        let attached = self.attached.with_untracked(|all| !all.is_empty());
        if (text.is_empty() && !attached) || self.busy() {
            return;
        }
        self.library.keep_draft(self.draft_owner(), Draft::default());
        self.draft_changes.update_value(|change| *change = change.wrapping_add(1));
        self.draft.set(String::new());
        self.attach_trouble.set(None);
        let attachments: Vec<_> =
            self.attached.get_untracked().into_iter().map(|attached| attached.attachment).collect();
        self.attached.set(Vec::new());
        let was_new = self.conversation.with_untracked(Conversation::is_empty);
        self.missing.set(false);
        let added = self
            .conversation
            .try_update(|conversation| conversation.add_user(text, attachments, history::now()))
            .and_then(|added| self.told(added));
        let Some(node) = added else { return };
        self.keep();
        if was_new {
            self.ui.replace_path(&format!("/c/{}", self.conversation.with_untracked(|open| open.id)));
        }
        self.ask(Turn::After(node));
    }

    /// Sends an earlier message in other words: a branch, beside what followed the old one.
    pub fn resend(self, node: NodeId, text: &str) {
        let bare = self.conversation.with_untracked(|conversation| {
            conversation.message(node).is_none_or(|message| message.attachments.is_empty())
        });
        if (text.trim().is_empty() && bare) || self.busy() {
            return;
        }
        self.editing.set(None);
        let edited = self
            .conversation
            .try_update(|conversation| {
                let attachments =
                    conversation.message(node).map(|message| message.attachments.clone()).unwrap_or_default();
                conversation.edit_user(node, text.trim(), attachments, history::now())
            })
            .and_then(|edited| self.told(edited));
        if let Some(node) = edited {
            self.keep();
            self.ask(Turn::After(node));
        }
    }

    /// Has an answer given once more. One that said nothing is replaced; any other stays a variant.
    pub fn regenerate(self, answer: NodeId) {
        if self.busy() {
            return;
        }
        let (silent, before) = self.conversation.with_untracked(|conversation| {
            let silent = conversation
                .message(answer)
                .is_some_and(|message| message.text.is_empty() && message.thought.is_empty());
            (silent, conversation.node(answer).and_then(history::Node::parent))
        });
        match before {
            Some(before) if silent => {
                self.edit(|conversation| {
                    // It is there: its parent was just found.
                    conversation.delete_branch(answer, history::now()).ok();
                });
                self.ask(Turn::After(before));
            }
            _ => self.ask(Turn::Again(answer)),
        }
    }

    /// Deletes a message with all that follows it. It can be undone.
    pub fn delete_message(self, node: NodeId) {
        let before = self.conversation.get_untracked();
        if self
            .answer
            .place
            .with_untracked(|place| place.is_some_and(|place| before.path_to(place.node).contains(&node)))
        {
            self.stop();
        }
        self.edit(|conversation| {
            // A message that is gone already needs no deleting.
            conversation.delete_branch(node, history::now()).ok();
        });
        self.ui.toast_with_undo("Message deleted.", move || {
            self.library.save(before.clone());
            if self.conversation.with_untracked(|open| open.id == before.id) {
                self.conversation.set(before.clone());
            }
        });
    }

    /// Shows the variant before or after this one.
    pub fn switch(self, node: NodeId, by: isize) {
        self.edit(|conversation| {
            // A message that is gone has no variants.
            conversation.switch(node, by).ok();
        });
    }

    /// Whether nothing can be sent because an answer runs or waits.
    #[must_use]
    pub fn busy(self) -> bool {
        self.answer.place.with_untracked(Option::is_some) || self.queued.with_untracked(Option::is_some)
    }

    /// Stops the running answer. What was written stays.
    pub fn stop(self) {
        if let Some(place) = self.answer.place.get_untracked() {
            self.answer.phase.set(AnswerPhase::Stopping);
            if let Some(request) = place.request {
                self.engine.cancel(request);
            }
        }
    }

    /// Takes back what waits for a model. The message stays.
    pub fn unqueue(self) {
        self.queued.set(None);
    }

    /// Ends a running thought, so that the answer begins.
    pub fn answer_now(self) {
        if let Some(request) = self.answer.place.get_untracked().and_then(|place| place.request) {
            self.engine.answer_now(request);
        }
    }

    fn told<T>(self, result: Result<T, history::TreeOpError>) -> Option<T> {
        result.map_err(|error| self.ui.toast(format!("This did not work: {error}."))).ok()
    }
}
