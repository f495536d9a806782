//! What can go wrong with a device.

use crate::plan::PlanError;

/// A fault of the device or of what was asked of it.
#[derive(Clone, Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum GpuError {
    /// No adapter: no WebGPU, or no driver.
    #[error("no graphics adapter: {reason}")]
    NoAdapter { reason: String },
    /// The adapter gave no device.
    #[error("the graphics adapter gave no device: {reason}")]
    NoDevice { reason: String },
    /// The device has run out of memory.
    #[error("the graphics device has no room for {bytes} more bytes ({label}); {in_use} bytes are in use")]
    OutOfMemory { label: String, bytes: u64, in_use: u64 },
    /// A buffer or binding is larger than the device allows.
    #[error("{label} needs a buffer of {bytes} bytes; this device allows {limit}")]
    TooLarge { label: String, bytes: u64, limit: u64 },
    /// A kernel was refused. On the web a refused kernel is silent: it must be asked for.
    #[error("kernel {kernel} was refused: {reason}")]
    Kernel { kernel: String, reason: String },
    /// What was to be done could not be described.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A fault of this program: a value was bound that has no buffer.
    #[error("{value} is not on the device")]
    Unallocated { value: String },
    /// The device was lost.
    #[error("the graphics device was lost: {reason}")]
    Lost { reason: String },
    /// Something else the device complained about.
    #[error("the graphics device reported: {reason}")]
    Fault { reason: String },
}

impl From<shaders::PreprocessError> for GpuError {
    fn from(error: shaders::PreprocessError) -> Self {
        PlanError::from(error).into()
    }
}
