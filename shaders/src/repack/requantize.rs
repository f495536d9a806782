//! Launcher of `wgsl/repack/requantize.wgsl`: rows of floats become Q8_0.

use super::Params;
use crate::case::{Case, CaseError, Expected, args, random};
use crate::quant::{quantize, repack};
use crate::{DType, Defines, Kernel, PlanarLayout, PreprocessError, Source, grid};

/// The type that floats are requantised to.
pub const TARGET: DType = DType::Q8_0;

/// Whether rows of `k` elements of this type can be requantised: floats, in whole blocks.
#[must_use]
pub const fn supports(dtype: DType, k: u64) -> bool {
    dtype.is_float() && k.is_multiple_of(TARGET.block_elements() as u64)
}

/// The kernel for one type of float. Bindings and [`Params`] are those of [`super::Repack`]; the layout of the matrix is
/// that of [`TARGET`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requantize(pub DType);

/// Workgroups for a piece.
#[must_use]
pub const fn dispatch(params: &Params) -> [u32; 3] {
    grid(params.units.div_ceil(4).div_ceil(64))
}

impl Kernel for Requantize {
    fn source(&self) -> Result<Source, PreprocessError> {
        let Self(from) = *self;
        let defines = Defines::new().set("DTYPE", from);
        Source::build::<Params>("repack/requantize.wgsl", format!("requantize_{from}"), &defines)
    }

    /// Rows of floats that are codes times the scale of their block, which Q8_0 holds exactly: one block is zero, and the scales
    /// of some are subnormal halves.
    fn case(&self) -> Result<Case, CaseError> {
        const BLOCK: usize = 32;
        let (k, rows) = (96, 6);
        let mut floats: Vec<f32> = random(44, k * rows).into_iter().map(|x| (x * 126.0).round()).collect();
        for (number, block) in floats.chunks_exact_mut(BLOCK).enumerate() {
            block[number % BLOCK] = if number % 2 == 0 { 127.0 } else { -127.0 };
            let scale = if number == 4 { 0.0 } else { (-2.0 - number as f32).exp2() };
            block.iter_mut().for_each(|value| *value *= scale);
        }
        let words = repack(TARGET, k as u64, rows as u64, &quantize(TARGET, &floats)?)?;
        let layout = PlanarLayout::new(TARGET, k as u64, rows as u64)?;
        let params = Params::new(&layout, 0, rows as u32, 0)?;
        let bytes = quantize(self.0, &floats)?;
        let source = bytes.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
        let args = args![uniform(&params), Words(source), zeros(words.len())];
        let grid = dispatch(&params);
        Ok(Case { args, grid, expected: vec![Expected::words(2, &words)] })
    }
}
