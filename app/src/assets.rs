//! Addresses of the built files, whose names carry a hash of their content.

use serde::{Deserialize, Serialize};

/// What `xtask` writes to `assets.json` beside the site, and the server hands to [`crate::shell`]. Every field is a
/// path from the origin's root, such as `/pkg/page.3f2a….js`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assets {
    /// The style sheet.
    pub stylesheet: String,
    /// The font of text, preloaded.
    #[serde(default)]
    pub font: Option<String>,
    /// The module that loads the page's bundle and hydrates: the only script of the document.
    pub boot: String,
    /// The page's JavaScript glue, preloaded.
    pub page_js: String,
    /// The page's wasm, preloaded.
    pub page_wasm: String,
    /// The module that a dedicated worker runs: the engine.
    pub worker: String,
    /// The module that the page's audio worklet runs: it hears the microphone.
    pub recorder: String,
    /// The module that a worker runs to read documents, fetched with the first of them.
    pub documents: String,
    /// The document that runs what a model has coded, in a frame.
    pub preview: String,
    /// The document that computes what a model has coded, in a frame.
    pub sandbox: String,
    /// The module of a worker that plays the engine. Only a site built for tests has it.
    #[serde(default)]
    pub fake: Option<String>,
}
