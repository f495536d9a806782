//! Sources whose reads nobody else can see.

use super::ByteSource;

/// A source on this machine: a file that a person picked, a copy in the browser's storage, memory.
///
/// Which rows of a table are read while an answer runs says which tokens it has. So what is read then must be a
/// `LocalSource`, in whose reads no server takes part: never implement this for a source that may fall back to a network.
pub trait LocalSource: ByteSource {
    /// Whether the bytes are in memory already, so that nothing is gained by keeping what was read.
    fn is_memory(&self) -> bool {
        false
    }
}
