//! Uploading file bytes to buffers.

use super::{Buffer, Gpu};
use crate::bytes::Bytes;

/// WebGPU writes whole 32-bit words (`COPY_BUFFER_ALIGNMENT`).
const WORD: usize = wgpu::COPY_BUFFER_ALIGNMENT as usize;

/// Why an upload failed.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum UploadError {
    /// Offsets must be multiples of four.
    #[error("offset {offset} is not a multiple of 4")]
    Misaligned { offset: u64 },
    /// The bytes, padded to whole words, do not fit the buffer.
    #[error("{len} bytes at offset {offset} do not fit a buffer of {size} bytes")]
    TooLarge {
        /// Bytes to write, padding included.
        len: u64,
        offset: u64,
        size: u64,
    },
    /// The browser refused, as it does when the device is lost or out of memory.
    #[error("the browser refused to copy to the graphics device: {reason}")]
    Refused { reason: String },
}

impl Gpu {
    /// Queues a copy of bytes to a buffer, at `offset` bytes (a multiple of 4). The last word is padded with zeros.
    /// In the browser, only that word passes through wasm memory.
    ///
    /// # Errors
    /// When the offset is not aligned, the padded bytes do not fit the buffer, or the browser refuses.
    pub fn upload(&self, bytes: &Bytes, buffer: &Buffer, offset: u64) -> Result<(), UploadError> {
        let words = bytes.len() / WORD * WORD;
        check_write(bytes.len(), offset, buffer.size())?;
        if words > 0 {
            self.upload_words(&bytes.slice(0..words), buffer, offset)?;
        }
        if words < bytes.len() {
            let mut tail = [0; WORD];
            bytes.slice(words..bytes.len()).copy_to(&mut tail[..bytes.len() - words]);
            self.queue.write_buffer(buffer, offset + words as u64, &tail);
        }
        Ok(())
    }

    fn upload_words(&self, bytes: &Bytes, buffer: &Buffer, offset: u64) -> Result<(), UploadError> {
        #[cfg(target_arch = "wasm32")]
        if bytes.in_memory().is_none()
            && let (Some(queue), Some(buffer)) = (self.queue.as_webgpu(), buffer.as_webgpu())
        {
            let written = queue.write_buffer_with_f64_and_u8_array_and_f64_and_f64(
                buffer,
                offset as f64,
                &bytes.to_js(),
                0.0,
                bytes.len() as f64,
            );
            let refused = |error| UploadError::Refused { reason: crate::bytes::web::error_text(&error) };
            return written.map_err(refused);
        }
        match bytes.in_memory() {
            Some(bytes) => self.queue.write_buffer(buffer, offset, bytes),
            // Not the browser's backend: copy through memory.
            None => self.queue.write_buffer(buffer, offset, &bytes.to_vec()),
        }
        Ok(())
    }
}

/// Checks that `len` bytes, padded to whole words, may be written at `offset` of a buffer of `size` bytes.
fn check_write(len: usize, offset: u64, size: u64) -> Result<(), UploadError> {
    if !offset.is_multiple_of(WORD as u64) {
        return Err(UploadError::Misaligned { offset });
    }
    let len = len.next_multiple_of(WORD) as u64;
    match offset.checked_add(len) {
        Some(end) if end <= size => Ok(()),
        _ => Err(UploadError::TooLarge { len, offset, size }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_are_checked_with_their_padding() {
        assert!(check_write(8, 4, 12).is_ok());
        assert!(check_write(5, 4, 12).is_ok());
        assert!(matches!(check_write(9, 4, 12), Err(UploadError::TooLarge { len: 12, offset: 4, size: 12 })));
        assert!(matches!(check_write(4, 2, 12), Err(UploadError::Misaligned { offset: 2 })));
        assert!(matches!(check_write(4, u64::MAX - 3, 12), Err(UploadError::TooLarge { .. })));
    }
}
