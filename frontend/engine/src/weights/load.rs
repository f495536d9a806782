//! Streaming weights from a file to the device.
//!
//! The file is read window by window, a few ahead. A window goes to a staging buffer as it is, and a kernel writes its
//! rows into the planes of their matrix. No tensor is ever whole in this program's memory.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use futures_util::stream::{StreamExt as _, iter};
use shaders::{PlanarLayout, quant, repack};

use super::windows::{Piece, WINDOW_BYTES, What, Window, windows};
use super::{Matrix, Part, Weights};
use crate::bytes::{ByteSource, Bytes, CancelToken, SourceError, UploadError};
use crate::gpu::{Buffer, Gpu, GpuError, Grid, Steps};
use crate::model::{MatrixSpec, TensorError, TensorList};

/// Windows that are read ahead of the device.
const AHEAD: usize = 3;
/// Windows after which the device is waited for, so that what it has not copied yet stays bounded.
const BREATH: usize = 8;

/// Why weights could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file could not be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The device could not take them.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// A tensor has no layout on the device.
    #[error(transparent)]
    Tensor(#[from] TensorError),
    /// A window could not be handed over.
    #[error(transparent)]
    Upload(#[from] UploadError),
    /// A fault of this program: pieces that do not fit their matrix.
    #[error("a piece of {tensor} does not fit: {reason}")]
    Piece {
        /// The tensor.
        tensor: String,
        /// What is wrong.
        reason: String,
    },
}

/// Bytes done and bytes in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes on the device.
    pub done: u64,
    /// Bytes in all.
    pub total: u64,
}

/// Rows of one part of a matrix, so that a part fits one binding: all of them where it does.
fn part_rows(gpu: &Gpu, spec: &MatrixSpec) -> Result<u64, LoadError> {
    let limit = gpu.max_binding();
    let rows =
        spec.rows_within(gpu.max_part())?.map_or_else(|| spec.rows_within(limit), |rows| Ok(Some(rows)))?;
    rows.ok_or_else(|| {
        let bytes = spec.range.end - spec.range.start;
        GpuError::TooLarge { label: spec.name.clone(), bytes, limit }.into()
    })
}

async fn allocate(gpu: &Gpu, spec: &MatrixSpec, rows: u64) -> Result<Matrix, LoadError> {
    let mut parts = Vec::new();
    let mut row0 = 0;
    while row0 < spec.n {
        let n = rows.min(spec.n - row0);
        let layout = PlanarLayout::new(spec.dtype, spec.k, n)
            .map_err(|source| TensorError::Layout { name: spec.name.clone(), source })?;
        let buffer =
            gpu.allocating(&spec.name, layout.bytes(), || gpu.storage(&spec.name, layout.bytes())).await?;
        parts.push(Part { row0: row0 as u32, layout, buffer });
        row0 += n;
    }
    Ok(Matrix { dtype: spec.dtype, k: spec.k as u32, n: spec.n as u32, parts })
}

/// What is to be loaded of a list, as [`load`] makes it but with nothing in it: for a rehearsal ([`Gpu::compile_ahead`]).
///
/// # Errors
/// As [`load`].
pub async fn blank(gpu: &Gpu, list: &TensorList, skip: &[&str]) -> Result<Weights, LoadError> {
    let mut loader = Loader::new(gpu, list, skip, &CancelToken::new()).await?;
    loader.vectors = list.vectors.iter().map(|spec| vec![0.0; spec.len as usize]).collect();
    loader.finish()
}

/// Loads every tensor of the list but the matrices that `skip` names (a table that stays on the host).
///
/// # Errors
/// See [`LoadError`]; a cancelled token is a [`SourceError::Cancelled`].
pub async fn load(
    gpu: &Gpu,
    source: &Rc<dyn ByteSource>,
    list: &TensorList,
    skip: &[&str],
    cancel: &CancelToken,
    progress: &mut dyn FnMut(Progress),
) -> Result<Weights, LoadError> {
    let mut loader = Loader::new(gpu, list, skip, cancel).await?;
    let skipped = |spec: &MatrixSpec| skip.contains(&spec.name.as_str());
    let windows = windows(list, skipped, |index| {
        let spec = &list.matrices[index];
        let rows = loader.matrices[index].as_ref().map_or(1, Matrix::part_rows);
        (repack::rows_alignment(spec.dtype, spec.k as u32).into(), rows.into())
    });
    let mut state = Progress { done: 0, total: windows.iter().map(|w| w.range.end - w.range.start).sum() };
    progress(state);
    let reads = iter(windows.into_iter().map(|window| async {
        let bytes = source.read(window.range.clone()).await?;
        Ok::<_, SourceError>((window, bytes))
    }));
    let mut reads = std::pin::pin!(reads.buffered(AHEAD));
    let mut since_breath = 0;
    while let Some((window, bytes)) = cancel.guard(async { reads.next().await.transpose() }).await? {
        loader.window(&window, &bytes).await?;
        since_breath += 1;
        if since_breath == BREATH {
            since_breath = 0;
            gpu.drained().await?;
        }
        state.done += window.range.end - window.range.start;
        progress(state);
    }
    gpu.drained().await?;
    loader.finish()
}

struct Loader<'a> {
    gpu: &'a Gpu,
    list: &'a TensorList,
    matrices: Vec<Option<Matrix>>,
    vectors: Vec<Vec<f32>>,
    staging: Arc<Buffer>,
}

impl<'a> Loader<'a> {
    /// Allocates the matrices of a list but those that `skip` names.
    async fn new(
        gpu: &'a Gpu,
        list: &'a TensorList,
        skip: &[&str],
        cancel: &CancelToken,
    ) -> Result<Self, LoadError> {
        let mut matrices = Vec::with_capacity(list.matrices.len());
        for spec in &list.matrices {
            if skip.contains(&spec.name.as_str()) {
                matrices.push(None);
                continue;
            }
            cancel.check()?;
            matrices.push(Some(allocate(gpu, spec, part_rows(gpu, spec)?).await?));
        }
        let vectors = vec![Vec::new(); list.vectors.len()];
        Ok(Self { gpu, list, matrices, vectors, staging: gpu.storage("staging", WINDOW_BYTES + 8192)? })
    }

    async fn window(&mut self, window: &Window, bytes: &Bytes) -> Result<(), LoadError> {
        // A single row may be longer than a window.
        if bytes.len() as u64 + 16 > self.staging.size() {
            self.staging = self.gpu.storage("staging", bytes.len() as u64 + 16)?;
        }
        bytes.write_to(self.gpu.queue(), &self.staging, 0)?;
        let mut steps = Steps::default();
        for piece in &window.pieces {
            let at = piece.range.start - window.range.start;
            match piece.what {
                What::Vector { vector } => {
                    let end = piece.range.end - window.range.start;
                    self.vector(vector, &bytes.slice(at as usize..end as usize).to_vec())?;
                }
                What::Rows { matrix, row0, rows } => {
                    self.rows(&mut steps, piece, matrix, row0, rows, at as u32).await?;
                }
            }
        }
        self.gpu.run(&steps, 1);
        Ok(())
    }

    fn vector(&mut self, index: usize, bytes: &[u8]) -> Result<(), LoadError> {
        let spec = &self.list.vectors[index];
        let mut values = vec![0.0; spec.len as usize];
        quant::dequantize(spec.dtype, bytes, &mut values)
            .map_err(|e| LoadError::Piece { tensor: spec.name.clone(), reason: e.to_string() })?;
        self.vectors[index] = values;
        Ok(())
    }

    async fn rows(
        &self,
        steps: &mut Steps,
        piece: &Piece,
        index: usize,
        row0: u64,
        rows: u64,
        at: u32,
    ) -> Result<(), LoadError> {
        let name = &self.list.matrices[index].name;
        let wrong = |reason: String| LoadError::Piece { tensor: name.clone(), reason };
        let Some(matrix) = &self.matrices[index] else {
            return Err(wrong(format!("{:?} was skipped", piece.range)));
        };
        let part = matrix
            .parts
            .iter()
            .rev()
            .find(|part| u64::from(part.row0) <= row0)
            .ok_or_else(|| wrong("no part begins before it".into()))?;
        let first = (row0 - u64::from(part.row0)) as u32;
        let params =
            repack::Params::new(&part.layout, first, rows as u32, at).map_err(|e| wrong(e.to_string()))?;
        let grid = Grid::Fixed(repack::dispatch(matrix.dtype, &params));
        let source = repack::source(matrix.dtype).map_err(GpuError::from)?;
        steps.push(self.gpu, &source, &params, &[&self.staging, &part.buffer], grid).await?;
        Ok(())
    }

    fn finish(self) -> Result<Weights, LoadError> {
        let mut places = HashMap::new();
        let mut all: Vec<f32> = Vec::new();
        let mut rope_factors = None;
        let mut ple_norm = None;
        let mut on_host = HashMap::new();
        for (spec, values) in self.list.vectors.iter().zip(self.vectors) {
            // Kernels read vectors four at a time.
            all.resize(all.len().next_multiple_of(4), 0.0);
            places.insert(spec.name.clone(), (all.len() as u32, values.len() as u32));
            all.extend(&values);
            if spec.on_host {
                on_host.insert(spec.name.clone(), values.clone());
            }
            match spec.name.as_str() {
                "rope_freqs" => rope_factors = Some(values),
                "per_layer_proj_norm" => ple_norm = Some(self.gpu.storage_with("per-layer norm", &values)?),
                _ => {}
            }
        }
        let named = self.list.matrices.iter().zip(self.matrices);
        Ok(Weights {
            matrices: named.filter_map(|(spec, matrix)| Some((spec.name.clone(), matrix?))).collect(),
            vectors: self.gpu.storage_with("vectors", &all)?,
            places,
            on_host,
            rope_factors,
            ple_norm,
        })
    }
}

/// Bytes that the matrices of a list take on the device.
///
/// # Errors
/// When one has no layout.
pub fn device_bytes(list: &TensorList, skip: &[&str]) -> Result<u64, TensorError> {
    let matrices = list.matrices.iter().filter(|spec| !skip.contains(&spec.name.as_str()));
    let vectors: u64 = list.vectors.iter().map(|v| 4 * u64::from(v.len)).sum();
    matrices.map(MatrixSpec::device_bytes).sum::<Result<u64, _>>().map(|bytes| bytes + vectors)
}
