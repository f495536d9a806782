//! Fine-tuning: reading examples, the run with its checkpoints, and the adapters that come of it.
//!
//! ```text
//! request ─▶ examples (rows, ids, labels) ─▶ plan ─▶ run ◀─▶ run_store (two slots in the browser's storage)
//!             └─▶ soft_tokens (pictures, sound) ──────┘└─▶ adapter_store (kept adapters)
//! ```
//! A run holds the model as an answer does. Everything else goes on beside it.

mod adapter_store;
mod convert;
mod examples;
mod failures;
mod files;
mod kept;
mod plan;
mod run;
mod run_store;
mod sealed;
mod soft_tokens;

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use engine::bytes::CancelToken;
use engine::store::{Folder, MemoryFolder, StoreError};
use futures_util::lock::Mutex;
use protocol::tune::{ExampleData, TuneRequest, TuneSettings};

use crate::host::Host;
use crate::platform::Lock;
use crate::responder::{Answered, Responder};
use crate::tasks::Kind;

pub use kept::open as kept_adapter;

use adapter_store::AdapterStore;
use run_store::RunStore;

/// The lock of the tab that trains, or changes what is kept of a run.
const LOCK: &str = "gemtab-training";

/// What fine-tuning keeps between requests.
#[derive(Default)]
pub struct Tuning {
    /// The lock while this tab has it.
    lock: Mutex<Weak<Lock>>,
    places: Mutex<Option<Rc<Places>>>,
    /// Seconds that the loaded model takes for a token of an example, once that was measured.
    pace: Cell<Option<f64>>,
    /// An answer that a run is to wait for.
    interruption: RefCell<Option<CancelToken>>,
}

/// Lets a run go on when it is dropped.
pub struct Interruption(CancelToken);

impl Drop for Interruption {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Where things are kept.
pub struct Places {
    /// The run.
    run_store: RunStore,
    /// The adapters.
    adapter_store: AdapterStore,
    /// Why they last no longer than the tab, if so.
    fleeting: Option<StoreError>,
}

impl Tuning {
    /// Another model is loaded: what was measured holds no longer.
    pub fn forget_model(&self) {
        self.pace.set(None);
    }

    /// Has a run that is under way wait between two steps, as long as what is returned is there.
    pub fn interrupt(&self) -> Interruption {
        let over = CancelToken::new();
        self.interruption.replace(Some(over.clone()));
        Interruption(over)
    }

    /// The lock that keeps the run of one tab from the others; none where another tab has it.
    async fn lock(&self, host: &Host) -> Option<Rc<Lock>> {
        // Held while the browser is asked: two at once would keep it from each other.
        let mut place = self.lock.lock().await;
        let held = place.upgrade();
        if held.is_some() {
            return held;
        }
        let lock = Rc::new(host.platform.lock(LOCK).await?);
        *place = Rc::downgrade(&lock);
        Some(lock)
    }

    /// The places, opened when they are first needed: in memory where the browser keeps no files.
    async fn places(&self, host: &Host) -> Result<Rc<Places>, StoreError> {
        let mut place = self.places.lock().await;
        if let Some(places) = &*place {
            return Ok(Rc::clone(places));
        }
        let mut fleeting = None;
        let mut folders: Vec<Rc<dyn Folder>> = Vec::new();
        for name in [run_store::FOLDER, adapter_store::FOLDER] {
            folders.push(match host.platform.folder(name).await {
                Ok(folder) => folder,
                Err(error @ StoreError::Unavailable { .. }) => {
                    fleeting = Some(error);
                    Rc::new(MemoryFolder::default())
                }
                Err(error) => return Err(error),
            });
        }
        let [training, adapters] = <[_; 2]>::try_from(folders)
            .map_err(|_| StoreError::Failed { reason: "two folders were opened".to_owned() })?;
        let run_store = RunStore::new(training);
        // A tab may have been closed while pictures were encoded. What stays there costs room, no more.
        if let Some(_lock) = self.lock(host).await {
            run_store.tidy().await.ok();
        }
        let places = Rc::new(Places { run_store, adapter_store: AdapterStore::new(adapters), fleeting });
        *place = Some(Rc::clone(&places));
        Ok(places)
    }
}

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
