//! The device: its limits, memory and pipelines, and programs (plans bound to buffers) that run without allocation.

mod ahead;
mod buffers;
mod device;
mod device_class;
mod error;
mod kernel;
mod memory;
mod paced_queue;
mod pipelines;
mod program;
mod scopes;
mod timing;
mod upload;

pub use buffers::{Buffer, BufferRange, Readback};
pub use device::{Gpu, GpuOptions, Report};
pub use device_class::{DeviceClass, DeviceHints};
pub use error::GpuError;
pub use kernel::{CompileAhead, Kernel};
pub use memory::Memory;
pub use paced_queue::{PacedQueue, Rows, WorkPerSubmit};
pub use program::{Program, Uses};
pub use timing::{Timed, Timer};
pub use upload::UploadError;
