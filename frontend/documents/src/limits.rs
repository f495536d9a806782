//! What reading a file may use.

use std::ops::ControlFlow;

use crate::Error;

/// Bounds of what reading a file may use. The defaults suit a worker with a memory of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the file.
    pub bytes: u64,
    /// Bytes that its compressed parts have in all once they are unpacked; a picture counts only if it is unpacked.
    pub unpacked: u64,
    /// Bytes of its text.
    pub text: u64,
    /// Pages of a PDF, chapters of a book.
    pub pages: u32,
    /// Entries of an archive, operations and glyphs of a PDF.
    pub parts: u64,
    /// Levels of nested elements or objects.
    pub depth: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 128 << 20,
            unpacked: 256 << 20,
            text: 64 << 20,
            pages: 5000,
            parts: 50_000_000,
            depth: 256,
        }
    }
}

/// How far reading is, in a unit that depends on the format: bytes, pages, chapters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is read.
    pub done: u64,
    /// What there is.
    pub total: u64,
}

/// Parts between two calls of the callback.
const PARTS_PER_POLL: u64 = 4096;

/// Counts what reading uses, and asks now and then whether to go on.
pub(crate) struct Meter<'a> {
    limits: Limits,
    callback: &'a mut dyn FnMut(Progress) -> ControlFlow<()>,
    progress: Progress,
    unpacked: u64,
    text: u64,
    parts: u64,
}

impl<'a> Meter<'a> {
    pub fn new(limits: Limits, callback: &'a mut dyn FnMut(Progress) -> ControlFlow<()>) -> Self {
        Self { limits, callback, progress: Progress { done: 0, total: 0 }, unpacked: 0, text: 0, parts: 0 }
    }

    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Reports progress.
    pub fn at(&mut self, done: usize, total: usize) -> Result<(), Error> {
        self.progress = Progress { done: done as u64, total: total as u64 };
        self.poll()
    }

    /// Returns how many more bytes may be unpacked.
    pub fn unpackable(&self) -> u64 {
        self.limits.unpacked - self.unpacked
    }

    /// Counts unpacked bytes.
    pub fn unpacked(&mut self, bytes: u64) -> Result<(), Error> {
        count(&mut self.unpacked, bytes, self.limits.unpacked)?;
        self.poll()
    }

    /// Counts bytes of text.
    pub fn text(&mut self, bytes: usize) -> Result<(), Error> {
        count(&mut self.text, bytes as u64, self.limits.text)
    }

    /// Counts entries, operations or glyphs.
    pub fn parts(&mut self, parts: u64) -> Result<(), Error> {
        let before = self.parts;
        count(&mut self.parts, parts, self.limits.parts)?;
        if before / PARTS_PER_POLL == self.parts / PARTS_PER_POLL { Ok(()) } else { self.poll() }
    }

    /// Checks a number of pages or chapters.
    pub fn pages(&self, pages: usize) -> Result<(), Error> {
        let (pages, limit) = (pages as u64, self.limits.pages);
        if pages > u64::from(limit) { Err(Error::TooManyPages { pages, limit }) } else { Ok(()) }
    }

    /// Checks a depth.
    pub fn depth(&self, depth: u32) -> Result<(), Error> {
        let limit = self.limits.depth;
        if depth > limit { Err(Error::TooDeep { limit }) } else { Ok(()) }
    }

    fn poll(&mut self) -> Result<(), Error> {
        if (self.callback)(self.progress).is_break() { Err(Error::Canceled) } else { Ok(()) }
    }
}

fn count(counter: &mut u64, more: u64, limit: u64) -> Result<(), Error> {
    let sum = counter.saturating_add(more);
    if sum > limit {
        return Err(Error::Expands { limit });
    }
    *counter = sum;
    Ok(())
}
