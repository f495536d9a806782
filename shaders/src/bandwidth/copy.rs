//! Launcher and CPU twin of `wgsl/bandwidth/copy.wgsl`: y = x.

use crate::case::{Case, CaseError, Expected, args, random};
use crate::{Defines, Kernel, PreprocessError, Source};

/// Enough workgroups for the largest devices. With more elements, each thread copies several.
const MAX_WORKGROUPS: u32 = 8192;
/// Elements (of 16 bytes) per workgroup and iteration.
const ELEMENTS: u32 = 256;

/// The kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BandwidthCopy;

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
    pub const fn new(count: u32) -> Self {
        Self { count, pad: [0; 3] }
    }

    /// Workgroups.
    pub fn dispatch(&self) -> [u32; 3] {
        [self.count.div_ceil(ELEMENTS).min(MAX_WORKGROUPS), 1, 1]
    }
}

/// CPU twin: `y` after copying `params.count` elements.
pub fn copy(params: &Params, x: &[u32], y: &[u32]) -> Vec<u32> {
    let words = 4 * params.count as usize;
    x[..words].iter().chain(&y[words..]).copied().collect()
}

impl Kernel for BandwidthCopy {
    fn source(&self) -> Result<Source, PreprocessError> {
        Source::build::<Params>("bandwidth/copy.wgsl", "bandwidth_copy", &Defines::new())
    }

    fn case(&self) -> Result<Case, CaseError> {
        let params = Params::new(1001);
        let (x, y) = (random(60, 4004), vec![0.0_f32; 4008]);
        let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        let want = copy(&params, &bits(&x), &bits(&y)).into_iter().map(f32::from_bits).collect();
        let args = args![uniform(&params), floats(&x), zeros(4008)];
        Ok(Case { args, grid: params.dispatch(), expected: vec![Expected::new(2, want, 0.0)] })
    }
}
