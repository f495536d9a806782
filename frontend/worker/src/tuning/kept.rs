//! What is kept: listed, named, deleted, saved as files.

use std::rc::Rc;

use engine::adapter::{Adapter, AdapterError, gguf, peft};
use engine::bytes::MemorySource;
use engine::store::StoreError;
use protocol::failure::{AdapterFailure, StorageFailure, TrainingFailure};
use protocol::tune::{ExportFormat, ExportedFile, KeptAdapter, file_name};
use protocol::{Failure, Outcome, PageId, TuneOutcome};

use crate::failure;
use crate::host::Host;
use crate::platform::Lock;

/// Longest name of an adapter, in characters.
const LONGEST_NAME: usize = 80;

/// Answers [`protocol::TuneRequest::List`].
pub async fn list(host: Rc<Host>, page: PageId) -> Result<Outcome, Failure> {
    listed(&host, page).await.map_err(|error| of_store(&error))
}

/// Answers [`protocol::TuneRequest::Discard`].
pub async fn discard(host: Rc<Host>, page: PageId) -> Result<Outcome, Failure> {
    let _lock = rests(&host).await?;
    let cleared = async { host.tuning.stores().await?.run_store.clear().await };
    cleared.await.map_err(|error| of_store(&error))?;
    list(host, page).await
}

/// Answers [`protocol::TuneRequest::Keep`].
pub async fn keep(host: Rc<Host>, page: PageId, name: String) -> Result<Outcome, Failure> {
    let _lock = rests(&host).await?;
    let name: String = name.trim().chars().take(LONGEST_NAME).collect();
    let kept = async {
        let stores = host.tuning.stores().await?;
        let Some(last) = stores.run_store.last().await? else { return Ok(false) };
        let Some(adapter) = stores.run_store.adapter(&last).await? else { return Ok(false) };
        let label = KeptAdapter {
            id: format!("{:016x}", host.platform.random()),
            name,
            model: last.run.model,
            rank: last.run.settings.rank,
            size: adapter.len() as u64,
            made: host.platform.now(),
        };
        stores.adapter_store.keep(&label, &adapter).await?;
        // It is safe under its name now.
        stores.run_store.clear().await?;
        Ok(true)
    };
    match kept.await {
        Ok(true) => list(host, page).await,
        Ok(false) => Err(TrainingFailure::NothingToSave.into()),
        Err(error) => Err(of_store(&error)),
    }
}

/// Answers [`protocol::TuneRequest::Delete`].
pub async fn delete(host: Rc<Host>, page: PageId, adapter: String) -> Result<Outcome, Failure> {
    let deleted = async { host.tuning.stores().await?.adapter_store.delete(&adapter).await };
    deleted.await.map_err(|error| of_store(&error))?;
    list(host, page).await
}

/// Answers [`protocol::TuneRequest::Export`].
pub async fn export(host: Rc<Host>, adapter: String, format: ExportFormat) -> Result<Outcome, Failure> {
    let (label, file) = take(&host, &adapter).await?;
    let files = match format {
        ExportFormat::Gguf => vec![ExportedFile { name: file_name(&label.name), bytes: file }],
        ExportFormat::Peft => for_peft(file, &label).await.map_err(|error| of_adapter(&error))?,
    };
    Ok(Outcome::Tune(Box::new(TuneOutcome::Files(files))))
}

/// A kept adapter under its name, for the session.
///
/// # Errors
/// When it is not there any more, or cannot be read.
pub async fn open(host: &Host, id: &str) -> Result<(String, Adapter), Failure> {
    let (label, file) = take(host, id).await?;
    let adapter = gguf::read(&MemorySource::new(file)).await;
    Ok((label.name, adapter.map_err(|error| failure::of_adapter(&error))?))
}

/// A kept adapter and its GGUF file.
async fn take(host: &Host, id: &str) -> Result<(KeptAdapter, Vec<u8>), Failure> {
    let opened = async { host.tuning.stores().await?.adapter_store.open(id).await };
    opened.await.map_err(|error| of_store(&error))?.ok_or_else(|| AdapterFailure::NotKept.into())
}

async fn for_peft(file: Vec<u8>, label: &KeptAdapter) -> Result<Vec<ExportedFile>, AdapterError> {
    let adapter = gguf::read(&MemorySource::new(file)).await?;
    let peft::Files { weights, config } = peft::write(&adapter, &label.model)?;
    let file = |name: &str, bytes| ExportedFile { name: name.to_owned(), bytes };
    Ok(vec![file(peft::WEIGHTS, weights), file(peft::CONFIG, config.into_bytes())])
}

async fn listed(host: &Host, page: PageId) -> Result<Outcome, StoreError> {
    let stores = host.tuning.stores().await?;
    let run = stores.run_store.last().await?.map(|last| last.run);
    let adapters = stores.adapter_store.list().await?;
    let here = host.tasks.training().is_none_or(|training| training.page() == page);
    let elsewhere = !here || host.tuning.lock().await.is_none();
    Ok(Outcome::Tune(Box::new(TuneOutcome::Kept { run, adapters, elsewhere })))
}

/// Whether no run is under way, here or in another tab; none begins elsewhere while what comes back is held.
async fn rests(host: &Host) -> Result<Rc<Lock>, Failure> {
    if host.tasks.training().is_some() {
        return Err(TrainingFailure::InProgress.into());
    }
    match host.tuning.lock().await {
        Some(lock) => Ok(lock),
        None => Err(elsewhere(host).await),
    }
}

/// Why nothing can be done to a run: another tab has it.
pub async fn elsewhere(host: &Host) -> Failure {
    let last = async { host.tuning.stores().await?.run_store.last().await };
    let name = last.await.ok().flatten().map(|last| last.run.name).unwrap_or_default();
    TrainingFailure::InAnotherTab { name }.into()
}

/// Trouble with what is kept of fine-tuning.
pub fn of_store(error: &StoreError) -> Failure {
    match error {
        StoreError::Full { size, .. } => StorageFailure::TrainingFull { bytes: *size }.into(),
        StoreError::InUse => StorageFailure::TrainingInUse.into(),
        other => failure::of_store(other),
    }
}

/// An adapter that cannot be read or written.
fn of_adapter(error: &AdapterError) -> Failure {
    Failure::new(AdapterFailure::NotWritten).detailed(error)
}
