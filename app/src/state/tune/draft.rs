//! Examples and settings as they are before a run: kept, so that a reload loses nothing of them.

use std::time::Duration;

use leptos::{ev, prelude::*, task::spawn_local};
use protocol::TokenBudget;
use protocol::tune::{TableColumns, TuneSettings};
use serde::{Deserialize, Serialize};

use super::{Origin, TextSource, TuneStore};
use crate::browser;

/// The name under which they are kept.
const NAME: &str = "fine-tune";
/// How long they must rest before they are kept.
const REST: Duration = Duration::from_millis(400);

/// What is kept. Pictures and sound are not: they are chosen again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Draft {
    origin: Origin,
    pairs: Vec<(String, String)>,
    text: String,
    file: String,
    columns: Option<TableColumns>,
    detail: TokenBudget,
    settings: TuneSettings,
}

impl TuneStore {
    /// Brings back what was kept, keeps what changes, and warns who closes the page on a run that would lose steps. Called
    /// once, in the browser.
    pub fn watch(self) {
        let known = RwSignal::new(false);
        Effect::new(move |_| {
            if self.library.open.get() && !known.get_untracked() {
                spawn_local(async move {
                    self.restore().await;
                    known.set(true);
                    // Also what was written before.
                    self.origin.notify();
                });
            }
        });
        let changes = StoredValue::new(0_u32);
        Effect::new(move |before: Option<()>| {
            self.origin.track();
            self.pairs.track();
            self.text.track();
            self.settings.track();
            if before.is_none() || !known.get_untracked() {
                return;
            }
            changes.update_value(|change| *change = change.wrapping_add(1));
            let change = changes.get_value();
            let keep = move || {
                if changes.try_get_value() == Some(change) {
                    self.library.keep_setting(NAME, untrack(|| self.draft()));
                }
            };
            browser::after(REST, keep);
        });
        Effect::new(move |_| {
            let leaving = window_event_listener(ev::beforeunload, move |event| {
                if self.run.has_unsaved() {
                    event.prevent_default();
                }
            });
            on_cleanup(move || leaving.remove());
        });
    }

    fn draft(self) -> Draft {
        let TextSource { text, file, columns, detail, .. } = self.text.get();
        let (origin, pairs, settings) = (self.origin.get(), self.pairs.get(), self.settings.get());
        Draft { origin, pairs, text, file, columns, detail, settings }
    }

    /// What was written before the store was open is newer than what is kept.
    async fn restore(self) {
        let Some(store) = self.library.store() else { return };
        // What cannot be read counts as never written.
        let Ok(Some(kept)) = store.setting::<Draft>(NAME).await else { return };
        let fresh = Draft { pairs: vec![Default::default()], ..Draft::default() };
        if untrack(|| self.draft()) != fresh {
            return;
        }
        let Draft { origin, mut pairs, text, file, columns, detail, settings } = kept;
        if pairs.is_empty() {
            pairs.push(Default::default());
        }
        self.origin.set(origin);
        self.pairs.set(pairs);
        self.text.update(|source| {
            (source.text, source.file, source.columns, source.detail) = (text, file, columns, detail);
        });
        self.settings.set(settings);
    }
}
