//! The pages that share the engine: who has joined, and what they are told of what it holds and does.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use engine::bytes::{CancelToken, SourceError};
use protocol::{
    EngineState, Failure, LoadProgress, LoadedModel, ModelPhase, PageId, Progress, RequestId, ToPage,
};

use crate::failure;
use crate::host::Host;

/// The pages, and the model as they see it.
#[derive(Default)]
pub struct Pages {
    joined: RefCell<BTreeSet<PageId>>,
    /// Whether there have been several at once.
    shared: Cell<bool>,
    model: RefCell<ModelPhase>,
    /// The files of that model, where a person has picked them.
    files: RefCell<Vec<web_sys::Blob>>,
}

/// The right of a request to use the model, until this is dropped.
pub struct ModelTurn {
    host: Rc<Host>,
    id: RequestId,
}

impl Drop for ModelTurn {
    fn drop(&mut self) {
        self.host.turns.end(self.id);
        self.host.tell_state();
    }
}

impl Pages {
    /// Whether a page has joined.
    pub fn has(&self, page: PageId) -> bool {
        self.joined.borrow().contains(&page)
    }

    /// The model, once it is loaded.
    pub fn loaded(&self) -> Option<LoadedModel> {
        match &*self.model.borrow() {
            ModelPhase::Loaded(model) => Some((**model).clone()),
            ModelPhase::Empty | ModelPhase::Loading { .. } => None,
        }
    }

    /// The request that has loaded the model.
    pub fn loaded_by(&self) -> Option<RequestId> {
        self.loaded().map(|model| model.id)
    }
}

impl Host {
    /// Takes a page in.
    pub(crate) fn join(&self, page: PageId) {
        let mut joined = self.pages.joined.borrow_mut();
        joined.insert(page);
        self.pages.shared.set(self.pages.shared.get() || joined.len() > 1);
        drop(joined);
        // Always, so that a page that has just come knows what is loaded.
        self.tell(Some(page));
    }

    /// A page is gone: what it has asked for ends.
    pub fn leave(self: &Rc<Self>, page: PageId) {
        if self.pages.joined.borrow_mut().remove(&page) {
            self.tasks.stop_page(page);
            self.turns.forget(page);
            self.drop_adapters_of(page);
        }
    }

    /// Waits until it is this request's turn to use the model.
    ///
    /// # Errors
    /// When `cancel` was cancelled first.
    pub(crate) async fn turn(
        self: &Rc<Self>,
        id: RequestId,
        cancel: &CancelToken,
    ) -> Result<ModelTurn, Failure> {
        if let Some(granted) = self.turns.ask(id) {
            self.progress(id, Progress::Waiting);
            // Built first: a turn that is granted while the wait is cancelled ends with it.
            let turn = ModelTurn { host: Rc::clone(self), id };
            let waiting = async {
                // The sender lives as long as the request waits.
                granted.await.ok();
                Ok::<_, SourceError>(())
            };
            cancel.guard(waiting).await.map_err(|_| failure::cancelled())?;
            self.tell_state();
            return Ok(turn);
        }
        self.tell_state();
        Ok(ModelTurn { host: Rc::clone(self), id })
    }

    /// Changes what the pages see of the model.
    pub(crate) fn show_model(&self, model: ModelPhase, files: &[web_sys::Blob]) {
        self.pages.model.replace(model);
        self.pages.files.replace(files.to_vec());
        self.tell_state();
    }

    /// Changes what the pages see of a load under way.
    pub(crate) fn show_progress(&self, now: LoadProgress) {
        if let ModelPhase::Loading { progress, .. } = &mut *self.pages.model.borrow_mut() {
            *progress = Some(now);
        }
        self.tell_state();
    }

    /// Tells the pages what the engine holds and does. A page that was always alone knows: it has asked for all of it.
    pub(crate) fn tell_state(&self) {
        if self.pages.shared.get() {
            self.tell(None);
        }
    }

    fn tell(&self, page: Option<PageId>) {
        let state = EngineState { model: self.pages.model.borrow().clone(), busy: self.busy() };
        let files = self.pages.files.borrow().clone();
        self.platform.post(page, ToPage::State(Box::new(state)), &files);
    }
}
