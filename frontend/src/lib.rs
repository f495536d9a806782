//! The page's wasm bundle: it hydrates what the server rendered, and nothing else. It is empty for any other target.

#![cfg(target_arch = "wasm32")]

use wasm_bindgen::prelude::{JsError, wasm_bindgen};

/// Takes the words of a language, from the file that was built with this bundle.
///
/// # Errors
/// When it is another file.
#[wasm_bindgen]
pub fn add_texts(tag: &str, texts: String) -> Result<(), JsError> {
    app::add_texts(tag, texts)
        .then_some(())
        .ok_or_else(|| JsError::new("these are not the words of this page"))
}

/// Whether a path leads to a page that is not in this file: then [`load_later`] comes before [`hydrate`].
#[wasm_bindgen]
#[must_use]
pub fn needs_later(path: &str) -> bool {
    app::needs_later(path)
}

/// Fetches what the first page does not need.
///
/// # Errors
/// When it cannot be fetched.
#[wasm_bindgen]
pub async fn load_later() -> Result<(), JsError> {
    let loaded = app::load_later().await;
    loaded.then_some(()).ok_or_else(|| JsError::new("a part of the page could not be loaded"))
}

/// Attaches the interface to the server-rendered page.
#[wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    leptos::mount::hydrate_body(app::App);
}
