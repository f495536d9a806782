//! The device: what it can do, its memory, its pipelines, and plans bound to it and replayed without allocation.

mod ahead;
mod buffers;
mod device;
mod error;
mod memory;
mod pipelines;
mod program;
mod scopes;
mod timing;

pub use ahead::{CompileAhead, Kernel};
pub use buffers::{Buffer, Readback};
pub use device::{Gpu, GpuOptions, Report};
pub use error::GpuError;
pub use memory::Memory;
pub use program::{Program, Uses};
pub use timing::Timer;
