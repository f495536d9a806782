//! Weights: planar matrices, and all vectors in one buffer. They are described before they are loaded.

mod bounds;
mod describe;
mod error;
mod load;
mod tensors;
mod windows;

use std::collections::HashMap;

use shaders::{DType, PlanarLayout};

use crate::plan::Value;

pub use bounds::finite;
pub use describe::check_layouts;
pub use error::LoadError;
pub use load::{Progress, load};
pub use tensors::{MatrixSpec, TensorError, TensorList, VectorSpec, expect};
pub use windows::ranges;

/// Rows of a matrix in one buffer.
#[derive(Clone, Debug)]
pub struct Part {
    /// First row.
    pub row0: u32,
    /// Where the planes of these rows lie.
    pub layout: PlanarLayout,
    /// What holds them.
    pub value: Value,
}

/// A weight matrix. Those that do not fit one binding are split by rows.
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
    /// The only part of a matrix that fits one binding; the first one of others.
    #[must_use]
    pub fn whole(&self) -> &Part {
        &self.parts[0]
    }

    /// Rows of each part but the last, which may have fewer.
    #[must_use]
    pub fn part_rows(&self) -> u32 {
        self.parts.get(1).map_or(self.n, |second| second.row0)
    }
}

/// All weights of a model; a clone names the same values.
#[derive(Clone, Debug)]
pub struct Weights {
    /// Matrices by the engine's names.
    pub matrices: HashMap<String, Matrix>,
    /// All vectors, f32, one after the other.
    pub vectors: Value,
    /// First element and number of elements of each vector, by name.
    pub places: HashMap<String, (u32, u32)>,
    /// Values of the vectors that are wanted on the host as well, by name. Known once they are loaded.
    pub on_host: HashMap<String, Vec<f32>>,
    /// The norm of the per-layer inputs, alone, as its kernel binds it.
    pub ple_norm: Option<Value>,
    /// The divisors of the rotation frequencies of global layers, if the file has them. Known once they are loaded.
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

    /// The matrix of this name, if the model has it.
    #[must_use]
    pub fn matrix(&self, name: &str) -> Option<&Matrix> {
        self.matrices.get(name)
    }

    /// Where the vector of this name begins, in elements. Every vector of the tensor list is there.
    #[must_use]
    pub fn vector(&self, name: &str) -> u32 {
        self.places.get(name).map_or(0, |&(start, _)| start)
    }
}
