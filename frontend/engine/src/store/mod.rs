//! Weights kept in the browser, so that the next load needs no network.
//!
//! A blob is two files of the origin's private file system: `blobs/sha256-…` with its bytes, some of which may not be
//! there yet, and `blobs/sha256-….json`, a [`journal`] of what is. What decides (which bytes are here, which to fetch,
//! when a blob is whole and proven) is in [`CachingSource`] and works over any [`Medium`]; the browser's file system is
//! one, and the `Store` (in the browser only) opens it.

mod caching;
mod digest;
mod error;
mod folder;
pub mod journal;
mod kept;
mod medium;
mod memory_folder;
mod opened;
#[cfg(target_arch = "wasm32")]
mod opfs;
#[cfg(target_arch = "wasm32")]
mod opfs_folder;
mod proven;
mod ranges;
#[cfg(target_arch = "wasm32")]
mod web;

pub use caching::{CachingSource, Completion};
pub use digest::Digest;
pub use error::StoreError;
pub use folder::Folder;
pub use kept::KeptRange;
pub use medium::{Medium, MediumError};
pub use memory_folder::MemoryFolder;
pub use opened::Opened;
#[cfg(target_arch = "wasm32")]
pub use opfs_folder::OpfsFolder;
pub use proven::{Journal, ProvenSource};
pub use ranges::RangeSet;
#[cfg(target_arch = "wasm32")]
pub use web::{Blob, Entry, Store, Usage};
