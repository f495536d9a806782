//! Presets and prompts: the lists, and a conversation that takes over a preset. Code of the part that comes later alone calls it.

use leptos::{prelude::*, task::spawn_local};

use super::models::ModelState;
use super::{Library, Stores};
use crate::failures;
use crate::history::{
    self, Conversation, Named, Preset, PresetAdapter, PresetFile, PresetId, Prompt, PromptId, numbered,
};
use crate::language::t;

/// The presets and the prompts of this browser, by name.
#[derive(Clone, Copy, Default)]
pub struct PresetStore {
    /// The presets.
    pub presets: RwSignal<Vec<Preset>>,
    /// The prompts.
    pub prompts: RwSignal<Vec<Prompt>>,
    /// The adapter of the preset that was taken over last, until the model is there for it.
    adapter: RwSignal<Option<PresetAdapter>>,
}

/// A kind of which the page has a list.
pub trait Listed: Named + Clone + PartialEq + Send + Sync + 'static {
    /// The list.
    fn list(store: PresetStore) -> RwSignal<Vec<Self>>;

    /// The same under another id and name.
    #[must_use]
    fn copy(&self, name: String) -> Self;
}

impl Listed for Preset {
    fn list(store: PresetStore) -> RwSignal<Vec<Self>> {
        store.presets
    }

    fn copy(&self, name: String) -> Self {
        Self { id: PresetId::random(), name, created: history::now(), ..self.clone() }
    }
}

impl Listed for Prompt {
    fn list(store: PresetStore) -> RwSignal<Vec<Self>> {
        store.prompts
    }

    fn copy(&self, name: String) -> Self {
        Self { id: PromptId::random(), name, created: history::now(), ..self.clone() }
    }
}

impl PresetStore {
    /// One of a kind; `None` if it does not exist. Tracks the list.
    #[must_use]
    pub fn get<T: Listed>(self, id: T::Id) -> Option<T> {
        T::list(self).with(|all| all.iter().find(|it| it.id() == id).cloned())
    }

    /// The name for one that is added: the given one, or with a number where there is one of that name.
    #[must_use]
    pub fn free_name<T: Listed>(self, name: &str) -> String {
        T::list(self).with_untracked(|all| numbered(name, |name| all.iter().any(|it| it.name() == name)))
    }

    /// The preset that a conversation took over, if it still exists. Tracks the presets.
    #[must_use]
    pub fn of(self, conversation: &Conversation) -> Option<Preset> {
        conversation.preset.and_then(|id| self.get(id))
    }

    async fn read<T: Listed>(self, library: Library) {
        let Some(store) = library.store() else { return };
        let list = T::list(self);
        if let Some(all) = library.report(store.named::<T>().await)
            && list.with_untracked(|before| *before != all)
        {
            list.set(all);
        }
    }
}

impl Stores {
    /// Keeps the lists as they are in the store, and switches the adapter of a preset on once its model is loaded. For as long as
    /// the owner lives.
    pub fn watch_presets(self) {
        let Self { library, presets, engine, adapters, tune, .. } = self;
        Effect::new(move |_| {
            library.named.track();
            if library.open.get() {
                spawn_local(presets.read::<Preset>(library));
                spawn_local(presets.read::<Prompt>(library));
            }
        });
        Effect::new(move |_| {
            let Some(adapter) = presets.adapter.get() else { return };
            let known = tune.adapters.with(Option::is_some);
            if known && engine.model.with(ModelState::takes_adapters) && adapters.are_open() {
                presets.adapter.set(None);
                untrack(|| self.switch_adapter(&adapter));
            }
        });
    }

    fn switch_adapter(self, adapter: &PresetAdapter) {
        let is_open = self.adapters.all.with(|all| all.iter().any(|it| it.details.key == adapter.key));
        let kept = self.tune.adapters.get().unwrap_or_default();
        let kept = kept.into_iter().find(|it| self.adapters.key_of_kept(&it.id) == adapter.key);
        match (is_open, kept) {
            (true, _) => self.adapters.only(Some(&adapter.key)),
            (false, Some(kept)) => self.adapters.open_kept(&kept),
            (false, None) => self.ui.toast(t().preset_no_adapter(&adapter.name)),
        }
    }

    /// Has the conversation on screen take over a preset, or the settings for new conversations. It can be undone.
    pub fn take_preset(self, preset: Option<&Preset>) {
        let Self { chat, presets, .. } = self;
        let before = chat.conversation.get_untracked();
        let settings = self.settings.value.get_untracked();
        let as_new = Preset {
            instructions: settings.system,
            sampling: settings.sampling,
            thinking: settings.thinking,
            ..Preset::new(0)
        };
        chat.edit(|conversation| {
            conversation.take_preset(preset.unwrap_or(&as_new));
            conversation.preset = preset.map(|preset| preset.id);
        });
        presets.adapter.set(preset.and_then(|preset| preset.adapter.clone()));
        let words = preset.map_or_else(|| t().preset_left().to_owned(), |it| t().preset_taken(&it.name));
        self.ui.toast_with_undo(words, move || {
            presets.adapter.set(None);
            self.library.change(before.id, |conversation| {
                conversation.preset = before.preset;
                conversation.system.clone_from(&before.system);
                conversation.options = before.options.clone();
            });
        });
        if let Some(model) = preset.map(|preset| preset.model.as_str()).filter(|model| !model.is_empty()) {
            self.take_model(model);
        }
    }

    /// Selects a model, and loads it where another one is loaded.
    fn take_model(self, name: &str) {
        let found = self.engine.choices.with_untracked(|all| {
            all.iter().find(|choice| choice.entry.name == name && choice.entry.broken.is_none()).cloned()
        });
        let Some(choice) = found else { return self.ui.toast(t().preset_no_model(name)) };
        let loaded = self.engine.model.with_untracked(|model| model.choice().map(|choice| choice.id.clone()));
        match loaded {
            Some(loaded) if loaded == choice.id => self.engine.select(choice.id),
            Some(_) => self.chat.choose(choice),
            None => self.engine.select(choice.id),
        }
    }

    /// Adds one, or puts it in the place of the one with the same id. Where that fails, [`Library::trouble`] says why.
    pub async fn put_named<T: Listed>(self, it: T) {
        let Some(store) = self.library.store() else { return };
        self.library.report(store.put_named(&[it]).await);
        self.presets.read::<T>(self.library).await;
    }

    /// Deletes one. It can be undone.
    pub fn delete_named<T: Listed>(self, it: T) {
        spawn_local(async move {
            let Some(store) = self.library.store() else { return };
            if self.library.report(store.delete_named::<T>(it.id()).await).is_none() {
                return;
            }
            self.presets.read::<T>(self.library).await;
            self.ui.toast_with_undo(t().named_deleted(it.name()), move || {
                spawn_local(self.put_named(it.clone()));
            });
        });
    }

    /// Adds the presets and prompts of a file, and says how many. One that is here already in other words becomes a copy.
    ///
    /// # Errors
    /// What is wrong with the file, in words. Nothing of it was added then.
    pub async fn import_named(self, json: &[u8]) -> Result<String, String> {
        let PresetFile { presets, prompts, .. } =
            PresetFile::from_json(json).map_err(|error| failures::preset_file(&error))?;
        let (presets, known) = self.new_of(presets);
        let (prompts, also_known) = self.new_of(prompts);
        let words = t().named_imported(presets.len() as u64, prompts.len() as u64, known + also_known);
        let store = self.library.store().ok_or(t().store_closed())?;
        let file = PresetFile::new(presets, prompts);
        store.put_file(&file).await.map_err(|error| failures::store(&error))?;
        self.library.note_named();
        Ok(words)
    }

    /// Those that are not here as they are, and the number of the others.
    fn new_of<T: Listed>(self, all: Vec<T>) -> (Vec<T>, u64) {
        let here = T::list(self.presets).get_untracked();
        let (mut new, mut known) = (Vec::<T>::new(), 0);
        for it in all {
            let same_id = here.iter().chain(&new).find(|other| other.id() == it.id());
            match same_id {
                Some(same) if *same == it => known += 1,
                Some(_) => new.push(it.copy(self.presets.free_name::<T>(it.name()))),
                None => new.push(it),
            }
        }
        (new, known)
    }
}
