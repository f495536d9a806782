//! All WGSL kernels of gemtab, each with a launcher and a CPU twin. No GPU types: only texts, layouts and
//! arithmetic.
//!
//! A family of kernels is a folder in `wgsl/` and a module here. A launcher has the parameter struct and the number of
//! workgroups, and implements [`Kernel`]: the [`Source`], and the case of the self-test. The CPU twin is the reference that
//! tests compare the kernel with. Kernels of training have a source and no case.

#![cfg_attr(test, allow(clippy::unwrap_used))]

#[macro_use]
mod params;

pub mod adapter;
pub mod attention;
pub mod audio;
pub mod backward;
pub mod bandwidth;
pub mod case;
pub mod diffusion;
pub mod draft;
mod dtype;
pub mod embed;
pub mod experts;
pub mod forms;
mod kernel;
mod kv_type;
pub mod math;
pub mod matmul;
pub mod matrix_units;
pub mod matvec;
pub mod planes;
pub mod ple;
mod preprocess;
pub mod quant;
pub mod repack;
pub mod rope;
pub mod rows;
pub mod sampling;
pub mod selftest;
pub mod state;
pub mod train;
pub mod vision;

pub use dtype::DType;
pub use kernel::{Access, Binding, Kernel, Source, grid};
pub use params::{Field, WgslStruct};
pub use planes::{LayoutError, PlanarLayout, Planes};
pub use preprocess::{Defines, PreprocessError};
