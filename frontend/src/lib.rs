//! The page's wasm bundle: it hydrates what the server rendered, and nothing else.

/// Attaches the interface to the server-rendered page.
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    leptos::mount::hydrate_body(app::App);
}
