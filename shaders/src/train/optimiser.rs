//! Launchers and CPU twin of `wgsl/train/squares.wgsl` and `adamw.wgsl`.

use crate::{Defines, PreprocessError, Source, grid};

/// Number of partial sums per buffer.
pub const PARTIAL_SUMS: u32 = 64;

params! {
    /// The uniform of the sum of squares. Then: values, sums.
    #[derive(Default, Eq)]
    pub struct SquaresParams {
        /// Number of elements.
        pub count: u32,
        /// Offset of the first of [`PARTIAL_SUMS`] results.
        pub at: u32,
        /// Unused.
        pub pad: [u32; 2],
    }
}

/// Returns the sum of squares of a buffer, in [`PARTIAL_SUMS`] parts, one per workgroup.
pub fn squares() -> Result<Source, PreprocessError> {
    Source::build::<SquaresParams>("train/squares.wgsl", "train_squares", &Defines::new())
}

params! {
    /// The uniform of AdamW. Then: gradients, θ, m, v, all of one length.
    #[derive(Default)]
    pub struct AdamW {
        /// Learning rate.
        pub rate: f32,
        /// Learning rate times weight decay.
        pub decay: f32,
        /// β1.
        pub beta1: f32,
        /// β2.
        pub beta2: f32,
        /// ε.
        pub eps: f32,
        /// `1/(1 − β1^t)`
        pub correction1: f32,
        /// `1/(1 − β2^t)`
        pub correction2: f32,
        /// Factor of the gradients, for clipping.
        pub clip: f32,
    }
}

impl AdamW {
    /// Step `step` (from 0) with β1 = 0.9, β2 = 0.999 and ε = 1e-8 (specification §12.4).
    pub fn new(step: u32, rate: f64, weight_decay: f64, clip: f64) -> Self {
        const BETA1: f64 = 0.9;
        const BETA2: f64 = 0.999;
        let t = f64::from(step) + 1.0;
        Self {
            rate: rate as f32,
            decay: (rate * weight_decay) as f32,
            beta1: BETA1 as f32,
            beta2: BETA2 as f32,
            eps: 1e-8,
            correction1: (1.0 / (1.0 - BETA1.powf(t))) as f32,
            correction2: (1.0 / (1.0 - BETA2.powf(t))) as f32,
            clip: clip as f32,
        }
    }

    /// Returns the shader.
    pub fn source() -> Result<Source, PreprocessError> {
        Source::build::<Self>("train/adamw.wgsl", "train_adamw", &Defines::new())
    }

    /// Workgroups for `count` elements.
    pub const fn dispatch(count: u32) -> [u32; 3] {
        grid(count.div_ceil(256))
    }

    /// CPU twin for one element: the new θ, m and v.
    pub fn step(&self, gradient: f64, theta: f64, m: f64, v: f64) -> [f64; 3] {
        let g = f64::from(self.clip) * gradient;
        let (beta1, beta2) = (f64::from(self.beta1), f64::from(self.beta2));
        let m = beta1 * m + (1.0 - beta1) * g;
        let v = beta2 * v + (1.0 - beta2) * g * g;
        let change = m * f64::from(self.correction1)
            / ((v * f64::from(self.correction2)).sqrt() + f64::from(self.eps));
        [theta * (1.0 - f64::from(self.decay)) - f64::from(self.rate) * change, m, v]
    }
}
