//! LoRA adapters of the loaded model.
//!
//! They come from the user's files, from what was trained and kept in this browser, or from the layers that Ollama keeps beside a
//! model, which apply unless they are switched off. What is open is remembered with the model and restored after a lost device.

use std::collections::BTreeSet;
use std::rc::Rc;

use engine::adapter::{self, Adapter};
use engine::bytes::CancelToken;
use engine::session::{EngineError, ModelSession, Session};
use futures_util::FutureExt as _;
use protocol::failure::AdapterFailure;
use protocol::{
    AdapterDetails, AdapterScale, AdapterSource, Failure, Layer, LayerKind, ModelSource, Outcome, PageId,
};

use crate::failure::Stopped;
use crate::host::{Held, Host, Model, Slot, recovery};
use crate::state::tasks::Task;
use crate::{failure, tuning};

/// Longest configuration that is read.
const MAX_CONFIG: u64 = 1 << 20;

/// Answers [`protocol::Request::OpenAdapter`].
pub async fn open(
    host: Rc<Host>,
    key: String,
    source: AdapterSource,
    files: Vec<web_sys::Blob>,
    task: Task,
) -> Result<Outcome, Failure> {
    let (cancel, page) = (&task.cancel, task.id.page());
    let reading = async {
        Ok::<_, Stopped>(match &source {
            AdapterSource::Files(source) => {
                (source.name().to_owned(), read(&host, source, &files, cancel).await?)
            }
            AdapterSource::Kept(kept) => tuning::kept_adapter(&host, kept).await?,
        })
    };
    let (name, read) = cancel.guard(reading).await.map_err(|stopped| stopped.0)?;
    let mut slot = host.slot(cancel).await?;
    let ready = recovery::ensure(&host, &mut slot, cancel).await?;
    let session = ready.session.autoregressive_mut().map_err(|error| failure::of(&error, None))?;
    add(session, &key, read).await?;
    let details = details(session, &key, &name);
    remember(&host, session);
    if let Some(model) = host.model.borrow().as_ref() {
        model.opened_by.borrow_mut().entry(key).or_default().insert(page);
    }
    // It may have gone while the adapter was read.
    if !host.pages.has(page) {
        drop_of(&host, page);
    }
    Ok(Outcome::AdapterOpened(details))
}

/// Answers [`protocol::Request::CloseAdapter`].
pub async fn close(host: Rc<Host>, key: String, task: Task) -> Result<Outcome, Failure> {
    let mut slot = host.slot(&task.cancel).await?;
    if is_last_to_close(&host, &key, task.id.page()) {
        remove(&host, &mut slot, &key).await.map_err(|error| failure::of(&error, None))?;
    }
    Ok(Outcome::AdapterClosed)
}

/// Removes an adapter from the session, or from what a lost one gets back.
async fn remove(host: &Host, slot: &mut Slot, key: &str) -> Result<(), EngineError> {
    if let Some(session) = slot.as_mut().and_then(|ready| ready.session.autoregressive_mut().ok()) {
        session.remove_adapter(key).await?;
        remember(host, session);
    } else if let Some(model) = host.model.borrow().as_ref() {
        model.adapters.borrow_mut().retain(|adapter| adapter.name != key);
    }
    Ok(())
}

/// Notes that a page has closed an adapter. Whether no other page has it open.
fn is_last_to_close(host: &Host, key: &str, page: PageId) -> bool {
    let Some(model) = host.model.borrow().clone() else { return true };
    let mut opened_by = model.opened_by.borrow_mut();
    let Some(pages) = opened_by.get_mut(key) else { return true };
    pages.remove(&page);
    let is_last = pages.is_empty();
    if is_last {
        opened_by.remove(key);
    }
    is_last
}

/// Closes the adapters that only this page, which is gone, has open.
pub fn drop_of(host: &Rc<Host>, page: PageId) {
    let Some(model) = host.model.borrow().clone() else { return };
    let opened_by = model.opened_by.borrow();
    let of_page = opened_by.iter().filter(|(_, pages)| pages.contains(&page));
    let keys: Vec<String> = of_page.map(|(key, _)| key.clone()).collect();
    drop(opened_by);
    let shared = Rc::clone(host);
    let close_all = async move {
        let mut slot = shared.slot.lock().await;
        for key in keys.iter().filter(|key| is_last_to_close(&shared, key, page)) {
            // On failure the adapter stays disabled but keeps its memory until the model is unloaded.
            remove(&shared, &mut slot, key).await.ok();
        }
    };
    host.platform.spawn(close_all.boxed_local());
}

/// The adapters that came with a model, added to its session.
///
/// # Errors
/// One that cannot be read, in words: an answer without it would be another model's.
pub async fn of_model(
    host: &Host,
    session: &mut ModelSession,
    source: &ModelSource,
    cancel: &CancelToken,
) -> Result<Vec<AdapterDetails>, Failure> {
    let ModelSource::Server { name, layers } = source else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    for layer in layers.iter().filter(|layer| layer.kind == LayerKind::Adapter) {
        // The platform opens a model's main file: here that is the adapter.
        let main = Layer { kind: LayerKind::Model, ..layer.clone() };
        let source = ModelSource::Server { name: name.clone(), layers: vec![main] };
        let adapter = read(host, &source, &[], cancel).await?;
        let session = session.autoregressive_mut().map_err(|error| failure::of(&error, None))?;
        add(session, &layer.digest, adapter).await?;
        all.push(details(session, &layer.digest, name));
    }
    Ok(all)
}

/// What is to be added again when the session was lost with its device.
pub fn held(session: &ModelSession) -> Held {
    session.autoregressive().map(|session| session.adapters().to_vec()).unwrap_or_default()
}

fn remember(host: &Host, session: &Session) {
    if let Some(model) = host.model.borrow().as_ref() {
        model.adapters.replace(session.adapters().to_vec());
    }
}

/// Sets how much each adapter counts in the answer to come.
pub fn scale(session: &mut ModelSession, model: &Model, wanted: &[AdapterScale]) -> Result<(), Failure> {
    let open = session.autoregressive().map(Session::adapters).unwrap_or_default();
    let keys: Vec<String> = open.iter().map(|loaded| loaded.name.clone()).collect();
    if let Some(missing) = wanted.iter().find(|adapter| adapter.scale != 0.0 && !keys.contains(&adapter.key))
    {
        return Err(AdapterFailure::NotOpen { key: missing.key.clone() }.into());
    }
    let Ok(session) = session.autoregressive_mut() else { return Ok(()) };
    for key in keys {
        let asked = wanted.iter().find(|adapter| adapter.key == key).map(|adapter| adapter.scale);
        let own = if model.own_adapters.contains(&key) { 1.0 } else { 0.0 };
        session.set_adapter_scale(&key, asked.unwrap_or(own));
    }
    Ok(())
}

async fn add(session: &mut Session, key: &str, adapter: Adapter) -> Result<(), Failure> {
    // Off until an answer asks for it.
    session.add_adapter(key, adapter, 0.0).await.map_err(|error| failure::of(&error, None))
}

async fn read(
    host: &Host,
    source: &ModelSource,
    files: &[web_sys::Blob],
    cancel: &CancelToken,
) -> Result<Adapter, Failure> {
    let failed = |error: adapter::AdapterError| failure::of(&EngineError::from(error), None);
    let weights = host.platform.open(source, files, false, cancel.into()).await?.model.source;
    let ModelSource::Local { names, sizes } = source else {
        return adapter::gguf::read(&*weights).await.map_err(failed);
    };
    let (Some(name), Some(size)) = (names.get(1), sizes.get(1)) else {
        if names.first().is_some_and(|name| name.ends_with(".safetensors")) {
            return Err(AdapterFailure::Incomplete.into());
        }
        return adapter::gguf::read(&*weights).await.map_err(failed);
    };
    if *size > MAX_CONFIG {
        return Err(AdapterFailure::ConfigTooLarge { file: name.clone() }.into());
    }
    let second = ModelSource::Local { names: vec![name.clone()], sizes: vec![*size] };
    let config =
        host.platform.open(&second, files.get(1..).unwrap_or_default(), false, cancel.into()).await?;
    if config.model.source.len() > MAX_CONFIG {
        return Err(AdapterFailure::ConfigTooLarge { file: name.clone() }.into());
    }
    let len = config.model.source.len();
    let json = config.model.source.read(0..len).await.map_err(|error| failure::of_source(&error))?.to_vec();
    adapter::read(&*weights, &json).await.map_err(failed)
}

fn details(session: &Session, key: &str, name: &str) -> AdapterDetails {
    let loaded = session.adapters().iter().find(|loaded| loaded.name == key);
    let Some(adapter) = loaded.map(|loaded| loaded.adapter()) else { return AdapterDetails::default() };
    let layers: BTreeSet<_> = adapter.iter().map(|(target, _)| target.layer).collect();
    let projections: BTreeSet<_> = adapter.iter().map(|(target, _)| target.projection).collect();
    AdapterDetails {
        key: key.to_owned(),
        name: name.to_owned(),
        rank: adapter.rank(),
        parameters: adapter.parameters(),
        layers: layers.len() as u32,
        projections: projections.iter().map(|projection| projection.tensor().to_owned()).collect(),
    }
}
