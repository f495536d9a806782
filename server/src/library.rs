//! All sources together: the list, and the files that it allows to be read.

use std::{
    collections::HashMap,
    fs::File,
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use axum::body::Bytes;
use futures_util::{
    FutureExt as _,
    future::{BoxFuture, Shared},
};
use protocol::said::{FolderProblem, ListNote, Said};
use protocol::{Catalog, CatalogEntry, Searched};
use tokio::{runtime::Handle, task::spawn_blocking, time::timeout};

use crate::{
    bucket::Bucket,
    catalog::{
        Blob, BlobFile, BlobObject, Facts, List, Source, Stamp, builtin, digest::Digest, folder, ollama,
    },
    disk::Disk,
    regular,
    text::{public, shown},
};

/// How old a scan may be that answers for the present. A page asks several times while it loads, a load asks for
/// hundreds of ranges; a model that was pulled appears, and one that was deleted disappears, after this time.
pub const RECENT: Duration = Duration::from_secs(2);

/// While blobs are read, scans take at most one part of the time in this many.
const SPARE: u32 = 4;

/// Time that a client waits for a scan. What was found before is better than nothing: a folder in the network may never
/// answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// The models of this machine.
///
/// At most one scan runs at a time, whoever asks and however often; it is shared by all who wait for it, and goes to its
/// end when they have gone. Its result is published at once as a whole, and readers of blobs use the one before until
/// then.
#[derive(Debug)]
pub struct Library {
    sources: Vec<Source>,
    bucket: Option<Bucket>,
    recent: Duration,
    patience: Duration,
    disk: Disk,
    /// Held by the scan that runs.
    facts: Mutex<Facts>,
    /// Held for moments only.
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    published: Option<Arc<Scan>>,
    running: Option<Running>,
    /// When this program changed a source: scans that began before may not have seen it.
    changed: Option<Instant>,
}

impl State {
    fn is_current(&self, scan: &Scan) -> bool {
        self.changed.is_none_or(|changed| changed < scan.began)
    }
}

type Running = Shared<BoxFuture<'static, Result<Arc<Scan>, ScanFailed>>>;

#[derive(Debug)]
struct Scan {
    catalog: Catalog,
    /// The catalogue as JSON, which all answers share.
    json: Bytes,
    blobs: HashMap<Digest, Blob>,
    began: Instant,
    ended: Instant,
    took: Duration,
}

/// There is no list.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the models could not be listed: {0}")]
pub struct ScanFailed(Arc<str>);

/// A file that may be served.
#[derive(Debug)]
pub struct OpenBlob {
    /// Its name in addresses.
    pub digest: Digest,
    /// Bytes.
    pub size: u64,
    /// Where to read it.
    pub content: Content,
}

/// Where a file is read.
#[derive(Debug)]
pub enum Content {
    /// On this machine: open, at its beginning, and what it was when it was opened.
    File(File, Stamp),
    /// In the object store, which has not been asked yet.
    Object(Bucket, BlobObject),
}

impl Library {
    /// A library of these sources. Where two have a model of one name, the first keeps it.
    #[must_use]
    pub fn new(sources: Vec<Source>) -> Self {
        Self::with_recent(sources, RECENT)
    }

    /// A library whose scans answer for as long as `recent`.
    #[must_use]
    pub fn with_recent(sources: Vec<Source>, recent: Duration) -> Self {
        Self {
            sources,
            bucket: None,
            recent,
            patience: PATIENCE,
            disk: Disk::default(),
            facts: Mutex::default(),
            state: Mutex::default(),
        }
    }

    /// The same, and the models of an object store.
    #[must_use]
    pub fn with_bucket(self, bucket: Option<Bucket>) -> Self {
        // Whatever is read, the turns are the same.
        let disk = bucket.as_ref().map(Bucket::disk);
        Self { bucket, disk: disk.unwrap_or_else(|| self.disk.clone()), ..self }
    }

    /// The same, with files that are read there.
    #[must_use]
    pub fn with_disk(self, disk: Disk) -> Self {
        Self { disk, ..self }
    }

    /// The object store, if there is one.
    #[must_use]
    pub fn bucket(&self) -> Option<&Bucket> {
        self.bucket.as_ref()
    }

    /// Where its files are read.
    #[must_use]
    pub fn disk(&self) -> Disk {
        self.disk.clone()
    }

    /// The list as JSON: a [`Catalog`].
    ///
    /// # Errors
    /// When the scan failed as a whole, which is a fault of this program.
    pub async fn json(self: &Arc<Self>) -> Result<Bytes, ScanFailed> {
        Ok(self.recent_scan().await?.json.clone())
    }

    /// Makes the list, so that the first visitor need not wait for it, and logs what is in it.
    pub async fn report(self: &Arc<Self>) {
        let scan = match self.recent_scan().await {
            Ok(scan) => scan,
            Err(error) => {
                tracing::error!("{error}");
                return;
            }
        };
        let Catalog { models, searched, notes } = &scan.catalog;
        let (usable, broken): (Vec<_>, Vec<_>) = models.iter().partition(|model| model.broken.is_none());
        let names: Vec<_> = usable.iter().map(|model| model.name.as_str()).collect();
        let folders = searched.iter().map(|Searched { folder, problem }| match problem {
            Some(problem) => format!("{folder} ({})", problem.english),
            None => folder.clone(),
        });
        let folders = folders.chain(self.bucket.iter().map(|bucket| bucket.address().to_owned()));
        tracing::info!("models: {}; searched: {}", names.join(", "), folders.collect::<Vec<_>>().join(", "));
        for CatalogEntry { name, broken, .. } in broken {
            tracing::info!("{name} can't be used: {}", broken.as_ref().map_or("", |said| &said.english));
        }
        for note in notes {
            tracing::warn!("{}", note.english);
        }
    }

    /// Has the models listed anew for whoever asks from now on, however recent the last scan is: a model was pulled.
    pub fn changed(&self) {
        self.state().changed = Some(Instant::now());
    }

    /// Opens the file of this digest if a listed model names it and it has not changed since it was listed.
    ///
    /// # Errors
    /// When the file is there but cannot be read.
    pub async fn open(self: &Arc<Self>, digest: Digest) -> io::Result<Option<OpenBlob>> {
        let (published, is_current) = self.published();
        if let Some(scan) = published {
            let age = scan.ended.elapsed();
            if !is_current || age >= self.recent.max(scan.took * SPARE) {
                drop(self.running());
            }
            if let Some(opened) = self.open_listed(&scan, digest).await? {
                return Ok(Some(opened));
            }
            if is_current && age < self.recent {
                return Ok(None);
            }
        }
        let scan = self.recent_scan().await.map_err(io::Error::other)?;
        self.open_listed(&scan, digest).await
    }

    async fn open_listed(&self, scan: &Scan, digest: Digest) -> io::Result<Option<OpenBlob>> {
        match (scan.blobs.get(&digest), &self.bucket) {
            (Some(Blob::File(file)), _) => {
                let file = file.clone();
                self.disk.run(move || open_unchanged(&file)).await
            }
            (Some(&Blob::Object(object)), Some(bucket)) => {
                let content = Content::Object(bucket.clone(), object);
                Ok(Some(OpenBlob { digest, size: object.size, content }))
            }
            _ => Ok(None),
        }
    }

    /// The last scan, and whether it has seen all that this program changed.
    fn published(&self) -> (Option<Arc<Scan>>, bool) {
        let state = self.state();
        let published = state.published.clone();
        let is_current = published.as_ref().is_some_and(|scan| state.is_current(scan));
        (published, is_current)
    }

    /// A scan that is recent, or the one that runs, or the one after it if that has begun too early. When it takes too long, the
    /// last one.
    async fn recent_scan(self: &Arc<Self>) -> Result<Arc<Scan>, ScanFailed> {
        let published = match self.published() {
            (Some(scan), true) if scan.ended.elapsed() < self.recent => return Ok(scan),
            (published, _) => published,
        };
        let scan = async {
            let scan = self.running().await?;
            let is_current = self.state().is_current(&scan);
            if is_current { Ok(scan) } else { self.running().await }
        };
        let late = || ScanFailed("the folders of models don't answer".into());
        match timeout(self.patience, scan).await {
            Ok(scan) => scan,
            Err(_) => published.ok_or_else(late),
        }
    }

    /// The scan that runs; begins one if none does. It runs whether or not somebody waits for it.
    fn running(self: &Arc<Self>) -> Running {
        let mut state = self.state();
        if let Some(running) = &state.running {
            return running.clone();
        }
        let (library, began) = (Arc::clone(self), Instant::now());
        let scan = spawn_blocking(move || {
            let scan = library.scan(began);
            let mut state = library.state();
            state.running = None;
            state.published = Some(Arc::clone(&scan));
            scan
        });
        let library = Arc::clone(self);
        let running = async move {
            scan.await.map_err(|error| {
                // It panicked before it could do so itself.
                library.state().running = None;
                ScanFailed(error.to_string().into())
            })
        };
        let running = running.boxed().shared();
        state.running = Some(running.clone());
        running
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn scan(&self, began: Instant) -> Arc<Scan> {
        let start = Instant::now();
        let mut facts = self.facts.lock().unwrap_or_else(PoisonError::into_inner);
        let (catalog, blobs) = self.scan_sources(&mut facts);
        facts.forget_unused();
        drop(facts);
        // Its parts have been made JSON before.
        let json = serde_json::to_vec(&catalog).unwrap_or_default().into();
        Arc::new(Scan { catalog, json, blobs, began, ended: Instant::now(), took: start.elapsed() })
    }

    fn scan_sources(&self, facts: &mut Facts) -> (Catalog, HashMap<Digest, Blob>) {
        let mut searched = Vec::new();
        let mut notes = Vec::new();
        let mut models = Vec::new();
        for source in &self.sources {
            let (folder, listing) = match source {
                Source::Ollama(folder) => (folder, ollama::scan(folder, facts)),
                Source::Folder(folder) => (folder, folder::scan(folder, facts)),
                Source::Builtin(folder) => (folder, builtin::scan(folder, facts)),
            };
            let problem = match listing {
                Ok(listing) => {
                    if !listing.is_whole {
                        notes.push(full_folder(public(folder), listing.found.len()));
                    }
                    models.extend(listing.found);
                    if folder.is_dir() { None } else { Some(FolderProblem::NotThere) }
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => Some(FolderProblem::NotThere),
                Err(error) => {
                    tracing::debug!("{} cannot be read: {error}", shown(folder));
                    Some(FolderProblem::Unreadable)
                }
            };
            if !matches!(source, Source::Builtin(_)) {
                searched.push(Searched { folder: public(folder), problem: problem.map(said_of_folder) });
            }
        }
        if let Some(bucket) = &self.bucket {
            // Scans have a thread of their own, where waiting is allowed.
            models.extend(Handle::current().block_on(bucket.models()));
        }
        let List { entries, blobs, left_out } = List::new(models);
        if left_out > 0 {
            notes.push(Said {
                code: Some(ListNote::FullList { left_out: left_out as u64 }),
                english: format!("The list is too long. {left_out} more models aren't shown."),
            });
        }
        (Catalog { models: entries, searched, notes }, blobs)
    }
}

fn said_of_folder(problem: FolderProblem) -> Said<FolderProblem> {
    let english = match problem {
        FolderProblem::NotThere => "not there",
        FolderProblem::Unreadable => "can't be read",
    };
    Said { code: Some(problem), english: english.into() }
}

fn full_folder(folder: String, shown: usize) -> Said<ListNote> {
    let english = format!("{folder} has more models than fit in the list. Only the first {shown} are shown.");
    Said { code: Some(ListNote::FullFolder { folder, shown: shown as u64 }), english }
}

/// Opens a file unless it is gone, or another one by now.
fn open_unchanged(blob: &BlobFile) -> io::Result<Option<OpenBlob>> {
    let open = || -> io::Result<Option<OpenBlob>> {
        // The path had no link in it when it was listed. If one has come in, it may lead anywhere.
        let (file, metadata) = regular::open(&blob.path)?;
        let stamp = Stamp::from(&metadata);
        let content = Content::File(file, stamp);
        Ok((stamp == blob.stamp).then_some(OpenBlob { digest: blob.digest, size: stamp.size, content }))
    };
    match open() {
        Err(error) if is_another(&error) => Ok(None),
        opened => opened,
    }
}

/// Whether a file can't be opened because it is gone, or because something else is there.
fn is_another(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidInput, NotADirectory, NotFound};

    matches!(error.kind(), NotFound | NotADirectory | InvalidInput)
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, thread};

    use futures_util::future::join_all;

    use super::*;
    use crate::testing::{Store, digest};

    const NEVER: Duration = Duration::ZERO;
    const ALWAYS: Duration = Duration::MAX;

    fn library(store: &Store, recent: Duration) -> Arc<Library> {
        Arc::new(Library::with_recent(vec![Source::Ollama(store.path().into())], recent))
    }

    /// Holds scans up until what it returns is dropped.
    fn hold(library: &Arc<Library>) -> mpsc::Sender<()> {
        let (release, released) = mpsc::channel();
        let (locked, is_locked) = mpsc::channel();
        let library = Arc::clone(library);
        thread::spawn(move || {
            let _facts = library.facts.lock().expect("no scan has panicked");
            locked.send(()).expect("the test waits");
            released.recv().expect_err("nothing is ever sent");
        });
        is_locked.recv().expect("the lock is taken");
        release
    }

    #[tokio::test]
    async fn all_who_ask_while_a_scan_runs_share_it() {
        let store = Store::new();
        store.gemma4("e2b");
        let library = library(&store, NEVER);
        let held = hold(&library);
        let asking: Vec<_> = (0..100)
            .map(|_| {
                let library = Arc::clone(&library);
                let mut asking = async move { library.recent_scan().await }.boxed();
                assert!(asking.as_mut().now_or_never().is_none());
                asking
            })
            .collect();
        drop(held);
        let scans: Vec<_> = join_all(asking).await.into_iter().map(|scan| scan.expect("a scan")).collect();
        assert!(scans.iter().all(|scan| Arc::ptr_eq(scan, &scans[0])));
    }

    #[tokio::test]
    async fn a_recent_scan_answers_again() {
        let store = Store::new();
        let library = library(&store, ALWAYS);
        let first = library.recent_scan().await.expect("a scan");
        store.gemma4("e2b");
        assert!(Arc::ptr_eq(&first, &library.recent_scan().await.expect("a scan")));
    }

    #[tokio::test]
    async fn neither_a_recent_scan_nor_the_one_that_runs_hides_what_was_pulled() {
        let store = Store::new();
        let library = library(&store, ALWAYS);
        library.recent_scan().await.expect("a scan");
        let digest = digest(&store.gemma4("e2b")).parse().expect("a digest");
        assert!(library.open(digest).await.expect("no error").is_none());
        library.changed();
        assert!(library.open(digest).await.expect("no error").is_some());

        let held = hold(&library);
        library.changed();
        let mut asking = library.recent_scan().boxed();
        assert!(asking.as_mut().now_or_never().is_none(), "a scan runs");
        library.changed();
        let changed = library.state().changed.expect("a moment ago");
        drop(held);
        let scan = asking.await.expect("a scan");
        assert!(scan.began > changed);
        assert!(Arc::ptr_eq(&scan, &library.recent_scan().await.expect("a scan")));
    }

    #[tokio::test]
    async fn clients_that_go_away_leave_one_scan_behind() {
        let store = Store::new();
        let library = library(&store, NEVER);
        let held = hold(&library);
        for _ in 0..100 {
            assert!(library.json().now_or_never().is_none());
        }
        let running = library.state().running.clone().expect("one scan");
        drop(held);
        let scan = running.await.expect("a scan");
        let state = library.state();
        assert!(state.running.is_none());
        assert!(state.published.as_ref().is_some_and(|published| Arc::ptr_eq(published, &scan)));
    }

    #[tokio::test]
    async fn a_blob_does_not_wait_for_a_scan() {
        let store = Store::new();
        let content = store.gemma4("e2b");
        let digest = digest(&content).parse().expect("a digest");
        let library = library(&store, NEVER);
        library.recent_scan().await.expect("a scan");
        let held = hold(&library);
        assert!(library.json().now_or_never().is_none(), "a scan runs");
        let opened = library.open(digest).await.expect("no error").expect("the blob");
        assert_eq!(opened.size, content.len() as u64);
        drop(held);
    }

    #[tokio::test]
    async fn a_scan_that_does_not_end_leaves_the_last_list() {
        let store = Store::new();
        store.gemma4("e2b");
        let sources = vec![Source::Ollama(store.path().into())];
        let library = Library::with_recent(sources, NEVER);
        let library = Arc::new(Library { patience: Duration::ZERO, ..library });
        let held = hold(&library);
        assert!(library.json().await.is_err(), "there is no list yet");
        drop(held);
        let running = library.state().running.clone();
        if let Some(running) = running {
            running.await.expect("a scan");
        }
        let held = hold(&library);
        let list = library.json().await.expect("the last list");
        assert!(list.starts_with(b"{\"models\":[{\"name\":\"gemma4:e2b\""));
        drop(held);
    }
}
