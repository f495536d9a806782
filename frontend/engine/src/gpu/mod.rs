//! The device: what it can do, its buffers, its pipelines, and lists of dispatches replayed without allocation.

mod ahead;
mod buffers;
mod device;
mod error;
mod pipelines;
mod scopes;
mod steps;
mod timing;

pub use ahead::{CompileAhead, Kernel};
pub use buffers::{Buffer, Readback};
pub use device::{Gpu, GpuOptions, Report};
pub use error::GpuError;
pub use steps::{Grid, Reads, Step, Steps, Uses};
pub use timing::Timer;
