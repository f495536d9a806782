//! `wgsl/audio/light_conv.wgsl`: GLU, causal depthwise convolution, norm and SiLU.

use super::silu::silu;
use super::{PAST, STEP, sigmoid};
use crate::case::{Case, CaseError, EPS, Expected, args, as_f32, random};
use crate::math::rms;
use crate::{Defines, Kernel, PreprocessError, Source, grid};

/// The kernel. Bindings: params, state, vectors, x, past, y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LightConv;

params! {
    /// The uniform at binding 0.
    pub struct Params {
        /// Width of a row in vec4s.
        pub width4: u32,
        /// Kernel size of the convolution, including the current position.
        pub taps: u32,
        /// Slots of the ring of past inputs.
        pub slots: u32,
        /// Offset of the weights of the convolution in `vectors`.
        pub weights: u32,
        /// Offset of the norm's weights in `vectors`.
        pub norm: u32,
        /// ε of the norm.
        pub eps: f32,
        /// Unused.
        pub pad: [u32; 2],
    }
}

/// Slots that the ring needs for steps of up to `rows` rows.
pub const fn slots(rows: u32, taps: u32) -> u32 {
    rows + taps.saturating_sub(1)
}

/// Workgroups for a step of `rows`.
pub const fn dispatch(rows: u32) -> [u32; 3] {
    grid(rows)
}

/// CPU twin, for a whole clip: the rows `x` start at position 0.
pub fn light_conv(params: &Params, vectors: &[f32], x: &[f32]) -> Vec<f64> {
    let width = 4 * params.width4 as usize;
    let taps = params.taps as usize;
    let weights = &vectors[params.weights as usize..][..width * taps];
    let norm = &vectors[params.norm as usize..][..width];
    let glu = |row: usize, c: usize| {
        let at = row * 2 * width + c;
        f64::from(x[at]) * sigmoid(f64::from(x[at + width]))
    };
    let mut y = Vec::with_capacity(x.len() / 2);
    for t in 0..x.len() / (2 * width) {
        let at = |c: usize| {
            let seen = (0..taps).filter_map(|j| Some((j, (t + j).checked_sub(taps - 1)?)));
            seen.map(|(j, row)| f64::from(weights[c * taps + j]) * glu(row, c)).sum::<f64>()
        };
        let z: Vec<f64> = (0..width).map(at).collect();
        y.extend(rms(&z, Some(norm), f64::from(params.eps)).into_iter().map(silu));
    }
    y
}

impl Kernel for LightConv {
    fn source(&self) -> Result<Source, PreprocessError> {
        Source::build::<Params>("audio/light_conv.wgsl", "audio_light_conv", &Defines::new())
    }

    /// Returns the gated convolution, for one step.
    fn case(&self) -> Result<Case, CaseError> {
        let (width, taps) = (64_u32, 5);
        let slots = slots(STEP, taps);
        let params =
            Params { width4: width / 4, taps, slots, weights: 0, norm: width * taps, eps: EPS, pad: [0; 2] };
        let vectors = random(86, (width * taps + width) as usize);
        let width = width as usize;
        let x: Vec<f32> =
            random(87, (PAST + STEP) as usize * 2 * width).into_iter().map(|v| 3.0 * v).collect();
        let all = as_f32(&light_conv(&params, &vectors, &x));
        let mut past = vec![0.0; slots as usize * width];
        for (row, x) in x.chunks_exact(2 * width).enumerate().take(PAST as usize) {
            for c in 0..width {
                past[row % slots as usize * width + c] = x[c] / (1.0 + (-x[width + c]).exp());
            }
        }
        let begin = PAST as usize * width;
        let want = all[begin..].to_vec();
        let args = args![
            uniform(&params),
            state(PAST, STEP),
            floats(&vectors),
            floats(&x[2 * begin..]),
            floats(&past),
            zeros(want.len())
        ];
        let grid = dispatch(STEP);
        Ok(Case { args, grid, expected: vec![Expected::new(5, want, 1e-3)] })
    }
}
