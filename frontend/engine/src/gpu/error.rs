//! Errors of a device.

use crate::plan::PlanError;

/// An error of the device or of a request to it.
#[derive(Clone, Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum GpuError {
    /// No adapter: no WebGPU, or no driver.
    #[error("no graphics adapter: {reason}")]
    NoAdapter { reason: String },
    /// The adapter did not return a device.
    #[error("the graphics adapter gave no device: {reason}")]
    NoDevice { reason: String },
    /// The device has run out of memory.
    #[error("the graphics device has no room for {bytes} more bytes ({label}); {in_use} bytes are in use")]
    OutOfMemory { label: String, bytes: u64, in_use: u64 },
    /// A buffer or binding is larger than the device allows.
    #[error("{label} needs a buffer of {bytes} bytes; this device allows {limit}")]
    TooLarge { label: String, bytes: u64, limit: u64 },
    /// A kernel was rejected. In a browser this is silent unless it is queried.
    #[error("kernel {kernel} was refused: {reason}")]
    Kernel { kernel: String, reason: String },
    /// A plan could not be built.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// An internal error: a value without a buffer was bound.
    #[error("{value} is not on the device")]
    Unallocated { value: String },
    /// The device was lost.
    #[error("the graphics device was lost: {reason}")]
    Lost { reason: String },
    /// Any other error of the device.
    #[error("the graphics device reported: {reason}")]
    Fault { reason: String },
}

impl From<shaders::PreprocessError> for GpuError {
    fn from(error: shaders::PreprocessError) -> Self {
        PlanError::from(error).into()
    }
}
