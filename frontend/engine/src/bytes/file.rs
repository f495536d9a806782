//! A file on disk.

use std::fs::File;
use std::ops::Range;
use std::path::Path;

use futures_util::FutureExt as _;

use super::{ByteSource, Bytes, LocalBoxFuture, LocalSource, SourceError, checked_len};

/// A file on disk with positional reads. Reads block the thread: native code has nothing else to do meanwhile.
#[derive(Debug)]
pub struct FileSource {
    file: File,
    len: u64,
}

impl FileSource {
    /// Opens a file for reading.
    ///
    /// # Errors
    /// [`SourceError::Unreadable`] when it cannot be opened or is no regular file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, SourceError> {
        let file = File::open(path).map_err(unreadable)?;
        let metadata = file.metadata().map_err(unreadable)?;
        if !metadata.is_file() {
            return Err(SourceError::Unreadable { reason: "it is not a regular file".to_owned() });
        }
        Ok(Self { file, len: metadata.len() })
    }

    fn read_now(&self, range: &Range<u64>) -> Result<Bytes, SourceError> {
        let mut bytes = vec![0; checked_len(range, self.len)?];
        read_exact_at(&self.file, &mut bytes, range.start).map_err(unreadable)?;
        Ok(bytes.into())
    }
}

impl ByteSource for FileSource {
    fn len(&self) -> u64 {
        self.len
    }

    fn read(&self, range: Range<u64>) -> LocalBoxFuture<'_, Result<Bytes, SourceError>> {
        std::future::ready(self.read_now(&range)).boxed_local()
    }
}

impl LocalSource for FileSource {}

fn unreadable(error: std::io::Error) -> SourceError {
    SourceError::Unreadable { reason: error.to_string() }
}

#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], offset: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> std::io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, offset)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            read => {
                bytes = &mut bytes[read..];
                offset += read as u64;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn reads_by_position_and_refuses_what_is_not_there() {
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        file.write_all(b"0123456789").expect("room for ten bytes");
        let source = FileSource::open(file.path()).expect("it was just written");
        assert_eq!(source.len(), 10);
        let read = |range| pollster::block_on(source.read(range));
        assert_eq!(read(7..10).expect("in range").to_vec(), b"789");
        assert_eq!(read(0..3).expect("in range").to_vec(), b"012");
        assert!(read(4..4).expect("in range").is_empty());
        assert!(matches!(read(8..11), Err(SourceError::OutOfRange { start: 8, end: 11, len: 10 })));
        assert!(matches!(read(Range { start: 5, end: 4 }), Err(SourceError::OutOfRange { .. })));
    }

    #[test]
    fn a_file_cut_short_while_open_is_unreadable() {
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        file.write_all(&[1; 100]).expect("room for it");
        let source = FileSource::open(file.path()).expect("it was just written");
        file.as_file().set_len(50).expect("files can be cut");
        assert!(matches!(pollster::block_on(source.read(40..60)), Err(SourceError::Unreadable { .. })));
    }

    #[test]
    fn a_folder_is_no_file() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        assert!(matches!(FileSource::open(folder.path()), Err(SourceError::Unreadable { .. })));
        assert!(matches!(FileSource::open(folder.path().join("none")), Err(SourceError::Unreadable { .. })));
    }
}
