//! A drafter beside a model: its file is on this machine once the model is loaded. It is loaded with the model, or else with
//! the first answer that drafts. A drafter that cannot be used leaves the model as it is.

use engine::bytes::CancelToken;
use engine::model::Drafts;
use engine::session::ModelSession;

use crate::failure;
use crate::host::{Host, Model};

/// Prepares drafts of a model that was just loaded, if it has a drafter.
pub async fn prepare(host: &Host, model: &Model, session: &mut ModelSession, cancel: &CancelToken) {
    if model.drafter.borrow().is_none() {
        return;
    }
    ensure(host, model, session, cancel).await;
    if let Ok(session) = session.autoregressive_mut()
        && session.decoder().has_drafter()
    {
        // The first answer that drafts meets the same error and reports it.
        session.prepare_drafts(Drafts::Measured).await.ok();
    }
}

/// Loads the drafter of a model, if it has one that is not loaded yet. One that cannot be loaded is given up.
pub async fn ensure(host: &Host, model: &Model, session: &mut ModelSession, cancel: &CancelToken) {
    let Some(drafter) = model.drafter.borrow().clone() else { return };
    if let Err(error) = drafter.load(session, cancel).await {
        // The answer finds out by itself that it was cancelled, or that the device was lost.
        if !error.is_cancelled() && !error.is_lost() {
            model.drafter.take();
            host.warn(failure::of_drafter(&error));
        }
    }
}
