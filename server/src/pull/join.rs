//! Joining the parts of a split model into one GGUF file, as `llama-gguf-split --merge` does.
//!
//! The first part has the metadata, each has a list of its tensors and their data. The data of a part stays one piece, so
//! that neither types nor lengths of tensors matter here: only their offsets move.

use std::{
    fs,
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    mem,
    ops::Range,
    path::{Path, PathBuf},
    vec,
};

use sha2::{Digest as _, Sha256};
use tempfile::NamedTempFile;

use super::{
    error::{PullError, is_full, part},
    partial::STEP,
    store::{Store, blocking},
};
use crate::{
    catalog::{
        digest::{Digest, Scheme},
        gguf::{Counts, Header, PeekError, Value},
    },
    regular,
};

/// Alignment of tensors where a file gives none.
const USUAL_ALIGNMENT: u64 = 32;
/// The largest one that is taken for real.
const LARGEST_ALIGNMENT: u64 = 1 << 16;

/// What is written, in order.
enum Piece {
    Bytes(Vec<u8>),
    Copy { part: usize, range: Range<u64> },
}

/// The header of a part.
struct Part {
    version: u32,
    alignment: u64,
    /// Metadata entries, without those that say what part this is.
    entries: Vec<Range<u64>>,
    /// Name, dimensions and type of each tensor, and its offset in the data.
    tensors: Vec<(Range<u64>, u64)>,
    data: Range<u64>,
    number: Option<u64>,
    count: Option<u64>,
    /// Tensors of all parts together, as this one says.
    tensors_of_all: Option<u64>,
}

impl Part {
    fn read(file: &fs::File) -> Result<Self, PeekError> {
        let size = file.metadata()?.len();
        let (mut header, Counts { version, tensors: tensor_count, entries: entry_count }) =
            Header::begin(file, size)?;
        let (mut entries, mut tensors) = (Vec::new(), Vec::new());
        let (mut alignment, mut number, mut count, mut tensors_of_all) = (USUAL_ALIGNMENT, None, None, None);
        for _ in 0..entry_count {
            let start = header.position;
            let key = header.key()?;
            let kind = header.u32()?;
            match (key.as_str(), header.value(kind)?) {
                ("general.alignment", Value::Unsigned(value)) => alignment = value,
                ("split.no", Value::Unsigned(value)) => number = Some(value),
                ("split.count", Value::Unsigned(value)) => count = Some(value),
                ("split.tensors.count", Value::Unsigned(value)) => tensors_of_all = Some(value),
                _ => {}
            }
            if !key.starts_with("split.") {
                entries.push(start..header.position);
            }
        }
        for _ in 0..tensor_count {
            let start = header.position;
            header.key()?;
            let dimensions = header.dimensions()?;
            header.skip(u64::from(dimensions) * 8 + 4)?;
            let description = start..header.position;
            tensors.push((description, header.u64()?));
        }
        if !(1..=LARGEST_ALIGNMENT).contains(&alignment) {
            return Err(PeekError::Absurd { what: "alignment", count: alignment });
        }
        // A part without tensors may end with its header.
        let start = header.position.next_multiple_of(alignment).min(size);
        let data = start..size;
        if tensors.iter().any(|(_, offset)| *offset >= size - start) {
            return Err(PeekError::Truncated);
        }
        Ok(Self { version, alignment, entries, tensors, data, number, count, tensors_of_all })
    }
}

/// A file that is being joined.
pub(super) struct Joining {
    files: Vec<fs::File>,
    pieces: vec::IntoIter<Piece>,
    next: Option<Piece>,
    hasher: Sha256,
    output: NamedTempFile,
    size: u64,
    written: u64,
}

/// Joins the files, of which the names are for messages, into a file in `blobs`, and gives its digest and size.
pub(super) async fn join(store: &Store, parts: Vec<(String, PathBuf)>) -> Result<(Digest, u64), PullError> {
    let begun = store.clone();
    let mut joining = blocking(move || Joining::begin(&begun, &parts)).await?;
    loop {
        let (store, bytes) = (store.clone(), STEP * 8);
        joining = match blocking(move || joining.step(&store, bytes)).await? {
            Step::More(joining) => *joining,
            Step::Done(digest, size) => return Ok((digest, size)),
        };
    }
}

enum Step {
    More(Box<Joining>),
    Done(Digest, u64),
}

impl Joining {
    fn begin(store: &Store, parts: &[(String, PathBuf)]) -> Result<Self, PullError> {
        let open =
            |path: &Path| regular::open_linked(path).map(|(file, _)| file).map_err(PullError::disk(path));
        let files = parts.iter().map(|(_, path)| open(path)).collect::<Result<Vec<_>, _>>()?;
        let mut headers = Vec::new();
        for (file, (name, _)) in files.iter().zip(parts) {
            headers.push(Part::read(file).map_err(part(name))?);
        }
        check(&headers, parts)?;
        let pieces = plan(&headers);
        let length = |piece: &Piece| match piece {
            Piece::Bytes(bytes) => bytes.len() as u64,
            Piece::Copy { range, .. } => range.end - range.start,
        };
        let size = pieces.iter().map(length).sum();
        let mut pieces = pieces.into_iter();
        let next = pieces.next();
        Ok(Self { files, pieces, next, hasher: Sha256::new(), output: store.scratch()?, size, written: 0 })
    }

    /// Writes about so many bytes.
    fn step(mut self, store: &Store, mut bytes: usize) -> Result<Step, PullError> {
        while bytes > 0 {
            let Some(piece) = self.next.take() else { return self.finish(store) };
            let chunk = match piece {
                Piece::Bytes(chunk) => chunk,
                Piece::Copy { part, range } => {
                    let length =
                        bytes.min(STEP).min(usize::try_from(range.end - range.start).unwrap_or(STEP));
                    let chunk = read(&mut self.files[part], range.start, length);
                    let chunk = chunk.map_err(PullError::disk(store.blobs()))?;
                    let rest = range.start + length as u64..range.end;
                    self.next = (!rest.is_empty()).then_some(Piece::Copy { part, range: rest });
                    chunk
                }
            };
            if self.next.is_none() {
                self.next = self.pieces.next();
            }
            self.hasher.update(&chunk);
            // Errors of the temporary file itself would have its whole path in their texts.
            if let Err(error) = self.output.as_file_mut().write_all(&chunk) {
                return Err(self.failed(store, error));
            }
            self.written += chunk.len() as u64;
            bytes = bytes.saturating_sub(chunk.len());
        }
        Ok(Step::More(Box::new(self)))
    }

    fn finish(self, store: &Store) -> Result<Step, PullError> {
        let digest = Digest::new(Scheme::Sha256, self.hasher.finalize().into());
        let path = store.blob(digest);
        self.output.as_file().sync_data().map_err(PullError::disk(&path))?;
        self.output.persist(&path).map_err(|error| PullError::Disk { path, error: error.error })?;
        Ok(Step::Done(digest, self.size))
    }

    /// Tells of a full disk once the output is deleted.
    fn failed(self, store: &Store, error: io::Error) -> PullError {
        let needed = self.size - self.written;
        drop(self.output);
        if !is_full(&error) {
            return PullError::Disk { path: store.blobs(), error };
        }
        match store.free() {
            Ok(free) => PullError::Full { needed, free, folder: store.root().into(), error },
            Err(trouble) => trouble,
        }
    }
}

fn read(file: &mut fs::File, at: u64, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Whether the parts are of one model and in order.
fn check(parts: &[Part], names: &[(String, PathBuf)]) -> Result<(), PullError> {
    let wrong =
        |at: usize, reason: &str| PullError::Part { file: names[at].0.clone(), reason: reason.into() };
    let tensors: u64 = parts.iter().map(|part| part.tensors.len() as u64).sum();
    for (at, part) in parts.iter().enumerate() {
        if part.number != Some(at as u64) || part.count != Some(parts.len() as u64) {
            return Err(wrong(at, "it says that it is another part"));
        }
        if part.version != parts[0].version || part.alignment != parts[0].alignment {
            return Err(wrong(at, "its version or alignment is not that of the first part"));
        }
        if part.tensors_of_all.is_some_and(|all| all != tensors) {
            return Err(wrong(at, "the parts together do not have as many tensors as it says"));
        }
    }
    Ok(())
}

/// What the whole file consists of.
fn plan(parts: &[Part]) -> Vec<Piece> {
    let Some(first) = parts.first() else { return Vec::new() };
    let tensors: usize = parts.iter().map(|part| part.tensors.len()).sum();
    let mut begin = b"GGUF".to_vec();
    begin.extend(first.version.to_le_bytes());
    begin.extend((tensors as u64).to_le_bytes());
    begin.extend((first.entries.len() as u64).to_le_bytes());
    let mut position = begin.len() as u64;
    let mut pieces = vec![Piece::Bytes(begin)];
    for range in &first.entries {
        position += range.end - range.start;
        // Neighbours are copied in one go.
        match pieces.last_mut() {
            Some(Piece::Copy { range: last, .. }) if last.end == range.start => last.end = range.end,
            _ => pieces.push(Piece::Copy { part: 0, range: range.clone() }),
        }
    }
    let mut data = 0;
    for (at, part) in parts.iter().enumerate() {
        for (range, offset) in &part.tensors {
            position += range.end - range.start + mem::size_of::<u64>() as u64;
            pieces.push(Piece::Copy { part: at, range: range.clone() });
            pieces.push(Piece::Bytes((data + offset).to_le_bytes().into()));
        }
        data = (data + part.data.end - part.data.start).next_multiple_of(first.alignment);
    }
    for (at, part) in parts.iter().enumerate() {
        let padding = position.next_multiple_of(first.alignment) - position;
        pieces.push(Piece::Bytes(vec![0; padding as usize]));
        pieces.push(Piece::Copy { part: at, range: part.data.clone() });
        position += padding + part.data.end - part.data.start;
    }
    // An empty range ends the copying of a piece before it begins.
    pieces.retain(|piece| !matches!(piece, Piece::Copy { range, .. } if range.is_empty()));
    pieces
}
