//! What of a device a plan depends on.

use serde::Deserialize;

/// What of a device a plan depends on. By default it is what most graphics cards allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
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
    /// Bytes of which the place of a step's parameters in their buffer is a multiple.
    pub params_alignment: u64,
}

impl Default for Limits {
    fn default() -> Self {
        let largest = (1 << 31) - 4;
        Self {
            software: false,
            portable: false,
            storage_buffers: 9,
            largest_binding: largest,
            largest_part: largest,
            params_alignment: 256,
        }
    }
}
