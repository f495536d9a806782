//! Pulling models into Ollama's store: from Ollama's registry, any other registry of the OCI distribution protocol, and
//! Hugging Face.
//!
//! A pull reads a manifest (`manifest`) from a registry (`registry`), downloads the files that it names (`transfer`),
//! each into a partial file (`partial`) that the next pull continues, and writes the manifest last (`store`). A model
//! that the hub has in parts (`hub`) is joined (`join`) and gets a manifest of its own (`split`).
//!
//! Nothing from the network is trusted: counts and lengths have bounds, files have the size and the digest that the
//! manifest gives them, redirects don't leave HTTPS, and a registry leads to private addresses only if it has one (`guard`).

mod address;
pub mod api;
mod challenge;
pub mod command;
mod error;
mod guard;
mod http;
mod hub;
mod join;
mod manifest;
mod partial;
mod progress;
mod registry;
mod report;
mod split;
mod store;
mod transfer;

use std::path::PathBuf;

pub use self::{
    address::{HUB, NotAnAddress, is_hub, parse},
    error::PullError,
    http::Patience,
    progress::{Event, Progress},
    store::FreeSpace,
    transfer::Retry,
};
use self::{
    manifest::File,
    registry::Registry,
    store::{Store, blocking},
};
use crate::catalog::name::Name;

/// Pulls models into one store.
#[derive(Clone, Debug)]
pub struct Puller {
    store: Store,
    hub: String,
    insecure: bool,
    retry: Retry,
    patience: Patience,
}

impl Puller {
    /// Pulls into the store in this folder, which is created when it is needed.
    #[must_use]
    pub fn new(store: impl Into<PathBuf>) -> Self {
        let store = Store::new(store.into(), |folder| fs4::available_space(folder));
        Self {
            store,
            hub: HUB.into(),
            insecure: false,
            retry: Retry::default(),
            patience: Patience::default(),
        }
    }

    /// Whether registries of other machines are spoken to without encryption.
    #[must_use]
    pub fn insecure(self, insecure: bool) -> Self {
        Self { insecure, ..self }
    }

    /// Another server in place of Hugging Face: scheme, host and port.
    #[must_use]
    pub fn hub(self, origin: impl Into<String>) -> Self {
        Self { hub: origin.into(), ..self }
    }

    /// How often and how soon servers are asked again.
    #[must_use]
    pub fn retry(self, retry: Retry) -> Self {
        Self { retry, ..self }
    }

    /// How long a server may take.
    #[must_use]
    pub fn patience(self, patience: Patience) -> Self {
        Self { patience, ..self }
    }

    /// Another way to tell how much room there is.
    #[must_use]
    pub fn free_space(self, free: FreeSpace) -> Self {
        Self { store: Store::new(self.store.root().into(), free), ..self }
    }

    /// Pulls a model. What is there already is not downloaded again; a tag that means other files now gets those.
    ///
    /// Dropping the future stops it. What has been downloaded stays, and the next pull goes on from there.
    ///
    /// # Errors
    /// See [`PullError`]. No model is listed before all its files are there and verified.
    pub async fn pull(&self, name: &Name, progress: Progress<'_>) -> Result<(), PullError> {
        let origin = if is_hub(name.host()) {
            address::hub_origin(&self.hub, self.insecure)?
        } else {
            address::origin(name.host(), self.insecure)?
        };
        let registry = Registry::new(origin, name, self.patience)?;
        match registry.manifest().await {
            Ok(text) => self.take(&registry, name, text, progress).await,
            Err(error) if is_hub(name.host()) && hub::is_split(&error) => {
                split::pull(self, &registry, name, progress).await
            }
            Err(error) => Err(error),
        }
    }

    /// Downloads what a manifest names.
    async fn take(
        &self,
        registry: &Registry,
        name: &Name,
        text: Vec<u8>,
        progress: Progress<'_>,
    ) -> Result<(), PullError> {
        let files = manifest::files(&text, &registry.host())?;
        for file in self.plan(files.clone(), 0, progress).await? {
            let url = registry.blob(file.digest)?;
            transfer::fetch(registry, url, &file, &self.store, self.retry, progress).await?;
        }
        let (store, name) = (self.store.clone(), name.clone());
        blocking(move || store.write_manifest(&name, &text, &files)).await
    }

    /// Those of the files that are missing, if there is room for them and for `besides` bytes more.
    async fn plan(
        &self,
        files: Vec<File>,
        besides: u64,
        progress: Progress<'_>,
    ) -> Result<Vec<File>, PullError> {
        let store = self.store.clone();
        let (missing, bytes) = blocking(move || {
            store.sweep();
            let (missing, bytes) = store.missing(&files)?;
            store.need(bytes.saturating_add(besides))?;
            Ok((missing, bytes))
        })
        .await?;
        progress(Event::Planned { files: missing.len(), bytes });
        Ok(missing)
    }
}
