//! What the browser gives the worker.

use std::cell::RefCell;
use std::rc::Rc;

use engine::bytes::{BlobSource, ByteSource, LocalBoxFuture, http_source};
use engine::gguf::Header;
use engine::gpu::CompileAhead;
use engine::model::DrafterSpec;
use engine::store::{self, Blob, Digest, Folder, OpfsFolder, Store, StoreError};
use futures_util::FutureExt as _;
use futures_util::lock::Mutex;
use protocol::failure::{MediaFailure, ModelFailure, NoGpu, ReadFailure};
use protocol::{CacheEntry, CacheReport, Failure, Layer, LayerKind, ModelSource, PageId, ToPage};

use js_sys::Uint8Array;
use wasm_bindgen_futures::JsFuture;

use super::adapter;
use super::compiler::Compiler;
use super::constraints;
use super::ports;
use crate::constraints::Constraints;
use crate::device::AdapterNames;
use crate::platform::{Link, Lock, Opened, Platform};

/// A dedicated worker of a browser.
pub struct Browser {
    /// Opened when it is first needed. Behind a lock: opening sweeps what must not be open.
    store: Mutex<RefCell<Option<Rc<Store>>>>,
}

impl Browser {
    pub fn new() -> Self {
        Self { store: Mutex::default() }
    }

    async fn store(&self) -> Result<Rc<Store>, StoreError> {
        let place = self.store.lock().await;
        let known = place.borrow().clone();
        match known {
            Some(store) => Ok(store),
            None => {
                let store = Rc::new(Store::open().await?);
                place.replace(Some(Rc::clone(&store)));
                Ok(store)
            }
        }
    }

    async fn open_server(
        &self,
        name: &str,
        layers: &[Layer],
        keep: bool,
        link: Link,
    ) -> Result<Opened, Failure> {
        let of_kind = |kind| layers.iter().find(|layer| layer.kind == kind);
        let layer =
            of_kind(LayerKind::Model).ok_or_else(|| ModelFailure::NoModelFile { name: name.to_owned() })?;
        let model = self.open_layer(name.to_owned(), layer, keep, link.clone()).await;
        let projector = match of_kind(LayerKind::Projector) {
            Some(layer) => Some(self.open_layer(format!("{name} (mmproj)"), layer, keep, link.clone()).await),
            None => None,
        };
        let drafter = match of_kind(LayerKind::Draft) {
            Some(layer) => Some(self.open_layer(format!("{name} (drafter)"), layer, keep, link).await),
            None => None,
        };
        Ok(Opened { model, projector, drafter })
    }

    async fn open_layer(&self, name: String, layer: &Layer, keep: bool, link: Link) -> store::Opened {
        let mut upstream = http_source(&layer.url, layer.size, link.cancel);
        if let Some(watch) = link.watch {
            upstream = upstream.watched(watch);
        }
        let upstream: Rc<dyn ByteSource> = Rc::new(upstream);
        // Only what has a checksum can be kept: what was kept must be known to be right.
        let Ok(digest) = layer.digest.parse::<Digest>() else { return store::Opened::remote(upstream) };
        let store = match self.store().await {
            Ok(store) => store,
            Err(error) => {
                return store::Opened { trouble: keep.then_some(error), ..store::Opened::remote(upstream) };
            }
        };
        if keep {
            store.persist().await;
        }
        store.blob(&Blob { digest, name }, upstream, keep).await
    }
}

impl Platform for Browser {
    fn post(&self, to: Option<PageId>, message: ToPage, files: &[web_sys::Blob]) {
        ports::post(to, &message, files);
    }

    fn spawn(&self, task: LocalBoxFuture<'static, ()>) {
        wasm_bindgen_futures::spawn_local(task);
    }

    fn pause(&self, milliseconds: u32) -> LocalBoxFuture<'static, ()> {
        gloo_timers::future::TimeoutFuture::new(milliseconds).boxed_local()
    }

    fn random(&self) -> u64 {
        let mut bytes = [0; 8];
        // Without a random source every seed is 0: the draw is repeatable then, and nothing worse.
        if let Ok(crypto) = super::scope().crypto() {
            crypto.get_random_values_with_u8_array(&mut bytes).ok();
        }
        u64::from_le_bytes(bytes)
    }

    fn compile_ahead(&self) -> Option<Rc<dyn CompileAhead>> {
        Some(Rc::new(Compiler))
    }

    fn adapter(&self) -> LocalBoxFuture<'_, Result<AdapterNames, NoGpu>> {
        adapter::names().boxed_local()
    }

    fn constraints(&self) -> LocalBoxFuture<'_, Result<Rc<dyn Constraints>, Failure>> {
        constraints::fetch().boxed_local()
    }

    fn open<'a>(
        &'a self,
        source: &'a ModelSource,
        files: &'a [web_sys::Blob],
        keep: bool,
        link: Link,
    ) -> LocalBoxFuture<'a, Result<Opened, Failure>> {
        async move {
            match source {
                ModelSource::Server { name, layers } => self.open_server(name, layers, keep, link).await,
                ModelSource::Local { .. } => {
                    let mut files =
                        files.iter().map(|file| store::Opened::local(Rc::new(BlobSource::new(file.clone()))));
                    let model = files.next().ok_or(ReadFailure::Gone)?;
                    let (mut projector, mut drafter) = (None, None);
                    for file in files {
                        let header = Header::read(&*file.source).await;
                        let is_drafter = header.is_ok_and(|header| DrafterSpec::is_drafter(&header));
                        *(if is_drafter { &mut drafter } else { &mut projector }) = Some(file);
                    }
                    Ok(Opened { model, projector, drafter })
                }
            }
        }
        .boxed_local()
    }

    fn read<'a>(
        &'a self,
        handles: &'a [web_sys::Blob],
        place: u32,
    ) -> LocalBoxFuture<'a, Result<Vec<u8>, Failure>> {
        async move {
            let gone = || Failure::from(MediaFailure::Gone);
            let handle = handles.get(place as usize).ok_or_else(gone)?;
            let buffer = JsFuture::from(handle.array_buffer()).await.map_err(|_| gone())?;
            Ok(Uint8Array::new(&buffer).to_vec())
        }
        .boxed_local()
    }

    fn kept(&self) -> LocalBoxFuture<'_, Result<CacheReport, StoreError>> {
        async move {
            let store = match self.store().await {
                Ok(store) => store,
                // Where nothing can be kept, nothing is.
                Err(StoreError::Unavailable { .. }) => return Ok(CacheReport::default()),
                Err(error) => return Err(error),
            };
            let entries = store.list().await?.into_iter().map(|entry| CacheEntry {
                digest: entry.digest.to_string(),
                name: entry.name,
                size: entry.size,
                present: entry.present,
                last_used: entry.last_used,
                checked: entry.checked,
            });
            let usage = store.usage().await;
            Ok(CacheReport {
                entries: entries.collect(),
                used: usage.used,
                quota: usage.quota,
                persisted: usage.persisted,
            })
        }
        .boxed_local()
    }

    fn folder<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<Rc<dyn Folder>, StoreError>> {
        async move { Ok(Rc::new(OpfsFolder::open(name).await?) as Rc<dyn Folder>) }.boxed_local()
    }

    fn lock<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Option<Lock>> {
        async {
            match interop::locks::try_hold(name).await {
                Ok(lock) => lock.map(|lock| Lock::new(move || drop(lock))),
                // Without locks there is nothing to keep apart.
                Err(_) => Some(Lock::new(|| ())),
            }
        }
        .boxed_local()
    }

    fn now(&self) -> f64 {
        js_sys::Date::now()
    }

    fn delete<'a>(&'a self, digest: &'a str) -> LocalBoxFuture<'a, Result<(), StoreError>> {
        async move {
            let digest =
                digest.parse::<Digest>().map_err(|error| StoreError::Failed { reason: error.to_string() })?;
            self.store().await?.delete(&digest).await
        }
        .boxed_local()
    }
}
