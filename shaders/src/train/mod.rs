//! What training needs beside the forward and the backward pass: the factors of an adapter and their gradients, the
//! optimiser, and copies of rows.

pub mod dropout;
pub mod lora;
pub mod optimiser;
pub mod rows;

use crate::{PreprocessError, Source};

/// Every permutation.
///
/// # Errors
/// The first template that does not preprocess.
pub fn permutations() -> Result<Vec<Source>, PreprocessError> {
    let families = [lora::permutations()?, optimiser::permutations()?, rows::permutations()?];
    Ok(families.into_iter().flatten().collect())
}
