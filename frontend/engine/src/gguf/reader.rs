//! Sequential reading of a header, through a window that grows as needed.

use crate::bytes::ByteSource;

use super::{GgufError, limits};

/// Size of the first window, enough for small files. It doubles from read to read.
const FIRST_WINDOW: u64 = 1 << 20;
/// Maximum window size: larger windows would save few requests.
const LAST_WINDOW: u64 = 8 << 20;

/// A forward-only position in a file. It holds one window of the file, so that parsing needs little more memory
/// than the parsed values.
pub(super) struct Reader<'a> {
    source: &'a dyn ByteSource,
    window: Vec<u8>,
    /// First unread byte of the window.
    cursor: usize,
    /// File offset of the window.
    window_start: u64,
    next_window: u64,
    progress: &'a mut dyn FnMut(u64),
}

impl<'a> Reader<'a> {
    pub(super) fn new(source: &'a dyn ByteSource, progress: &'a mut dyn FnMut(u64)) -> Self {
        Self { source, window: Vec::new(), cursor: 0, window_start: 0, next_window: FIRST_WINDOW, progress }
    }

    /// Bytes read so far: the position in the file.
    pub(super) fn position(&self) -> u64 {
        self.window_start + self.cursor as u64
    }

    /// Bytes of the file.
    pub(super) fn file_size(&self) -> u64 {
        self.source.len()
    }

    /// Bytes of the file that have not been read.
    pub(super) fn remaining(&self) -> u64 {
        self.source.len() - self.position()
    }

    /// The next `len` bytes. `what` names them in errors.
    pub(super) async fn take(&mut self, len: usize, what: &'static str) -> Result<&[u8], GgufError> {
        if self.window.len() - self.cursor < len {
            self.fill(len, what).await?;
        }
        let start = self.cursor;
        self.cursor += len;
        Ok(&self.window[start..self.cursor])
    }

    /// Moves the window so that it starts at the position and has at least `len` bytes.
    async fn fill(&mut self, len: usize, what: &'static str) -> Result<(), GgufError> {
        if self.remaining() < len as u64 {
            return Err(GgufError::HeaderCut { what, file_size: self.file_size() });
        }
        let end = self.position() + len as u64;
        if end > limits::HEADER_BYTES {
            return Err(GgufError::TooMany {
                what: "the length of the header",
                value: end,
                limit: limits::HEADER_BYTES,
            });
        }
        let start = self.position();
        self.window.drain(..self.cursor);
        self.window_start = start;
        self.cursor = 0;

        let loaded = start + self.window.len() as u64;
        let end = (loaded + self.next_window).max(end).min(self.file_size());
        self.next_window = (self.next_window * 2).min(LAST_WINDOW);
        let bytes = self.source.read(loaded..end).await?;
        let kept = self.window.len();
        self.window.resize(kept + bytes.len(), 0);
        bytes.copy_to(&mut self.window[kept..]);
        (self.progress)(end);
        Ok(())
    }

    pub(super) async fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], GgufError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N, what).await?);
        Ok(array)
    }

    pub(super) async fn u32(&mut self, what: &'static str) -> Result<u32, GgufError> {
        Ok(u32::from_le_bytes(self.array(what).await?))
    }

    pub(super) async fn u64(&mut self, what: &'static str) -> Result<u64, GgufError> {
        Ok(u64::from_le_bytes(self.array(what).await?))
    }

    /// Reads the number of items that each take at least `least` bytes of the file.
    pub(super) async fn count(
        &mut self,
        what: &'static str,
        limit: u64,
        least: u64,
    ) -> Result<usize, GgufError> {
        let value = self.u64(what).await?;
        self.check_count(value, what, limit, least)
    }

    /// Checks that the rest of the file can hold `value` items of at least `least` bytes, and that `value` is at
    /// most `limit`.
    pub(super) fn check_count(
        &self,
        value: u64,
        what: &'static str,
        limit: u64,
        least: u64,
    ) -> Result<usize, GgufError> {
        let available = self.remaining();
        if value > available / least {
            return Err(GgufError::Overfull { what, value, available });
        }
        match usize::try_from(value) {
            Ok(count) if value <= limit => Ok(count),
            _ => Err(GgufError::TooMany { what, value, limit }),
        }
    }

    /// The next elements of `N` bytes of an array with `left` remaining: at least one, and as many as the window
    /// has.
    pub(super) async fn elements<const N: usize>(
        &mut self,
        left: usize,
        what: &'static str,
    ) -> Result<&[[u8; N]], GgufError> {
        let at_hand = (self.window.len() - self.cursor) / N;
        let bytes = self.take(left.min(at_hand.max(1)) * N, what).await?;
        Ok(bytes.as_chunks().0)
    }

    /// The bytes of a string, if the window has all of them. Most strings are read this way, which takes half the time,
    /// since it needs no future.
    pub(super) fn string_at_hand(&mut self, limit: u64) -> Option<&[u8]> {
        let (len, rest) = self.window[self.cursor..].split_first_chunk::<8>()?;
        let len = u64::from_le_bytes(*len);
        if len > limit || len > rest.len() as u64 {
            return None;
        }
        let start = self.cursor + 8;
        self.cursor = start + len as usize;
        Some(&self.window[start..self.cursor])
    }

    /// The bytes of a string: u64 length, then UTF-8, which is not checked.
    pub(super) async fn string(&mut self, what: &'static str, limit: u64) -> Result<&[u8], GgufError> {
        let len = self.count(what, limit, 1).await?;
        self.take(len, what).await
    }

    /// A string.
    pub(super) async fn str(&mut self, what: &'static str, limit: u64) -> Result<&str, GgufError> {
        text(self.string(what, limit).await?, what)
    }

    /// Leaves out the next `len` bytes.
    pub(super) async fn skip(&mut self, mut len: usize, what: &'static str) -> Result<(), GgufError> {
        while len > 0 {
            let part = len.min(FIRST_WINDOW as usize);
            self.take(part, what).await?;
            len -= part;
        }
        Ok(())
    }
}

fn text<'a>(bytes: &'a [u8], what: &'static str) -> Result<&'a str, GgufError> {
    std::str::from_utf8(bytes).map_err(|_| {
        let beginning = &bytes[..bytes.len().min(60)];
        GgufError::NotText { what, text: String::from_utf8_lossy(beginning).into_owned() }
    })
}
