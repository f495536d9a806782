//! IndexedDB as four futures: get, all, keys, update. Three more take values as they are stored, for [`super::picked`].
//!
//! Keys are texts outside the records; records of the history are texts or `Uint8Array`s.

mod connection;

use std::cell::RefCell;
use std::rc::Rc;

use futures_channel::oneshot;
use send_wrapper::SendWrapper;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{DomException, Event, IdbDatabase, IdbObjectStore, IdbRequest, IdbTransaction};

use self::connection::connect;
use super::records::{StoreError, Table, Value, Write};

/// What is in a database.
pub(super) struct Schema {
    /// Raised when a table is added, or when older pages would misread a record. They close the database then, and leave it
    /// alone.
    pub version: u32,
    /// The names of its object stores.
    pub tables: &'static [&'static str],
}

/// A database. Clones are handles to the same one. It may cross into types that ask for `Send`, but its futures stay on
/// the page's thread.
#[derive(Clone)]
pub(super) struct Database(SendWrapper<Rc<Inner>>);

struct Inner {
    name: String,
    schema: &'static Schema,
    /// `None` after it was closed, for a newer page or by the browser.
    connection: RefCell<Option<IdbDatabase>>,
}

impl Database {
    /// Opens it, and makes it on the first visit.
    ///
    /// # Errors
    /// See [`connect`].
    pub async fn open(name: &str, schema: &'static Schema) -> Result<Self, StoreError> {
        let inner = Inner { name: name.to_owned(), schema, connection: RefCell::default() };
        let database = Self(SendWrapper::new(Rc::new(inner)));
        database.connection().await?;
        Ok(database)
    }

    /// The open connection, opened again where it was closed.
    async fn connection(&self) -> Result<IdbDatabase, StoreError> {
        if let Some(connection) = self.0.connection.borrow().clone() {
            return Ok(connection);
        }
        let connection = connect(&self.0.name, self.0.schema).await?;
        let (inner, closing) = (Rc::downgrade(&self.0), connection.clone());
        // A newer page in another tab may change the tables, and the browser may close a connection for reasons of its own.
        let close = Closure::<dyn FnMut(Event)>::new(move |_: Event| {
            closing.close();
            if let Some(inner) = inner.upgrade() {
                inner.connection.borrow_mut().take_if(|it| *it == closing);
            }
        });
        connection.set_onversionchange(Some(close.as_ref().unchecked_ref()));
        connection.set_onclose(Some(close.as_ref().unchecked_ref()));
        // As long-lived as the page.
        close.forget();
        *self.0.connection.borrow_mut() = Some(connection.clone());
        Ok(connection)
    }

    /// One record.
    pub async fn get(&self, table: Table, key: &str) -> Result<Option<Value>, StoreError> {
        let store = self.read(table.name()).await?;
        let request = store.get(&JsValue::from_str(key)).map_err(|error| failed(&error))?;
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
        let store = self.read(table).await?;
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
        let transaction = self.transaction(&[table], "strict").await?;
        let store = transaction.object_store(table).map_err(|error| failed(&error))?;
        issue(&store).map_err(|error| failed(&error))?;
        committed(&transaction).await
    }

    /// All keys of a table.
    pub async fn keys(&self, table: Table) -> Result<Vec<String>, StoreError> {
        let request = self.read(table.name()).await?.get_all_keys().map_err(|error| failed(&error))?;
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
        let transaction = self.write(tables).await?;
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

    /// A transaction that writes. What the user has said or attached is on disk when it ends; of drafts and settings the
    /// browser may keep the last few seconds in memory.
    async fn write(&self, tables: &[Table]) -> Result<IdbTransaction, StoreError> {
        let light = tables.iter().all(|table| matches!(table, Table::Drafts | Table::Settings));
        let names: Vec<_> = tables.iter().map(|table| table.name()).collect();
        self.transaction(&names, if light { "relaxed" } else { "strict" }).await
    }

    async fn transaction(&self, tables: &[&str], durability: &str) -> Result<IdbTransaction, StoreError> {
        let connection = self.connection().await?;
        let names: js_sys::Array = tables.iter().map(|&table| JsValue::from_str(table)).collect();
        let options = js_sys::Object::new();
        let durability = JsValue::from_str(durability);
        // Setting a field of a new object cannot fail.
        js_sys::Reflect::set(&options, &JsValue::from_str("durability"), &durability).ok();
        let connection: &DatabaseWithOptions = connection.unchecked_ref();
        connection.transaction(&names, "readwrite", &options).map_err(|error| failed(&error))
    }

    async fn read(&self, table: &str) -> Result<IdbObjectStore, StoreError> {
        let connection = self.connection().await?;
        let transaction = connection.transaction_with_str(table).map_err(|error| failed(&error))?;
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
    let settle = listen(sender);
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

/// Waits until a transaction has ended, or was undone. See [`Database::write`] for what is on disk then.
async fn committed(transaction: &IdbTransaction) -> Result<(), StoreError> {
    let (sender, receiver) = oneshot::channel();
    let settle = listen(sender);
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
fn listen(sender: oneshot::Sender<Event>) -> Closure<dyn FnMut(Event)> {
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
