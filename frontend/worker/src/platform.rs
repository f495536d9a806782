//! The environment of the worker.

use std::rc::Rc;

use engine::bytes::http::Watch;
use engine::bytes::{CancelToken, LocalBoxFuture};
use engine::gpu::CompileAhead;
use engine::store::{self, Folder, StoreError};
use protocol::failure::NoGpu;
use protocol::{CacheReport, Failure, ModelSource, PageId, ToPage};

use crate::constraints::Constraints;
use crate::device::AdapterNames;

/// A browser's worker, or a test.
pub trait Platform {
    /// Sends a message to a page, or to all, with the handles of files that it names.
    fn post(&self, to: Option<PageId>, message: ToPage, files: &[web_sys::Blob]);

    /// Runs a task beside all others, on this thread.
    fn spawn(&self, task: LocalBoxFuture<'static, ()>);

    /// Waits.
    fn pause(&self, milliseconds: u32) -> LocalBoxFuture<'static, ()>;

    /// A random number.
    fn random(&self) -> u64;

    /// Returns a compiler of kernels beside other work, if there is one.
    fn compile_ahead(&self) -> Option<Rc<dyn CompileAhead>> {
        None
    }

    /// Returns the platform's names of its graphics adapter.
    fn adapter(&self) -> LocalBoxFuture<'_, Result<AdapterNames, NoGpu>>;

    /// Fetches grammar support.
    fn constraints(&self) -> LocalBoxFuture<'_, Result<Rc<dyn Constraints>, Failure>>;

    /// Opens a model's files; keeps them, if `keep` says so and there is a place for them. `files` are the handles of
    /// [`ModelSource::Local`]. Reads from a server obey `link`.
    fn open<'a>(
        &'a self,
        source: &'a ModelSource,
        files: &'a [web_sys::Blob],
        keep: bool,
        link: Link,
    ) -> LocalBoxFuture<'a, Result<Opened, Failure>>;

    /// The bytes of a handle that came beside a message.
    fn read<'a>(
        &'a self,
        handles: &'a [web_sys::Blob],
        place: u32,
    ) -> LocalBoxFuture<'a, Result<Vec<u8>, Failure>>;

    /// Returns the kept weights.
    fn kept(&self) -> LocalBoxFuture<'_, Result<CacheReport, StoreError>>;

    /// Opens a folder of small files that last, creating it if necessary.
    fn folder<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<Rc<dyn Folder>, StoreError>>;

    /// Takes a lock that all tabs of the browser share; `None` if another tab has it.
    fn lock<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Option<Lock>>;

    /// Milliseconds since 1970.
    fn now(&self) -> f64;

    /// Deletes kept weights.
    fn delete<'a>(&'a self, digest: &'a str) -> LocalBoxFuture<'a, Result<(), StoreError>>;
}

/// Cancellation and connection state of reads from a server.
#[derive(Clone)]
pub struct Link {
    /// Stops them.
    pub cancel: CancelToken,
    /// Called when a read loses its connection and when it continues.
    pub watch: Option<Watch>,
}

impl From<&CancelToken> for Link {
    fn from(cancel: &CancelToken) -> Self {
        Self { cancel: cancel.clone(), watch: None }
    }
}

/// A lock that is held until this is dropped.
pub struct Lock {
    release: Option<Box<dyn FnOnce()>>,
}

impl Lock {
    /// A lock that `release` releases.
    pub fn new(release: impl FnOnce() + 'static) -> Self {
        Self { release: Some(Box::new(release)) }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if let Some(release) = self.release.take() {
            release();
        }
    }
}

/// A model's files.
pub struct Opened {
    /// The main one.
    pub model: store::Opened,
    /// The one with its towers, where that is a file of its own.
    pub projector: Option<store::Opened>,
    /// Its drafter, if it has one.
    pub drafter: Option<store::Opened>,
}

impl Opened {
    /// All of them.
    pub fn files(&self) -> impl Iterator<Item = &store::Opened> {
        [&self.model].into_iter().chain(&self.projector).chain(&self.drafter)
    }
}
