//! The engine as the page sees it: the device, the models, the one that is loaded.

use std::collections::{HashMap, HashSet};

use leptos::{prelude::*, task::spawn_local};
use protocol::failure::Activity;
use protocol::{
    AdapterDetails, CacheReport, Capabilities, Catalog, Control, DeviceReport, Event, Failure, Forget,
    LoadProgress, LoadedModel, ModelSource, Outcome, Progress, Remedy, Request, RequestId, Sampling,
};
use send_wrapper::SendWrapper;

use super::choosing::{Known, is_undecided, preferred};
use super::models::{CatalogState, Choice, Inspection, MemoryQuestion, ModelId, ModelState};
use super::settings::SettingsStore;
use super::ui::Ui;
use crate::browser::{self, Answer};
use crate::engine_client::{EngineClient, Notice, Reply};

/// Least time between two updates of the load's progress, in milliseconds.
const PROGRESS_PAUSE_MS: u32 = 60;

/// Whether there is an engine to speak to.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum EnginePhase {
    /// It is starting.
    #[default]
    Starting,
    /// It runs.
    Running,
    /// It is gone, and why.
    Crashed(Failure),
}

/// The KV caches that the engine keeps in this browser.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeptCaches {
    /// Conversations.
    pub conversations: u32,
    /// Bytes that they take.
    pub bytes: u64,
}

/// The engine's state, in signals.
#[derive(Clone, Copy)]
pub struct EngineStore {
    /// Whether there is an engine.
    pub phase: RwSignal<EnginePhase>,
    /// The graphics device, once it is known.
    pub device: RwSignal<Option<DeviceReport>>,
    /// Why the graphics device is being restored; `None` if it is not.
    pub restoring: RwSignal<Option<String>>,
    /// Trouble that concerns no single request.
    pub trouble: RwSignal<Option<Failure>>,
    /// The server's list, as a whole.
    pub catalog: RwSignal<CatalogState>,
    /// All models: those of the server, then files.
    pub choices: RwSignal<Vec<Choice>>,
    /// The model that the next message goes to.
    pub selected: RwSignal<Option<ModelId>>,
    /// What the engine found out about each.
    pub inspections: RwSignal<HashMap<ModelId, Inspection>>,
    /// The model in the engine.
    pub model: RwSignal<ModelState>,
    /// The adapters that came with it.
    pub own_adapters: RwSignal<Vec<AdapterDetails>>,
    /// Where its load stands.
    pub progress: RwSignal<Option<LoadProgress>>,
    /// Whether files are being opened: it is not known yet which model they are.
    pub opening: RwSignal<bool>,
    /// Why the files opened last were not taken, or the model in the engine can't be replaced now.
    pub refused: RwSignal<Option<Failure>>,
    /// A model that waits for leave to take ordinary memory.
    pub memory_asked: RwSignal<Option<MemoryQuestion>>,
    /// Weights kept in this browser, once asked for.
    pub cache: RwSignal<Option<CacheReport>>,
    /// KV caches kept in this browser, once asked for.
    pub kept_caches: RwSignal<Option<KeptCaches>>,
    /// Which of them are to be deleted once an engine runs.
    pub(super) to_forget: StoredValue<Vec<Forget>>,
    /// Bytes of graphics memory that the parts for pictures and sound take, and bytes in all, once asked for.
    pub towers: RwSignal<Option<(u64, u64)>>,
    /// Whether the engine is simulated.
    pub fake: RwSignal<bool>,
    /// What the engine does for another tab.
    pub busy_elsewhere: RwSignal<Option<Activity>>,
    pub(super) settings: SettingsStore,
    pub(super) ui: Ui,
    pub(super) client: StoredValue<Option<SendWrapper<EngineClient>>>,
    /// How many engines were started, to the one that runs.
    starts: StoredValue<u32>,
    pub(super) files: StoredValue<HashMap<ModelId, SendWrapper<Vec<web_sys::Blob>>>>,
    pub(super) inspecting: StoredValue<bool>,
    /// Models that may take ordinary memory.
    pub(super) memory_allowed: StoredValue<HashSet<ModelId>>,
    /// Models that were looked at when the device was taken to have more memory, or less.
    pub(super) outdated: StoredValue<HashSet<ModelId>>,
    /// Models that are to be loaded although they probably don't fit.
    wanted_anyway: StoredValue<HashSet<ModelId>>,
    /// What was loaded when the engine ended, to be loaded again.
    pub(super) revive: StoredValue<Option<(Choice, u32)>>,
    /// Where the model was that an engine had whose tab was closed.
    pub(super) before_move: StoredValue<Option<ModelSource>>,
    /// The model that was selected by itself.
    preselected: RwSignal<Option<ModelId>>,
}

impl EngineStore {
    /// An engine that is not started yet.
    #[must_use]
    pub fn new(settings: SettingsStore, ui: Ui) -> Self {
        Self {
            phase: RwSignal::default(),
            device: RwSignal::new(None),
            restoring: RwSignal::new(None),
            trouble: RwSignal::new(None),
            catalog: RwSignal::default(),
            choices: RwSignal::new(Vec::new()),
            selected: RwSignal::new(None),
            inspections: RwSignal::new(HashMap::new()),
            model: RwSignal::default(),
            own_adapters: RwSignal::new(Vec::new()),
            progress: RwSignal::new(None),
            opening: RwSignal::new(false),
            refused: RwSignal::new(None),
            memory_asked: RwSignal::new(None),
            cache: RwSignal::new(None),
            kept_caches: RwSignal::new(None),
            to_forget: StoredValue::new(Vec::new()),
            towers: RwSignal::new(None),
            fake: RwSignal::new(false),
            busy_elsewhere: RwSignal::new(None),
            settings,
            ui,
            client: StoredValue::new(None),
            starts: StoredValue::new(0),
            files: StoredValue::new(HashMap::new()),
            inspecting: StoredValue::new(false),
            memory_allowed: StoredValue::new(HashSet::new()),
            outdated: StoredValue::new(HashSet::new()),
            wanted_anyway: StoredValue::new(HashSet::new()),
            revive: StoredValue::new(None),
            before_move: StoredValue::new(None),
            preselected: RwSignal::new(None),
        }
    }

    /// Starts the engine, and asks the server for its models.
    pub fn start(self) {
        self.fake.set(browser::simulation().is_some());
        self.restart();
        self.watch_page_cache();
        self.read_catalog();
    }

    /// [`Self::restart`], then loads this model if the engine had none.
    pub fn restart_with(self, choice: Choice, context: u32) {
        self.revive.update_value(|revive| {
            revive.get_or_insert((choice, context));
        });
        self.restart();
    }

    /// Starts a fresh engine in place of the one before, and loads again what that one had loaded.
    pub fn restart(self) {
        self.phase.set(EnginePhase::Starting);
        self.device.set(None);
        self.trouble.set(None);
        // The old worker ends before the new one asks for the graphics device.
        self.client.set_value(None);
        self.busy_elsewhere.set(None);
        self.starts.update_value(|starts| *starts += 1);
        let script = match browser::simulation() {
            Some(script) => Some(format!("{script}&start={}", self.starts.get_value())),
            None => browser::meta("gemtab-worker"),
        };
        // Each tab has its own simulation.
        let share = browser::simulation().is_none();
        let client = EngineClient::start(script.as_deref(), share, move |notice| self.hear(notice));
        self.client.set_value(Some(SendWrapper::new(client)));
    }

    fn hear(self, notice: Notice) {
        match notice {
            Notice::Ready => {
                self.phase.set(EnginePhase::Running);
                if let Some((choice, context)) = self.revive.try_update_value(Option::take).flatten() {
                    self.load(choice, context);
                }
            }
            Notice::Device(report) => {
                let before = self.device.with_untracked(|device| device.as_ref().map(|it| it.memory));
                if before.is_some_and(|before| before != report.memory) {
                    // A load has shown that it has more or less: whether models fit is another question now.
                    self.outdated
                        .set_value(self.inspections.with_untracked(|all| all.keys().cloned().collect()));
                }
                self.device.set(Some(report));
                self.restoring.set(None);
                self.select_preferred();
            }
            Notice::DeviceLost(reason) => self.restoring.set(Some(reason)),
            Notice::State(state, files) => self.show_state(*state, files),
            Notice::Moved => self.engine_moved(),
            Notice::Warning(failure) => self.trouble.set(Some(failure)),
            Notice::Crashed(failure) => {
                match self.model.get_untracked() {
                    ModelState::Ready { choice, context, .. } => {
                        self.revive.set_value(Some((*choice, context)));
                    }
                    ModelState::Loading { choice, context, .. } => {
                        self.revive.set_value(Some((*choice, context)));
                    }
                    ModelState::None | ModelState::Failed { .. } => {}
                }
                self.model.set(ModelState::None);
                self.progress.set(None);
                self.restoring.set(None);
                self.phase.set(EnginePhase::Crashed(failure));
            }
        }
    }

    /// Asks the server for its models, again if it must be.
    pub fn read_catalog(self) {
        let was_offline = untrack(|| self.is_offline());
        self.catalog.set(CatalogState::Loading);
        spawn_local(async move {
            match browser::fetch_json::<Catalog>("/api/models").await {
                Ok(Answer { value: catalog, kept }) => {
                    if was_offline && !kept {
                        // What could not be read then may be read now.
                        self.inspections.update(|all| {
                            all.retain(|_, inspection| !matches!(inspection, Inspection::Failed(_)));
                        });
                    }
                    self.choices.update(|choices| {
                        choices.retain(Choice::is_local);
                        choices.splice(0..0, catalog.models.into_iter().map(Choice::server));
                    });
                    self.catalog.set(CatalogState::Known {
                        searched: catalog.searched,
                        notes: catalog.notes,
                        kept,
                    });
                    self.find_in_list();
                    self.select_preferred();
                }
                Err(reason) => self.catalog.set(CatalogState::Failed(reason)),
            }
        });
    }

    /// Whether the server cannot be reached, so that only what this browser has can be loaded.
    #[must_use]
    pub fn is_offline(self) -> bool {
        self.catalog.with(|catalog| matches!(catalog, CatalogState::Known { kept: true, .. }))
    }

    /// Whether a model can't be loaded because parts of it are on a server that cannot be reached.
    #[must_use]
    pub fn is_out_of_reach(self, choice: &Choice) -> bool {
        let is_whole = |report: &CacheReport| {
            choice.entry.layers.iter().all(|layer| {
                report.entries.iter().any(|it| it.digest == layer.digest && it.present >= it.size)
            })
        };
        !choice.is_local()
            && self.is_offline()
            && self.cache.with(|report| report.as_ref().is_some_and(|report| !is_whole(report)))
    }

    /// Whether it is not known yet which models there are, or which was used last.
    #[must_use]
    pub fn is_listing(self) -> bool {
        self.catalog.with(|catalog| *catalog == CatalogState::Loading) || !self.settings.known.get()
    }

    /// Selects the model last used, the one that is recommended, or the first that works, unless one was loaded. What is found
    /// out about the models later may change which one it is.
    pub fn select_preferred(self) {
        let selected = self.selected.get_untracked();
        let is_chosen = selected.is_some() && selected != self.preselected.get_untracked();
        if is_chosen || !self.settings.known.get_untracked() {
            return;
        }
        let last_used = self.settings.value.with_untracked(|settings| settings.model.clone());
        let chosen = self.choices.with_untracked(|all| {
            let best = self.with_known_untracked(|known| preferred(all, &last_used, known).cloned());
            best.map(|choice| choice.id)
        });
        if chosen.is_some() && chosen != selected {
            self.preselected.set(chosen.clone());
            self.selected.set(chosen);
        }
    }

    /// Selects a model that the user has chosen, or that was loaded.
    pub fn select(self, id: ModelId) {
        self.preselected.set(None);
        self.selected.set(Some(id));
    }

    /// Whether the selected model may still give way to the one that is recommended, since not all have been inspected.
    #[must_use]
    pub fn is_looking(self) -> bool {
        let selected = self.selected.get();
        let last_used = self.settings.value.with(|settings| settings.model.clone());
        let may_change = selected == self.preselected.get() && selected.is_some_and(|it| it.0 != last_used);
        let able = self.device.with(|device| device.as_ref().is_some_and(|device| device.available));
        may_change
            && able
            && self.phase.with(|phase| *phase == EnginePhase::Running)
            && self.choices.with(|choices| self.with_known(|known| is_undecided(choices, known)))
    }

    /// Whether a model was selected by itself.
    #[must_use]
    pub fn is_preselected(self, choice: &Choice) -> bool {
        self.preselected.with_untracked(|it| it.as_ref() == Some(&choice.id))
    }

    /// Returns what is known of the models.
    pub fn with_known<T>(self, read: impl FnOnce(Known<'_>) -> T) -> T {
        let software = self.computes_in_software();
        self.inspections.with(|inspections| read(Known { inspections, software }))
    }

    fn with_known_untracked<T>(self, read: impl FnOnce(Known<'_>) -> T) -> T {
        untrack(|| self.with_known(read))
    }

    /// Whether the device computes in software; not until it is known.
    #[must_use]
    pub fn computes_in_software(self) -> bool {
        self.device.with(|device| device.as_ref().is_some_and(|device| device.software))
    }

    /// Returns the model that the next message goes to. It may be one that another tab has loaded and that is not in the list.
    #[must_use]
    pub fn selection(self) -> Option<Choice> {
        let selected = self.selected.get()?;
        let is_it = |choice: &&Choice| choice.id == selected;
        let listed = self.choices.with(|choices| choices.iter().find(is_it).cloned());
        listed.or_else(|| self.model.with(|model| model.choice().filter(is_it).cloned()))
    }

    /// Returns how the selected model is recommended to draw tokens.
    #[must_use]
    pub fn recommended(self) -> Sampling {
        let Some(choice) = self.selection() else { return Sampling::default() };
        self.model.with(|model| match model {
            ModelState::Ready { choice: loaded, details, .. } if loaded.id == choice.id => {
                choice.recommended(Some(details))
            }
            _ => choice.recommended(None),
        })
    }

    /// [`Self::selection`], untracked.
    #[must_use]
    pub fn selection_now(self) -> Option<Choice> {
        untrack(|| self.selection())
    }

    /// Returns what a model can do: what the engine found in its header, or else what the list says.
    #[must_use]
    pub fn abilities(self, choice: &Choice) -> Capabilities {
        let loaded = self.model.with(|model| match model {
            ModelState::Ready { choice: loaded, details, .. } if loaded.id == choice.id => {
                Some(details.capabilities)
            }
            _ => None,
        });
        let inspected = self.inspections.with(|all| match all.get(&choice.id) {
            Some(Inspection::Known { details, .. }) => Some(details.capabilities),
            _ => None,
        });
        loaded.or(inspected).unwrap_or(choice.entry.capabilities)
    }

    /// Puts a model of the user's into the list, with its files and what is known of it.
    pub(super) fn add(self, choice: Choice, files: Vec<web_sys::Blob>, known: Option<Inspection>) {
        self.files.update_value(|all| {
            all.insert(choice.id.clone(), SendWrapper::new(files));
        });
        self.inspections.update(|all| {
            all.remove(&choice.id);
            all.extend(known.map(|known| (choice.id.clone(), known)));
        });
        self.choices.update(|choices| {
            choices.retain(|other| other.id != choice.id);
            choices.push(choice);
        });
    }

    /// Takes a model of the user's off the list. It must not be the loaded one.
    pub fn remove(self, id: &ModelId) {
        self.choices.update(|choices| choices.retain(|choice| choice.id != *id));
        self.inspections.update(|all| {
            all.remove(id);
        });
        self.files.update_value(|all| {
            all.remove(id);
        });
    }

    /// Sends a request, with the files of a model. Returns `None` if there is no engine.
    pub fn request(self, choice: Option<&ModelId>, request: Request) -> Option<Reply> {
        let files =
            choice.and_then(|id| self.files.with_value(|all| all.get(id).map(|files| files.to_vec())));
        self.request_with(files.unwrap_or_default(), request)
    }

    /// Sends a request with handles of the files that it names. Returns `None` if there is no engine.
    pub fn request_with(self, handles: Vec<web_sys::Blob>, request: Request) -> Option<Reply> {
        Some(self.client.get_value()?.request(request, &handles))
    }

    /// Stops a request.
    pub fn cancel(self, id: RequestId) {
        if let Some(client) = self.client.get_value() {
            client.cancel(id);
        }
    }

    /// Steers a running request.
    pub fn control(self, id: RequestId, control: Control) {
        if let Some(client) = self.client.get_value() {
            client.control(id, control);
        }
    }

    /// [`Self::load`], and the model may take ordinary memory, now and when it is loaded again.
    pub fn load_with_memory(self, choice: Choice, context: u32) {
        self.memory_allowed.update_value(|allowed| {
            allowed.insert(choice.id.clone());
        });
        self.load(choice, context);
    }

    /// Has a model loaded although it probably doesn't fit, now and when it is loaded again.
    pub fn want_anyway(self, id: &ModelId) {
        self.wanted_anyway.update_value(|wanted| {
            wanted.insert(id.clone());
        });
    }

    /// Whether a model is to be loaded although it probably doesn't fit.
    #[must_use]
    pub fn is_wanted_anyway(self, id: &ModelId) -> bool {
        self.wanted_anyway.with_value(|wanted| wanted.contains(id))
    }

    /// Loads a model in place of the one before, with this context length (0 for the default). A load that is
    /// running is stopped. After a crash a fresh engine loads it.
    pub fn load(self, choice: Choice, context: u32) {
        if self.phase.with_untracked(|phase| matches!(phase, EnginePhase::Crashed(_))) {
            self.revive.set_value(Some((choice, context)));
            self.restart();
            return;
        }
        if let ModelState::Loading { request, .. } = self.model.get_untracked() {
            self.cancel(request);
        }
        self.refused.set(None);
        self.select(choice.id.clone());
        if !choice.is_local() {
            self.settings.change(|settings| settings.model.clone_from(&choice.id.0));
        }
        let source = choice.source.clone();
        let options = self.load_options(&choice, context);
        let Some(reply) = self.request(Some(&choice.id), Request::Load { source, options }) else {
            return;
        };
        self.progress.set(None);
        let loading = ModelState::Loading { choice: Box::new(choice.clone()), context, request: reply.id() };
        self.model.set(loading);
        spawn_local(self.follow_load(choice, context, reply));
    }

    async fn follow_load(self, choice: Choice, context: u32, mut reply: Reply) {
        let request = reply.id();
        // Another load may have begun meanwhile: then this one has nothing more to say.
        let is_current = || matches!(self.model.get_untracked(), ModelState::Loading { request: current, .. } if current == request);
        while let Some(events) = reply.batch(PROGRESS_PAUSE_MS).await {
            if !is_current() {
                continue;
            }
            for event in events {
                let choice = Box::new(choice.clone());
                match event {
                    Event::Progress(Progress::Loading(progress)) => self.progress.set(Some(progress)),
                    Event::Outcome(Ok(Outcome::Loaded(model))) => {
                        let LoadedModel {
                            id: loaded_by, details, context, gpu_bytes, adapters, times, ..
                        } = *model;
                        let details = Box::new(details);
                        self.progress.set(None);
                        self.own_adapters.set(adapters);
                        self.model.set(ModelState::Ready {
                            loaded_by,
                            choice,
                            details,
                            context,
                            gpu_bytes,
                            times,
                        });
                    }
                    Event::Outcome(Err(failure)) if failure.is_cancelled() => {
                        self.progress.set(None);
                        self.model.set(ModelState::None);
                        self.drop_answers();
                    }
                    // The engine still has the model it had, and tells so next.
                    Event::Outcome(Err(failure)) if failure.is_busy() => {
                        self.model.set(ModelState::None);
                        self.refused.set(Some(failure));
                    }
                    Event::Outcome(Err(failure)) => {
                        self.progress.set(None);
                        match memory_needed(&failure) {
                            Some(bytes) => {
                                self.model.set(ModelState::None);
                                self.drop_answers();
                                let question = MemoryQuestion { choice: *choice, context, bytes };
                                self.memory_asked.set(Some(question));
                            }
                            None => self.model.set(ModelState::Failed { choice, failure }),
                        }
                    }
                    _ => {}
                }
            }
        }
        // Without a last event the engine is gone, perhaps since before the request.
        if is_current() {
            self.progress.set(None);
            self.model.set(ModelState::None);
        }
    }

    /// Frees the memory of the loaded model. What uses the model ends.
    pub fn unload(self) {
        self.refused.set(None);
        let Some(reply) = self.request(None, Request::Unload) else { return };
        spawn_local(async move {
            match reply.outcome().await {
                Some(Ok(Outcome::Unloaded)) if self.model.with_untracked(ModelState::is_ready) => {
                    self.model.set(ModelState::None);
                }
                Some(Err(failure)) if !failure.is_cancelled() => {
                    self.refused.set(Some(failure));
                }
                _ => {}
            }
        });
    }

    /// Stops the load that is running.
    pub fn cancel_load(self) {
        if let ModelState::Loading { request, .. } = self.model.get_untracked() {
            self.cancel(request);
        }
    }

    /// Asks how much graphics memory the parts for pictures and sound take; frees it first, if asked to.
    pub fn read_towers(self, free: bool) {
        let Some(reply) = self.request(None, Request::Towers { free }) else { return };
        spawn_local(async move {
            match reply.outcome().await {
                Some(Ok(Outcome::Towers { bytes, gpu_bytes })) => {
                    self.towers.set(bytes.map(|bytes| (bytes, gpu_bytes)));
                }
                Some(Err(failure)) if !failure.is_cancelled() => {
                    self.trouble.set(Some(failure));
                }
                _ => {}
            }
        });
    }

    /// Whether weights are kept in this browser; `None` until that was asked.
    #[must_use]
    pub fn has_saved(self) -> Option<bool> {
        self.cache.with(|report| report.as_ref().map(|report| !report.entries.is_empty()))
    }

    /// Reads what weights are kept in this browser, after deleting those of these digests.
    pub fn read_cache(self, delete: Vec<String>) {
        let deletes = !delete.is_empty();
        let request = match deletes {
            true => Request::DeleteCached { digests: delete },
            false => Request::ListCache,
        };
        let Some(reply) = self.request(None, request) else { return };
        spawn_local(async move {
            match reply.outcome().await {
                Some(Ok(Outcome::Cache(report))) => self.cache.set(Some(report)),
                Some(Err(failure)) => {
                    self.trouble.set(Some(failure));
                    // Some may have been deleted before one could not be.
                    if deletes {
                        self.read_cache(Vec::new());
                    }
                }
                _ => {}
            }
        });
    }
}

/// Bytes of ordinary memory that a load asks for.
fn memory_needed(failure: &Failure) -> Option<u64> {
    failure.remedies().into_iter().find_map(|remedy| match remedy {
        Remedy::UseMemory(bytes) => Some(bytes),
        _ => None,
    })
}

/// Returns a file as what it is to the engine: bytes to be read in place.
pub(super) fn handle(file: &web_sys::File) -> web_sys::Blob {
    file.clone().into()
}

#[cfg(test)]
mod tests {
    use protocol::failure::EngineFailure;
    use protocol::{CatalogEntry, FitVerdict};

    use super::super::Library;
    use super::*;

    #[test]
    fn what_is_preselected_follows_what_is_found_out_until_a_model_is_loaded() {
        let owner = Owner::new();
        owner.set();
        let settings = SettingsStore::new(Library::default());
        settings.known.set(true);
        let engine = EngineStore::new(settings, Ui::default());
        let choice = |name: &str, size| {
            let digest = format!("sha256:{name}");
            Choice::server(CatalogEntry { name: name.into(), digest, size, ..CatalogEntry::default() })
        };
        let (small, large) = (choice("e2b", 7), choice("e4b", 10));
        engine.choices.set(vec![small.clone(), large.clone()]);
        engine.select_preferred();
        assert_eq!(engine.selected.get_untracked(), Some(small.id.clone()));
        let fits = FitVerdict::Fits { context: 8192, bytes: 1, outside: 0 };
        engine.inspections.update(|all| {
            for choice in [&small, &large] {
                let known = Inspection::Known { details: Box::default(), verdict: fits.clone() };
                all.insert(choice.id.clone(), known);
            }
        });
        engine.select_preferred();
        assert_eq!(engine.selected.get_untracked(), Some(large.id.clone()), "it is recommended");
        engine.select(small.id.clone());
        engine.select_preferred();
        assert_eq!(engine.selected.get_untracked(), Some(small.id), "a person has chosen it");
    }

    #[test]
    fn a_model_is_loaded_again_with_its_context_after_a_crash_during_its_load() {
        let owner = Owner::new();
        owner.set();
        let engine = EngineStore::new(SettingsStore::new(Library::default()), Ui::default());
        let choice = Choice::server(CatalogEntry { name: "pebble".into(), ..CatalogEntry::default() });
        let loading =
            ModelState::Loading { choice: Box::new(choice.clone()), context: 32_768, request: RequestId(1) };
        engine.model.set(loading);
        engine.hear(Notice::Crashed(EngineFailure::Stopped.into()));
        assert_eq!(engine.model.get_untracked(), ModelState::None);
        assert_eq!(engine.revive.get_value(), Some((choice, 32_768)));
    }
}
