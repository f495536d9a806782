//! `wgsl/vision/layer_norm.wgsl`: layer norm over rows, with the additions of the encoder-free model.

use crate::case::{Case, CaseError, EPS, Expected, args, random};
use crate::math::rms;
use crate::{Defines, Kernel, PreprocessError, Source, grid};

/// One permutation of the kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LayerNorm {
    /// Whether a vector is added first.
    pub bias: bool,
    /// Whether an RMS norm without weights follows.
    pub rms: bool,
}

params! {
    /// The uniform at binding 0. Then: the state, vectors, x and y.
    #[derive(Default)]
    pub struct Params {
        /// Width of a row in vec4s.
        pub width4: u32,
        /// Offset of the weights in `vectors`.
        pub weight: u32,
        /// Offset of the bias.
        pub bias: u32,
        /// Offset of the vector that is added first.
        pub before: u32,
        /// ε of the layer norm.
        pub eps: f32,
        /// ε of the RMS norm.
        pub rms_eps: f32,
        /// Unused.
        pub pad: [u32; 2],
    }
}

impl LayerNorm {}

/// Workgroups for `rows` rows.
pub const fn dispatch(rows: u32) -> [u32; 3] {
    grid(rows)
}

/// CPU twin.
pub fn layer_norm(form: LayerNorm, params: &Params, vectors: &[f32], x: &[f32]) -> Vec<f32> {
    let width = 4 * params.width4 as usize;
    let at = |begin: u32, i: usize| f64::from(vectors[begin as usize + i]);
    let mut y = Vec::with_capacity(x.len());
    for row in x.chunks_exact(width) {
        let mut v: Vec<f64> = row.iter().map(|&x| x.into()).collect();
        if form.bias {
            v.iter_mut().enumerate().for_each(|(i, v)| *v += at(params.before, i));
        }
        let mean = v.iter().sum::<f64>() / width as f64;
        let variance = v.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / width as f64;
        let factor = (variance + f64::from(params.eps)).sqrt().recip();
        for (i, v) in v.iter_mut().enumerate() {
            *v = (*v - mean) * factor * at(params.weight, i) + at(params.bias, i);
        }
        let v = if form.rms { rms(&v, None, params.rms_eps.into()) } else { v };
        y.extend(v.into_iter().map(|v| v as f32));
    }
    y
}

impl Kernel for LayerNorm {
    fn source(&self) -> Result<Source, PreprocessError> {
        let defines = Defines::new().set("BIAS", self.bias).set("RMS", self.rms);
        let bias = if self.bias { "_bias" } else { "" };
        let name = format!("vision_layer_norm{bias}{}", if self.rms { "_rms" } else { "" });
        Source::build::<Params>("vision/layer_norm.wgsl", name, &defines)
    }

    fn case(&self) -> Result<Case, CaseError> {
        let (width, rows) = (256_u32, 3);
        // An offset that a norm without a mean would not remove.
        let x: Vec<f32> = random(80, (width * rows) as usize).into_iter().map(|v| v + 3.0).collect();
        let vectors = random(81, 3 * width as usize);
        let params = Params {
            width4: width / 4,
            weight: 0,
            bias: width,
            before: 2 * width,
            eps: 1e-5,
            rms_eps: EPS,
            ..Params::default()
        };
        let want = layer_norm(*self, &params, &vectors, &x);
        let args = args![uniform(&params), state(0, rows), floats(&vectors), floats(&x), zeros(want.len())];
        let grid = dispatch(rows);
        Ok(Case { args, grid, expected: vec![Expected::new(4, want, 1e-3)] })
    }
}
