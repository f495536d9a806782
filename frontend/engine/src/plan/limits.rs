//! What of a device a plan depends on.

/// What of a device a plan depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Whether the device is a processor that plays one.
    pub software: bool,
    /// Whether only what every device has is to be used.
    pub portable: bool,
    /// Storage buffers that a kernel may bind.
    pub storage_buffers: u32,
    /// Bytes of the largest binding.
    pub largest_binding: u64,
    /// Bytes that a part of a matrix should not exceed where the matrix may lie in several buffers.
    pub largest_part: u64,
}
