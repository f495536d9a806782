//! Models that the user has opened from files, to be opened again on a later visit.
//!
//! What is kept of a file is the browser's handle. It is an object that only IndexedDB can store, so these records are
//! not text as those of the history are, and have a database of their own.

use js_sys::{Array, Object, Reflect};
use send_wrapper::SendWrapper;
use serde::{Deserialize, Serialize};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::FileSystemFileHandle;

use super::StoreError;
use super::indexed_db::{Database, Schema};
use crate::channel::{Channel, Subscription};

/// The table of models.
const MODELS: &str = "models";
const SCHEMA: Schema = Schema { version: 1, tables: &[MODELS] };

/// The field of a record that has its JSON.
const ABOUT: &str = "about";
/// The field of a record that has the handles.
const HANDLES: &str = "handles";

/// A file as it was when it was opened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PickedFile {
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// When it was last changed, in milliseconds since 1970.
    pub modified: f64,
}

/// What is kept of a model as text.
#[derive(Serialize, Deserialize)]
struct About {
    files: Vec<PickedFile>,
    opened: u64,
}

/// A model that was opened from files.
#[derive(Clone, Debug)]
pub struct PickedModel {
    /// What the page calls it by.
    pub id: String,
    /// Its files, the model first.
    pub files: Vec<PickedFile>,
    /// When it was opened last, in milliseconds since 1970.
    pub opened: u64,
    /// What the files can be read by, in the same order.
    pub handles: SendWrapper<Vec<FileSystemFileHandle>>,
}

impl PickedModel {
    /// The name of the model's file.
    #[must_use]
    pub fn name(&self) -> &str {
        self.files.first().map_or("", |file| &file.name)
    }

    /// Bytes of all its files.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }

    fn to_js(&self) -> Result<JsValue, StoreError> {
        let about = About { files: self.files.clone(), opened: self.opened };
        let about = serde_json::to_string(&about).map_err(|error| self.broken(error.to_string()))?;
        let record = Object::new();
        let handles: Array = self.handles.iter().collect();
        for (field, value) in [(ABOUT, JsValue::from_str(&about)), (HANDLES, handles.into())] {
            Reflect::set(&record, &field.into(), &value)
                .map_err(|error| self.broken(format!("{error:?}")))?;
        }
        Ok(record.into())
    }

    /// `None` if it is no such record, perhaps that of another version.
    fn from_js(id: String, record: &JsValue) -> Option<Self> {
        let about = Reflect::get(record, &ABOUT.into()).ok()?.as_string()?;
        let About { files, opened } = serde_json::from_str(&about).ok()?;
        let handles = Array::from(&Reflect::get(record, &HANDLES.into()).ok()?);
        let handles = handles.iter().map(JsCast::dyn_into).collect::<Result<Vec<_>, _>>().ok()?;
        (!files.is_empty() && handles.len() == files.len()).then(|| Self {
            id,
            files,
            opened,
            handles: SendWrapper::new(handles),
        })
    }

    fn broken(&self, reason: String) -> StoreError {
        StoreError::Broken { key: self.id.clone(), reason }
    }
}

/// The models that this browser remembers. Clones are handles to the same store.
#[derive(Clone)]
pub struct PickedModels {
    database: Database,
    channel: Channel<()>,
}

impl PickedModels {
    /// Opens this browser's store, which belongs to the history of this name.
    ///
    /// # Errors
    /// When the browser gives no storage.
    pub async fn open(name: &str) -> Result<Self, StoreError> {
        let name = format!("{name}-files");
        Ok(Self { database: Database::open(&name, &SCHEMA).await?, channel: Channel::open(&name) })
    }

    /// Calls back when another tab has changed the list, until the subscription is dropped.
    #[must_use]
    pub fn on_change(&self, callback: impl Fn() + 'static) -> Subscription {
        self.channel.listen(move |()| callback())
    }

    /// All models, the one opened last first.
    ///
    /// # Errors
    /// When the browser's storage fails.
    pub async fn list(&self) -> Result<Vec<PickedModel>, StoreError> {
        let records = self.database.values(MODELS).await?;
        let read = records.into_iter().filter_map(|(id, record)| PickedModel::from_js(id, &record));
        let mut models: Vec<_> = read.collect();
        models.sort_by_key(|model| std::cmp::Reverse(model.opened));
        Ok(models)
    }

    /// Remembers a model, in place of one with the same id.
    ///
    /// # Errors
    /// When the storage is full or fails.
    pub async fn keep(&self, model: &PickedModel) -> Result<(), StoreError> {
        self.database.put(MODELS, &model.id, &model.to_js()?).await?;
        self.channel.announce(&());
        Ok(())
    }

    /// Forgets a model. Its files stay where they are.
    ///
    /// # Errors
    /// When the browser's storage fails.
    pub async fn forget(&self, id: &str) -> Result<(), StoreError> {
        self.database.remove(MODELS, id).await?;
        self.channel.announce(&());
        Ok(())
    }
}
