//! The backward pass of the decoder with frozen weights: gradients with respect to the inputs of every operation
//! (specification §12). Rows are those of one sequence, `state.len` of them, from position 0. Twins are in f64, forward
//! and backward, so that a test can hold the one against differences of the other.

pub mod attention;
pub mod cross_entropy;
pub mod geglu;
pub mod heads;
pub mod input;
pub mod norm;

use crate::{PreprocessError, Source};

/// Every permutation.
///
/// # Errors
/// The first template that does not preprocess.
pub fn permutations() -> Result<Vec<Source>, PreprocessError> {
    let families = [
        input::permutations()?,
        norm::permutations()?,
        heads::permutations()?,
        attention::permutations()?,
        geglu::permutations()?,
        cross_entropy::permutations()?,
    ];
    Ok(families.into_iter().flatten().collect())
}
