//! The memory that a device is assumed to have: that of an ordinary one of its class, corrected by what loads have shown.
//!
//! A load that worked with more raises it, and an allocation that failed lowers it. Both are remembered by adapter, in one small
//! file beside what is known of kernels. Whatever is wrong with that, the class counts alone.

use std::collections::BTreeMap;

use engine::gpu::{DeviceClass, DeviceHints};
use engine::store::{Folder, StoreError};
use serde::{Deserialize, Serialize};

use super::subject::Adapter;
use crate::device::AdapterNames;

/// The file.
pub const FILE: &str = "memory.json";
/// Raised when what is remembered means something else.
const VERSION: u32 = 1;
/// Maximum number of adapters that are remembered.
const MAX_ADAPTERS: usize = 8;
/// More than any device has: a number above it was not written by a load.
const MOST: u64 = 1 << 40;

/// What loads have shown of an adapter's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// The most bytes with which a load worked.
    worked: u64,
    /// The least bytes that were refused.
    failed: Option<u64>,
}

#[derive(Default, Serialize, Deserialize)]
struct File {
    version: u32,
    /// By adapter.
    shown: BTreeMap<String, Shown>,
}

impl Shown {
    /// Adds a load that worked. What was refused once is no limit if as much works now.
    #[must_use]
    pub fn with_worked(self, bytes: u64) -> Self {
        Self { worked: self.worked.max(bytes), failed: self.failed.filter(|failed| *failed > bytes) }
    }

    /// Adds an allocation that was refused, with all that is allocated.
    #[must_use]
    pub fn with_failed(self, bytes: u64) -> Self {
        let failed = self.failed.map_or(bytes, |failed| failed.min(bytes));
        Self { worked: self.worked.min(below(failed)), failed: Some(failed) }
    }

    /// Corrects what is assumed of the device.
    fn correct(self, assumed: u64) -> u64 {
        self.failed.map_or(assumed, |failed| assumed.min(below(failed))).max(self.worked)
    }

    /// Whether loads can have shown this.
    fn is_sound(self) -> bool {
        self.worked <= MOST && self.failed.is_none_or(|failed| (1..=MOST).contains(&failed))
    }
}

/// What is assumed where so many bytes were refused. Some less, for others use the device as well.
pub const fn below(refused: u64) -> u64 {
    refused - refused / 16
}

/// Returns what is assumed of a device, from what is told of it and from what loads have shown.
pub fn assumed(names: &AdapterNames, shown: Shown) -> u64 {
    let AdapterNames { vendor, architecture, browser, mobile, ram, .. } = names;
    let hints = DeviceHints { vendor, architecture, user_agent: browser, mobile: *mobile };
    shown.correct(DeviceClass::of(hints).memory(*ram))
}

/// What loads have shown of an adapter.
///
/// # Errors
/// When the folder cannot be read.
pub async fn shown(folder: &dyn Folder, adapter: &Adapter) -> Result<Shown, StoreError> {
    Ok(read(folder).await?.shown.remove(&adapter.0).unwrap_or_default())
}

/// Keeps what loads have shown of an adapter.
///
/// # Errors
/// When it cannot be kept.
pub async fn keep(folder: &dyn Folder, adapter: &Adapter, shown: Shown) -> Result<(), StoreError> {
    let mut file = read(folder).await?;
    if file.shown.len() >= MAX_ADAPTERS && !file.shown.contains_key(&adapter.0) {
        file.shown.clear();
    }
    file.shown.insert(adapter.0.clone(), shown);
    let bytes = serde_json::to_vec(&File { version: VERSION, ..file });
    let bytes = bytes.map_err(|error| StoreError::Failed { reason: error.to_string() })?;
    folder.write(FILE, &bytes).await
}

/// The file; an empty one where it is missing, broken or of another version. Of what no load can have shown it says nothing.
async fn read(folder: &dyn Folder) -> Result<File, StoreError> {
    let bytes = folder.read(FILE).await?.unwrap_or_default();
    let mut file: File = serde_json::from_slice(&bytes).unwrap_or_default();
    file.shown.retain(|_, shown| shown.is_sound());
    Ok(if file.version == VERSION { file } else { File::default() })
}

#[cfg(test)]
mod tests;
