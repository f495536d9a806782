//! `wgsl/experts/choose.wgsl`: the router's choice for each row of a chunk. The CPU twin is [`super::choice`].

use super::Mixture;
use crate::{PreprocessError, Source, grid};

params! {
    /// The uniform at binding 0.
    #[derive(Default)]
    pub struct Params {
        /// Factor of the logits.
        pub scale: f32,
        /// Offset of the per-expert weight scales in `vectors`.
        pub scales: u32,
        /// Unused.
        pub pad: [u32; 2],
    }
}

/// The shader. Bindings: params, state, logits, vectors, choices.
///
/// # Errors
/// When the template cannot be expanded.
pub fn source(mixture: Mixture) -> Result<Source, PreprocessError> {
    let defines = mixture.defines().set("THREADS", 64);
    Source::build::<Params>("experts/choose.wgsl", format!("experts_choose_{}", mixture.name()), &defines)
}

/// Workgroups for a chunk of `positions`.
#[must_use]
pub const fn dispatch(positions: u32) -> [u32; 3] {
    grid(positions)
}
