//! `wgsl/rows/gelu_mul.wgsl`: the gated activation (GeGLU) over rows.

use crate::case::{Case, CaseError, Expected, LEN, args, random};
use crate::math::gelu_tanh;
use crate::{Defines, Kernel, PreprocessError, Source, grid};

/// Elements per workgroup.
const ELEMENTS: u32 = 1024;

/// Layout of rows in a buffer, in elements; both multiples of 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// Row stride.
    pub stride: u32,
    /// Offset of the first row.
    pub at: u32,
}

/// The kernel. Bindings: params, state, gate, up, out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GeluMul;

params! {
    /// The uniform at binding 0. Lengths and offsets are in vec4s.
    #[derive(Eq)]
    pub struct Params {
        /// Width of a row.
        pub width4: u32,
        /// Row stride of gate.
        pub gate_stride4: u32,
        /// Offset of gate.
        pub gate_at4: u32,
        /// Row stride of up.
        pub up_stride4: u32,
        /// Offset of up.
        pub up_at4: u32,
        /// Row stride of the result.
        pub out_stride4: u32,
        /// Offset of the result.
        pub out_at4: u32,
        /// Rows per position of the step: 1, or the number of experts used per token.
        pub rows_per_position: u32,
    }
}

impl Params {
    /// Parameters for rows of `width` elements, a multiple of 4.
    pub const fn new(width: u32, gate: Rows, up: Rows, out: Rows) -> Self {
        Self {
            width4: width / 4,
            gate_stride4: gate.stride / 4,
            gate_at4: gate.at / 4,
            up_stride4: up.stride / 4,
            up_at4: up.at / 4,
            out_stride4: out.stride / 4,
            out_at4: out.at / 4,
            rows_per_position: 1,
        }
    }
}

/// Workgroups for a chunk of `positions`.
pub const fn dispatch(params: &Params, positions: u32) -> [u32; 3] {
    grid((positions * params.rows_per_position * params.width4).div_ceil(ELEMENTS / 4))
}

/// CPU twin: writes the rows of `positions` into `out`.
pub fn gelu_mul(params: &Params, positions: usize, gate: &[f32], up: &[f32], out: &mut [f32]) {
    for row in 0..positions * params.rows_per_position as usize {
        let begin = |at4: u32, stride4: u32| 4 * (at4 as usize + row * stride4 as usize);
        let gate = &gate[begin(params.gate_at4, params.gate_stride4)..];
        let up = &up[begin(params.up_at4, params.up_stride4)..];
        let out = &mut out[begin(params.out_at4, params.out_stride4)..];
        for i in 0..4 * params.width4 as usize {
            out[i] = (gelu_tanh(f64::from(gate[i])) * f64::from(up[i])) as f32;
        }
    }
}

impl Kernel for GeluMul {
    fn source(&self) -> Result<Source, PreprocessError> {
        Source::build::<Params>("rows/gelu_mul.wgsl", "rows_gelu_mul", &Defines::new())
    }

    fn case(&self) -> Result<Case, CaseError> {
        let width = 388_u32;
        let rows = Rows { stride: width, at: 0 };
        let params = Params::new(width, rows, rows, rows);
        let count = (LEN * width) as usize;
        let gate: Vec<f32> = random(54, count).into_iter().map(|v| 6.0 * v).collect();
        let up = random(55, count);
        let mut out = vec![0.0; count];
        gelu_mul(&params, LEN as usize, &gate, &up, &mut out);
        let args = args![uniform(&params), state(0, LEN), floats(&gate), floats(&up), zeros(count)];
        let grid = dispatch(&params, LEN);
        Ok(Case { args, grid, expected: vec![Expected::new(4, out, 1e-4)] })
    }
}
