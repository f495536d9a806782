//! Which conversation is on screen.

use leptos::{prelude::*, task::spawn_local};

use super::ChatStore;
use crate::history::{self, Conversation, ConversationId, FolderId, Options, StoreError};
use crate::place::Place;

/// The conversation on screen, to be read. It is changed through the store alone.
#[derive(Clone, Copy)]
pub struct Shown(RwSignal<ArcRwSignal<Conversation>>);

impl Shown {
    pub(super) fn new(now: ArcRwSignal<Conversation>) -> Self {
        Self(RwSignal::new(now))
    }

    pub(super) fn set(self, now: ArcRwSignal<Conversation>) {
        self.0.set(now);
    }

    /// The signal of the conversation itself, which stays the same when another comes on screen. Tracks which one that is.
    #[must_use]
    pub fn handle(self) -> ArcRwSignal<Conversation> {
        self.0.get()
    }

    /// As [`Self::handle`], without tracking.
    #[must_use]
    pub fn handle_untracked(self) -> ArcRwSignal<Conversation> {
        self.0.get_untracked()
    }

    /// Reads it, and follows it.
    pub fn with<T>(self, read: impl FnOnce(&Conversation) -> T) -> T {
        self.0.with(|now| now.with(read))
    }

    /// Reads it as it is now.
    pub fn with_untracked<T>(self, read: impl FnOnce(&Conversation) -> T) -> T {
        self.0.with_untracked(|now| now.with_untracked(read))
    }

    /// Returns a copy of it as it is now. No text is copied.
    #[must_use]
    pub fn get_untracked(self) -> Conversation {
        self.with_untracked(Conversation::clone)
    }

    /// Its name.
    #[must_use]
    pub fn id_untracked(self) -> ConversationId {
        self.with_untracked(|conversation| conversation.id)
    }
}

/// Why the conversation that the address names is not on screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Absence {
    /// It is not in this browser.
    NotHere,
    /// Its record cannot be read.
    Unreadable {
        /// Which.
        id: ConversationId,
        /// Why.
        error: StoreError,
    },
    /// The browser's storage failed.
    Failed {
        /// Which.
        id: ConversationId,
        /// Why.
        error: StoreError,
    },
}

impl ChatStore {
    /// Puts a new conversation on screen, unless an empty one is there.
    pub fn begin_new(self) {
        self.move_on(None);
        // One that is kept nowhere is at no other address.
        let is_temporary = self.conversation.with_untracked(|conversation| conversation.temporary);
        if is_temporary {
            return;
        }
        if !self.has_begun() && self.missing.with_untracked(Option::is_none) {
            if !self.shaped.get_value() {
                self.apply_defaults();
            }
            self.read_draft_once();
            return;
        }
        self.put_aside();
        self.show_blank(None);
    }

    /// Goes to a new conversation, perhaps in a folder, or to one of which nothing is kept. An empty one that is there takes its
    /// place.
    pub fn start(self, folder: Option<FolderId>, temporary: bool) {
        let is_such =
            self.conversation.with_untracked(|it| it.filing.folder == folder && it.temporary == temporary);
        let is_blank = !self.has_begun() && self.missing.with_untracked(Option::is_none);
        if !(is_such && is_blank) {
            self.move_on(None);
            self.put_aside();
            self.show_new(None, folder, temporary);
        }
        self.ui.go(&Place::Chat(None).path());
        self.ui.focus_composer.ask(());
    }

    /// Sets an empty conversation to the settings for new ones.
    pub fn apply_defaults(self) {
        let settings = self.settings.value.get_untracked();
        self.library.change(self.conversation.id_untracked(), |conversation| {
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
        let move_made = self.move_on(Some(id));
        if self.conversation.id_untracked() == id && self.missing.with_untracked(Option::is_none) {
            self.read_draft_once();
            return;
        }
        self.put_aside();
        if let Some(now) = self.library.at_hand(id) {
            self.show(now);
            return;
        }
        spawn_local(async move {
            let held = self.library.hold(id).await;
            // The user may have gone somewhere else meanwhile.
            if !self.moves.is(move_made) {
                self.release();
                return;
            }
            match held {
                Ok(Some(now)) => self.show(now),
                Ok(None) => self.show_blank(Some(Absence::NotHere)),
                Err(error @ (StoreError::Broken { .. } | StoreError::Newer { .. })) => {
                    self.library.note_unreadable(id);
                    self.show_blank(Some(Absence::Unreadable { id, error }));
                }
                Err(error) => self.show_blank(Some(Absence::Failed { id, error })),
            }
        });
    }

    /// Tries again to open what could not be opened, as another tab or the user has brought it back.
    pub fn open_again(self, id: ConversationId) {
        if self.wanted.get_value() == Some(id) && self.missing.with_untracked(Option::is_some) {
            self.open(id);
        }
    }

    /// Counts that a conversation is to be on screen, and returns the count: what was to come before comes too late.
    fn move_on(self, wanted: Option<ConversationId>) -> u32 {
        self.wanted.set_value(wanted);
        self.moves.begin()
    }

    fn show(self, now: ArcRwSignal<Conversation>) {
        self.conversation.set(now);
        self.missing.set(None);
        self.editing.set(None);
        self.read_draft();
        self.release();
    }

    /// Puts a new conversation on screen, perhaps in place of one that cannot be shown.
    pub(super) fn show_blank(self, missing: Option<Absence>) {
        self.show_new(missing, None, false);
    }

    fn show_new(self, missing: Option<Absence>, folder: Option<FolderId>, temporary: bool) {
        let mut blank = Conversation::new(ConversationId::random(), Options::default(), history::now());
        (blank.filing.folder, blank.temporary) = (folder, temporary);
        self.conversation.set(self.library.add(blank));
        self.shaped.set_value(false);
        self.apply_defaults();
        self.missing.set(missing);
        self.editing.set(None);
        self.read_draft();
        self.release();
    }

    /// Keeps what leaves the screen. When the page begins, nothing does: what was typed before it had read anything belongs to
    /// the conversation that the address names.
    fn put_aside(self) {
        // Nobody would see it again.
        if self.is_temporary() {
            self.forget(self.conversation.id_untracked());
        }
        self.editing.set(None);
        self.put_draft_aside();
        self.media.hold_only(&[]);
        self.documents.let_go();
    }

    fn read_draft_once(self) {
        if !self.draft_known.get_value() {
            self.read_draft();
        }
    }

    /// Lets go of conversations that are neither on screen nor needed for an answer.
    pub(super) fn release(self) {
        let shown = self.conversation.id_untracked();
        let answering = self.answer.place.with_untracked(|place| place.map(|place| place.conversation));
        let calling = self.answer.call.with_untracked(|call| call.map(|call| call.conversation));
        let queued = self.queued.with_untracked(|queued| queued.map(|queued| queued.conversation));
        self.library.release(|id| id == shown || [answering, calling, queued].contains(&Some(id)));
    }

    /// Whether the conversation on screen has messages, or had some that were deleted.
    pub(super) fn has_begun(self) -> bool {
        self.conversation.with_untracked(|conversation| {
            !conversation.is_empty()
                || self.library.list.with_untracked(|list| list.iter().any(|kept| kept.id == conversation.id))
        })
    }
}
