//! A model file with only a header, for plans without gigabytes of tensors.

use std::ops::Range;

use super::{Options, SynthError, contents, metadata};
use engine::bytes::{ByteSource, Bytes, LocalBoxFuture, MemorySource, SourceError};
use engine::gguf::{Header, Writer};

/// A file of that length, with zeros after the header.
struct HeaderOnly {
    header: Vec<u8>,
    len: u64,
}

impl ByteSource for HeaderOnly {
    fn len(&self) -> u64 {
        self.len
    }

    fn read(&self, range: Range<u64>) -> LocalBoxFuture<'_, Result<Bytes, SourceError>> {
        let mut header = self.header.clone();
        header.resize(self.header.len().max(range.end as usize), 0);
        Box::pin(async move { MemorySource::new(header).read(range).await })
    }
}

/// The header of the file that [`super::write`] would write.
///
/// # Errors
/// When the options are invalid.
pub fn header(options: &Options) -> Result<Header, SynthError> {
    let (shape, tensors) = contents(options)?;
    let specs: Vec<_> = tensors.into_iter().map(|tensor| tensor.spec).collect();
    let mut header = Vec::new();
    drop(Writer::new(&mut header, &metadata(&shape, options), &specs)?);
    let mut data = 0;
    for spec in &specs {
        data += spec.bytes()?.next_multiple_of(32);
    }
    let len = header.len().next_multiple_of(32) as u64 + data;
    Ok(pollster::block_on(Header::read(&HeaderOnly { header, len }))?)
}
