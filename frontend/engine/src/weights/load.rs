//! Streaming weights from a file to the device.
//!
//! The file is read window by window, a few in advance. A window is copied to a staging buffer, and a kernel
//! repacks its rows into the planes of their matrix. No tensor is ever completely in memory on the host.

use std::rc::Rc;
use std::sync::Arc;

use futures_util::stream::{StreamExt as _, iter};
use shaders::repack::Repack;
use shaders::{quant, repack};

use super::describe::PLE_NORM;
use super::windows::{Piece, WINDOW_BYTES, What, Window, windows};
use super::{LoadError, MatrixSpec, TensorError, TensorList, Weights};
use crate::bytes::{ByteSource, Bytes, CancelToken, SourceError};
use crate::gpu::{Buffer, Gpu, GpuError, Memory};
use crate::plan::{Grid, Plan, Value};

/// Maximum number of windows read in advance.
const AHEAD: usize = 3;
/// Wait for the device after this number of windows, to bound the pending copies.
const WINDOWS_PER_WAIT: usize = 8;

/// Progress in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes on the device.
    pub done: u64,
    /// Total bytes.
    pub total: u64,
}

/// Allocates and loads the weights described by [`Weights::describe`], and returns their buffers. Values that the
/// host needs are stored in the weights.
///
/// # Errors
/// See [`LoadError`]. Cancellation is reported as [`SourceError::Cancelled`].
pub async fn load(
    gpu: &Gpu,
    source: &Rc<dyn ByteSource>,
    list: &TensorList,
    weights: &mut Weights,
    cancel: &CancelToken,
    progress: &mut dyn FnMut(Progress),
) -> Result<Memory, LoadError> {
    let mut loader = Loader::new(gpu, list, weights, cancel).await?;
    let is_cached = |spec: &MatrixSpec| weights.expert_slots.and(spec.rows_per_expert()).is_some();
    let skipped = |spec: &MatrixSpec| weights.matrix(&spec.name).is_none() || is_cached(spec);
    let windows = windows(list, skipped, |index| {
        let spec = &list.matrices[index];
        let matrix = weights.matrix(&spec.name);
        let (dtype, rows) = matrix.map_or((spec.dtype, 1), |matrix| (matrix.dtype, matrix.part_rows()));
        (repack::rows_alignment(dtype, spec.k as u32).into(), rows.into())
    });
    let mut state = Progress { done: 0, total: windows.iter().map(|w| w.range.end - w.range.start).sum() };
    progress(state);
    let reads = iter(windows.into_iter().map(|window| async {
        let bytes = source.read(window.range.clone()).await?;
        Ok::<_, SourceError>((window, bytes))
    }));
    let mut reads = std::pin::pin!(reads.buffered(AHEAD));
    let mut windows_since_wait = 0;
    while let Some((window, bytes)) = cancel.guard(async { reads.next().await.transpose() }).await? {
        loader.window(&window, &bytes).await?;
        windows_since_wait += 1;
        if windows_since_wait == WINDOWS_PER_WAIT {
            windows_since_wait = 0;
            gpu.drained().await?;
        }
        state.done += window.range.end - window.range.start;
        progress(state);
    }
    gpu.drained().await?;
    let (memory, vectors) = loader.finish()?;
    for (spec, values) in list.vectors.iter().zip(vectors) {
        if spec.on_host {
            weights.on_host.insert(spec.name.clone(), values.clone());
        }
        if spec.name == "rope_freqs" {
            if let Some(value) = values.iter().find(|value| !value.is_finite() || **value <= 0.0) {
                let (name, value) = ("rope_freqs.weight".to_owned(), value.to_string());
                return Err(TensorError::RopeFactor { name, value }.into());
            }
            weights.rope_factors = Some(values);
        }
    }
    Ok(memory)
}

struct Loader<'a> {
    gpu: &'a Gpu,
    list: &'a TensorList,
    weights: &'a Weights,
    memory: Memory,
    vectors: Vec<Vec<f32>>,
    /// The raw bytes of a window.
    staging: (Value, Arc<Buffer>),
}

impl<'a> Loader<'a> {
    /// Allocates the weights.
    async fn new(
        gpu: &'a Gpu,
        list: &'a TensorList,
        weights: &'a Weights,
        cancel: &CancelToken,
    ) -> Result<Self, LoadError> {
        let mut memory = Memory::default();
        for matrix in list.matrices.iter().filter_map(|spec| weights.matrix(&spec.name)) {
            for part in &matrix.parts {
                cancel.check()?;
                gpu.allocate(part.value.name(), [&part.value], &mut memory).await?;
            }
        }
        gpu.allocate("vectors", [&weights.vectors].into_iter().chain(&weights.ple_norm), &mut memory).await?;
        let vectors = vec![Vec::new(); list.vectors.len()];
        let staging = staging(gpu, &mut memory, WINDOW_BYTES + 8192)?;
        Ok(Self { gpu, list, weights, memory, vectors, staging })
    }

    async fn window(&mut self, window: &Window, bytes: &Bytes) -> Result<(), LoadError> {
        // A single row may be longer than a window.
        if bytes.len() as u64 + 16 > self.staging.1.size() {
            self.memory.remove(&self.staging.0);
            self.staging = staging(self.gpu, &mut self.memory, bytes.len() as u64 + 16)?;
        }
        self.gpu.upload(bytes, &self.staging.1, 0)?;
        let mut plan = Plan::default();
        for piece in &window.pieces {
            let at = piece.range.start - window.range.start;
            match piece.what {
                What::Vector { vector } => {
                    let end = piece.range.end - window.range.start;
                    self.vector(vector, &bytes.slice(at as usize..end as usize).to_vec())?;
                }
                What::Rows { matrix, row0, rows } => {
                    self.rows(&mut plan, piece, matrix, row0, rows, at as u32)?;
                }
            }
        }
        // Waiting for the device after each window would delay the next.
        for program in self.gpu.bind_unchecked(&[&plan], &self.memory).await? {
            self.gpu.run(&program, 1);
        }
        Ok(())
    }

    fn vector(&mut self, index: usize, bytes: &[u8]) -> Result<(), LoadError> {
        let spec = &self.list.vectors[index];
        let mut values = vec![0.0; spec.len as usize];
        quant::dequantize(spec.dtype, bytes, &mut values)
            .map_err(|e| LoadError::Piece { tensor: spec.name.clone(), reason: e.to_string() })?;
        values.iter_mut().for_each(|value| *value *= spec.factor);
        self.vectors[index] = values;
        Ok(())
    }

    fn rows(
        &self,
        plan: &mut Plan,
        piece: &Piece,
        index: usize,
        row0: u64,
        rows: u64,
        at: u32,
    ) -> Result<(), LoadError> {
        let MatrixSpec { name, dtype, .. } = &self.list.matrices[index];
        let wrong = |reason: String| LoadError::Piece { tensor: name.clone(), reason };
        let Some(matrix) = self.weights.matrix(name) else {
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
        let operands = [&self.staging.0, &part.value];
        let pushed = if matrix.dtype == *dtype {
            let grid = Grid::Fixed(repack::dispatch(*dtype, &params));
            plan.push(Repack(*dtype), &params, &operands, grid)
        } else {
            let grid = Grid::Fixed(repack::requantize::dispatch(&params));
            plan.push(repack::requantize::Requantize(*dtype), &params, &operands, grid)
        };
        Ok(pushed.map_err(GpuError::from)?)
    }

    /// Writes the vectors. Returns the buffers of all weights, and the vectors by their index in the list.
    fn finish(mut self) -> Result<(Memory, Vec<Vec<f32>>), LoadError> {
        let mut all: Vec<f32> = vec![0.0; (self.weights.vectors.bytes() / 4) as usize];
        for (spec, values) in self.list.vectors.iter().zip(&self.vectors) {
            let at = self.weights.vector(&spec.name).map_err(GpuError::from)? as usize;
            all[at..at + values.len()].copy_from_slice(values);
            if let Some(norm) = self.weights.ple_norm.as_ref().filter(|_| spec.name == PLE_NORM) {
                let norm = self.memory.get(norm)?;
                self.gpu.queue().write_buffer(norm, 0, bytemuck::cast_slice(values));
            }
        }
        let vectors = self.memory.get(&self.weights.vectors)?;
        self.gpu.queue().write_buffer(vectors, 0, bytemuck::cast_slice(&all));
        self.memory.remove(&self.staging.0);
        Ok((self.memory, self.vectors))
    }
}

/// A staging buffer for a window.
fn staging(gpu: &Gpu, memory: &mut Memory, bytes: u64) -> Result<(Value, Arc<Buffer>), GpuError> {
    let value = Value::temporary("staging", bytes);
    let buffer = gpu.storage(value.name(), bytes)?;
    memory.insert(value.clone(), Arc::clone(&buffer));
    Ok((value, buffer))
}
