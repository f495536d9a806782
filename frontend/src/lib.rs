//! The page's wasm bundle: it hydrates what the server rendered, and nothing else.

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

/// Attaches the interface to the server-rendered page.
#[wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    leptos::mount::hydrate_body(app::App);
}
