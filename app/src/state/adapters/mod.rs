//! LoRA adapters of the loaded model: which are open, and how much each counts in the answers to come.

mod opened;

use std::collections::HashMap;

use leptos::{prelude::*, task::spawn_local};
use protocol::failure::{Activity, AdapterFailure, EngineFailure};
use protocol::tune::KeptAdapter;
use protocol::{
    AdapterDetails, AdapterScale, AdapterSource, Failure, ModelSource, Outcome, Request, RequestId,
};
use send_wrapper::SendWrapper;

use super::Library;
use super::engine::EngineStore;
use super::models::ModelId;
use crate::history::AttachmentKey;

/// An adapter that is open.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenAdapter {
    /// What the engine says of it.
    pub details: AdapterDetails,
    /// Whether it came with the model, which it cannot leave.
    pub own: bool,
    /// Whether it counts.
    pub on: bool,
    /// How much it counts when it is on: 1 is as trained.
    pub scale: f32,
}

impl OpenAdapter {
    fn new(details: AdapterDetails, own: bool) -> Self {
        Self { details, own, on: true, scale: 1.0 }
    }

    fn counts(&self) -> bool {
        self.on && self.scale != 0.0
    }
}

/// The adapters, in signals.
#[derive(Clone, Copy)]
pub struct AdapterStore {
    /// Those that came with the model, then those of the user's, in the order in which they were opened.
    pub all: RwSignal<Vec<OpenAdapter>>,
    /// Why the last one could not be opened.
    pub failure: RwSignal<Option<Failure>>,
    /// How many are being read.
    pub opening: RwSignal<usize>,
    engine: EngineStore,
    library: Library,
    /// The model whose adapters of the last time were opened again, or are about to be.
    restored: RwSignal<Option<String>>,
    /// Whether some could not be opened yet. Then the list of what is open is not kept: they would be lost.
    is_missing_some: StoredValue<bool>,
    /// Where the user's come from, by key, to be opened again when the model is loaded again.
    origins: StoredValue<HashMap<String, AdapterOrigin>>,
}

/// Where an adapter comes from.
#[derive(Clone)]
enum AdapterOrigin {
    /// Files that were picked, and where their bytes are kept; `None` before they are.
    Files { files: SendWrapper<Vec<web_sys::File>>, kept: Option<Vec<AttachmentKey>> },
    /// A training in this browser, by the id that it is kept under.
    Kept(String),
}

impl AdapterOrigin {
    fn source(&self) -> AdapterSource {
        match self {
            Self::Files { files, .. } => AdapterSource::Files(ModelSource::Local {
                names: files.iter().map(web_sys::File::name).collect(),
                sizes: files.iter().map(|file| file.size() as u64).collect(),
            }),
            Self::Kept(id) => AdapterSource::Kept(id.clone()),
        }
    }

    fn handles(&self) -> Vec<web_sys::Blob> {
        match self {
            Self::Files { files, .. } => files.iter().map(|file| file.clone().into()).collect(),
            Self::Kept(_) => Vec::new(),
        }
    }
}

/// The key of an adapter that lies in these files: the same files have the same key, in every tab.
fn key_of(files: &[web_sys::File]) -> String {
    let parts = files.iter().map(|file| format!("{}:{}:{}", file.name(), file.size(), file.last_modified()));
    format!("file:{}", parts.collect::<Vec<_>>().join(","))
}

/// The key of an adapter that was made here.
fn kept_key(id: &str) -> String {
    format!("kept:{id}")
}

/// Files that make adapters: a GGUF file each, or weights and configuration of PEFT together.
fn grouped<F>(files: Vec<(String, F)>) -> Result<Vec<Vec<(String, F)>>, AdapterFailure> {
    let ends = |name: &str, end: &str| name.to_lowercase().ends_with(end);
    let (mut groups, mut weights, mut configs) = (Vec::new(), Vec::new(), Vec::new());
    for file in files {
        if ends(&file.0, ".gguf") {
            groups.push(vec![file]);
        } else if ends(&file.0, ".safetensors") {
            weights.push(file);
        } else if ends(&file.0, ".json") {
            configs.push(file);
        }
    }
    match (weights.pop(), configs.pop(), weights.is_empty() && configs.is_empty()) {
        (None, None, _) => {}
        (Some(weights), Some(config), true) => groups.push(vec![weights, config]),
        (_, _, false) => return Err(AdapterFailure::SeveralAtOnce),
        _ => return Err(AdapterFailure::Incomplete),
    }
    if groups.is_empty() {
        return Err(AdapterFailure::NotAnAdapter);
    }
    Ok(groups)
}

impl AdapterStore {
    /// No adapters.
    #[must_use]
    pub fn new(engine: EngineStore, library: Library) -> Self {
        Self {
            all: RwSignal::new(Vec::new()),
            failure: RwSignal::new(None),
            opening: RwSignal::new(0),
            engine,
            library,
            restored: RwSignal::new(None),
            is_missing_some: StoredValue::new(false),
            origins: StoredValue::new(HashMap::new()),
        }
    }

    /// Begins anew with every model that is loaded: its own adapters, and the user's as far as they fit it.
    pub fn watch_model(self) {
        Effect::new(move |before: Option<Option<(RequestId, ModelId)>>| {
            let loaded = self
                .engine
                .model
                .with(|model| model.loaded_by().zip(model.choice().map(|choice| choice.id.clone())));
            let is_new = before.flatten() != loaded;
            if is_new {
                self.restored.set(None);
                self.is_missing_some.set_value(false);
            }
            if loaded.is_some() && is_new {
                let own = self.engine.own_adapters.get_untracked();
                let left: Vec<_> = self
                    .all
                    .with_untracked(|all| all.iter().filter(|adapter| !adapter.own).cloned().collect());
                self.failure.set(None);
                self.all.set(own.into_iter().map(|details| OpenAdapter::new(details, true)).collect());
                for adapter in left {
                    let key = adapter.details.key.clone();
                    let origin = self.origins.with_value(|origins| origins.get(&key).cloned());
                    if let Some(origin) = origin {
                        self.open(key, origin, Some((adapter.on, adapter.scale)));
                    }
                }
                spawn_local(self.restore());
            }
            loaded
        });
        Effect::new(move |before: Option<bool>| {
            let trains = self.engine.busy_elsewhere.get() == Some(Activity::Training);
            if before == Some(true) && !trains && self.is_missing_some.get_value() {
                self.is_missing_some.set_value(false);
                self.restored.set(None);
                spawn_local(self.restore());
            }
            trains
        });
        self.watch_opened();
    }

    /// Opens files of the user's, and switches what they hold on.
    pub fn open_files(self, files: Vec<web_sys::File>) {
        self.failure.set(None);
        let named = files.into_iter().map(|file| (file.name(), file)).collect();
        match grouped(named) {
            Ok(groups) => {
                for group in groups {
                    let files: Vec<_> = group.into_iter().map(|(_, file)| file).collect();
                    let key = key_of(&files);
                    self.open(key, AdapterOrigin::Files { files: SendWrapper::new(files), kept: None }, None);
                }
            }
            Err(failure) => self.failure.set(Some(failure.into())),
        }
    }

    /// Opens an adapter that was made here, and switches it on alone: what it has learned is then plain to see.
    pub fn open_kept(self, adapter: &KeptAdapter) {
        self.failure.set(None);
        let key = kept_key(&adapter.id);
        self.only(Some(&key));
        if !self.is_open(&key) {
            self.open(key, AdapterOrigin::Kept(adapter.id.clone()), None);
        }
    }

    /// Lets go of an adapter that was made here, because it is deleted.
    pub fn close_kept(self, id: &str) {
        let key = kept_key(id);
        if self.is_open(&key) {
            self.close(&key);
        }
    }

    /// Whether an adapter that was made here is open.
    #[must_use]
    pub fn has_kept(self, id: &str) -> bool {
        let key = kept_key(id);
        self.all.with(|all| all.iter().any(|adapter| adapter.details.key == key))
    }

    /// The key of an adapter that was made here.
    #[must_use]
    pub fn key_of_kept(self, id: &str) -> String {
        kept_key(id)
    }

    fn is_open(self, key: &str) -> bool {
        self.all.with_untracked(|all| all.iter().any(|adapter| adapter.details.key == key))
    }

    /// Opens one adapter; `before` is whether it counted, and how much, when it was open the last time.
    fn open(self, key: String, origin: AdapterOrigin, before: Option<(bool, f32)>) {
        let (asked, later, source) = (key.clone(), key.clone(), origin.source());
        let request = Request::OpenAdapter { key: asked, source };
        let Some(reply) = self.engine.request_with(origin.handles(), request) else { return };
        self.origins.update_value(|all| {
            all.insert(key, origin);
        });
        self.opening.update(|count| *count += 1);
        spawn_local(async move {
            let end = reply.outcome().await;
            self.opening.update(|count| *count = count.saturating_sub(1));
            match end {
                Some(Ok(Outcome::AdapterOpened(details))) => {
                    let (on, scale) = before.unwrap_or((true, 1.0));
                    let opened = OpenAdapter { on, scale, ..OpenAdapter::new(details, false) };
                    self.all.update(|all| {
                        all.retain(|other| other.details.key != opened.details.key);
                        all.push(opened);
                    });
                }
                // While another tab trains, or when the engine has moved to another tab. It is tried again later.
                end if before.is_some() && end.as_ref().is_none_or(is_busy) => {
                    self.is_missing_some.set_value(true);
                    self.origins.update_value(|origins| {
                        origins.remove(&later);
                    });
                }
                None => self.failure.set(Some(EngineFailure::Stopped.into())),
                // One that was open before was for the model before: it goes without a word.
                Some(Err(failure)) if before.is_none() => self.failure.set(Some(failure)),
                _ => {}
            }
        });
    }

    /// Lets go of an adapter.
    pub fn close(self, key: &str) {
        self.all.update(|all| all.retain(|adapter| adapter.own || adapter.details.key != key));
        self.origins.update_value(|origins| {
            origins.remove(key);
        });
        // What comes back says nothing that is not known.
        let key = key.to_owned();
        drop(self.engine.request(None, Request::CloseAdapter { key }));
    }

    /// Changes how an adapter counts.
    pub fn change(self, key: &str, change: impl FnOnce(&mut OpenAdapter)) {
        self.all.update(|all| {
            if let Some(adapter) = all.iter_mut().find(|adapter| adapter.details.key == key) {
                change(adapter);
            }
        });
    }

    /// Switches one adapter on and all others off; all off without one.
    pub fn only(self, key: Option<&str>) {
        self.all.update(|all| {
            for adapter in all {
                adapter.on = key == Some(&*adapter.details.key);
                if adapter.on && adapter.scale == 0.0 {
                    adapter.scale = 1.0;
                }
            }
        });
    }

    /// Returns what goes to the engine with an answer.
    #[must_use]
    pub fn scales(self) -> Vec<AdapterScale> {
        self.all.with_untracked(|all| {
            let scale = |adapter: &OpenAdapter| AdapterScale {
                key: adapter.details.key.clone(),
                scale: if adapter.counts() { adapter.scale } else { 0.0 },
            };
            all.iter().map(scale).collect()
        })
    }

    /// As [`Self::scales`], with every adapter off.
    #[must_use]
    pub fn scales_off(self) -> Vec<AdapterScale> {
        self.scales().into_iter().map(|adapter| AdapterScale { scale: 0.0, ..adapter }).collect()
    }

    /// Keys of the adapters that count.
    #[must_use]
    pub fn counting(self) -> Vec<String> {
        self.all.with(|all| all.iter().filter(|it| it.counts()).map(|it| it.details.key.clone()).collect())
    }
}

/// Whether a request was refused because the model is busy.
fn is_busy(outcome: &Result<Outcome, Failure>) -> bool {
    outcome.as_ref().is_err_and(Failure::is_busy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(files: &[&str]) -> Result<Vec<Vec<String>>, AdapterFailure> {
        let files = files.iter().map(|name| ((*name).to_owned(), ())).collect();
        grouped(files).map(|groups| {
            groups.into_iter().map(|group| group.into_iter().map(|(name, ())| name).collect()).collect()
        })
    }

    #[test]
    fn files_are_sorted_into_adapters() {
        let pair = names(&["adapter_config.json", "a.gguf", "adapter_model.safetensors", "README.md"]);
        assert_eq!(
            pair,
            Ok(vec![
                vec!["a.gguf".to_owned()],
                vec!["adapter_model.safetensors".to_owned(), "adapter_config.json".to_owned()]
            ])
        );
        assert_eq!(names(&["adapter_model.safetensors"]), Err(AdapterFailure::Incomplete));
        let two = names(&["a.safetensors", "a.json", "b.safetensors", "b.json"]);
        assert_eq!(two, Err(AdapterFailure::SeveralAtOnce));
        assert_eq!(names(&["notes.txt"]), Err(AdapterFailure::NotAnAdapter));
    }
}
