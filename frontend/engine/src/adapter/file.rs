//! Reading adapters from disk.

use std::path::Path;

use super::peft::{CONFIG, WEIGHTS};
use super::{Adapter, AdapterError, flat, gguf, mlx};
use crate::bytes::{FileSource, SourceError};

/// Reads an adapter: a directory of PEFT or mlx-lm, its `.safetensors` file (with the configuration next to it), a GGUF file, or
/// a safetensors file with GGUF names.
///
/// # Errors
/// When it cannot be read.
pub async fn open(path: &Path) -> Result<Adapter, AdapterError> {
    let weights = if path.is_dir() {
        let files = [WEIGHTS, mlx::WEIGHTS].map(|name| path.join(name));
        files.iter().find(|file| file.exists()).unwrap_or(&files[0]).clone()
    } else {
        path.to_owned()
    };
    let source = FileSource::open(&weights)?;
    let config = weights.with_file_name(CONFIG);
    if weights.extension().is_some_and(|extension| extension == "gguf") {
        gguf::read(&source).await
    } else if config.exists() {
        let json = std::fs::read(&config)
            .map_err(|e| AdapterError::Source(SourceError::Unreadable { reason: e.to_string() }))?;
        super::read(&source, &json).await
    } else if path.is_dir() {
        Err(AdapterError::NotAnAdapter { reason: format!("it has no {CONFIG}") })
    } else {
        flat::read(&source, None).await
    }
}
