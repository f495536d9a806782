//! The pages that share the engine, and the model as they see it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use protocol::{LoadedModel, ModelPhase, PageId, RequestId};

/// The pages, and the model as they see it.
#[derive(Default)]
pub struct Pages {
    pub joined: RefCell<BTreeSet<PageId>>,
    /// Whether there have been several at once.
    pub shared: Cell<bool>,
    pub model: RefCell<ModelPhase>,
    /// The files of that model, if the user has picked them.
    pub files: RefCell<Vec<web_sys::Blob>>,
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
