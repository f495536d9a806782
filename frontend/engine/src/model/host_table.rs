//! The table of per-layer embeddings where it stays in the file: rows are read when their token comes up.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use futures_util::future::try_join_all;
use shaders::quant;

use super::{MatrixSpec, TensorError};
use crate::bytes::{ByteSource, SourceError};

/// Rows kept in memory. A row of the largest published table is 22 KB in the file.
const KEPT_ROWS: usize = 1024;

/// Why a row could not be had.
#[derive(Debug, thiserror::Error)]
pub enum RowError {
    /// The file could not be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// No such row.
    #[error("token {id} has no row among the {rows} per-layer embeddings")]
    NoRow {
        /// The token.
        id: u32,
        /// Rows of the table.
        rows: u64,
    },
    /// The bytes are no row.
    #[error(transparent)]
    Tensor(#[from] TensorError),
}

/// Rows by token, read on demand, the latest ones kept in their stored form.
pub struct HostTable {
    source: Rc<dyn ByteSource>,
    spec: MatrixSpec,
    kept: RefCell<HashMap<u32, Rc<Vec<u8>>>>,
}

impl HostTable {
    /// A table in a file.
    #[must_use]
    pub fn new(source: Rc<dyn ByteSource>, spec: MatrixSpec) -> Self {
        Self { source, spec, kept: RefCell::default() }
    }

    /// The rows of these tokens as f32, one after the other.
    ///
    /// # Errors
    /// See [`RowError`].
    pub async fn rows(&self, ids: &[u32]) -> Result<Vec<f32>, RowError> {
        let mut missing: Vec<u32> = ids.to_vec();
        missing.sort_unstable();
        missing.dedup();
        missing.retain(|id| !self.kept.borrow().contains_key(id));
        // A few at a time: each is a request of its own where the file is on a server.
        for some in missing.chunks(8) {
            let read = some.iter().map(|&id| async move {
                let n = self.spec.n;
                if u64::from(id) >= n {
                    return Err(RowError::NoRow { id, rows: n });
                }
                let start = self.spec.range.start + u64::from(id) * self.spec.row_bytes();
                Ok((id, Rc::new(self.source.read(start..start + self.spec.row_bytes()).await?.to_vec())))
            });
            let read = try_join_all(read).await?;
            self.kept.borrow_mut().extend(read);
        }
        let k = self.spec.k as usize;
        let mut all = vec![0.0; ids.len() * k];
        for (&id, row) in ids.iter().zip(all.chunks_exact_mut(k)) {
            let bytes = self.kept.borrow().get(&id).cloned().unwrap_or_default();
            quant::dequantize(self.spec.dtype, &bytes, row)
                .map_err(|_| RowError::NoRow { id, rows: self.spec.n })?;
        }
        let mut kept = self.kept.borrow_mut();
        if kept.len() > KEPT_ROWS {
            kept.retain(|id, _| ids.contains(id));
        }
        Ok(all)
    }
}
