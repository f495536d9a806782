//! The engine that this tab shares with others: what they have it do, and what becomes of it when its tab is closed.

use leptos::prelude::*;
use protocol::{EngineState, LoadedModel, ModelPhase, ModelSource, PageId};
use send_wrapper::SendWrapper;
use web_sys::Blob;

use super::adapters::AdapterStore;
use super::engine::EngineStore;
use super::models::{Choice, ModelState};
use crate::language::t;

impl EngineStore {
    /// Shows what the engine holds and does. What this tab has asked for itself is not shown again.
    pub(super) fn show_state(self, state: EngineState, files: Vec<Blob>) {
        let page = self.page();
        let is_own = |other| page == Some(other);
        self.busy_elsewhere.set(state.busy.filter(|busy| !is_own(busy.page)).map(|busy| busy.activity));
        let now = self.model.get_untracked();
        if matches!(&now, ModelState::Loading { request, .. } if is_own(request.page())) {
            return;
        }
        match state.model {
            ModelPhase::Empty if now.is_ready() || now.is_loading() => {
                self.progress.set(None);
                self.model.set(ModelState::None);
            }
            ModelPhase::Empty => {}
            ModelPhase::Loading { id, .. } if is_own(id.page()) => {}
            ModelPhase::Loading { id, source, progress } => {
                self.progress.set(progress);
                if matches!(&now, ModelState::Loading { request, .. } if *request == id) {
                    return;
                }
                let choice = self.choice_of(&source, files);
                if now.is_ready() && now.choice().is_some_and(|before| before.id != choice.id) {
                    self.ui.toast(t().model_replaced(&choice.entry.name));
                }
                self.select(choice.id.clone());
                self.model.set(ModelState::Loading { choice: Box::new(choice), context: 0, request: id });
            }
            ModelPhase::Loaded(model) if now.loaded_by() == Some(model.id) => {}
            ModelPhase::Loaded(model) => {
                let LoadedModel { id, source, details, context, gpu_bytes, adapters, times } = *model;
                let choice = self.choice_of(&source, files);
                self.progress.set(None);
                self.own_adapters.set(adapters);
                self.select(choice.id.clone());
                self.model.set(ModelState::Ready {
                    loaded_by: id,
                    choice: Box::new(choice),
                    details: Box::new(details),
                    context,
                    gpu_bytes,
                    times,
                });
            }
        }
    }

    /// The tab that ran the engine was closed. What was loaded is to be loaded again; every tab asks for it, and one load does.
    pub(super) fn engine_moved(self) {
        self.busy_elsewhere.set(None);
        self.restoring.set(None);
        let page = self.page();
        match self.model.get_untracked() {
            ModelState::Ready { choice, context, .. } => {
                self.before_move.set_value(Some(choice.source.clone()));
                self.revive.set_value(Some((*choice, context)));
                self.model.set(ModelState::None);
            }
            // The new engine is asked again for what this tab was loading.
            ModelState::Loading { request, .. } if Some(request.page()) != page => {
                self.progress.set(None);
                self.model.set(ModelState::None);
            }
            _ => {}
        }
    }

    fn page(self) -> Option<PageId> {
        self.client.with_value(|client| client.as_ref().map(|client| client.page()))
    }

    /// The model of the list that lies there; of files, also those that another tab has picked.
    fn choice_of(self, source: &ModelSource, files: Vec<Blob>) -> Choice {
        let listed = self.choices.with_untracked(|all| all.iter().find(|it| it.source == *source).cloned());
        let choice = listed.unwrap_or_else(|| Choice::of(source));
        if choice.is_local() && !files.is_empty() {
            self.files.update_value(|all| {
                all.entry(choice.id.clone()).or_insert_with(|| SendWrapper::new(files));
            });
            if self.choices.with_untracked(|all| all.iter().all(|other| other.id != choice.id)) {
                self.choices.update(|all| all.push(choice.clone()));
            }
        }
        choice
    }

    /// Puts what the list says of the model in place of what its source says, where another tab's model was known first.
    pub(super) fn find_in_list(self) {
        let Some(shown) = self.model.with_untracked(|model| model.choice().cloned()) else { return };
        let listed =
            self.choices.with_untracked(|all| all.iter().find(|it| it.source == shown.source).cloned());
        let Some(listed) = listed.filter(|listed| listed.id != shown.id) else { return };
        self.select(listed.id.clone());
        self.model.update(|model| {
            if let Some(choice) = model.choice_mut() {
                *choice = listed;
            }
        });
    }

    /// Has a new engine go on with the answers of the one before, once it has their model and its adapters. Called once, in
    /// the browser.
    pub(super) fn watch_answers(self, adapters: AdapterStore) {
        Effect::new(move |_| {
            let are_open = adapters.are_open();
            let client = self.client.get_value().filter(|client| client.has_cut_answers());
            self.model.with(|model| match (client, model) {
                (Some(client), ModelState::Ready { choice, .. }) if !self.was_before_move(&choice.source) => {
                    client.drop_answers();
                }
                (Some(client), ModelState::Ready { loaded_by, .. }) if are_open => {
                    client.resume_answers(*loaded_by);
                }
                (Some(client), ModelState::Failed { .. }) => client.drop_answers(),
                _ => {}
            });
        });
    }

    fn was_before_move(self, source: &ModelSource) -> bool {
        self.before_move.with_value(|before| before.as_ref() == Some(source))
    }

    /// Ends the answers that wait for a model which will not come.
    pub(super) fn drop_answers(self) {
        if let Some(client) = self.client.get_value() {
            client.drop_answers();
        }
    }
}
