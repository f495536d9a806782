//! Buffers with accounting, and readback.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_channel::oneshot;
use futures_util::future::join;
use web_time::Instant;

use super::{Gpu, GpuError};
use crate::plan::rounded;

/// Readbacks of the idle device of which the fastest counts.
const IDLE_READBACKS: usize = 4;

/// A buffer that is subtracted from the bytes in use when it is dropped.
#[derive(Debug)]
pub struct Buffer {
    buffer: wgpu::Buffer,
    size: u64,
    count: Arc<AtomicU64>,
}

impl Buffer {
    /// Bytes that it has room for.
    pub fn size(&self) -> u64 {
        self.size
    }
}

impl std::ops::Deref for Buffer {
    type Target = wgpu::Buffer;

    fn deref(&self) -> &wgpu::Buffer {
        &self.buffer
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.count.fetch_sub(self.buffer.size(), Ordering::Relaxed);
        // Not left to the browser's garbage collector, which does not know the size.
        self.buffer.destroy();
    }
}

/// Bytes of a buffer.
#[derive(Clone)]
pub struct BufferRange {
    /// The buffer.
    pub buffer: Arc<Buffer>,
    /// The first byte.
    pub offset: u64,
    /// How many.
    pub bytes: u64,
}

impl Gpu {
    /// Creates a zeroed buffer of at least `bytes` bytes ([`rounded`]) after checking the device's limit.
    /// Running out of memory shows in [`Gpu::allocating`].
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] when it is larger than the device allows.
    // In a browser, nothing of a device is Send; natively it is, and the code is the same.
    #[cfg_attr(target_arch = "wasm32", allow(clippy::arc_with_non_send_sync))]
    pub fn buffer(
        &self,
        label: &str,
        bytes: u64,
        usage: wgpu::BufferUsages,
    ) -> Result<Arc<Buffer>, GpuError> {
        let size = rounded(bytes);
        let limit = if usage.contains(wgpu::BufferUsages::STORAGE) {
            self.max_binding()
        } else {
            self.limits.max_buffer_size
        };
        if size > limit {
            return Err(GpuError::TooLarge { label: label.to_owned(), bytes, limit });
        }
        #[cfg(test)]
        self.staged.happen(&self.fault);
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size,
            usage,
            mapped_at_creation: false,
        });
        self.bytes.fetch_add(size, Ordering::Relaxed);
        self.buffers_created.fetch_add(1, Ordering::Relaxed);
        Ok(Arc::new(Buffer { buffer, size, count: Arc::clone(&self.bytes) }))
    }

    /// Returns a storage buffer that can be written, copied from and copied to.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] when it is larger than the device allows.
    pub fn storage(&self, label: &str, bytes: u64) -> Result<Arc<Buffer>, GpuError> {
        use wgpu::BufferUsages as U;
        self.buffer(label, bytes, U::STORAGE | U::COPY_DST | U::COPY_SRC)
    }

    /// Returns a storage buffer with this content.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] when it is larger than the device allows.
    pub fn storage_with<T: bytemuck::Pod>(
        &self,
        label: &str,
        content: &[T],
    ) -> Result<Arc<Buffer>, GpuError> {
        let buffer = self.storage(label, size_of_val(content) as u64)?;
        self.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(content));
        Ok(buffer)
    }

    /// Returns a uniform buffer with this content.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] when it is larger than the device allows.
    pub fn uniform_with(&self, label: &str, content: &[u8]) -> Result<Arc<Buffer>, GpuError> {
        use wgpu::BufferUsages as U;
        let buffer = self.buffer(label, content.len() as u64, U::UNIFORM | U::COPY_DST)?;
        self.queue.write_buffer(&buffer, 0, content);
        Ok(buffer)
    }

    /// Runs `work`, and reports out-of-memory errors during it.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`], [`GpuError::Fault`] for another failure, or the error of `work`.
    pub async fn allocating<T>(
        &self,
        label: &str,
        bytes: u64,
        work: impl FnOnce() -> Result<T, GpuError>,
    ) -> Result<T, GpuError> {
        let in_use = self.bytes_in_use();
        if in_use.saturating_add(bytes) > self.memory_limit() {
            return Err(GpuError::OutOfMemory { label: label.to_owned(), bytes, in_use });
        }
        let no_room = self.scope(wgpu::ErrorFilter::OutOfMemory);
        let internal = self.scope(wgpu::ErrorFilter::Internal);
        let result = work();
        let internal = internal.pop();
        match join(no_room.pop(), internal).await {
            (Some(_), _) => Err(GpuError::OutOfMemory { label: label.to_owned(), bytes, in_use }),
            (None, Some(error)) => Err(GpuError::Fault { reason: format!("{label}: {error}") }),
            (None, None) => result,
        }
    }

    /// Creates a readback buffer of `bytes` bytes.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] when it is larger than the device allows.
    pub fn readback(&self, label: &str, bytes: u64) -> Result<Readback, GpuError> {
        use wgpu::BufferUsages as U;
        Ok(Readback::new(self.buffer(label, bytes, U::MAP_READ | U::COPY_DST)?))
    }

    /// Reads a range of a buffer once, for tests and diagnostics. Allocates a buffer.
    ///
    /// # Errors
    /// Same as [`Readback::read`].
    pub async fn read_once(
        &self,
        source: &wgpu::Buffer,
        offset: u64,
        bytes: u64,
    ) -> Result<Vec<u8>, GpuError> {
        let readback = self.readback("read once", bytes)?;
        readback.submit(self, self.encoder(), source, offset, bytes);
        readback.read(self, bytes).await
    }

    /// Reads ranges of buffers, one behind the other. Offsets and lengths are multiples of four. Allocates a buffer.
    ///
    /// # Errors
    /// Same as [`Readback::read`].
    pub async fn read_ranges(&self, ranges: &[BufferRange]) -> Result<Vec<u8>, GpuError> {
        let bytes = ranges.iter().map(|range| range.bytes).sum();
        let readback = self.readback("ranges", bytes)?;
        let (mut encoder, mut at) = (self.encoder(), 0);
        for range in ranges {
            encoder.copy_buffer_to_buffer(&range.buffer, range.offset, &readback.buffer, at, range.bytes);
            at += range.bytes;
        }
        readback.copied_by.replace(Some(self.submit(encoder)));
        readback.read(self, bytes).await
    }

    /// Milliseconds that a readback of the idle device takes at least. A browser may report it late, and a moment in which the
    /// page was busy says nothing about that.
    ///
    /// # Errors
    /// Same as [`Readback::read`].
    pub async fn idle_readback_ms(&self) -> Result<f64, GpuError> {
        let mut least = f64::INFINITY;
        for _ in 0..IDLE_READBACKS {
            least = least.min(self.one_idle_readback_ms().await?);
        }
        Ok(least)
    }

    /// As [`Self::idle_readback_ms`], of one readback.
    ///
    /// # Errors
    /// Same as [`Readback::read`].
    pub async fn one_idle_readback_ms(&self) -> Result<f64, GpuError> {
        let buffer = self.storage("idle readback", 4)?;
        self.drained().await?;
        let began = Instant::now();
        self.read_once(&buffer, 0, 4).await?;
        Ok(began.elapsed().as_secs_f64() * 1000.0)
    }
}

/// A mappable buffer that results are copied to.
#[derive(Debug)]
pub struct Readback {
    pub(super) buffer: Arc<Buffer>,
    copied_by: RefCell<Option<wgpu::SubmissionIndex>>,
    /// Tells when the buffer is mapped, if that was asked for and not awaited yet.
    mapped: RefCell<Option<Mapping>>,
}

type Mapping = oneshot::Receiver<Result<(), wgpu::BufferAsyncError>>;

impl Readback {
    /// Reads back to a buffer of [`crate::plan::Origin::Readback`].
    pub fn new(buffer: Arc<Buffer>) -> Self {
        Self { buffer, copied_by: RefCell::default(), mapped: RefCell::default() }
    }

    /// Ends `encoder` with a copy of `bytes` bytes of `source` from `offset` on, and submits it. The result is asked for at
    /// once, so that several readbacks are on their way at a time: a browser may be slow to report each.
    pub fn submit(
        &self,
        gpu: &Gpu,
        mut encoder: wgpu::CommandEncoder,
        source: &wgpu::Buffer,
        offset: u64,
        bytes: u64,
    ) {
        self.encode(&mut encoder, source, offset, bytes);
        self.copied_by.replace(Some(gpu.submit(encoder)));
        self.mapped.replace(Some(self.map(bytes)));
    }

    /// Encodes the copy alone. [`Self::read`] then waits for all submitted work.
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder, source: &wgpu::Buffer, offset: u64, bytes: u64) {
        if self.mapped.take().is_some() {
            // Nobody has read the last copy. A mapped buffer cannot be copied to.
            self.buffer.unmap();
        }
        self.copied_by.take();
        encoder.copy_buffer_to_buffer(source, offset, &self.buffer, 0, bytes.next_multiple_of(4));
    }

    fn map(&self, bytes: u64) -> Mapping {
        let (done, mapped) = oneshot::channel();
        self.buffer.map_async(wgpu::MapMode::Read, 0..bytes.next_multiple_of(8), move |result| {
            // The receiver is gone only if nobody waits any more.
            done.send(result).ok();
        });
        mapped
    }

    /// Waits for the last submitted copy (not for later submits) and returns the first `bytes` bytes.
    ///
    /// # Errors
    /// [`GpuError::Lost`] when the device was lost meanwhile, [`GpuError::Fault`] for any error it reported.
    pub async fn read(&self, gpu: &Gpu, bytes: u64) -> Result<Vec<u8>, GpuError> {
        let mapped = self.mapped.take().unwrap_or_else(|| self.map(bytes));
        // Also if the reader is dropped while it waits: a mapped buffer cannot be copied to.
        let mapping = Mapped(&self.buffer);
        #[cfg(not(target_arch = "wasm32"))]
        gpu.wait_for(self.copied_by.take())?;
        let result = mapped.await;
        if !matches!(result, Ok(Ok(()))) {
            std::mem::forget(mapping);
            gpu.check()?;
            return Err(GpuError::Fault { reason: "a buffer could not be read back".into() });
        }
        gpu.check()?;
        match self.buffer.get_mapped_range(0..bytes.next_multiple_of(8)) {
            Ok(view) => Ok(view[..bytes as usize].to_vec()),
            Err(e) => Err(GpuError::Fault { reason: e.to_string() }),
        }
    }
}

impl Drop for Readback {
    fn drop(&mut self) {
        // The buffer may be used on.
        if self.mapped.take().is_some() {
            self.buffer.unmap();
        }
    }
}

/// A buffer that is mapped, or about to be.
struct Mapped<'b>(&'b Buffer);

impl Drop for Mapped<'_> {
    fn drop(&mut self) {
        self.0.unmap();
    }
}
