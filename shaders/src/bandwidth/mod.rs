//! What the memory of a device can do: the measure of every other kernel.

pub mod copy;

use crate::{PreprocessError, Source};

/// Every permutation.
///
/// # Errors
/// The first template that does not preprocess.
pub fn permutations() -> Result<Vec<Source>, PreprocessError> {
    Ok(vec![copy::source()?])
}
