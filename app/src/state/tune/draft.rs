//! Examples and settings as they are before a run: kept, so that a reload loses nothing of them.

use std::time::Duration;

use leptos::{ev, prelude::*, task::spawn_local};
use protocol::TokenBudget;
use protocol::tune::{TableColumns, TuneSettings};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ExampleOrigin, TextSource, TuneStore};
use crate::{browser, state::Latest, watch::on_window};

/// The name under which they are kept.
const NAME: &str = "fine-tune";
/// How long they must rest before they are kept.
const REST: Duration = Duration::from_millis(400);

/// What is kept. Pictures and sound are not: they are chosen again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct TuneDraft {
    origin: ExampleOrigin,
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
        let kept = StoredValue::new(fresh());
        Effect::new(move |_| {
            if self.library.open.get() && !known.get_untracked() {
                spawn_local(async move {
                    if let Some(restored) = self.restore().await {
                        kept.set_value(restored);
                    }
                    known.set(true);
                    // Also what was written before.
                    self.origin.notify();
                });
            }
        });
        let changes = Latest::default();
        Effect::new(move |before: Option<()>| {
            self.origin.track();
            self.pairs.track();
            self.text.track();
            self.settings.track();
            if before.is_none() || !known.get_untracked() {
                return;
            }
            changes.rest(REST, move || {
                let draft = untrack(|| self.draft());
                // Kept again, it would count as the latest of those that the next tab may find.
                if kept.with_value(|kept| *kept == draft) {
                    return;
                }
                kept.set_value(draft.clone());
                // Where nothing was written, the next tab is to find what another one has left.
                self.library.keep_tab_setting(NAME, (draft != fresh()).then_some(draft));
            });
        });
        on_window(ev::beforeunload, move |event| {
            if self.run.has_unsaved() {
                browser::hold_back(&event);
            }
        });
    }

    fn draft(self) -> TuneDraft {
        let TextSource { text, file, columns, detail, .. } = self.text.get();
        let (origin, pairs, settings) = (self.origin.get(), self.pairs.get(), self.settings.get());
        TuneDraft { origin, pairs, text, file, columns, detail, settings }
    }

    /// Brings back what was kept, and returns it; `None` if nothing was.
    async fn restore(self) -> Option<TuneDraft> {
        let kept = self.library.tab_setting::<TuneDraft>(NAME).await?;
        let restored = joined(kept.clone(), fresh());
        let TuneDraft { origin, pairs, text, file, columns, detail, settings } =
            joined(kept, untrack(|| self.draft()));
        self.origin.set(origin);
        self.pairs.set(pairs);
        self.text.update(|source| {
            (source.text, source.file, source.columns, source.detail) = (text, file, columns, detail);
        });
        self.settings.set(settings);
        Some(restored)
    }
}

/// As it is before anything was written.
fn fresh() -> TuneDraft {
    TuneDraft { pairs: vec![Default::default()], ..TuneDraft::default() }
}

/// What was kept, with what was written before it was read. That may be what was kept: Firefox fills fields with what was in
/// them when the page is reloaded.
fn joined(kept: TuneDraft, written: TuneDraft) -> TuneDraft {
    let fresh = fresh();
    let filled = |pairs: Vec<(String, String)>| {
        pairs.into_iter().filter(|(ask, answer)| !ask.is_empty() || !answer.is_empty())
    };
    // The field that is being written into stays where it is.
    let mut pairs: Vec<_> = filled(written.pairs).collect();
    for (ask, answer) in filled(kept.pairs) {
        let goes_on = |pair: &(String, String)| pair.0.starts_with(&ask) && pair.1.starts_with(&answer);
        if !pairs.iter().any(goes_on) {
            pairs.push((ask, answer));
        }
    }
    if pairs.is_empty() {
        pairs.push(Default::default());
    }
    let pasted = kept.file.is_empty() && written.file.is_empty() && !written.text.starts_with(&kept.text);
    let (text, file, columns) = if written.text.is_empty() {
        (kept.text, kept.file, kept.columns)
    } else if pasted {
        // A line is an example.
        (format!("{}\n{}", kept.text, written.text), String::new(), written.columns)
    } else {
        (written.text, written.file, written.columns)
    };
    TuneDraft {
        origin: if written.origin == fresh.origin { kept.origin } else { written.origin },
        pairs,
        text,
        file,
        columns,
        detail: if written.detail == fresh.detail { kept.detail } else { written.detail },
        settings: joined_settings(&kept.settings, &written.settings, &fresh.settings)
            .unwrap_or(written.settings),
    }
}

/// The settings that were kept, but for those that were changed.
fn joined_settings(
    kept: &TuneSettings,
    written: &TuneSettings,
    fresh: &TuneSettings,
) -> serde_json::Result<TuneSettings> {
    let [mut all, written, fresh] = [kept, written, fresh].map(serde_json::to_value);
    if let (Ok(Value::Object(all)), Value::Object(written), Value::Object(fresh)) =
        (&mut all, written?, fresh?)
    {
        all.extend(written.into_iter().filter(|(name, value)| fresh.get(name) != Some(value)));
    }
    serde_json::from_value(all?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_early_joins_what_was_kept() {
        let pair = |ask: &str| (ask.to_owned(), "!".to_owned());
        let kept = TuneDraft {
            origin: ExampleOrigin::Text,
            pairs: vec![pair("one"), pair("two")],
            text: "a".into(),
            ..TuneDraft::default()
        };
        let written = TuneDraft { pairs: vec![pair("three")], text: "b".into(), ..TuneDraft::default() };
        let all = joined(kept.clone(), written.clone());
        assert_eq!(all.origin, ExampleOrigin::Text, "not touched");
        assert_eq!(all.pairs, [pair("three"), pair("one"), pair("two")]);
        assert_eq!(all.text, "a\nb");
        let file = TuneDraft { file: "a.csv".into(), ..kept.clone() };
        assert_eq!(joined(file, written).text, "b", "a table and a line are not joined");
        assert_eq!(joined(kept.clone(), fresh()), kept);
        let filled = TuneDraft { pairs: vec![pair("one")], text: "abc".into(), ..TuneDraft::default() };
        let all = joined(kept.clone(), filled);
        assert_eq!((all.pairs, all.text.as_str()), (kept.pairs.clone(), "abc"), "the browser's own");
        assert_eq!(joined(TuneDraft::default(), fresh()), fresh());
    }

    #[test]
    fn of_the_settings_those_that_were_changed_count() {
        let kept = TuneSettings { rank: 3, name: "My cat".into(), ..TuneSettings::default() };
        let written = TuneSettings { name: "Her cat".into(), ..TuneSettings::default() };
        let draft = |settings: &TuneSettings| TuneDraft { settings: settings.clone(), ..fresh() };
        let all = joined(draft(&kept), draft(&written)).settings;
        assert_eq!(all, TuneSettings { name: "Her cat".into(), ..kept });
    }
}
