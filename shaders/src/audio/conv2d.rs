//! `wgsl/audio/conv2d.wgsl`: a subsampling convolution with layer norm and ReLU.

use crate::case::{Case, CaseError, EPS, Expected, args, as_f32, random};
use crate::{Defines, Kernel, PreprocessError, Source};

/// Groups of channels per workgroup.
const GROUPS: u32 = 8;
/// Maximum number of channels: each thread keeps an eighth of them in registers.
pub const MAX_CHANNELS: u32 = 256;
/// Input and output channels of the two convolutions in every published tower.
pub const CHANNELS: [(u32, u32); 2] = [(1, 128), (128, 32)];

/// The kernel for one number of channels.
///
/// Bindings: params, vectors, x, y.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Conv2d {
    channels: u32,
    chunk: u32,
}

params! {
    /// The uniform at binding 0.
    pub struct Params {
        /// Position of output row 0 in the clip; −1 for the padding row in front.
        pub first: i32,
        /// Number of positions in the clip. Rows at other positions are zeros.
        pub end: i32,
        /// Frequencies of the input.
        pub freq_in: u32,
        /// Frequencies of the output: half of the input's, rounded up.
        pub freq_out: u32,
        /// Channels of the input.
        pub channels_in: u32,
        /// Offset of w in `vectors`.
        pub weights: u32,
        /// Offset of the norm's weights in `vectors`.
        pub norm: u32,
        /// ε of the norm.
        pub eps: f32,
    }
}

impl Conv2d {
    /// Returns whether the kernel supports these numbers of channels.
    pub const fn takes(channels_in: u32, channels: u32) -> bool {
        channels.is_multiple_of(GROUPS)
            && channels > 0
            && channels <= MAX_CHANNELS
            && (channels_in == 1 || (channels_in > 0 && channels_in.is_multiple_of(16)))
    }

    /// Returns the kernel for numbers of channels that [`takes`](Self::takes) accepts.
    pub const fn new(channels_in: u32, channels: u32) -> Self {
        Self { channels, chunk: if channels_in == 1 { 1 } else { 16 } }
    }

    /// Workgroups for `rows` rows of output.
    pub const fn dispatch(params: &Params, rows: u32) -> [u32; 3] {
        [params.freq_out.div_ceil(32), rows, 1]
    }

    /// CPU twin: `rows` rows of output.
    pub fn twin(self, params: &Params, vectors: &[f32], x: &[f32], rows: usize) -> Vec<f64> {
        let (channels, channels_in) = (self.channels as usize, params.channels_in as usize);
        let (freq_in, freq_out) = (params.freq_in as usize, params.freq_out as usize);
        let w = &vectors[params.weights as usize..];
        let g = &vectors[params.norm as usize..];
        let mut y = Vec::with_capacity(rows * freq_out * channels);
        for row in 0..rows {
            let position = i64::from(params.first) + row as i64;
            if position < 0 || position >= i64::from(params.end) {
                y.resize(y.len() + freq_out * channels, 0.0);
                continue;
            }
            for f in 0..freq_out {
                let at = |c: usize| {
                    let mut sum = 0.0;
                    for a in 0..3 {
                        for b in 0..3 {
                            let Some(f_in) = (2 * f + b).checked_sub(1).filter(|&f| f < freq_in) else {
                                continue;
                            };
                            for i in 0..channels_in {
                                let x = x[((2 * row + a) * freq_in + f_in) * channels_in + i];
                                let w = w[(c * channels_in + i) * 9 + 3 * a + b];
                                sum += f64::from(x) * f64::from(w);
                            }
                        }
                    }
                    sum
                };
                let z: Vec<f64> = (0..channels).map(at).collect();
                let mean = z.iter().sum::<f64>() / channels as f64;
                let variance = z.iter().map(|z| (z - mean).powi(2)).sum::<f64>() / channels as f64;
                let factor = (variance + f64::from(params.eps)).sqrt().recip();
                y.extend(z.iter().zip(g).map(|(z, &g)| ((z - mean) * factor * f64::from(g)).max(0.0)));
            }
        }
        y
    }
}

impl Kernel for Conv2d {
    fn source(&self) -> Result<Source, PreprocessError> {
        let Self { channels, chunk } = *self;
        let defines =
            Defines::new().set("CHANNELS", channels).set("OWN", channels / GROUPS).set("CHUNK", chunk);
        Source::build::<Params>("audio/conv2d.wgsl", format!("audio_conv2d_{channels}_{chunk}"), &defines)
    }

    fn case(&self) -> Result<Case, CaseError> {
        let Self { channels, chunk } = *self;
        // Several chunks, where there may be.
        let channels_in = if chunk == 1 { 1 } else { 8 * chunk };
        let (rows, freq_in, count) = (3, 5_u32, 9 * channels_in * channels);
        let params = Params {
            first: -1,
            end: 2,
            freq_in,
            freq_out: freq_in.div_ceil(2),
            channels_in,
            weights: 0,
            norm: count,
            eps: EPS,
        };
        let vectors = random(84, (count + channels) as usize);
        let x = random(85, ((2 * rows + 1) * freq_in * channels_in) as usize);
        let want = as_f32(&self.twin(&params, &vectors, &x, rows as usize));
        let args = args![uniform(&params), floats(&vectors), floats(&x), zeros(want.len())];
        let grid = Self::dispatch(&params, rows);
        Ok(Case { args, grid, expected: vec![Expected::new(3, want, 1e-3)] })
    }
}
