//! Memory bandwidth: the upper bound for kernels that read weights.

pub mod copy;
