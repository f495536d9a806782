//! The conversations at hand, and the one way to change one.
//!
//! A conversation is at hand while it is on screen, is being answered, waits for a model, or is not saved yet. Whatever changes
//! one goes through [`Library::change`]; what the store holds meanwhile, and what another tab makes of it, is joined with it
//! here and nowhere else.
//!
//! A save reads and writes in one transaction. A record has a revision: where a save finds another one than it last saw, another
//! tab has written, and both sides are merged (`history/merge.rs`). A save that finds no record does nothing, because the
//! conversation was deleted. What the storage refuses stays at hand and is tried again.

use std::collections::BTreeMap;

use futures_channel::oneshot;
use leptos::prelude::*;

use super::{Elsewhere, Library, UNSAVED};
use crate::history::{
    Conversation, ConversationId, Deleted, Options, Saved, StoreError, StoredConversation, Summary,
};
use crate::locks;

/// A conversation at hand.
pub(super) struct OpenConversation {
    now: ArcRwSignal<Conversation>,
    /// What the store held when it was last read or written; `None` if it was never saved.
    base: Option<StoredConversation>,
    /// Whether it was changed since it was last saved.
    unsaved: bool,
    /// Whether another tab has saved it since it was last read.
    stale: bool,
    /// Those who wait until it is neither.
    waiting: Vec<oneshot::Sender<()>>,
}

impl OpenConversation {
    fn new(conversation: Conversation, base: Option<StoredConversation>) -> Self {
        Self { now: ArcRwSignal::new(conversation), base, unsaved: false, stale: false, waiting: Vec::new() }
    }

    fn is_worth_keeping(&self) -> bool {
        self.base.is_some() || self.now.with_untracked(|now| !now.is_empty() && !now.temporary)
    }

    fn summary(&self) -> Option<Summary> {
        self.is_worth_keeping().then(|| self.now.with_untracked(Summary::of))
    }

    /// Takes what the store holds, with what was changed here since `base`.
    fn absorb(&mut self, base: Option<&Conversation>, theirs: StoredConversation) {
        let joined = self.now.with_untracked(|ours| {
            let blank = Conversation::new(ours.id, Options::default(), 0);
            Conversation::merge(base.unwrap_or(&blank), ours, &theirs.conversation).ok()
        });
        // What cannot be joined stays as it is here; saving it then fails in words, and it can be exported.
        if let Some(joined) = joined {
            if self.now.with_untracked(|now| *now != joined) {
                self.now.set(joined);
            }
            self.base = Some(theirs);
        }
    }
}

/// Deleted conversations, to be brought back.
#[derive(Clone)]
pub struct Removed {
    ids: Vec<ConversationId>,
    /// Those that were at hand, as they were, with what the store held of them.
    live: BTreeMap<ConversationId, (Conversation, Option<StoredConversation>)>,
    /// What was stored.
    stored: Deleted,
}

impl Removed {
    /// Which.
    #[must_use]
    pub fn ids(&self) -> &[ConversationId] {
        &self.ids
    }
}

/// Conversations that could not be saved. They stay at hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsaved {
    /// Which.
    pub ids: Vec<ConversationId>,
    /// Why, for the first of them.
    pub error: StoreError,
}

impl Library {
    /// Puts a new conversation at hand. It is saved once something was said in it.
    pub fn add(self, conversation: Conversation) -> ArcRwSignal<Conversation> {
        let (id, live) = (conversation.id, OpenConversation::new(conversation, None));
        let now = live.now.clone();
        self.live.update_value(|all| {
            all.insert(id, live);
        });
        now
    }

    /// Puts a new conversation at hand that has messages already, and saves it.
    pub fn add_saved(self, conversation: Conversation) {
        let id = conversation.id;
        self.add(conversation);
        self.change(id, |_| ());
    }

    /// A conversation, if it is at hand.
    #[must_use]
    pub fn at_hand(self, id: ConversationId) -> Option<ArcRwSignal<Conversation>> {
        self.live.with_value(|all| all.get(&id).map(|live| live.now.clone()))
    }

    /// A conversation, read from the store if it is not at hand; `None` if there is none of this name.
    ///
    /// # Errors
    /// When the store fails, or the record cannot be read.
    pub async fn hold(self, id: ConversationId) -> Result<Option<ArcRwSignal<Conversation>>, StoreError> {
        if let Some(now) = self.at_hand(id) {
            return Ok(Some(now));
        }
        let Some(store) = self.store() else { return Ok(None) };
        let heard = self.heard.number();
        let Some(stored) = store.load(id).await? else { return Ok(None) };
        // It may have come to hand meanwhile, and been changed.
        if self.at_hand(id).is_none() {
            let mut live = OpenConversation::new(stored.conversation.clone(), Some(stored));
            live.stale = !self.heard.is(heard);
            self.live.update_value(|all| {
                all.insert(id, live);
            });
        }
        Ok(self.at_hand(id))
    }

    /// Changes a conversation at hand, here and in time in the store. Returns what `change` gives; `None` if there is no such
    /// conversation at hand: it was deleted.
    pub fn change<T>(self, id: ConversationId, change: impl FnOnce(&mut Conversation) -> T) -> Option<T> {
        let now = self.at_hand(id)?;
        let value = now.try_update(change)?;
        self.live.update_value(|all| {
            if let Some(live) = all.get_mut(&id) {
                live.unsaved = live.is_worth_keeping();
            }
        });
        self.list_again(id);
        self.schedule();
        Some(value)
    }

    /// Lets go of conversations that are saved, but for these.
    pub fn release(self, keep: impl Fn(ConversationId) -> bool) {
        self.live.update_value(|all| all.retain(|&id, live| live.unsaved || keep(id)));
    }

    /// Deletes conversations, and returns what brings them back; `None` if that failed, which [`Self::trouble`] then says.
    pub async fn delete(self, ids: &[ConversationId]) -> Option<Removed> {
        let store = self.store()?;
        let take =
            |all: &mut BTreeMap<_, _>| ids.iter().filter_map(|id| all.remove_entry(id)).collect::<Vec<_>>();
        let live = self.live.try_update_value(take).unwrap_or_default();
        match store.delete(ids).await {
            Ok(stored) => {
                self.forget_failures(ids);
                self.unlist(ids);
                self.search().await;
                // There may be room now for what could not be saved.
                self.schedule();
                let live = live.into_iter().map(|(id, live)| (id, (live.now.get_untracked(), live.base)));
                Some(Removed { ids: ids.to_vec(), live: live.collect(), stored })
            }
            Err(error) => {
                self.live.update_value(|all| {
                    for (id, live) in live {
                        all.entry(id).or_insert(live);
                    }
                });
                self.report::<()>(Err(error));
                None
            }
        }
    }

    /// Deletes all conversations and folders for good, with their drafts and attachments. Returns whether it was done; if not,
    /// [`Self::trouble`] says why.
    pub async fn delete_all(self) -> bool {
        let Some(store) = self.store() else { return false };
        if self.report(store.delete_all().await).is_none() {
            return false;
        }
        let ids = self.live.with_value(|all| all.keys().copied().collect::<Vec<_>>());
        self.live.set_value(BTreeMap::new());
        self.forget_failures(&ids);
        self.deletions.begin();
        self.list.set(Vec::new());
        self.folders.set(Vec::new());
        self.note_named();
        self.search().await;
        true
    }

    /// Brings back what [`Self::delete`] or another tab has deleted.
    pub async fn restore(self, removed: Removed) {
        let Removed { ids, mut live, stored } = removed;
        let held: Vec<_> = stored.conversation_ids().collect();
        let restored = match (self.store(), held.is_empty()) {
            (Some(store), false) => self.report(store.restore(&stored).await).is_some(),
            _ => false,
        };
        for id in ids {
            let restored = restored && held.contains(&id);
            let live = match live.remove(&id) {
                Some((conversation, base)) => {
                    Some(OpenConversation::new(conversation, base.filter(|_| restored)))
                }
                // The store did not take it back: it stays at hand until it does.
                None if !restored => {
                    stored.conversation(id).map(|conversation| OpenConversation::new(conversation, None))
                }
                None => None,
            };
            let Some(mut live) = live else { continue };
            live.unsaved = live.is_worth_keeping();
            self.live.update_value(|all| {
                all.entry(id).or_insert(live);
            });
            self.list_again(id);
        }
        self.schedule();
        self.refresh().await;
    }

    /// Takes a conversation from hand that another tab has deleted.
    pub(super) fn lose(self, id: ConversationId) {
        let Some(live) = self.live.try_update_value(|all| all.remove(&id)).flatten() else { return };
        self.forget_failures(&[id]);
        self.list.update(|list| list.retain(|summary| summary.id != id));
        let live = [(id, (live.now.get_untracked(), None))].into();
        let removed = Removed { ids: vec![id], live, stored: Deleted::default() };
        self.tell(Elsewhere::Deleted(Box::new(removed)));
    }

    /// Waits until a conversation is saved and as other tabs have it, or is at hand no more.
    pub async fn settled(self, id: ConversationId) {
        let waits = self.live.try_update_value(|all| {
            let live = all.get_mut(&id).filter(|live| live.unsaved || live.stale)?;
            let (sender, receiver) = oneshot::channel();
            live.waiting.push(sender);
            Some(receiver)
        });
        if let Some(waits) = waits.flatten() {
            // A sender that is dropped says as much.
            waits.await.ok();
        }
    }

    /// Has a conversation at hand read again, as another tab has saved it.
    pub fn reread(self, ids: impl Fn(ConversationId) -> bool) {
        self.heard.begin();
        self.live.update_value(|all| {
            for (&id, live) in all.iter_mut().filter(|(_, live)| live.base.is_some()) {
                live.stale |= ids(id);
            }
        });
        self.schedule();
    }

    /// Reads what is stale and saves what is unsaved, one after another, each once if it fails. Returns whether all went well.
    pub(super) async fn settle(self) -> bool {
        let Some(store) = self.store() else { return true };
        let mut failed = BTreeMap::new();
        loop {
            if let Some(id) = self.take(|live| live.stale, |live| live.stale = false, &failed) {
                match store.load(id).await {
                    Ok(Some(stored)) => self.with_live(id, |live| {
                        let base = live.base.as_ref().map(|base| base.conversation.clone());
                        if live.base.as_ref().is_none_or(|base| base.revision != stored.revision) {
                            live.absorb(base.as_ref(), stored);
                        }
                    }),
                    Ok(None) => self.lose(id),
                    // Saving joins both too, so nothing is lost by not reading it now.
                    Err(error) => {
                        self.report::<()>(Err(error));
                        self.with_live(id, |_| {});
                    }
                }
                self.list_again(id);
                continue;
            }
            let Some(id) = self.take(|live| live.unsaved, |live| live.unsaved = false, &failed) else {
                break;
            };
            let Some((ours, base)) = self.snapshot(id) else { continue };
            match store.save(&ours, base.as_ref()).await {
                Ok(Saved::Written(stored)) => self.with_live(id, |live| live.base = Some(stored)),
                Ok(Saved::Merged(stored)) => self.with_live(id, |live| live.absorb(Some(&ours), stored)),
                Ok(Saved::Gone) => self.lose(id),
                Err(error) => {
                    self.with_live(id, |live| live.unsaved = true);
                    failed.insert(id, error);
                }
            }
            self.list_again(id);
        }
        let unsaved = failed.values().next().cloned().map(|error| Unsaved {
            ids: failed.into_keys().filter(|&id| self.at_hand(id).is_some()).collect(),
            error,
        });
        let unsaved = unsaved.filter(|unsaved| !unsaved.ids.is_empty());
        let well = unsaved.is_none();
        if well && self.unsaved.with_untracked(Option::is_some) {
            // What was wrong is over.
            self.trouble.set(None);
        }
        if self.unsaved.with_untracked(|before| *before != unsaved) {
            self.unsaved.set(unsaved);
            self.lock_unsaved();
        }
        well
    }

    /// The summary of a conversation at hand that is worth keeping.
    pub(super) fn live_summary(self, id: ConversationId) -> Option<Summary> {
        self.live.with_value(|all| all.get(&id).and_then(OpenConversation::summary))
    }

    /// The summaries of all of them.
    pub(super) fn live_summaries(self) -> Vec<Summary> {
        self.live.with_value(|all| all.values().filter_map(OpenConversation::summary).collect())
    }

    fn snapshot(self, id: ConversationId) -> Option<(Conversation, Option<StoredConversation>)> {
        self.live.with_value(|all| all.get(&id).map(|live| (live.now.get_untracked(), live.base.clone())))
    }

    /// The next that is so, which it then no longer is; not one that has failed.
    fn take(
        self,
        is: impl Fn(&OpenConversation) -> bool,
        settle: impl FnOnce(&mut OpenConversation),
        failed: &BTreeMap<ConversationId, StoreError>,
    ) -> Option<ConversationId> {
        self.live.try_update_value(|all| {
            let (&id, live) = all.iter_mut().find(|(id, live)| is(live) && !failed.contains_key(id))?;
            settle(live);
            Some(id)
        })?
    }

    fn with_live(self, id: ConversationId, change: impl FnOnce(&mut OpenConversation)) {
        self.live.update_value(|all| {
            // It may have been deleted meanwhile.
            let Some(live) = all.get_mut(&id) else { return };
            change(live);
            if !live.unsaved && !live.stale {
                for waiting in live.waiting.drain(..) {
                    // It may wait no more.
                    waiting.send(()).ok();
                }
            }
        });
    }

    fn forget_failures(self, ids: &[ConversationId]) {
        self.unsaved.update(|unsaved| {
            if let Some(all) = unsaved {
                all.ids.retain(|other| !ids.contains(other));
            }
            unsaved.take_if(|all| all.ids.is_empty());
        });
        self.lock_unsaved();
    }

    /// Tells other tabs whether something is unsaved here, so that they keep the attachments that it names.
    fn lock_unsaved(self) {
        let is_unsaved = self.unsaved.with_untracked(Option::is_some);
        self.unsaved_lock.update_value(|lock| {
            if !is_unsaved {
                *lock = None;
            } else if lock.is_none() {
                *lock = locks::hold(UNSAVED);
            }
        });
    }
}
