//! Opening a database: its tables are there afterwards, whatever happened to an upgrade before.

use futures_channel::oneshot;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::JsValue;
use wasm_bindgen::closure::Closure;
use web_sys::{Event, IdbDatabase, IdbFactory, IdbOpenDbRequest};

use super::{Schema, StoreError, listen, unavailable};

/// Versions of a database for each version of its schema: the schema's own, and one more for each time that tables had to
/// be added which an upgrade had left out.
const REPAIRS: u32 = 100;

/// Opens the database with the tables of its schema. Makes it on the first visit.
///
/// # Errors
/// [`StoreError::Blocked`] while an older page has it open, [`StoreError::Newer`] where a newer page has upgraded it,
/// [`StoreError::Unavailable`] where the browser gives no storage. Nothing is changed then.
pub(super) async fn connect(name: &str, schema: &Schema) -> Result<IdbDatabase, StoreError> {
    let own = schema.version * REPAIRS;
    let mut database = match open(name, schema, Some(own)).await {
        // Its version is higher: it was repaired, or a newer page has upgraded it.
        Err(Refusal::Version) => open(name, schema, None).await?,
        opened => opened?,
    };
    loop {
        let version = database.version() as u32;
        if version >= own + REPAIRS {
            database.close();
            return Err(StoreError::Newer { key: name.to_owned(), version: version / REPAIRS });
        }
        if has_all(&database, schema) {
            return Ok(database);
        }
        // An upgrade raised the version and made no tables. The next one adds them.
        database.close();
        database = open(name, schema, Some(version + 1)).await?;
    }
}

/// Why a database was not opened.
enum Refusal {
    /// It has a higher version than was asked for.
    Version,
    /// Anything else.
    Error(StoreError),
}

impl From<Refusal> for StoreError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Version => Self::Failed { reason: "another page upgraded the database".to_owned() },
            Refusal::Error(error) => error,
        }
    }
}

/// Opens the database at a version, or as it is.
async fn open(name: &str, schema: &Schema, version: Option<u32>) -> Result<IdbDatabase, Refusal> {
    let refused = |error: &JsValue| Refusal::Error(unavailable(error));
    let factory = factory().map_err(Refusal::Error)?;
    let request = match version {
        Some(version) => factory.open_with_u32(name, version),
        None => factory.open(name),
    };
    let request = request.map_err(|error| refused(&error))?;
    let (upgrading, tables) = (request.clone(), schema.tables);
    // It stays with the request: a blocked upgrade takes place later, even if nobody waits for it any more.
    let upgrade = Closure::once_into_js(move |_: Event| make_tables(&upgrading, tables));
    request.set_onupgradeneeded(Some(upgrade.unchecked_ref()));
    let (sender, receiver) = oneshot::channel();
    let settle = listen(sender);
    let listener = Some(settle.as_ref().unchecked_ref());
    request.set_onsuccess(listener);
    request.set_onerror(listener);
    request.set_onblocked(listener);
    let event = receiver.await.map_or_else(|_| String::new(), |event| event.type_());
    request.set_onerror(None);
    request.set_onblocked(None);
    if event == "blocked" {
        close_when_open(&request);
        return Err(Refusal::Error(StoreError::Blocked));
    }
    request.set_onsuccess(None);
    match request.error() {
        Ok(Some(error)) if error.name() == "VersionError" => Err(Refusal::Version),
        Ok(Some(error)) => Err(Refusal::Error(StoreError::Unavailable { reason: error.message() })),
        _ => {
            let result = request.result().map_err(|error| refused(&error))?;
            result.dyn_into().map_err(|other| refused(&other))
        }
    }
}

/// Closes what a blocked request opens once it is no longer blocked: nobody waits for it, and it would block the next upgrade.
fn close_when_open(request: &IdbOpenDbRequest) {
    let opening = request.clone();
    let close = Closure::once_into_js(move |_: Event| {
        if let Ok(database) = opened(&opening) {
            database.close();
        }
    });
    request.set_onsuccess(Some(close.unchecked_ref()));
}

fn factory() -> Result<IdbFactory, StoreError> {
    let window = web_sys::window().ok_or_else(|| unavailable(&JsValue::from_str("no window")))?;
    let factory = window.indexed_db().map_err(|error| unavailable(&error))?;
    factory.ok_or_else(|| unavailable(&JsValue::from_str("no IndexedDB")))
}

fn opened(request: &IdbOpenDbRequest) -> Result<IdbDatabase, JsValue> {
    request.result()?.dyn_into()
}

fn make_tables(request: &IdbOpenDbRequest, tables: &[&str]) {
    let Ok(database) = opened(request) else { return };
    let existing = database.object_store_names();
    for table in tables {
        if !existing.contains(table) {
            // Should it fail, opening fails as a whole, and is reported there.
            database.create_object_store(table).ok();
        }
    }
}

fn has_all(database: &IdbDatabase, schema: &Schema) -> bool {
    let existing = database.object_store_names();
    schema.tables.iter().all(|table| existing.contains(table))
}
