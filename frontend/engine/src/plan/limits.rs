//! The device properties that plans depend on.

use serde::Deserialize;

/// The device properties that plans depend on. The default is what most graphics cards support.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Whether the device is a software device.
    pub software: bool,
    /// Whether to use only features that every device has.
    pub portable: bool,
    /// Maximum number of storage buffers per kernel.
    pub storage_buffers: u32,
    /// Maximum size of a binding in bytes.
    pub largest_binding: u64,
    /// Maximum size in bytes of a part of a matrix that may be split.
    pub largest_part: u64,
    /// What the matrix units multiply that kernels may use, by subgroups of 32 invocations.
    #[serde(skip)]
    pub matrix_units: bool,
    /// Whether rows of prompts are rounded to int8 for products with quantised matrices. Never beside matrix units.
    #[serde(skip)]
    pub packed_tiles: bool,
    /// Alignment of a step's parameters in their buffer, in bytes.
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
            matrix_units: false,
            packed_tiles: false,
            params_alignment: 256,
        }
    }
}
