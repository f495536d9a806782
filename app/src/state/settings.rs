//! What the user has chosen once for all conversations.

use std::collections::{BTreeMap, BTreeSet};

use leptos::prelude::*;
use protocol::{EightBits, Sampling};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Library;
use crate::history::FolderId;

/// The narrowest and the widest rail, in pixels.
pub const RAIL_WIDTHS: (u16, u16) = (240, 360);

/// The name under which the settings are kept.
const NAME: &str = "settings";

/// The settings. A field that an older version did not know takes its default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Light, dark, or as the system has it.
    pub theme: Theme,
    /// Which key sends a message.
    pub send_key: SendKey,
    /// Whether keys without Ctrl or ⌘ do something outside fields.
    pub single_keys: bool,
    /// The model last used, by its id; empty when none was.
    pub model: String,
    /// Whether to keep weights in this browser.
    pub keep_weights: bool,
    /// Whether to keep the KV cache of conversations in this browser.
    pub keep_caches: bool,
    /// Context length for new conversations, in tokens; 0 for the default.
    pub context: u32,
    /// Sampling for new conversations; `None` for what the model recommends.
    pub sampling: Option<Sampling>,
    /// Instructions for new conversations.
    pub system: String,
    /// Whether new conversations may think first.
    pub thinking: bool,
    /// Whether the steps of diffusion models are shown, or only what comes of them.
    pub show_steps: bool,
    /// When tokens are drafted, where that is faster.
    pub drafting: Drafting,
    /// Bytes of graphics memory for the experts of a mixture, by the model's id; one that is not named takes what is free.
    pub expert_memory: BTreeMap<String, u64>,
    /// Bytes of graphics memory that models may use; `None` for what the engine assumes.
    pub graphics_memory: Option<u64>,
    /// What is stored in 8 bits even where there is room for more.
    pub eight_bits: EightBits,
    /// Whether the rail beside the page is folded away.
    pub rail_folded: bool,
    /// The width of the rail, in pixels.
    pub rail_width: u16,
    /// The folders whose conversations are listed.
    pub open_folders: BTreeSet<FolderId>,
    /// Whether the model writes titles when it is idle.
    pub titles: bool,
    /// Whether answers are read aloud.
    pub read_aloud: bool,
    /// How fast, as a multiple of the voice's own speed.
    pub speech_rate: f32,
    /// The voice that reads texts in its language, by what the browser knows it by; empty for the system's.
    pub voice: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: Theme::System,
            send_key: SendKey::Enter,
            single_keys: true,
            model: String::new(),
            keep_weights: true,
            keep_caches: true,
            context: 0,
            sampling: None,
            system: String::new(),
            thinking: false,
            show_steps: true,
            drafting: Drafting::default(),
            expert_memory: BTreeMap::new(),
            graphics_memory: None,
            eight_bits: EightBits::default(),
            rail_folded: false,
            rail_width: 264,
            open_folders: BTreeSet::new(),
            titles: false,
            read_aloud: false,
            speech_rate: 1.0,
            voice: String::new(),
        }
    }
}

impl Settings {
    /// These on top of others: a field that differs from its default takes the other's place.
    fn over(&self, others: &Self) -> Self {
        let fields = |settings: &Self| match serde_json::to_value(settings) {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        };
        let (defaults, mut merged) = (fields(&Self::default()), fields(others));
        merged.extend(fields(self).into_iter().filter(|(name, value)| defaults.get(name) != Some(value)));
        serde_json::from_value(Value::Object(merged)).unwrap_or_else(|_| others.clone())
    }
}

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// As the system has it.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// Returns the value of `data-theme` on the document; `None` for the system's.
    #[must_use]
    pub fn attribute(self) -> Option<&'static str> {
        match self {
            Self::System => None,
            Self::Light => Some("light"),
            Self::Dark => Some("dark"),
        }
    }
}

/// Which key sends a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SendKey {
    /// Enter sends, Shift+Enter makes a new line.
    #[default]
    Enter,
    /// Ctrl+Enter (⌘ Enter) sends, Enter makes a new line.
    Modified,
}

impl SendKey {
    /// Whether Enter with these modifiers sends.
    #[must_use]
    pub fn sends(self, shift: bool, control_or_command: bool) -> bool {
        match self {
            Self::Enter => !shift,
            Self::Modified => control_or_command,
        }
    }
}

/// When tokens are drafted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Drafting {
    /// With models that have a drafter. Not on a device that computes in software, where verifying several
    /// tokens costs as much as decoding them.
    #[default]
    Automatic,
    /// With every model; without a drafter from repeated text.
    Always,
    /// Never.
    Never,
}

impl Drafting {
    /// Whether an answer is drafted.
    #[must_use]
    pub fn drafts(self, has_drafter: bool, is_software: bool) -> bool {
        match self {
            Self::Automatic => has_drafter && !is_software,
            Self::Always => true,
            Self::Never => false,
        }
    }
}

/// The settings as a signal that is kept when it changes.
#[derive(Clone, Copy)]
pub struct SettingsStore {
    /// The settings now.
    pub value: RwSignal<Settings>,
    /// Whether they were read from the browser's store yet.
    pub known: RwSignal<bool>,
    library: Library,
}

impl SettingsStore {
    /// The defaults, until [`Self::read`] has read what was kept.
    #[must_use]
    pub fn new(library: Library) -> Self {
        Self { value: RwSignal::new(Settings::default()), known: RwSignal::new(false), library }
    }

    /// Reads what was kept. What was changed before the first time goes on top, and is kept.
    pub async fn read(self) {
        // What cannot be read counts as never set; the store says elsewhere that it is in trouble.
        let kept = match self.library.store() {
            Some(store) => store.setting::<Settings>(NAME).await.ok().flatten(),
            None => None,
        };
        if self.known.get_untracked() {
            if let Some(kept) = kept {
                self.value.set(kept);
            }
            return;
        }
        let early = self.value.get_untracked();
        let kept = kept.unwrap_or_default();
        let changed = early.over(&kept);
        self.value.set(changed.clone());
        self.known.set(true);
        if changed != kept {
            self.library.keep_setting(NAME, changed);
        }
    }

    /// Changes the settings and keeps them: once they are known, lest defaults take the place of what was kept.
    pub fn change(self, change: impl FnOnce(&mut Settings)) {
        self.value.update(change);
        if self.known.get_untracked() {
            self.library.keep_setting(NAME, self.value.get_untracked());
        }
    }

    /// One field, as a signal that changes only when the field does.
    pub fn field<T: PartialEq + Clone + Send + Sync + 'static>(
        self,
        field: impl Fn(&Settings) -> T + Send + Sync + 'static,
    ) -> Memo<T> {
        Memo::new(move |_| self.value.with(&field))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_drafted_where_that_is_likely_to_be_faster() {
        let drafts = |drafting: Drafting| {
            [(false, false), (true, false), (true, true)]
                .map(|(drafter, software)| drafting.drafts(drafter, software))
        };
        assert_eq!(drafts(Drafting::Automatic), [false, true, false]);
        assert_eq!(drafts(Drafting::Always), [true; 3]);
        assert_eq!(drafts(Drafting::Never), [false; 3]);
    }

    #[test]
    fn settings_of_an_older_version_are_read() {
        let settings: Settings = serde_json::from_str(r#"{"theme":"dark","unknown":1}"#).expect("reads");
        assert_eq!(settings, Settings { theme: Theme::Dark, ..Settings::default() });
    }

    #[test]
    fn what_was_changed_goes_on_top_of_what_was_kept() {
        let kept = Settings { theme: Theme::Dark, model: "pebble".to_owned(), ..Settings::default() };
        let early = Settings { keep_weights: false, ..Settings::default() };
        assert_eq!(early.over(&kept), Settings { keep_weights: false, ..kept.clone() });
        assert_eq!(Settings::default().over(&kept), kept);
    }

    #[test]
    fn enter_sends_as_chosen() {
        assert!(SendKey::Enter.sends(false, false));
        assert!(!SendKey::Enter.sends(true, false));
        assert!(!SendKey::Modified.sends(false, false));
        assert!(SendKey::Modified.sends(false, true));
    }
}
