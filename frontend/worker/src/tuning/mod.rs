//! Fine-tuning: reading examples, the run with its checkpoints, and the adapters that come of it.
//!
//! ```text
//! request ─▶ examples (rows, ids, labels) ─▶ plan ─▶ run ◀─▶ state::tuning (the browser's storage)
//!             └─▶ soft_tokens (pictures, sound) ──────┘
//! ```
//! A run holds the model as an answer does. Everything else runs beside it.

mod convert;
mod examples;
mod failures;
mod files;
mod kept;
mod plan;
mod run;
mod soft_tokens;

use std::rc::Rc;

use protocol::tune::{ExampleData, TuneRequest, TuneSettings};

use crate::host::Host;
use crate::host::responder::{Answered, Responder};
use crate::state::tasks::Kind;

pub use kept::open as kept_adapter;

/// Examples to learn from.
pub struct TrainingData {
    /// The examples.
    pub examples: ExampleData,
    /// The bytes of their pictures and sounds.
    pub handles: Vec<web_sys::Blob>,
}

/// Starts the task of a request. `handles` are the bytes of the pictures and sounds of its examples.
pub fn accept(
    shared: &Rc<Host>,
    responder: Responder,
    request: TuneRequest,
    handles: Vec<web_sys::Blob>,
) -> Answered {
    let (host, page) = (Rc::clone(shared), responder.page());
    match request {
        TuneRequest::Prepare { data, settings } => {
            let data = TrainingData { examples: data, handles };
            responder.run(Kind::Beside, |task| plan::prepare(host, data, settings, task))
        }
        TuneRequest::Start { data, settings } => {
            let data = TrainingData { examples: data, handles };
            begin(shared, responder, Some((data, settings)))
        }
        TuneRequest::Resume => begin(shared, responder, None),
        TuneRequest::List => responder.run(Kind::Beside, |_| kept::list(host, page)),
        TuneRequest::Discard => responder.run(Kind::Beside, |_| kept::discard(host, page)),
        TuneRequest::Keep { name } => responder.run(Kind::Beside, |_| kept::keep(host, page, name)),
        TuneRequest::Delete { id } => responder.run(Kind::Beside, |_| kept::delete(host, page, id)),
        TuneRequest::Export { id, format } => responder.run(Kind::Beside, |_| kept::export(host, id, format)),
    }
}

/// Begins a run with these examples and settings; without, continues the kept one.
fn begin(shared: &Rc<Host>, responder: Responder, with: Option<(TrainingData, TuneSettings)>) -> Answered {
    let host = Rc::clone(shared);
    if let Some(busy) = shared.tasks.holder_of(responder.page()) {
        return responder.refuse(busy);
    }
    // An answer to another page does not take long. The model of a run must not change before it begins.
    if shared.tasks.is_changing_model() {
        return responder.refuse(Kind::Load);
    }
    if shared.tasks.training().is_some() {
        return responder.run(Kind::Beside, |_| async move { Err(kept::elsewhere(&host).await) });
    }
    let answered = responder.run(Kind::Train, |task| run::run(host, with, task));
    shared.tell_state();
    answered
}
