//! The weight store in the browser, so that the next load needs no network.
//!
//! A blob has two files in the origin's private file system: `blobs/sha256-…` with its bytes, possibly incomplete,
//! and `blobs/sha256-….json`, a [`journal`] of what is stored. The logic (what is stored, what to fetch, when a
//! blob is complete and verified) is in [`CachingSource`] and works with any [`Medium`]. The `Store` (browser only)
//! opens blobs in the browser's file system.
//!
//! Bytes are trusted once the digest of all of them was right. Until then nothing says which of them are wrong, so a
//! wrong digest deletes them all. From then on each chunk has a digest, and a damaged one is fetched again alone.

mod caching;
mod check;
mod chunks;
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
mod ranges;
mod room;
mod verified;
mod verified_copy;
#[cfg(target_arch = "wasm32")]
mod web;

pub use caching::{CachingSource, Completion};
pub use chunks::{CHUNK_SIZE, Chunks};
pub use digest::Digest;
pub use error::StoreError;
pub use folder::Folder;
pub use kept::KeptRange;
pub use medium::{Medium, MediumError};
pub use memory_folder::MemoryFolder;
pub use opened::{Kept, Opened};
#[cfg(target_arch = "wasm32")]
pub use opfs_folder::OpfsFolder;
pub use ranges::RangeSet;
pub use room::Room;
pub use verified::VerifiedSource;
pub use verified_copy::{CHECK_EVERY, Journal, Turn, VerifiedCopy};
#[cfg(target_arch = "wasm32")]
pub use web::{Blob, Entry, Store, Usage};
