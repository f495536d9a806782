//! Pages that share the engine: the state they see, and their turns.

use std::rc::Rc;

use engine::bytes::{CancelToken, SourceError};
use futures_channel::oneshot;
use protocol::{Busy, EngineState, Failure, LoadProgress, ModelPhase, PageId, Progress, RequestId, ToPage};

use super::Host;
use crate::failure;

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

impl Host {
    /// Adds a page.
    pub(crate) fn join(&self, page: PageId) {
        let mut joined = self.pages.joined.borrow_mut();
        joined.insert(page);
        self.pages.shared.set(self.pages.shared.get() || joined.len() > 1);
        drop(joined);
        // Always, so that a page that has just come knows what is loaded.
        self.tell(Some(page));
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
        self.wait(id, self.turns.ask(id), cancel).await
    }

    /// Waits until no other request is waiting.
    ///
    /// # Errors
    /// When `cancel` was cancelled first.
    pub(crate) async fn patient_turn(
        self: &Rc<Self>,
        id: RequestId,
        cancel: &CancelToken,
    ) -> Result<ModelTurn, Failure> {
        self.wait(id, self.turns.ask_patiently(id), cancel).await
    }

    async fn wait(
        self: &Rc<Self>,
        id: RequestId,
        granted: Option<oneshot::Receiver<()>>,
        cancel: &CancelToken,
    ) -> Result<ModelTurn, Failure> {
        if let Some(granted) = granted {
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

    /// Sends the engine's state to the pages. A page that was always alone knows it: all requests were its own.
    pub(crate) fn tell_state(&self) {
        if self.pages.shared.get() {
            self.tell(None);
        }
    }

    /// What uses the model now.
    fn busy(&self) -> Option<Busy> {
        let of = |id: RequestId| {
            let kind = self.tasks.get(id)?.kind;
            Some(Busy { page: id.page(), activity: kind.activity() })
        };
        self.turns.current().and_then(of).or_else(|| self.tasks.training().and_then(of))
    }

    fn tell(&self, page: Option<PageId>) {
        let state = EngineState { model: self.pages.model.borrow().clone(), busy: self.busy() };
        let files = self.pages.files.borrow().clone();
        self.platform.post(page, ToPage::State(Box::new(state)), &files);
    }
}
