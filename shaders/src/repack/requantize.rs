//! Launcher of `wgsl/repack/requantize.wgsl`: rows of floats become Q8_0.

use super::Params;
use crate::{DType, Defines, PreprocessError, Source, grid};

/// The type that floats are requantised to.
pub const TARGET: DType = DType::Q8_0;

/// Whether rows of `k` elements of this type can be requantised: floats, in whole blocks.
#[must_use]
pub const fn supports(dtype: DType, k: u64) -> bool {
    dtype.is_float() && k.is_multiple_of(TARGET.block_elements() as u64)
}

/// The kernel for one type of float. Bindings and [`Params`] are those of [`super::source`]; the layout of the matrix is that
/// of [`TARGET`].
///
/// # Errors
/// When the template cannot be expanded.
pub fn source(from: DType) -> Result<Source, PreprocessError> {
    let defines = Defines::new().set("DTYPE", from);
    Source::build::<Params>("repack/requantize.wgsl", format!("requantize_{from}"), &defines)
}

/// Workgroups for a piece.
#[must_use]
pub const fn dispatch(params: &Params) -> [u32; 3] {
    grid(params.units.div_ceil(4).div_ceil(64))
}
