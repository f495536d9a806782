//! Conversations that cannot be read, kept, changed or imported.

use serde_json::error::Category;

use super::t;
use crate::{
    format::bytes,
    history::{
        ImportError, MAX_ENTRIES, MAX_IMPORT_BYTES, MAX_MESSAGE_BYTES, MAX_PRESET_BYTES, MAX_TEXT_BYTES,
        PresetFileError, StoreError, TreeOpError,
    },
    language::in_a_row,
};

/// What is wrong with the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreTrouble {
    /// What is kept goes when the page goes.
    NotKept(StoreError),
    /// Something could not be read or kept.
    Failed(StoreError),
}

/// Returns what the storage did not do.
#[must_use]
pub fn store(error: &StoreError) -> String {
    match error {
        StoreError::Full => t().store_full(),
        StoreError::Unavailable { .. } => t().store_unavailable(),
        StoreError::Blocked => t().store_blocked(),
        StoreError::Broken { .. } => t().store_broken(),
        StoreError::Newer { .. } => t().store_newer(),
        StoreError::Failed { .. } => t().failure_storage_failed(),
    }
    .into()
}

/// More for engineers, as the browser or the parser has said it; `None` if there is nothing to add.
#[must_use]
pub fn store_details(error: &StoreError) -> Option<String> {
    match error {
        StoreError::Full | StoreError::Blocked => None,
        StoreError::Unavailable { reason } | StoreError::Failed { reason } => Some(reason.clone()),
        StoreError::Broken { key, reason } => Some(format!("{key}: {reason}")),
        StoreError::Newer { key, version } => Some(format!("{key}: version {version}")),
    }
}

/// Returns what is wrong with the store.
#[must_use]
pub fn store_trouble(trouble: &StoreTrouble) -> String {
    match trouble {
        StoreTrouble::NotKept(error @ (StoreError::Blocked | StoreError::Newer { .. })) => {
            in_a_row([t().not_kept(), &*store(error)])
        }
        StoreTrouble::NotKept(_) => t().not_kept().into(),
        StoreTrouble::Failed(error) => store(error),
    }
}

/// Returns why a file was not imported.
#[must_use]
pub fn import(error: &ImportError) -> String {
    match error {
        ImportError::Json { fault: Category::Eof, line, .. } => t().import_end(*line as u64),
        ImportError::Json { fault: Category::Data, line, column, .. } => {
            t().import_data(*line as u64, *column as u64)
        }
        ImportError::Json { line, column, .. } => t().import_syntax(*line as u64, *column as u64),
        ImportError::Zip => t().import_zip().into(),
        ImportError::Format { .. } => t().import_format().into(),
        ImportError::TooLarge { size } => t().import_too_large(&bytes(*size), &bytes(MAX_IMPORT_BYTES)),
        ImportError::Version { .. } => t().import_version().into(),
        ImportError::Tree { title, .. } => t().import_conversation(title),
        ImportError::Message { title, size } => {
            t().import_message(title, &bytes(*size), &bytes(MAX_MESSAGE_BYTES as u64))
        }
        ImportError::Attachment { .. } => t().import_attachment().into(),
        ImportError::Preset(error) => preset_file(error),
        ImportError::Store(error) => store(error),
    }
}

/// Returns why presets and prompts were not imported.
#[must_use]
pub fn preset_file(error: &PresetFileError) -> String {
    match error {
        PresetFileError::TooLarge { size } => t().import_too_large(&bytes(*size), &bytes(MAX_PRESET_BYTES)),
        PresetFileError::Json { line, column } => t().import_data(*line as u64, *column as u64),
        PresetFileError::Format => t().presets_format().into(),
        PresetFileError::Version { .. } => t().import_version().into(),
        PresetFileError::TooMany { count } => t().presets_too_many(*count, MAX_ENTRIES as u64),
        PresetFileError::Text { name, size } => {
            t().presets_text(name, &bytes(*size), &bytes(MAX_TEXT_BYTES as u64))
        }
        PresetFileError::Sampling { name } => t().presets_sampling(name),
    }
}

/// Returns why a conversation was not changed.
#[must_use]
pub fn tree(error: TreeOpError) -> &'static str {
    match error {
        TreeOpError::NoSuchNode { .. } => t().tree_gone(),
        TreeOpError::WrongRole { .. } => t().tree_other(),
        TreeOpError::Full => t().tree_full(),
    }
}
