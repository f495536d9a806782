//! A file in memory.

use std::ops::Range;

use futures_util::FutureExt as _;

use super::{ByteSource, Bytes, LocalBoxFuture, LocalSource, SourceError, checked_len};

/// Bytes in memory as a source: for tests, and for files that were created here.
#[derive(Clone, Debug)]
pub struct MemorySource {
    bytes: Bytes,
}

impl MemorySource {
    /// Returns a source of these bytes.
    pub fn new(bytes: impl Into<Bytes>) -> Self {
        Self { bytes: bytes.into() }
    }
}

impl ByteSource for MemorySource {
    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read(&self, range: Range<u64>) -> LocalBoxFuture<'_, Result<Bytes, SourceError>> {
        let part = checked_len(&range, self.len()).map(|len| {
            // In range, so both ends fit a memory size.
            let start = range.start as usize;
            self.bytes.slice(start..start + len)
        });
        std::future::ready(part).boxed_local()
    }
}

impl LocalSource for MemorySource {
    fn is_memory(&self) -> bool {
        true
    }
}
