//! What the graphics device is.

use serde::{Deserialize, Serialize};

use crate::failure::NoGpu;

/// The adapter that the engine computes on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DeviceReport {
    /// Whether WebGPU gave an adapter at all. When false, only `problem` and `detail` are filled.
    pub available: bool,
    /// Why there is none.
    pub problem: Option<NoGpu>,
    /// The browser's words to that, for diagnostics; may be empty.
    pub detail: String,
    /// Maker, such as `nvidia`; browsers may leave it empty.
    pub vendor: String,
    /// Family, such as `hopper`; may be empty.
    pub architecture: String,
    /// Description; may be empty.
    pub description: String,
    /// Whether it computes in software (SwiftShader, lavapipe): right, but slow.
    pub software: bool,
    /// Whether the adapter offers `shader-f16`. The engine does without.
    pub shader_f16: bool,
    /// Subgroup size range, where the adapter offers subgroups.
    pub subgroups: Option<(u32, u32)>,
    /// Whether prompts are multiplied by matrix units.
    pub matrix_units: bool,
    /// Whether timestamps can be queried.
    pub timestamps: bool,
    /// Bytes of graphics memory that it is taken to have for models: browsers don't say. Loads correct it.
    pub memory: u64,
    /// Largest buffer in bytes.
    pub max_buffer_size: u64,
    /// Largest storage binding in bytes.
    pub max_binding_size: u64,
    /// Limits by name, for diagnostics.
    pub limits: Vec<(String, u64)>,
    /// Features that the adapter offers, by name, for diagnostics.
    pub features: Vec<String>,
}
