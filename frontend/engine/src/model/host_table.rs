//! The per-layer embedding table on the host, if it does not fit on the device: rows are read when their token
//! occurs.

use std::cell::RefCell;
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::rc::Rc;

use futures_util::future::try_join_all;
use lru::LruCache;
use shaders::quant;
use shaders::repack::PieceError;

use crate::bytes::{LocalSource, SourceError};
use crate::weights::{MatrixSpec, TensorError};

/// Size of the row cache in bytes, in the stored form.
const KEPT_BYTES: u64 = 16 << 20;
/// Maximum number of concurrent reads.
const AT_ONCE: usize = 8;

/// Why a row could not be read.
#[derive(Debug, thiserror::Error)]
pub enum RowError {
    /// The file could not be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The row does not exist.
    #[error("token {id} has no row among the {rows} per-layer embeddings")]
    NoRow {
        /// The token.
        id: u32,
        /// Rows of the table.
        rows: u64,
    },
    /// An internal error: the slots of a cache are places for whole rows.
    #[error(transparent)]
    Place(#[from] PieceError),
    /// The bytes are not a valid row.
    #[error(transparent)]
    Tensor(#[from] TensorError),
}

/// Rows by token. They are read only on this machine, because the rows that are read reveal the text.
pub struct HostTable {
    source: Rc<dyn LocalSource>,
    spec: MatrixSpec,
    /// Cache of recent rows; `None` if the source is in memory anyway.
    kept: Option<RefCell<LruCache<u32, Rc<[u8]>>>>,
}

impl HostTable {
    /// Returns a table in a file on this machine.
    pub fn new(source: Rc<dyn LocalSource>, spec: MatrixSpec) -> Self {
        let rows = usize::try_from(KEPT_BYTES / spec.row_bytes().max(1)).unwrap_or(usize::MAX);
        let rows = NonZeroUsize::new(rows).unwrap_or(NonZeroUsize::MIN);
        let kept = (!source.is_memory()).then(|| RefCell::new(LruCache::new(rows)));
        Self { source, spec, kept }
    }

    /// Returns the rows of these tokens as f32, concatenated.
    ///
    /// # Errors
    /// See [`RowError`].
    pub async fn rows(&self, ids: &[u32]) -> Result<Vec<f32>, RowError> {
        let mut rows: HashMap<u32, Rc<[u8]>> = HashMap::new();
        let mut missing = Vec::new();
        for &id in ids {
            if rows.contains_key(&id) {
                continue;
            }
            match self.kept(id) {
                Some(row) => {
                    rows.insert(id, row);
                }
                None => missing.push(id),
            }
        }
        missing.sort_unstable();
        missing.dedup();
        for some in missing.chunks(AT_ONCE) {
            let read = some.iter().map(|&id| async move { Ok::<_, RowError>((id, self.read(id).await?)) });
            for (id, row) in try_join_all(read).await? {
                if let Some(kept) = &self.kept {
                    kept.borrow_mut().put(id, Rc::clone(&row));
                }
                rows.insert(id, row);
            }
        }
        let k = self.spec.k as usize;
        let mut all = vec![0.0; ids.len() * k];
        for (id, values) in ids.iter().zip(all.chunks_exact_mut(k)) {
            // Every id was found or read.
            let Some(row) = rows.get(id) else { continue };
            quant::dequantize(self.spec.dtype, row, values)
                .map_err(|_| RowError::NoRow { id: *id, rows: self.spec.n })?;
        }
        Ok(all)
    }

    /// Lines of `line` consecutive rows as the file has them; the last one may be shorter. `lines` are in ascending order.
    /// Those that follow one another are read at once.
    ///
    /// # Errors
    /// See [`RowError`].
    pub async fn lines(&self, lines: &[u32], line: u32) -> Result<Vec<Rc<[u8]>>, RowError> {
        let runs: Vec<&[u32]> = lines.chunk_by(|a, b| a + 1 == *b).collect();
        let mut all = Vec::with_capacity(lines.len());
        for some in runs.chunks(AT_ONCE) {
            let read = some.iter().map(|run| {
                let ids = run[0] * line..run[0] * line + run.len() as u32 * line;
                self.read_rows(ids)
            });
            for (run, bytes) in some.iter().zip(try_join_all(read).await?) {
                let of_line = (u64::from(line) * self.spec.row_bytes()) as usize;
                all.extend(bytes.chunks(of_line.max(1)).take(run.len()).map(Rc::from));
            }
        }
        Ok(all)
    }

    fn kept(&self, id: u32) -> Option<Rc<[u8]>> {
        self.kept.as_ref()?.borrow_mut().get(&id).cloned()
    }

    async fn read(&self, id: u32) -> Result<Rc<[u8]>, RowError> {
        Ok(self.read_rows(id..id + 1).await?.into())
    }

    /// Returns the rows with these ids, of which the table must have the first.
    async fn read_rows(&self, ids: Range<u32>) -> Result<Vec<u8>, RowError> {
        let rows = self.spec.n;
        if u64::from(ids.start) >= rows {
            return Err(RowError::NoRow { id: ids.start, rows });
        }
        let at = |id: u64| self.spec.range.start + id * self.spec.row_bytes();
        let range = at(ids.start.into())..at(rows.min(ids.end.into()));
        Ok(self.source.read(range).await?.to_vec())
    }
}
