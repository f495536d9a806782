//! Model files and reference outputs.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use engine::bytes::FileSource;
use engine::gguf::{Header, Metadata};
use engine::tokenizer::Tokenizer;
use serde_json::Value;

fn crate_path(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(relative)
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries =
        std::fs::read_dir(folder).map(|entries| entries.flatten().map(|entry| entry.path()).collect());
    let mut paths: Vec<PathBuf> = entries.unwrap_or_default();
    paths.sort();
    paths
}

fn is_text_model(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let has_other_vocabulary = ["tiny-gemma3", "tiny-embed"].iter().any(|other| name.starts_with(other));
    name.ends_with(".gguf") && !name.contains("mmproj") && !has_other_vocabulary
}

/// Metadata of a model file.
fn metadata(path: &Path) -> Metadata {
    let source = FileSource::open(path).expect("the model file opens");
    pollster::block_on(Header::read(&source)).expect("the header is read").metadata
}

/// The golden models with one vocabulary, by file name.
pub fn golden() -> &'static [(String, Tokenizer)] {
    static MODELS: OnceLock<Vec<(String, Tokenizer)>> = OnceLock::new();
    MODELS.get_or_init(|| {
        let full = std::env::var_os("GEMTAB_GOLDEN").map(|set| Path::new(&set).join("models"));
        let paths = [crate_path("tests/golden/models")]
            .into_iter()
            .chain(full)
            .flat_map(|folder| files_in(&folder))
            .filter(|path| is_text_model(path));
        let models: Vec<_> = paths
            .map(|path| {
                let tokenizer = Tokenizer::from_metadata(&metadata(&path)).expect("a usable vocabulary");
                (path.display().to_string(), tokenizer)
            })
            .collect();
        assert!(models.len() >= 6, "the golden models are in the repository");
        models
    })
}

/// The metadata of a model file, by its path in the crate.
pub fn metadata_path(relative: &str) -> Metadata {
    metadata(&crate_path(relative))
}

/// The metadata of one golden model, to be bent.
pub fn golden_metadata() -> Metadata {
    metadata_path("tests/golden/models/tiny-e2b.q4_k_m.gguf")
}

/// The built-in model's tokenizer: another vocabulary.
pub fn pebble() -> &'static Tokenizer {
    static PEBBLE: OnceLock<Tokenizer> = OnceLock::new();
    PEBBLE.get_or_init(|| {
        let metadata = metadata_path("../../server/models/pebble.gguf");
        Tokenizer::from_metadata(&metadata).expect("a usable vocabulary")
    })
}

/// The tokenizer of the first golden model.
pub fn tokenizer() -> &'static Tokenizer {
    &golden()[0].1
}

/// A golden file.
pub fn golden_file(name: &str) -> Value {
    let text = std::fs::read_to_string(crate_path("tests/golden").join(name)).expect("a golden file");
    serde_json::from_str(&text).expect("JSON")
}

/// The cases of the golden files whose name begins so.
pub fn cases(prefix: &str) -> Vec<Value> {
    let files = files_in(&crate_path("tests/golden")).into_iter().filter(|path| {
        let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        name.starts_with(prefix) && name.ends_with(".json")
    });
    let cases: Vec<Value> = files
        .flat_map(|path| {
            let text = std::fs::read_to_string(&path).expect("a golden file");
            let json: Value = serde_json::from_str(&text).expect("JSON");
            json["cases"].as_array().expect("cases").clone()
        })
        .collect();
    assert!(!cases.is_empty());
    cases
}

/// An array of ids.
pub fn ids(value: &Value) -> Vec<u32> {
    serde_json::from_value(value.clone()).expect("ids")
}
