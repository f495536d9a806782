//! Per-layer embeddings.

pub mod combine;

use crate::{PreprocessError, Source};

/// Every permutation of the family.
///
/// # Errors
/// A template that does not preprocess.
pub fn permutations() -> Result<Vec<Source>, PreprocessError> {
    combine::permutations()
}
