//! The conversation on screen: what the user does with it, and the answer that runs.

mod answering;
mod attaching;
mod calling;
mod comparing;
mod documents;
mod draft;
mod edits;
mod live;
mod prompt;
mod room;
mod shown;
mod tabs;
mod titling;
mod transcribing;

pub(super) use answering::{encoding_words, tower_words};
pub(super) use attaching::content;
pub use attaching::{Attached, Look, Reading, size_words};
pub use calling::result_of;
pub use documents::is_long_paste;
use draft::DraftPlace;
pub use live::LiveText;
pub use prompt::PromptSize;
pub use room::Overflow;
pub use shown::{Absence, Shown};

use std::collections::{BTreeMap, BTreeSet};

use leptos::{prelude::*, task::spawn_local};
use protocol::failure::{Activity, RequestFailure};
use protocol::{Control, Failure, Forget, RequestId};

use super::answer::{AnswerPhase, RunningAnswer};
use super::engine::{EnginePhase, EngineStore};
use super::models::{Choice, ModelState};
use live::LiveAnswers;

use super::{AdapterStore, DocumentStore, Latest, Library, McpStore, MediaStore, SettingsStore, Ui};
use crate::locks::Lock;
use crate::place::Place;
use crate::{
    failures,
    history::{self, Attachment, Branch, Conversation, ConversationId, NodeId, Options},
    language::t,
};

/// What is to be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChatTurn {
    /// The message that the user has sent.
    After(NodeId),
    /// An answer, once more: the old one stays a variant.
    Again(NodeId),
    /// The rest of an answer that was cut off, or edited.
    Continue(NodeId),
}

impl ChatTurn {
    /// Returns the message that it comes from.
    #[must_use]
    pub fn node(self) -> NodeId {
        let (Self::After(node) | Self::Again(node) | Self::Continue(node)) = self;
        node
    }
}

/// A turn that waits for a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queued {
    /// Its conversation.
    pub conversation: ConversationId,
    /// The turn.
    pub turn: ChatTurn,
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
    pub conversation: Shown,
    /// Why the conversation that the address names is not on screen; `None` if it is.
    pub missing: RwSignal<Option<Absence>>,
    /// The running answer, perhaps of another conversation.
    pub answer: RunningAnswer,
    /// What waits for a model.
    pub queued: RwSignal<Option<Queued>>,
    /// The last failure.
    pub failure: RwSignal<Option<AnswerFailure>>,
    /// A message that is to be drawn, however far above the end it is.
    pub needed: RwSignal<Option<NodeId>>,
    /// The message that is being edited.
    pub editing: RwSignal<Option<NodeId>>,
    /// What messages were changed to and not sent.
    edits: StoredValue<BTreeMap<(ConversationId, NodeId), String>>,
    /// What is typed and not sent.
    pub draft: RwSignal<String>,
    /// What is attached and not sent.
    pub attached: RwSignal<Vec<Attached>>,
    /// What is being attached.
    pub reading: RwSignal<Vec<Reading>>,
    /// The conversation whose message goes as soon as the files that belong to it are read.
    pub awaited: RwSignal<Option<ConversationId>>,
    /// What the next message would take, once it was counted.
    pub prompt_size: RwSignal<Option<PromptSize>>,
    /// How room is to be made in a conversation, as the user has just chosen; what was made before is kept with it.
    overflow: RwSignal<Option<(ConversationId, Overflow)>>,
    /// What could not be attached, and why: a line each.
    pub attach_trouble: RwSignal<Option<String>>,
    /// A model chosen before it was known what the device can do.
    chosen_early: RwSignal<Option<Choice>>,
    /// Whether a message was sent before it was known which models there are.
    sent_early: RwSignal<bool>,
    /// Whether the settings of a conversation that has not begun were changed: then those for new ones do not replace them.
    shaped: StoredValue<bool>,
    /// Answers that another tab is writing.
    elsewhere: RwSignal<BTreeSet<(ConversationId, NodeId)>>,
    /// What is known of their text.
    live: LiveAnswers,
    /// Unfinished answers of which it was asked whether another tab is writing them.
    asked: StoredValue<BTreeSet<(ConversationId, NodeId)>>,
    /// Shows other tabs that this one is writing an answer.
    lock: StoredValue<Option<Lock>>,
    /// The conversation that the address names.
    wanted: StoredValue<Option<ConversationId>>,
    moves: Latest,
    draft_changes: Latest,
    sent: Latest,
    /// Whether something was typed that is not kept yet.
    draft_waits: StoredValue<bool>,
    /// Whether what was kept of the draft on screen has been read.
    draft_known: StoredValue<bool>,
    draft_reads: Latest,
    /// Whether the model writes down speech. What is sent meanwhile waits.
    pub(super) transcribing: RwSignal<bool>,
    /// A conversation for which the model is to write a title.
    untitled: RwSignal<Option<ConversationId>>,
    /// The request for a title that runs.
    titling: StoredValue<Option<RequestId>>,
    title_rests: Latest,
    /// Servers whose tools the model may use.
    pub mcp: McpStore,
    library: Library,
    settings: SettingsStore,
    engine: EngineStore,
    adapters: AdapterStore,
    media: MediaStore,
    documents: DocumentStore,
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
        documents: DocumentStore,
        ui: Ui,
    ) -> Self {
        let blank = Conversation::new(ConversationId::random(), Options::default(), 0);
        Self {
            conversation: Shown::new(library.add(blank)),
            missing: RwSignal::new(None),
            answer: RunningAnswer::default(),
            queued: RwSignal::new(None),
            failure: RwSignal::new(None),
            needed: RwSignal::new(None),
            editing: RwSignal::new(None),
            edits: StoredValue::new(BTreeMap::new()),
            draft: RwSignal::new(String::new()),
            attached: RwSignal::new(Vec::new()),
            reading: RwSignal::new(Vec::new()),
            awaited: RwSignal::new(None),
            prompt_size: RwSignal::new(None),
            overflow: RwSignal::new(None),
            attach_trouble: RwSignal::new(None),
            chosen_early: RwSignal::new(None),
            sent_early: RwSignal::new(false),
            shaped: StoredValue::new(false),
            elsewhere: RwSignal::new(BTreeSet::new()),
            live: LiveAnswers::default(),
            asked: StoredValue::new(BTreeSet::new()),
            lock: StoredValue::new(None),
            wanted: StoredValue::new(None),
            moves: Latest::default(),
            draft_changes: Latest::default(),
            sent: Latest::default(),
            draft_waits: StoredValue::new(false),
            draft_known: StoredValue::new(false),
            draft_reads: Latest::default(),
            transcribing: RwSignal::new(false),
            untitled: RwSignal::new(None),
            titling: StoredValue::new(None),
            title_rests: Latest::default(),
            mcp: McpStore::new(library, engine),
            library,
            settings,
            engine,
            adapters,
            media,
            documents,
            ui,
        }
    }

    /// A conversation for a test, with the stores that it needs.
    #[cfg(test)]
    pub(super) fn for_test() -> (Self, EngineStore, AdapterStore, Ui) {
        let (ui, library) = (Ui::default(), Library::default());
        let settings = SettingsStore::new(library);
        let engine = EngineStore::new(settings, ui);
        let (adapters, media) = (AdapterStore::new(engine, library), MediaStore::new(library));
        let documents = DocumentStore::new(media);
        (Self::new(library, settings, engine, adapters, media, documents, ui), engine, adapters, ui)
    }

    /// Lets what waits for a model go as soon as one is ready. Called once, in the browser.
    pub fn watch_model(self) {
        Effect::new(move |_| {
            if self.engine.model.with(ModelState::is_ready)
                && self.adapters.are_open()
                && !self.answer.is_running()
                && !self.transcribing.get()
                && let Some(queued) = self.queued.get()
            {
                self.queued.set(None);
                self.run(queued.conversation, queued.turn);
            }
        });
        Effect::new(move |_| {
            let crashed = self.engine.phase.with(|phase| matches!(phase, EnginePhase::Crashed(_)));
            if (crashed || self.engine.device.with(Option::is_some))
                && let Some(choice) = self.chosen_early.get()
            {
                self.chosen_early.set(None);
                // What no one has chosen may not be what is recommended.
                match self.engine.is_preselected(&choice) {
                    true => self.load_for_what_waits(),
                    false => self.load_if_sensible(choice),
                }
            }
        });
        Effect::new(move |_| {
            if self.sent_early.get() && !self.engine.is_listing() && !self.engine.is_looking() {
                self.sent_early.set(false);
                // It may have been taken back, or a model chosen meanwhile.
                let idle = self.engine.model.with_untracked(|model| !model.is_loading() && !model.is_ready());
                if idle && self.queued.with_untracked(Option::is_some) {
                    self.choose_selected();
                }
            }
        });
    }

    /// Changes the conversation on screen.
    pub fn edit(self, change: impl FnOnce(&mut Conversation)) {
        let mut change = Some(change);
        self.edit_once(&mut |conversation| {
            if let Some(change) = change.take() {
                change(conversation);
            }
        });
    }

    /// [`Self::edit`], compiled once for all changes.
    fn edit_once(self, change: &mut dyn FnMut(&mut Conversation)) {
        if !self.has_begun() {
            self.shaped.set_value(true);
        }
        self.library.change(self.conversation.id_untracked(), |conversation| {
            change(conversation);
            conversation.updated = history::now();
        });
    }

    /// Sends a message, after the last one on screen. While an answer runs, it waits for the end of that one.
    pub fn send(self, text: &str) {
        let text = text.trim();
        let attached = self.attached.with_untracked(|all| !all.is_empty());
        let waits = self.queued.with_untracked(Option::is_some);
        if (text.is_empty() && !attached) || waits || self.refused_for_elsewhere() {
            return;
        }
        let attachments: Vec<_> =
            self.attached.get_untracked().into_iter().map(|attached| attached.attachment).collect();
        let owner = self.draft_owner();
        self.send_message(text, attachments, || {
            self.forget_draft(owner);
            self.sent.begin();
        });
    }

    /// Adds a message after the last one on screen, and has it answered. `added` runs in between.
    pub(super) fn send_message(self, text: &str, attachments: Vec<Attachment>, added: impl FnOnce()) {
        let id = self.conversation.id_untracked();
        let was_new = self.conversation.with_untracked(Conversation::is_empty);
        let add = |conversation: &mut Conversation| conversation.add_user(text, attachments, history::now());
        let Some(node) = self.library.change(id, add).and_then(|added| self.reported(added)) else { return };
        added();
        self.missing.set(None);
        if was_new && !self.is_temporary() {
            self.wanted.set_value(Some(id));
            self.ui.replace_path(&Place::Chat(Some(id)).path());
        }
        self.ask(ChatTurn::After(node));
    }

    /// Sends an earlier message in other words: a branch, beside what followed the old one. Returns whether it was sent.
    pub fn resend(self, node: NodeId, text: &str) -> bool {
        let bare = self.conversation.with_untracked(|conversation| {
            conversation.message(node).is_none_or(|message| message.attachments.is_empty())
        });
        if (text.trim().is_empty() && bare) || self.refused_for_busy() {
            return false;
        }
        let edit = |conversation: &mut Conversation| {
            let attachments =
                conversation.message(node).map(|message| message.attachments.clone()).unwrap_or_default();
            conversation.edit_user(node, text.trim(), attachments, history::now())
        };
        let edited = self.library.change(self.conversation.id_untracked(), edit);
        let Some(sent) = edited.and_then(|edited| self.reported(edited)) else { return false };
        self.end_edit(node);
        self.ask(ChatTurn::After(sent));
        true
    }

    /// The model that was chosen before the engine could tell whether it can be loaded. It is loaded once the engine has started.
    #[must_use]
    pub fn waits_for_engine(self) -> Option<Choice> {
        self.chosen_early.get()
    }

    /// Takes back a choice that waits for the engine.
    pub fn unchoose(self) {
        self.chosen_early.set(None);
    }

    /// Has an answer given once more. One that said nothing is replaced; any other stays a variant.
    pub fn regenerate(self, answer: NodeId) {
        if self.refused_for_busy() || self.refused_for_elsewhere() {
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
                self.ask(ChatTurn::After(before));
            }
            _ => self.ask(ChatTurn::Again(answer)),
        }
    }

    /// Has an answer go on where it ends.
    pub fn continue_answer(self, answer: NodeId) {
        if !self.refused_for_busy() && !self.refused_for_elsewhere() {
            self.ask(ChatTurn::Continue(answer));
        }
    }

    /// Puts an answer in the user's words: a variant, beside what followed the old one. Returns whether it was kept.
    pub fn edit_answer(self, answer: NodeId, text: &str) -> bool {
        if self.refused_for_busy() || self.refused_for_elsewhere() {
            return false;
        }
        let edit = |conversation: &mut Conversation| conversation.edit_answer(answer, text, history::now());
        let edited = self.library.change(self.conversation.id_untracked(), edit);
        let kept = edited.and_then(|edited| self.reported(edited)).is_some();
        if kept {
            self.end_edit(answer);
        }
        kept
    }

    /// Opens a new conversation that has the messages up to this one.
    pub fn branch_off(self, node: NodeId) {
        let id = ConversationId::random();
        let made =
            self.conversation.with_untracked(|conversation| conversation.fork(node, id, history::now()));
        if let Some(fork) = self.reported(made) {
            self.open_copy(fork);
        }
    }

    /// Makes a copy of a conversation, branches and all, and opens it.
    pub async fn duplicate(self, id: ConversationId) {
        if let Some(conversation) = self.library.load(id).await {
            self.open_copy(conversation.duplicate(ConversationId::random(), history::now()));
        }
    }

    fn open_copy(self, mut copy: Conversation) {
        let id = copy.id;
        copy.title = self.library.list.with_untracked(|list| {
            history::numbered(&copy.title, |title| list.iter().any(|summary| summary.title == title))
        });
        self.library.add_saved(copy);
        self.ui.go(&Place::Chat(Some(id)).path());
        self.ui.toast(t().conversation_copied());
    }

    /// Deletes a message with all that follows it. It can be undone.
    pub fn delete_message(self, node: NodeId) {
        let id = self.conversation.id_untracked();
        let before = self.conversation.get_untracked();
        if let Some(place) = self.answer.place.get_untracked()
            && place.conversation == id
            && before.path_to(place.node).contains(&node)
        {
            self.break_off(place);
        }
        self.stop_call_of(id);
        let waits =
            |queued: &Queued| queued.conversation == id && before.path_to(queued.turn.node()).contains(&node);
        if self.queued.with_untracked(|queued| queued.as_ref().is_some_and(waits)) {
            self.unqueue();
        }
        let delete = |conversation: &mut Conversation| conversation.delete_branch(node, history::now());
        // A message that is gone already needs no deleting.
        if let Some(Ok(branch)) = self.library.change(id, delete) {
            // It has what was deleted, too.
            self.engine.forget_conversations(&[id]);
            self.ui.toast_with_undo(t().message_deleted(branch.len() as u64), move || {
                spawn_local(self.put_back(id, branch.clone()));
            });
        }
    }

    async fn put_back(self, id: ConversationId, branch: Branch) {
        // It may have left the screen meanwhile.
        if self.library.hold(id).await.ok().flatten().is_some() {
            let back = self.library.change(id, |conversation| conversation.put_back(&branch, history::now()));
            back.and_then(|back| self.reported(back));
            self.release();
        }
    }

    /// Deletes conversations, and calls `deleted` once they are gone. It can be undone.
    pub fn delete_conversations(self, ids: Vec<ConversationId>, deleted: impl FnOnce() + 'static) {
        for &id in &ids {
            self.forget(id);
        }
        spawn_local(async move {
            let Some(removed) = self.library.delete(&ids).await else { return };
            self.engine.forget_conversations(&ids);
            deleted();
            if self.wanted.get_value().is_some_and(|wanted| ids.contains(&wanted)) {
                self.ui.replace_path(&Place::Chat(None).path());
            }
            self.ui.toast_with_undo(t().conversations_deleted(ids.len() as u64), move || {
                let removed = removed.clone();
                spawn_local(async move {
                    let ids = removed.ids().to_vec();
                    self.library.restore(removed).await;
                    ids.into_iter().for_each(|id| self.open_again(id));
                });
            });
        });
    }

    /// Deletes all conversations and folders for good.
    pub fn delete_everything(self) {
        if let Some(place) = self.answer.place.get_untracked() {
            self.break_off(place);
        }
        self.answer.stop_call();
        self.unqueue();
        spawn_local(async move {
            if !self.library.delete_all().await {
                return;
            }
            self.engine.forget_caches(Forget::All);
            self.drop_draft();
            self.show_blank(None);
            self.ui.replace_path(&Place::Chat(None).path());
            self.ui.toast(t().everything_deleted());
        });
    }

    /// Breaks off what runs or waits for a conversation. Returns whether there was something.
    fn forget(self, id: ConversationId) -> bool {
        let place = self.answer.place.get_untracked().filter(|place| place.conversation == id);
        if let Some(place) = place {
            self.break_off(place);
        }
        self.stop_call_of(id);
        let queued = self.queued.with_untracked(|queued| queued.is_some_and(|it| it.conversation == id));
        if queued {
            self.unqueue();
        }
        place.is_some() || queued
    }

    /// Brings a message on screen that may be in another version. Nothing of what was said changes.
    pub fn bring_on_screen(self, node: NodeId) {
        if self.conversation.with_untracked(|conversation| !conversation.active_path().contains(&node)) {
            self.library.change(self.conversation.id_untracked(), |conversation| {
                // A message that is gone can't come on screen.
                conversation.show(node).ok();
            });
        }
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
        self.answer.is_running_untracked() || self.queued.with_untracked(Option::is_some)
    }

    /// As [`Self::busy`], and says so.
    fn refused_for_busy(self) -> bool {
        if self.answer.is_running_untracked() {
            self.ui.toast(failures::of(&RequestFailure::Busy(Activity::Generating).into()));
        } else if self.queued.with_untracked(Option::is_some) {
            self.ui.toast(t().composer_queued());
        }
        self.busy()
    }

    /// Stops the running answer, or its call. What was written stays. A message that waits behind it is no longer sent by itself.
    pub fn stop(self) {
        let (place, call) = (self.answer.place.get_untracked(), self.answer.call.get_untracked());
        let stopped = place.map(|place| place.conversation).or(call.map(|call| call.conversation));
        if self.queued.with_untracked(|queued| queued.is_some_and(|it| Some(it.conversation) == stopped)) {
            self.unqueue();
        }
        self.answer.stop_call();
        if let Some(place) = place {
            self.answer.phase.set(AnswerPhase::Stopping);
            if let Some(request) = place.request {
                self.engine.cancel(request);
            }
        }
    }

    /// Ends the call that runs, if it is of this conversation.
    fn stop_call_of(self, id: ConversationId) {
        if self.answer.call.with_untracked(|call| call.is_some_and(|call| call.conversation == id)) {
            self.answer.stop_call();
        }
    }

    /// Takes back what waits for a model. The message stays.
    pub fn unqueue(self) {
        self.queued.set(None);
    }

    /// Ends a running thought, so that the answer begins.
    pub fn answer_now(self) {
        if let Some(request) = self.answer.place.get_untracked().and_then(|place| place.request) {
            self.engine.control(request, Control::AnswerNow);
        }
    }

    fn reported<T>(self, result: Result<T, history::TreeOpError>) -> Option<T> {
        result.map_err(|error| self.ui.toast(t().did_not_work(failures::tree(error)))).ok()
    }
}
