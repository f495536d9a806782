//! Files on this computer that the page may read again on a later visit, where the browser has handles for them. Elsewhere a
//! file is read as long as the page is open.

use js_sys::{Array, Object, Promise, Reflect};
use leptos::prelude::window;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{DataTransfer, DataTransferItem, DomException, File, FileSystemFileHandle};

// `web-sys` has them only among what is unstable.
#[wasm_bindgen]
extern "C" {
    type Picking;

    #[wasm_bindgen(method, catch, js_name = showOpenFilePicker)]
    async fn show_open_file_picker(this: &Picking, options: &JsValue) -> Result<JsValue, JsValue>;

    type Asking;

    #[wasm_bindgen(method, catch, js_name = requestPermission)]
    async fn request_permission(this: &Asking, options: &JsValue) -> Result<JsValue, JsValue>;

    type Dropped;

    #[wasm_bindgen(method, catch, js_name = getAsFileSystemHandle)]
    fn get_as_file_system_handle(this: &Dropped) -> Result<Promise, JsValue>;
}

const PICKER: &str = "showOpenFilePicker";

/// A file that the user has picked or dropped.
#[derive(Clone, Debug)]
pub struct OpenFile {
    /// The file.
    pub file: File,
    /// Resolves to its handle, where the browser has one.
    handle: Option<Promise>,
}

impl OpenFile {
    fn held(file: File, handle: &FileSystemFileHandle) -> Self {
        let handle: &JsValue = handle.as_ref();
        Self { file, handle: Some(Promise::resolve(handle)) }
    }

    /// Returns what the file can be read by on a later visit.
    pub async fn handle(&self) -> Option<FileSystemFileHandle> {
        // What was dropped may be a folder, or nothing on the disk.
        JsFuture::from(self.handle.clone()?).await.ok()?.dyn_into().ok()
    }
}

impl From<File> for OpenFile {
    fn from(file: File) -> Self {
        Self { file, handle: None }
    }
}

/// Why files were not picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PickError {
    /// The user has closed the dialog.
    Cancelled,
    /// The browser shows no such dialog here.
    Refused,
}

/// Why a handle gives no file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandleError {
    /// The user did not let the page read it.
    NotAllowed,
    /// It was moved, renamed or deleted.
    Gone,
    /// The browser can't read it.
    Unreadable,
}

/// Whether the browser has handles of files that outlive the page.
#[must_use]
pub fn are_there() -> bool {
    Reflect::get(&window(), &PICKER.into()).is_ok_and(|it| it.is_function())
}

/// Shows the browser's dialog for picking model files. Must be called on a press of a button.
///
/// # Errors
/// When nothing was picked, or can be.
pub async fn pick() -> Result<Vec<OpenFile>, PickError> {
    let window: Picking = window().unchecked_into();
    let picked = window.show_open_file_picker(&picker_options()).await.map_err(|error| {
        if name_of(&error) == "AbortError" { PickError::Cancelled } else { PickError::Refused }
    })?;
    let mut files = Vec::new();
    for handle in Array::from(&picked).iter().filter_map(|it| it.dyn_into::<FileSystemFileHandle>().ok()) {
        if let Ok(file) = file_of(&handle).await {
            files.push(OpenFile::held(file, &handle));
        }
    }
    Ok(files)
}

/// Returns the files of a drop. Must be called in the event's handler: the browser clears them afterwards.
#[must_use]
pub fn dropped(data: &DataTransfer) -> Vec<OpenFile> {
    let items = data.items();
    let open = |item: DataTransferItem| {
        let file = item.get_as_file().ok().flatten()?;
        let handle =
            if are_there() { item.unchecked_ref::<Dropped>().get_as_file_system_handle().ok() } else { None };
        Some(OpenFile { file, handle })
    };
    (0..items.length()).filter_map(|at| items.get(at)).filter_map(open).collect()
}

/// Reads files again by their handles. The browser may ask the user for permission, so it must be called on a press of a button.
///
/// # Errors
/// For the first file that cannot be read, with its place among the handles.
pub async fn open(handles: &[FileSystemFileHandle]) -> Result<Vec<OpenFile>, (usize, HandleError)> {
    let mut files = Vec::new();
    for (at, handle) in handles.iter().enumerate() {
        allow(handle).await.map_err(|error| (at, error))?;
        let file = file_of(handle).await.map_err(|error| (at, error))?;
        files.push(OpenFile::held(file, handle));
    }
    Ok(files)
}

/// Whether two handles are of one file.
pub async fn are_same(one: &FileSystemFileHandle, other: &FileSystemFileHandle) -> bool {
    JsFuture::from(one.is_same_entry(other)).await.is_ok_and(|same| same.is_truthy())
}

async fn allow(handle: &FileSystemFileHandle) -> Result<(), HandleError> {
    let answer =
        handle.unchecked_ref::<Asking>().request_permission(&object(&[("mode", "read".into())])).await;
    match answer {
        Ok(state) if state.as_string().as_deref() == Some("granted") => Ok(()),
        Err(error) if name_of(&error) == "NotFoundError" => Err(HandleError::Gone),
        Ok(_) | Err(_) => Err(HandleError::NotAllowed),
    }
}

async fn file_of(handle: &FileSystemFileHandle) -> Result<File, HandleError> {
    let file = JsFuture::from(handle.get_file()).await.map_err(|error| match name_of(&error).as_str() {
        "NotFoundError" => HandleError::Gone,
        "NotAllowedError" => HandleError::NotAllowed,
        _ => HandleError::Unreadable,
    })?;
    file.dyn_into().map_err(|_| HandleError::Unreadable)
}

/// Several files, and of those that can be seen the GGUF files alone.
fn picker_options() -> JsValue {
    let endings = Array::of1(&".gguf".into());
    let accept = object(&[("application/octet-stream", endings.into())]);
    let types = Array::of1(&object(&[("description", "GGUF".into()), ("accept", accept)]));
    // By the id the browser remembers the folder.
    object(&[("id", "models".into()), ("multiple", true.into()), ("types", types.into())])
}

fn object(fields: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (name, value) in fields {
        // Setting a field of a new object cannot fail.
        Reflect::set(&object, &(*name).into(), value).ok();
    }
    object.into()
}

fn name_of(error: &JsValue) -> String {
    error.dyn_ref::<DomException>().map(DomException::name).unwrap_or_default()
}
