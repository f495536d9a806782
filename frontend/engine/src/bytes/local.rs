//! Sources that are read on this machine only.

use super::ByteSource;

/// A source on this machine: a file picked by the user, a copy in the browser's storage, memory.
///
/// The rows of a table that are read during generation reveal which tokens it has. They must therefore come from a
/// `LocalSource`: never implement this trait for a source that may fall back to the network.
pub trait LocalSource: ByteSource {
    /// Returns whether the bytes are already in memory, so that caching is useless.
    fn is_memory(&self) -> bool {
        false
    }
}
