//! Launcher and CPU twin of `wgsl/bandwidth/copy.wgsl`: y = x.

use crate::{Defines, PreprocessError, Source};

/// Workgroups that keep the largest devices busy; each invocation takes many elements where there are more.
const MOST_WORKGROUPS: u32 = 8192;
/// Elements (of 16 bytes) of a workgroup's pass.
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
        [self.count.div_ceil(ELEMENTS).min(MOST_WORKGROUPS), 1, 1]
    }
}

/// The shader.
///
/// # Errors
/// A fault of the template.
pub fn source() -> Result<Source, PreprocessError> {
    Source::build::<Params>("bandwidth/copy.wgsl", "bandwidth_copy", &Defines::new())
}

/// The twin: `y` after the copy of `params.count` elements.
#[must_use]
pub fn copy(params: &Params, x: &[u32], y: &[u32]) -> Vec<u32> {
    let words = 4 * params.count as usize;
    x[..words].iter().chain(&y[words..]).copied().collect()
}
