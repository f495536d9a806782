//! `wgsl/experts/choose.wgsl`: the router's choice for each row of a chunk. Its twin is [`super::choice`].

use bytemuck::{Pod, Zeroable};

use super::Mixture;
use crate::{Binding, PreprocessError, Source, grid};

/// The uniform at binding 0.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Params {
    /// What the logits are multiplied with.
    pub scale: f32,
    /// Where the scale of each expert's weight begins in `vectors`.
    pub scales: u32,
    /// Unused.
    pub pad: [u32; 2],
}

/// The shader. Bindings: params, state, logits, vectors, choices.
///
/// # Errors
/// A fault of the template.
pub fn source(mixture: Mixture) -> Result<Source, PreprocessError> {
    let bindings = vec![Binding::Uniform, Binding::Read, Binding::Read, Binding::Read, Binding::ReadWrite];
    let defines = mixture.defines().set("THREADS", 64);
    Source::build("experts/choose.wgsl", format!("experts_choose_{}", mixture.name()), &defines, bindings)
}

/// Workgroups for a chunk of `positions`.
#[must_use]
pub const fn dispatch(positions: u32) -> [u32; 3] {
    grid(positions)
}
