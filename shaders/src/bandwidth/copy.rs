//! Launcher and CPU twin of `wgsl/bandwidth/copy.wgsl`: y = x.

use crate::{Defines, PreprocessError, Source};

/// Enough workgroups for the largest devices. With more elements, each thread copies several.
const MAX_WORKGROUPS: u32 = 8192;
/// Elements (of 16 bytes) per workgroup and iteration.
const ELEMENTS: u32 = 256;

params! {
    /// The uniform at binding 0. Then x and y.
    #[derive(Eq)]
    pub struct Params {
        /// Elements of 16 bytes.
        pub count: u32,
        /// Unused.
        pub pad: [u32; 3],
    }
}

impl Params {
    /// Copies `count` elements of 16 bytes.
    #[must_use]
    pub const fn new(count: u32) -> Self {
        Self { count, pad: [0; 3] }
    }

    /// Workgroups.
    #[must_use]
    pub fn dispatch(&self) -> [u32; 3] {
        [self.count.div_ceil(ELEMENTS).min(MAX_WORKGROUPS), 1, 1]
    }
}

/// The shader.
///
/// # Errors
/// When the template cannot be expanded.
pub fn source() -> Result<Source, PreprocessError> {
    Source::build::<Params>("bandwidth/copy.wgsl", "bandwidth_copy", &Defines::new())
}

/// CPU twin: `y` after copying `params.count` elements.
#[must_use]
pub fn copy(params: &Params, x: &[u32], y: &[u32]) -> Vec<u32> {
    let words = 4 * params.count as usize;
    x[..words].iter().chain(&y[words..]).copied().collect()
}
