//! Weights: planar matrices, and all vectors in one buffer. They are described before they are loaded.

mod bounds;
mod describe;
mod error;
mod load;
mod tensors;
mod windows;

use std::collections::HashMap;

use shaders::repack::{Repack, requantize::Requantize};
use shaders::{DType, PlanarLayout};

use crate::plan::{Limits, PlanError, Tested, Value};

pub use bounds::finite;
pub use describe::{Savings, check_layouts};
pub use error::LoadError;
pub use load::{Progress, load};
pub use tensors::{MatrixSpec, TensorError, TensorList, VectorSpec, expect};
pub use windows::ranges;

/// A part of a matrix: rows in one buffer.
#[derive(Clone, Debug)]
pub struct Part {
    /// First row.
    pub row0: u32,
    /// The planar layout of these rows.
    pub layout: PlanarLayout,
    /// The buffer.
    pub value: Value,
}

/// A weight matrix. If it does not fit a binding, it is split by rows.
#[derive(Clone, Debug)]
pub struct Matrix {
    /// Storage type.
    pub dtype: DType,
    /// Columns.
    pub k: u32,
    /// Rows.
    pub n: u32,
    /// In order of rows; at least one.
    pub parts: Vec<Part>,
}

impl Matrix {
    /// The only part of a matrix that fits a binding; otherwise the first.
    #[must_use]
    pub fn whole(&self) -> &Part {
        &self.parts[0]
    }

    /// Rows per part; the last part may have fewer.
    #[must_use]
    pub fn part_rows(&self) -> u32 {
        self.parts.get(1).map_or(self.n, |second| second.row0)
    }
}

/// All weights of a model; clones share the same values.
#[derive(Clone, Debug)]
pub struct Weights {
    /// Matrices by the engine's names.
    pub matrices: HashMap<String, Matrix>,
    /// The limits of the device that they are for.
    pub limits: Limits,
    /// All vectors, f32, concatenated.
    pub vectors: Value,
    /// Offset and number of elements of each vector, by name.
    pub places: HashMap<String, (u32, u32)>,
    /// Values of the vectors that the host needs, by name. Set after loading.
    pub on_host: HashMap<String, Vec<f32>>,
    /// Experts per layer that have a place on the device, if not all do. Their matrices have rows for so many, and stay
    /// empty while the weights are loaded.
    pub expert_slots: Option<u32>,
    /// The file's type of the matrix that is requantised, if one is.
    pub requantized: Option<DType>,
    /// The norm of the per-layer inputs, in its own buffer as its kernel requires.
    pub ple_norm: Option<Value>,
    /// The divisors of the RoPE frequencies of global layers, if the file has them. Set after loading.
    pub rope_factors: Option<Vec<f32>>,
}

impl Weights {
    /// All values.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        let parts = self.matrices.values().flat_map(|matrix| &matrix.parts);
        parts.map(|part| &part.value).chain([&self.vectors]).chain(&self.ple_norm)
    }

    /// The storage types of its matrices, each once.
    #[must_use]
    pub fn dtypes(&self) -> Vec<DType> {
        let used = |dtype: &DType| self.matrices.values().any(|matrix| matrix.dtype == *dtype);
        DType::ALL.into_iter().filter(used).collect()
    }

    /// The kernels that make its planes.
    pub fn tested(&self) -> impl Iterator<Item = Tested> {
        // With a template that cannot be expanded, nothing was loaded.
        let repacked = self.dtypes().into_iter().map(|dtype| Tested::new(Repack(dtype)));
        repacked.chain(self.requantized.map(|dtype| Tested::new(Requantize(dtype)))).flatten()
    }

    /// The matrix of this name, if the model has it.
    #[must_use]
    pub fn matrix(&self, name: &str) -> Option<&Matrix> {
        self.matrices.get(name)
    }

    /// The matrix of this name.
    ///
    /// # Errors
    /// [`PlanError::Missing`] if the model has no such matrix.
    pub fn require(&self, name: &str) -> Result<&Matrix, PlanError> {
        self.matrix(name).ok_or_else(|| PlanError::Missing { name: format!("matrix {name}") })
    }

    /// Offset of the vector of this name, in elements.
    ///
    /// # Errors
    /// An internal error if the tensor list has no such vector.
    pub fn vector(&self, name: &str) -> Result<u32, PlanError> {
        let place = self.places.get(name).map(|&(start, _)| start);
        place.ok_or_else(|| PlanError::Missing { name: format!("vector {name}") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_that_is_not_there_is_no_other_one() {
        let weights = Weights::describe(&TensorList::default(), Limits::default()).expect("no weights");
        assert!(matches!(
            weights.vector("blk.0.attn_norm"),
            Err(PlanError::Missing { name }) if name.contains("blk.0.attn_norm")
        ));
    }
}
