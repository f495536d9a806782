//! Launcher and CPU twin of `wgsl/backward/norm.wgsl`: the gradient through an RMS norm over rows.

use crate::{Defines, PreprocessError, Source, grid};

params! {
    /// The uniform at binding 0. Then: state, vectors, x, dy, dx.
    pub struct Params {
        /// Width of a row in vec4s.
        pub width4: u32,
        /// Offset of the weights in `vectors`.
        pub norm: u32,
        /// If not 0, the result is added to dx.
        pub add: u32,
        /// ε of the norm.
        pub eps: f32,
    }
}

/// Returns the shader.
pub fn source() -> Result<Source, PreprocessError> {
    Source::build::<Params>("backward/norm.wgsl", "backward_norm", &Defines::new())
}

/// Workgroups for `rows` rows.
pub const fn dispatch(rows: u32) -> [u32; 3] {
    grid(rows)
}

/// CPU twin for one row: `dx` of `y = rms(x; weights)`. `None`: a norm without weights.
pub fn norm(x: &[f64], weights: Option<&[f32]>, dy: &[f64], eps: f64) -> Vec<f64> {
    let n = x.len() as f64;
    let r = (x.iter().map(|v| v * v).sum::<f64>() / n + eps).sqrt().recip();
    let g: Vec<f64> =
        dy.iter().enumerate().map(|(i, d)| d * weights.map_or(1.0, |w| f64::from(w[i]))).collect();
    let products: f64 = g.iter().zip(x).map(|(g, x)| g * x).sum();
    g.iter().zip(x).map(|(g, x)| r * g - x * r * r * r / n * products).collect()
}
