//! The conversations of this browser: the list, and keeping them.

use crate::language::t;

mod filing;
mod live;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use gloo_timers::future::TimeoutFuture;
use leptos::{ev, prelude::*, task::spawn_local};
use serde::{Serialize, de::DeserializeOwned};

use self::live::OpenConversation;
pub use self::live::{Removed, Unsaved};
use super::{Latest, Ui};
use crate::browser;
use crate::failures::{self, StoreTrouble};
use crate::history::{
    self, Change, Conversation, ConversationId, Draft, Folder, GRACE_MS, HistoryStore, ImportReport,
    Persistence, Query, SearchText, StoreError, Subscription, Summary,
};
use crate::locks::{self, Lock};
use crate::tab;

/// The name of the browser's store.
const NAME: &str = "gemtab";
/// Its name while the engine is simulated: what that one says is not put among the user's conversations.
const SIMULATED: &str = "gemtab-simulated";
/// The lock of tabs in which something is not saved.
const UNSAVED: &str = "gemtab-unsaved";
/// Longest wait before saving is tried again, in milliseconds.
const LONGEST_WAIT_MS: u32 = 60_000;

/// How long texts that were searched stay in memory.
const KEEP_TEXTS: Duration = Duration::from_secs(300);

/// What another tab has done.
pub enum Elsewhere {
    /// It has saved a conversation.
    Saved(ConversationId),
    /// It has deleted a conversation that was at hand here.
    Deleted(Box<Removed>),
    /// It has changed a setting.
    SettingsChanged,
}

type Listener = Arc<dyn Fn(Elsewhere) + Send + Sync>;

/// The browser's store of conversations, with the list of what is in it.
#[derive(Clone, Copy, Default)]
pub struct Library {
    store: StoredValue<Option<HistoryStore>>,
    /// Whether the store is open and the list was read.
    pub open: RwSignal<bool>,
    /// All conversations, the one changed last first.
    pub list: RwSignal<Vec<Summary>>,
    /// The folders, by name.
    pub folders: RwSignal<Vec<Folder>>,
    /// Counts changes of presets and prompts, by this tab or another.
    pub named: RwSignal<u32>,
    /// What the search looks for; empty for everything.
    pub query: RwSignal<String>,
    /// What the search found; `None` if nothing is searched for.
    pub found: RwSignal<Option<Vec<Summary>>>,
    /// What is wrong with the store; `None` if nothing is.
    pub trouble: RwSignal<Option<StoreTrouble>>,
    /// What could not be saved; `None` if all is. It is tried again until it is.
    pub unsaved: RwSignal<Option<Unsaved>>,
    /// Held while something is not saved.
    unsaved_lock: StoredValue<Option<Lock>>,
    /// Conversations whose records were found to be unreadable.
    pub unreadable: RwSignal<BTreeSet<ConversationId>>,
    /// Called with what another tab has done.
    listener: StoredValue<Option<Listener>>,
    live: StoredValue<BTreeMap<ConversationId, OpenConversation>>,
    /// The texts of conversations, since they were first searched.
    index: StoredValue<BTreeMap<ConversationId, SearchText>>,
    /// Searches, with the ends of searches.
    searches: Latest,
    /// Deletions of conversations, here or in other tabs.
    deletions: Latest,
    /// Changes by other tabs.
    heard: Latest,
    settling: StoredValue<bool>,
    /// How often in a row something could not be saved.
    failures: StoredValue<u32>,
    subscription: StoredValue<Option<Subscription>>,
    /// The name of this tab, and its lock.
    tab: StoredValue<(String, Option<Lock>)>,
}

impl Library {
    /// Opens the browser's store and reads the list.
    pub async fn open(self) {
        self.tab.set_value(tab::claim());
        let store = HistoryStore::open(name()).await;
        if let Persistence::UntilClosed { why } = store.persistence() {
            self.trouble.set(Some(StoreTrouble::NotKept(why.clone())));
        }
        let subscription = store.on_change(move |change| self.hear(change));
        self.subscription.set_value(Some(subscription));
        self.store.set_value(Some(store));
        self.read_folders().await;
        self.refresh().await;
        self.open.set(true);
        self.schedule();
        // As long-lived as the page.
        window_event_listener(ev::beforeunload, move |event| {
            if self.unsaved.with_untracked(Option::is_some) {
                browser::hold_back(&event);
            }
        });
        spawn_local(async move {
            // What nothing names any more goes, a while after it was last named.
            loop {
                // What is not saved, here or in another tab, may name what nothing else does.
                let is_unsaved =
                    self.unsaved.with_untracked(Option::is_some) || locks::is_held(UNSAVED).await;
                if let (Some(store), false) = (self.store(), is_unsaved) {
                    self.report(store.sweep_attachments(history::now()).await);
                }
                TimeoutFuture::new(GRACE_MS as u32).await;
            }
        });
    }

    /// The store, once it is open.
    #[must_use]
    pub fn store(self) -> Option<HistoryStore> {
        self.store.get_value()
    }

    /// Takes what another tab has changed.
    fn hear(self, change: Change) {
        match change {
            Change::Saved { id } => {
                self.forget_text(id);
                self.reread(move |it| it == id);
                spawn_local(self.refresh_one(id));
                self.tell(Elsewhere::Saved(id));
            }
            Change::Deleted { ids } => {
                self.unlist(&ids);
                ids.into_iter().for_each(|id| self.lose(id));
                // There may be room now.
                self.schedule();
                spawn_local(self.search());
            }
            Change::Imported => {
                self.index.set_value(BTreeMap::new());
                self.reread(|_| true);
                spawn_local(self.refresh());
                self.named_elsewhere();
            }
            Change::Named => self.named_elsewhere(),
            Change::Setting { .. } => self.tell(Elsewhere::SettingsChanged),
        }
    }

    /// Reads again what is named, as another tab has changed it.
    fn named_elsewhere(self) {
        spawn_local(self.read_folders());
        self.note_named();
    }

    /// Has presets and prompts read again.
    pub(super) fn note_named(self) {
        self.named.update(|count| *count = count.wrapping_add(1));
    }

    /// Has `act` called with all that another tab does from now on.
    pub fn listen(self, act: impl Fn(Elsewhere) + Send + Sync + 'static) {
        self.listener.set_value(Some(Arc::new(act)));
    }

    fn tell(self, what: Elsewhere) {
        if let Some(listener) = self.listener.get_value() {
            listener(what);
        }
    }

    /// Takes conversations that were deleted off the list.
    fn unlist(self, ids: &[ConversationId]) {
        self.deletions.begin();
        let ids: BTreeSet<_> = ids.iter().copied().collect();
        if self.list.with_untracked(|list| list.iter().any(|summary| ids.contains(&summary.id))) {
            self.list.update(|list| list.retain(|summary| !ids.contains(&summary.id)));
        }
    }

    /// Reads again what the list shows of one conversation: another tab that writes an answer saves it every few seconds.
    pub(super) async fn refresh_one(self, id: ConversationId) {
        let Some(store) = self.store() else { return };
        let deletions = self.deletions.number();
        let Some(stored) = self.report(store.summary(id).await) else { return };
        // Deleted meanwhile, it would come back.
        if let Some(summary) = self.live_summary(id).or(stored)
            && self.deletions.is(deletions)
            && self.list.with_untracked(|list| !list.contains(&summary))
        {
            self.list.update(|list| place(list, summary));
        }
        self.search().await;
    }

    /// Reads the list again, and the search's findings with it.
    pub async fn refresh(self) {
        let Some(store) = self.store() else { return };
        loop {
            let deletions = self.deletions.number();
            let Some(mut list) = self.report(store.list().await) else { break };
            // What was deleted meanwhile would come back.
            if !self.deletions.is(deletions) {
                continue;
            }
            for summary in self.live_summaries() {
                place(&mut list, summary);
            }
            if self.list.with_untracked(|before| *before != list) {
                self.list.set(list);
            }
            break;
        }
        self.search().await;
    }

    /// Looks for what [`Self::query`] says. A conversation is read for its first search only, and after it was changed.
    pub async fn search(self) {
        let wanted = self.query.get_untracked();
        let Some(query) = Query::new(&wanted) else {
            if self.found.with_untracked(Option::is_some) {
                self.found.set(None);
                self.forget_texts_later();
            }
            return;
        };
        self.searches.begin();
        let mut found = Vec::new();
        for summary in self.list.get_untracked() {
            let id = summary.id;
            if self.index.with_value(|index| !index.contains_key(&id)) {
                match self.read(id).await {
                    Ok(Some(conversation)) => self.index.update_value(|index| {
                        index.insert(id, SearchText::of(&conversation));
                    }),
                    Err(StoreError::Broken { .. } | StoreError::Newer { .. }) => self.note_unreadable(id),
                    // It is gone, or the storage fails, which whoever reads or saves says.
                    Ok(None) | Err(_) => {}
                }
                // A later key press may have begun a later search.
                if self.query.get_untracked() != wanted {
                    return;
                }
            }
            let excerpt = self.index.with_value(|index| index.get(&id).and_then(|text| text.find(&query)));
            if let Some(excerpt) = excerpt {
                found.push(Summary { snippet: excerpt.unwrap_or(summary.snippet), ..summary });
            }
        }
        self.found.set(Some(found));
    }

    /// Returns the conversations that have all words of a query, with the text around them, latest first.
    pub async fn find(self, query: &Query) -> Vec<Summary> {
        let mut found = Vec::new();
        for summary in self.list.get_untracked() {
            // What can't be read is said where it is opened.
            let Ok(Some(conversation)) = self.read(summary.id).await else { continue };
            if let Some(excerpt) = SearchText::of(&conversation).find(query) {
                found.push(Summary { snippet: excerpt.unwrap_or_default(), ..summary });
            }
        }
        found
    }

    /// Lets go of the texts that were searched, unless something is looked for again soon.
    fn forget_texts_later(self) {
        let searches = self.searches.number();
        if cfg!(target_arch = "wasm32") {
            browser::after(KEEP_TEXTS, move || self.forget_texts(searches));
        }
    }

    /// Lets go of the texts that were searched, if nothing was looked for since there were so many searches.
    pub(super) fn forget_texts(self, searches: u32) {
        if self.searches.is(searches) {
            self.index.set_value(BTreeMap::new());
        }
    }

    /// Has the next search read a conversation again.
    fn forget_text(self, id: ConversationId) {
        self.index.update_value(|index| {
            index.remove(&id);
        });
    }

    /// A conversation as it is now; `None` if it is not here or cannot be read, which [`Self::trouble`] then says.
    pub async fn load(self, id: ConversationId) -> Option<Conversation> {
        self.report(self.read(id).await).flatten()
    }

    async fn read(self, id: ConversationId) -> Result<Option<Conversation>, StoreError> {
        if let Some(now) = self.at_hand(id) {
            return Ok(Some(now.get_untracked()));
        }
        let Some(store) = self.store() else { return Ok(None) };
        Ok(store.load(id).await?.map(|stored| stored.conversation))
    }

    /// Puts a conversation at hand into the list as it is now.
    fn list_again(self, id: ConversationId) {
        self.forget_text(id);
        let Some(summary) = self.live_summary(id) else { return };
        if self.list.with_untracked(|list| !list.contains(&summary)) {
            self.list.update(|list| place(list, summary));
        }
    }

    /// Has what is stale read and what is unsaved saved: now, and again after a while if that fails.
    fn schedule(self) {
        // On the server nothing changes.
        if !cfg!(target_arch = "wasm32") || self.store().is_none() || self.settling.get_value() {
            return;
        }
        self.settling.set_value(true);
        spawn_local(async move {
            let well = self.settle().await;
            self.settling.set_value(false);
            let failures = if well { 0 } else { self.failures.get_value().saturating_add(1) };
            self.failures.set_value(failures);
            if !well {
                TimeoutFuture::new(LONGEST_WAIT_MS.min(500_u32.saturating_mul(1 << failures.min(8)))).await;
                if self.failures.get_value() == failures {
                    self.schedule();
                }
            }
        });
    }

    /// Gives a conversation another name.
    pub async fn rename(self, id: ConversationId, title: String) {
        if self.report(self.hold(id).await).flatten().is_some() {
            self.change(id, |conversation| conversation.rename(title));
        }
    }

    /// Writes conversations as the JSON of an archive, piece by piece, as they are now. Returns how many could not be read.
    ///
    /// # Errors
    /// When the store fails, in words.
    pub async fn export(self, ids: &[ConversationId], take: impl FnMut(String)) -> Result<usize, String> {
        let store = self.store().ok_or(t().store_closed())?;
        let live = |id| self.at_hand(id).map(|now| now.get_untracked());
        store.export(ids, live, take).await.map_err(|error| failures::store(&error))
    }

    /// Takes note that the record of a conversation cannot be read.
    pub fn note_unreadable(self, id: ConversationId) {
        if self.unreadable.with_untracked(|all| !all.contains(&id)) {
            self.unreadable.update(|all| {
                all.insert(id);
            });
        }
    }

    /// Offers the record of a conversation as it is, as a file to keep.
    pub fn save_raw(self, id: ConversationId, ui: Ui) {
        let Some(store) = self.store() else { return };
        spawn_local(async move {
            match store.raw(id).await {
                Ok(Some(bytes)) => browser::download_bytes(&format!("gemtab-{id}.json"), &bytes),
                Ok(None) => ui.toast(t().saved_gone()),
                Err(error) => ui.toast(t().not_saved(&failures::store(&error))),
            }
        });
    }

    /// Adds the conversations of a file.
    ///
    /// # Errors
    /// What is wrong with the file, in words. Nothing of it was added then.
    pub async fn import(self, json: &[u8]) -> Result<ImportReport, String> {
        let store = self.store().ok_or(t().store_closed())?;
        let report = store.import(json).await.map_err(|error| failures::import(&error))?;
        report.merged.iter().for_each(|&id| self.forget_text(id));
        self.reread(|id| report.merged.contains(&id));
        self.read_folders().await;
        self.note_named();
        self.refresh().await;
        Ok(report)
    }

    /// What was typed and not sent, in this tab or in one that is closed.
    pub async fn draft(self, of: Option<ConversationId>) -> Draft {
        let Some(store) = self.store() else { return Draft::default() };
        self.report(store.draft(of, &self.tab(), tab::open).await).unwrap_or_default()
    }

    /// Keeps what was typed in this tab and not sent.
    pub fn keep_draft(self, of: Option<ConversationId>, draft: Draft) {
        let Some(store) = self.store() else { return };
        spawn_local(async move {
            self.report(store.set_draft(of, &self.tab(), &draft, history::now()).await);
        });
    }

    /// Changes what was typed in this tab and not sent, where it is not on screen.
    pub async fn change_draft(self, of: Option<ConversationId>, change: impl FnOnce(&mut Draft)) {
        let Some(store) = self.store() else { return };
        self.report(store.change_draft(of, &self.tab(), history::now(), change).await);
    }

    /// A setting of this tab, or of one that is closed.
    pub async fn tab_setting<T: Serialize + DeserializeOwned>(self, name: &str) -> Option<T> {
        let store = self.store()?;
        self.report(store.tab_setting(name, &self.tab(), tab::open).await).flatten()
    }

    /// Keeps a setting of this tab; none forgets it.
    pub fn keep_tab_setting<T: Serialize + 'static>(self, name: &'static str, value: Option<T>) {
        let Some(store) = self.store() else { return };
        spawn_local(async move {
            self.report(store.set_tab_setting(name, &self.tab(), value.as_ref(), history::now()).await);
        });
    }

    fn tab(self) -> String {
        self.tab.with_value(|(name, _)| name.clone())
    }

    /// Keeps a setting.
    pub fn keep_setting<T: Serialize + 'static>(self, name: &'static str, value: T) {
        let Some(store) = self.store() else { return };
        spawn_local(async move {
            self.report(store.set_setting(name, &value).await);
        });
    }

    /// Says what went wrong, once for all that use the store.
    pub(super) fn report<T>(self, result: Result<T, StoreError>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.trouble.set(Some(StoreTrouble::Failed(error)));
                None
            }
        }
    }
}

/// The name of the store that this page uses.
pub(super) fn name() -> &'static str {
    if browser::simulation().is_some() { SIMULATED } else { NAME }
}

/// Puts a summary into the list, or in the place of the one that is there.
fn place(list: &mut Vec<Summary>, summary: Summary) {
    list.retain(|other| other.id != summary.id);
    let place = list.partition_point(|other| other.updated > summary.updated);
    list.insert(place, summary);
}
