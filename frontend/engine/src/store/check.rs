//! The check of a blob's bytes, a piece at a time.

use std::ops::Range;

use sha2::{Digest as _, Sha256};

use super::chunks::Chunks;
use super::{Digest, RangeSet};

/// Maximum of bytes hashed between two pauses: about ten milliseconds, or twenty where a chunk and the whole are hashed.
const PIECE: u64 = 4 << 20;

/// A check that may be interrupted between any two pieces.
///
/// With digests of the chunks, each chunk is held to its own, and only those that changed are checked again. Without
/// them, the digest of all bytes decides, and the digests of the chunks are a result.
pub(super) struct Check {
    digest: Digest,
    size: u64,
    chunk_size: u64,
    known: Option<Chunks>,
    /// The chunks that were hashed.
    done: RangeSet,
    /// The hash of the next chunk's first bytes, and their number.
    chunk: (Sha256, u64),
    /// The hash of all bytes so far, without known digests.
    whole: Sha256,
    found: Vec<Digest>,
}

/// The outcome of a check.
pub(super) enum Verdict {
    /// The bytes are right, and these are the digests of their chunks.
    Sound(Chunks),
    /// The digest of all bytes is another one.
    Corrupt(Digest),
}

impl Check {
    /// Returns a check of a blob of `size` bytes. `chunk_size` is for digests that are not known.
    pub(super) fn new(digest: Digest, size: u64, chunk_size: u64, known: Option<Chunks>) -> Self {
        let known = known.filter(|known| known.fits(size));
        let chunk_size = known.as_ref().map_or(chunk_size.max(1), |known| known.size);
        Self {
            digest,
            size,
            chunk_size,
            known,
            done: RangeSet::default(),
            chunk: (Sha256::new(), 0),
            whole: Sha256::new(),
            found: Vec::new(),
        }
    }

    /// Size of a chunk.
    pub(super) fn chunk_size(&self) -> u64 {
        self.chunk_size
    }

    /// Returns the number of bytes that were hashed.
    pub(super) fn count(&self) -> u64 {
        self.done.count() + self.chunk.1
    }

    /// Returns the piece to be hashed next; none at the end.
    pub(super) fn next(&self) -> Option<Range<u64>> {
        let chunk = self.next_chunk()?;
        let start = chunk.start + self.chunk.1;
        // Small chunks have several pieces as well, so that tests can interrupt them.
        let piece = (self.chunk_size / 16).clamp(1, PIECE);
        Some(start..chunk.end.min(start.saturating_add(piece)))
    }

    /// Takes the bytes of the next piece. Returns the chunk that they complete if its digest is wrong.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Option<Range<u64>> {
        let chunk = self.next_chunk()?;
        let (hasher, hashed) = &mut self.chunk;
        hasher.update(bytes);
        *hashed += bytes.len() as u64;
        if self.known.is_none() {
            self.whole.update(bytes);
        }
        if chunk.start + self.chunk.1 < chunk.end {
            return None;
        }
        let (hasher, _) = std::mem::replace(&mut self.chunk, (Sha256::new(), 0));
        let digest = Digest::new(hasher.finalize().into());
        self.done.insert(chunk.clone());
        match &self.known {
            Some(known) => {
                let index = usize::try_from(chunk.start / self.chunk_size).ok();
                let expected = index.and_then(|index| known.digests.get(index));
                (expected != Some(&digest)).then_some(chunk)
            }
            None => {
                self.found.push(digest);
                None
            }
        }
    }

    /// Returns the digests that chunks are held to.
    pub(super) fn known(&self) -> Option<&Chunks> {
        self.known.as_ref()
    }

    /// Leaves out the next chunk, which cannot be read, and returns it. The verdict does not count then.
    pub(super) fn skip(&mut self) -> Option<Range<u64>> {
        let chunk = self.next_chunk()?;
        self.done.insert(chunk.clone());
        self.chunk = (Sha256::new(), 0);
        Some(chunk)
    }

    /// The bytes of `range` have changed or will: they are to be hashed again.
    pub(super) fn redo(&mut self, range: &Range<u64>) {
        if self.known.is_none() {
            *self = Self::new(self.digest, self.size, self.chunk_size, None);
            return;
        }
        self.done.remove(&Chunks::around(self.chunk_size, self.size, range));
        self.chunk = (Sha256::new(), 0);
    }

    /// Returns the verdict on a blob without damaged chunks, after its last piece.
    pub(super) fn finish(self) -> Verdict {
        if let Some(known) = self.known {
            return Verdict::Sound(known);
        }
        let found = Digest::new(self.whole.finalize().into());
        if found != self.digest {
            return Verdict::Corrupt(found);
        }
        Verdict::Sound(Chunks { size: self.chunk_size, digests: self.found })
    }

    fn next_chunk(&self) -> Option<Range<u64>> {
        let start = self.done.first_missing(&(0..self.size))?.start;
        Some(start..self.size.min(start.saturating_add(self.chunk_size)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(check: &mut Check, content: &[u8]) -> Vec<Range<u64>> {
        let mut damaged = Vec::new();
        while let Some(piece) = check.next() {
            damaged.extend(check.push(&content[piece.start as usize..piece.end as usize]));
        }
        damaged
    }

    #[test]
    fn digests_of_chunks_follow_from_a_right_whole() {
        let content: Vec<u8> = (0..200_u8).collect();
        let digest = Digest::new(Sha256::digest(&content).into());
        let mut check = Check::new(digest, 200, 64, None);
        assert!(run(&mut check, &content).is_empty());
        let Verdict::Sound(chunks) = check.finish() else { panic!("it is right") };
        assert_eq!(chunks.digests.len(), 4);
        assert_eq!(chunks.digests[3], Digest::new(Sha256::digest(&content[192..]).into()));

        // The size of the chunks is that of the digests, whatever is the usual one.
        let mut changed = content.clone();
        changed[100] ^= 4;
        let mut check = Check::new(digest, 200, 10, Some(chunks.clone()));
        assert_eq!(run(&mut check, &changed), vec![64..128]);
        check.redo(&(100..101));
        assert_eq!(check.next().map(|piece| piece.start), Some(64));
        assert!(run(&mut check, &content).is_empty());
        assert!(matches!(check.finish(), Verdict::Sound(same) if same == chunks));

        let mut check = Check::new(digest, 200, 64, None);
        run(&mut check, &changed);
        assert!(matches!(check.finish(), Verdict::Corrupt(_)));
    }

    #[test]
    fn a_blob_without_bytes_is_checked() {
        let digest = Digest::new(Sha256::digest([]).into());
        let check = Check::new(digest, 0, 64, None);
        assert_eq!(check.next(), None);
        assert!(matches!(check.finish(), Verdict::Sound(chunks) if chunks.fits(0)));
    }
}
