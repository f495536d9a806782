//! Corrections of LoRA adapters in prefill. In decode they are part of [`crate::matvec`].

pub mod expand;

use crate::{PreprocessError, Source};

/// Every permutation.
///
/// # Errors
/// A fault of the template.
pub fn permutations() -> Result<Vec<Source>, PreprocessError> {
    (1..=3).map(expand::source).collect()
}
