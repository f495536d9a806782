//! The row cache of a per-layer table that is on the host.
//!
//! The device has the rows of the most frequent tokens and those that were needed last. [`locate`](shaders::ple::locate) finds
//! the row of a token there, so the kernel behind it is the one that reads a whole table. The rows of a prompt are fetched
//! before it is read. A token that was drawn on the device and whose row is missing ends its step; the host fetches the row
//! and goes on from there.

mod cache;
mod ring;
mod values;

pub use cache::RowCache;
pub use values::RowCacheValues;
