//! IndexedDB as four futures: get, all, keys, update. Three more take values as they are stored, for [`super::picked`].
//!
//! Keys are texts outside the records; records of the history are texts or `Uint8Array`s.

use std::rc::Rc;

use futures_channel::oneshot;
use send_wrapper::SendWrapper;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{
    DomException, Event, IdbDatabase, IdbFactory, IdbObjectStore, IdbOpenDbRequest, IdbRequest,
    IdbTransaction,
};

use super::StoreError;
use super::backend::{Table, Value, Write};

/// What is in a database.
pub(super) struct Schema {
    /// Raised when a table is added, or when older pages would misread a record. They let go of the database then.
    pub version: u32,
    /// The names of its object stores.
    pub tables: &'static [&'static str],
}

/// An open database. Clones are handles to the same one. It may cross into types that ask for `Send`, but its futures
/// stay on the page's thread.
#[derive(Clone)]
pub(super) struct Database(SendWrapper<Rc<IdbDatabase>>);

impl Database {
    /// Opens it, and makes it on the first visit.
    pub async fn open(name: &str, schema: &'static Schema) -> Result<Self, StoreError> {
        let opening = factory()?.open_with_u32(name, schema.version);
        let request = opening.map_err(|error| unavailable(&error))?;
        let upgrading = request.clone();
        let upgrade =
            Closure::<dyn FnMut(Event)>::new(move |_: Event| make_tables(&upgrading, schema.tables));
        request.set_onupgradeneeded(Some(upgrade.as_ref().unchecked_ref()));
        let result = opened(&request).await;
        request.set_onupgradeneeded(None);
        let database: IdbDatabase = result?.dyn_into().map_err(|other| unavailable(&other))?;
        close_on_upgrade(&database);
        Ok(Self(SendWrapper::new(Rc::new(database))))
    }

    /// One record.
    pub async fn get(&self, table: Table, key: &str) -> Result<Option<Value>, StoreError> {
        let request =
            self.read(table.name())?.get(&JsValue::from_str(key)).map_err(|error| failed(&error))?;
        let value = done(&request).await?;
        if value.is_undefined() { Ok(None) } else { from_js(key, &value).map(Some) }
    }

    /// All records of a table, by key.
    pub async fn all(&self, table: Table) -> Result<Vec<(String, Value)>, StoreError> {
        let records = self.values(table.name()).await?;
        records.into_iter().map(|(key, value)| from_js(&key, &value).map(|value| (key, value))).collect()
    }

    /// All values of a table as they are stored, by key.
    pub async fn values(&self, table: &str) -> Result<Vec<(String, JsValue)>, StoreError> {
        let store = self.read(table)?;
        // Both requests belong to one transaction, so that keys and values are of the same moment.
        let keys = store.get_all_keys().map_err(|error| failed(&error))?;
        let values = store.get_all().map_err(|error| failed(&error))?;
        let (keys, values) = futures_util::future::try_join(done(&keys), done(&values)).await?;
        let (keys, values) = (js_sys::Array::from(&keys), js_sys::Array::from(&values));
        Ok(keys.iter().map(|key| key.as_string().unwrap_or_default()).zip(values.iter()).collect())
    }

    /// Stores a value as it is.
    pub async fn put(&self, table: &str, key: &str, value: &JsValue) -> Result<(), StoreError> {
        self.change(table, |store| store.put_with_key(value, &JsValue::from_str(key))).await
    }

    /// Removes a value, if it is there.
    pub async fn remove(&self, table: &str, key: &str) -> Result<(), StoreError> {
        self.change(table, |store| store.delete(&JsValue::from_str(key))).await
    }

    async fn change(
        &self,
        table: &str,
        issue: impl FnOnce(&IdbObjectStore) -> Result<IdbRequest, JsValue>,
    ) -> Result<(), StoreError> {
        let transaction = self.transaction(&[table], "strict")?;
        let store = transaction.object_store(table).map_err(|error| failed(&error))?;
        issue(&store).map_err(|error| failed(&error))?;
        committed(&transaction).await
    }

    /// All keys of a table.
    pub async fn keys(&self, table: Table) -> Result<Vec<String>, StoreError> {
        let request = self.read(table.name())?.get_all_keys().map_err(|error| failed(&error))?;
        let keys = done(&request).await?;
        Ok(js_sys::Array::from(&keys).iter().filter_map(|key| key.as_string()).collect())
    }

    /// Reads records and makes the changes that `decide` makes of them, in one transaction.
    pub async fn update<T>(
        &self,
        tables: &[Table],
        reads: Vec<(Table, String)>,
        decide: impl FnOnce(Vec<Option<Value>>) -> Result<(Vec<Write>, T), StoreError>,
    ) -> Result<T, StoreError> {
        if tables.is_empty() {
            return decide(Vec::new()).map(|(_, value)| value);
        }
        let transaction = self.write(tables)?;
        let mut read = Vec::new();
        for (table, key) in reads {
            let store = transaction.object_store(table.name()).map_err(|error| failed(&error))?;
            let request = store.get(&JsValue::from_str(&key)).map_err(|error| failed(&error))?;
            // The future goes on within the event that answers the request, so the transaction stays open.
            let value = done(&request).await?;
            read.push(if value.is_undefined() { None } else { Some(from_js(&key, &value)?) });
        }
        let abort = |error: StoreError| {
            // One that has ended by itself cannot be aborted, and need not.
            transaction.abort().ok();
            error
        };
        let (writes, value) = decide(read).map_err(abort)?;
        for write in writes {
            issue(&transaction, write).map_err(|error| abort(failed(&error)))?;
        }
        committed(&transaction).await.map(|()| value)
    }

    /// A transaction that writes. What a person has said or attached is on disk when it ends; of drafts and settings the
    /// browser may keep the last few seconds in memory.
    fn write(&self, tables: &[Table]) -> Result<IdbTransaction, StoreError> {
        let light = tables.iter().all(|table| matches!(table, Table::Drafts | Table::Settings));
        let names: Vec<_> = tables.iter().map(|table| table.name()).collect();
        self.transaction(&names, if light { "relaxed" } else { "strict" })
    }

    fn transaction(&self, tables: &[&str], durability: &str) -> Result<IdbTransaction, StoreError> {
        let names: js_sys::Array = tables.iter().map(|&table| JsValue::from_str(table)).collect();
        let options = js_sys::Object::new();
        let durability = JsValue::from_str(durability);
        // Setting a field of a new object cannot fail.
        js_sys::Reflect::set(&options, &JsValue::from_str("durability"), &durability).ok();
        let database: &DatabaseWithOptions = self.0.unchecked_ref();
        database.transaction(&names, "readwrite", &options).map_err(|error| failed(&error))
    }

    fn read(&self, table: &str) -> Result<IdbObjectStore, StoreError> {
        let transaction = self.0.transaction_with_str(table).map_err(|error| failed(&error))?;
        transaction.object_store(table).map_err(|error| failed(&error))
    }
}

// `web-sys` has the third argument only among what is unstable.
#[wasm_bindgen]
extern "C" {
    type DatabaseWithOptions;

    #[wasm_bindgen(method, catch)]
    fn transaction(
        this: &DatabaseWithOptions,
        names: &js_sys::Array,
        mode: &str,
        options: &js_sys::Object,
    ) -> Result<IdbTransaction, JsValue>;
}

fn factory() -> Result<IdbFactory, StoreError> {
    let window = web_sys::window().ok_or_else(|| unavailable(&JsValue::from_str("no window")))?;
    let factory = window.indexed_db().map_err(|error| unavailable(&error))?;
    factory.ok_or_else(|| unavailable(&JsValue::from_str("no IndexedDB")))
}

fn make_tables(request: &IdbOpenDbRequest, tables: &[&str]) {
    let Ok(database) = request.result().and_then(|result| result.dyn_into::<IdbDatabase>()) else { return };
    let existing = database.object_store_names();
    for table in tables {
        if !existing.contains(table) {
            // Should it fail, opening fails as a whole, and is reported there.
            database.create_object_store(table).ok();
        }
    }
}

/// Lets a newer page in another tab change the tables; what this page does afterwards fails with a clear error.
fn close_on_upgrade(database: &IdbDatabase) {
    let closing = database.clone();
    let close = Closure::<dyn FnMut(Event)>::new(move |_: Event| closing.close());
    database.set_onversionchange(Some(close.as_ref().unchecked_ref()));
    // As long-lived as the page.
    close.forget();
}

fn issue(transaction: &IdbTransaction, write: Write) -> Result<IdbRequest, JsValue> {
    match write {
        Write::Put(table, key, value) => {
            let value = match value {
                Value::Text(text) => JsValue::from_str(&text),
                Value::Bytes(bytes) => js_sys::Uint8Array::from(bytes.as_slice()).into(),
            };
            transaction.object_store(table.name())?.put_with_key(&value, &JsValue::from_str(&key))
        }
        Write::Remove(table, key) => transaction.object_store(table.name())?.delete(&JsValue::from_str(&key)),
    }
}

fn from_js(key: &str, value: &JsValue) -> Result<Value, StoreError> {
    if let Some(text) = value.as_string() {
        return Ok(Value::Text(text));
    }
    match value.dyn_ref::<js_sys::Uint8Array>() {
        Some(bytes) => Ok(Value::Bytes(bytes.to_vec())),
        None => Err(StoreError::Broken { key: key.to_owned(), reason: "another type".to_owned() }),
    }
}

/// The result of a request.
async fn done(request: &IdbRequest) -> Result<JsValue, StoreError> {
    let (sender, receiver) = oneshot::channel();
    let settle = once(sender);
    request.set_onsuccess(Some(settle.as_ref().unchecked_ref()));
    request.set_onerror(Some(settle.as_ref().unchecked_ref()));
    receiver.await.ok();
    request.set_onsuccess(None);
    request.set_onerror(None);
    // Reading `error` throws while the request runs; after either event it does not.
    match request.error() {
        Ok(Some(error)) => Err(of_exception(&error)),
        _ => request.result().map_err(|error| failed(&error)),
    }
}

/// The database of an open request. Unlike [`done`], a refusal means that there is no storage at all; and a tab that
/// holds an older version open may block it.
async fn opened(request: &IdbOpenDbRequest) -> Result<JsValue, StoreError> {
    let (sender, receiver) = oneshot::channel();
    let settle = once(sender);
    request.set_onsuccess(Some(settle.as_ref().unchecked_ref()));
    request.set_onerror(Some(settle.as_ref().unchecked_ref()));
    request.set_onblocked(Some(settle.as_ref().unchecked_ref()));
    let event = receiver.await.map_or_else(|_| String::new(), |event| event.type_());
    request.set_onsuccess(None);
    request.set_onerror(None);
    request.set_onblocked(None);
    if event == "blocked" {
        return Err(StoreError::Blocked);
    }
    match request.error() {
        Ok(Some(error)) => Err(StoreError::Unavailable { reason: error.message() }),
        _ => request.result().map_err(|error| unavailable(&error)),
    }
}

/// Waits until a transaction has ended, or was undone. See [`Database::write`] for what is on disk then.
async fn committed(transaction: &IdbTransaction) -> Result<(), StoreError> {
    let (sender, receiver) = oneshot::channel();
    let settle = once(sender);
    transaction.set_oncomplete(Some(settle.as_ref().unchecked_ref()));
    // An error that nobody handles aborts the transaction, and its quota may run out as late as at its end.
    transaction.set_onabort(Some(settle.as_ref().unchecked_ref()));
    let event = receiver.await.map_or_else(|_| String::new(), |event| event.type_());
    transaction.set_oncomplete(None);
    transaction.set_onabort(None);
    match transaction.error() {
        Some(error) => Err(of_exception(&error)),
        None if event == "complete" => Ok(()),
        None => Err(StoreError::Failed { reason: "aborted".to_owned() }),
    }
}

/// A listener that passes on the first event it hears.
fn once(sender: oneshot::Sender<Event>) -> Closure<dyn FnMut(Event)> {
    let mut sender = Some(sender);
    Closure::new(move |event: Event| {
        if let Some(sender) = sender.take() {
            // Nobody waits any more when the future was dropped.
            sender.send(event).ok();
        }
    })
}

fn of_exception(error: &DomException) -> StoreError {
    match error.name().as_str() {
        "QuotaExceededError" => StoreError::Full,
        name => StoreError::Failed { reason: format!("{name}: {}", error.message()) },
    }
}

fn failed(error: &JsValue) -> StoreError {
    match error.dyn_ref::<DomException>() {
        Some(error) => of_exception(error),
        None => StoreError::Failed { reason: words(error) },
    }
}

fn unavailable(error: &JsValue) -> StoreError {
    StoreError::Unavailable { reason: words(error) }
}

fn words(error: &JsValue) -> String {
    if let Some(error) = error.dyn_ref::<DomException>() {
        return error.message();
    }
    error.as_string().unwrap_or_else(|| format!("{error:?}"))
}
