//! What fine-tuning keeps between requests: the lock of the run, and the stores of the run and of adapters.

mod adapter_store;
mod run_store;
mod soft_token_files;

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use engine::bytes::CancelToken;
use engine::store::{Folder, MemoryFolder, StoreError};
use futures_util::lock::Mutex;

pub use adapter_store::AdapterStore;
pub use run_store::{Checkpoint, Examples, KeptExample, RunStore};
pub use soft_token_files::SoftTokenFiles;

use crate::platform::{Lock, Platform};

/// The lock of the tab that trains, or changes what is kept of a run.
const LOCK: &str = "gemtab-training";

/// What fine-tuning keeps between requests.
pub struct Tuning {
    platform: Rc<dyn Platform>,
    /// The lock while this tab has it.
    lock: Mutex<Weak<Lock>>,
    stores: Mutex<Option<Rc<TuneStores>>>,
    /// Seconds that the loaded model takes for a token of an example, once that was measured.
    pub pace: Cell<Option<f64>>,
    /// An answer that a run is to wait for.
    pub interruption: RefCell<Option<CancelToken>>,
}

/// Lets a run continue when it is dropped.
pub struct Interruption(CancelToken);

impl Drop for Interruption {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// The stores of fine-tuning.
pub struct TuneStores {
    /// The run.
    pub run_store: RunStore,
    /// The adapters.
    pub adapter_store: AdapterStore,
    /// Why they last no longer than the tab, if so.
    pub fleeting: Option<StoreError>,
}

impl Tuning {
    /// Nothing is kept yet.
    pub fn new(platform: Rc<dyn Platform>) -> Self {
        Self {
            platform,
            lock: Mutex::default(),
            stores: Mutex::default(),
            pace: Cell::default(),
            interruption: RefCell::default(),
        }
    }

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

    /// The lock that keeps the run of one tab from the others; `None` if another tab has it.
    pub async fn lock(&self) -> Option<Rc<Lock>> {
        // Held while the browser is asked: two at once would keep it from each other.
        let mut place = self.lock.lock().await;
        let held = place.upgrade();
        if held.is_some() {
            return held;
        }
        let lock = Rc::new(self.platform.lock(LOCK).await?);
        *place = Rc::downgrade(&lock);
        Some(lock)
    }

    /// The stores, opened on first use: in memory if the browser keeps no files.
    pub async fn stores(&self) -> Result<Rc<TuneStores>, StoreError> {
        let mut place = self.stores.lock().await;
        if let Some(stores) = &*place {
            return Ok(Rc::clone(stores));
        }
        let mut fleeting = None;
        let mut folders: Vec<Rc<dyn Folder>> = Vec::new();
        for name in [run_store::FOLDER, adapter_store::FOLDER] {
            folders.push(match self.platform.folder(name).await {
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
        if let Some(_lock) = self.lock().await {
            run_store.tidy().await.ok();
        }
        let stores = Rc::new(TuneStores { run_store, adapter_store: AdapterStore::new(adapters), fleeting });
        *place = Some(Rc::clone(&stores));
        Ok(stores)
    }
}
