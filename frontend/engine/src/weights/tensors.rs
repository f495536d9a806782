//! The tensors of a file that are loaded: their engine names and byte ranges.

use std::ops::Range;

use shaders::{DType, LayoutError, PlanarLayout};

use crate::gguf::{Header, TensorInfo};

/// A tensor that is missing or does not match the metadata.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum TensorError {
    /// It is not in the file.
    #[error("the model file lacks the tensor {name}")]
    Missing { name: String },
    /// Its shape contradicts the metadata.
    #[error("tensor {name} has the shape {found:?}; the metadata asks for {expected:?}")]
    Shape {
        name: String,
        /// The shape in the file, contiguous dimension first.
        found: Vec<u64>,
        /// The shape that follows from the metadata.
        expected: Vec<u64>,
    },
    /// A table has fewer rows than the tokenizer has pieces.
    #[error("tensor {name} has {rows} rows, but the tokenizer has {pieces} tokens")]
    Rows { name: String, rows: u64, pieces: u64 },
    /// It belongs to a part that the metadata doesn't mention.
    #[error("the model file has the tensor {name}, but {key} is 0 or missing")]
    Unexpected { name: String, key: String },
    /// One of its RoPE factors isn't positive and finite.
    #[error("tensor {name} has the value {value}, but RoPE factors must be positive")]
    RopeFactor { name: String, value: String },
    /// It begins at an odd byte.
    #[error("tensor {name} begins at byte {offset}; gemtab reads files whose alignment is 2 or more")]
    Misaligned { name: String, offset: u64 },
    /// Its storage type is not supported.
    #[error("tensor {name} is stored as {dtype}, which gemtab does not read")]
    Type { name: String, dtype: String },
    /// Its rows are not a whole number of blocks.
    #[error("tensor {name}: {source}")]
    Layout { name: String, source: LayoutError },
}

/// A weight matrix: rows of one tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct MatrixSpec {
    /// The engine's name for it, without `.weight`: `blk.3.attn_q`.
    pub name: String,
    /// Storage type.
    pub dtype: DType,
    /// Columns: the length of the input vector.
    pub k: u64,
    /// Rows.
    pub n: u64,
    /// Its bytes in the file.
    pub range: Range<u64>,
    /// It may be split at multiples of this number of rows; `None` if it must not be split.
    pub cut: Option<u64>,
}

impl MatrixSpec {
    /// Bytes of a row in the file.
    #[must_use]
    pub fn row_bytes(&self) -> u64 {
        // The header was checked: rows are whole blocks.
        self.dtype.row_bytes(self.k).unwrap_or(0)
    }

    /// Rows of each expert, if it is a matrix of experts.
    #[must_use]
    pub fn rows_per_expert(&self) -> Option<u64> {
        self.cut.filter(|_| self.name.ends_with("_exps"))
    }

    /// The largest number of rows, a multiple of the split granularity, whose planes take at most `limit` bytes:
    /// all rows if possible; `None` if even the smallest part is too large.
    ///
    /// # Errors
    /// When the matrix has no planar layout.
    pub fn rows_within(&self, limit: u64) -> Result<Option<u64>, TensorError> {
        let bytes = |rows: u64| PlanarLayout::new(self.dtype, self.k, rows).map(|layout| layout.bytes());
        // A layout that exceeds 32-bit offsets is too large as well.
        if bytes(self.n).is_ok_and(|bytes| bytes <= limit) {
            return Ok(Some(self.n));
        }
        let Some(cut) = self.cut else { return Ok(None) };
        let one = bytes(cut).map_err(|source| TensorError::Layout { name: self.name.clone(), source })?;
        let rows = limit / one.max(1) * cut;
        Ok((rows > 0).then_some(rows))
    }
}

/// A vector of f32: norm weights, or a scalar.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorSpec {
    /// The engine's name for it: `blk.3.attn_norm`.
    pub name: String,
    /// Storage type in the file.
    pub dtype: DType,
    /// Elements.
    pub len: u32,
    /// Its bytes in the file.
    pub range: Range<u64>,
    /// Whether the host needs its values as well.
    pub on_host: bool,
    /// What its values are multiplied with when they are loaded.
    pub factor: f32,
}

/// The tensors of a model or a tower.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TensorList {
    /// Matrices, in the order they are used.
    pub matrices: Vec<MatrixSpec>,
    /// Vectors.
    pub vectors: Vec<VectorSpec>,
}

impl TensorList {
    /// Adds the tensor `tensor` of a file as the matrix `name`.
    ///
    /// # Errors
    /// When it is missing, or its shape is not `[k, n]`.
    pub fn add_matrix(
        &mut self,
        header: &Header,
        tensor: &str,
        name: &str,
        [k, n]: [u64; 2],
    ) -> Result<(), TensorError> {
        let tensor = header.tensor(tensor).ok_or_else(|| TensorError::Missing { name: tensor.to_owned() })?;
        expect(tensor, &[k, n])?;
        self.push_rows(name, tensor, k, 0..n, None)
    }

    /// Adds rows of a tensor, of `k` elements each, as a separate matrix.
    ///
    /// # Errors
    /// When its rows have no layout on the device.
    pub fn push_rows(
        &mut self,
        name: &str,
        tensor: &TensorInfo,
        k: u64,
        rows: Range<u64>,
        cut: Option<u64>,
    ) -> Result<(), TensorError> {
        let dtype = dtype(tensor)?;
        let row_bytes = dtype.row_bytes(k).unwrap_or(0);
        if !tensor.offset.is_multiple_of(2) {
            return Err(TensorError::Misaligned { name: tensor.name.clone(), offset: tensor.offset });
        }
        PlanarLayout::new(dtype, k, 1)
            .map_err(|source| TensorError::Layout { name: tensor.name.clone(), source })?;
        self.matrices.push(MatrixSpec {
            name: name.to_owned(),
            dtype,
            k,
            n: rows.end - rows.start,
            range: tensor.offset + rows.start * row_bytes..tensor.offset + rows.end * row_bytes,
            cut,
        });
        Ok(())
    }

    /// Adds the tensor `tensor` of a file as the vector `name`: all elements, in file order.
    ///
    /// # Errors
    /// When it is missing, or has another shape.
    pub fn add_vector(
        &mut self,
        header: &Header,
        tensor: &str,
        name: &str,
        shape: &[u64],
        on_host: bool,
    ) -> Result<(), TensorError> {
        let tensor = header.tensor(tensor).ok_or_else(|| TensorError::Missing { name: tensor.to_owned() })?;
        self.push_vector(name, tensor, shape, on_host)
    }

    /// Adds a tensor of this shape as a vector.
    ///
    /// # Errors
    /// When it has another shape.
    pub fn push_vector(
        &mut self,
        name: &str,
        tensor: &TensorInfo,
        shape: &[u64],
        on_host: bool,
    ) -> Result<(), TensorError> {
        expect(tensor, shape)?;
        let (dtype, name, range) = (dtype(tensor)?, name.to_owned(), tensor.range());
        let len = shape.iter().product::<u64>() as u32;
        self.vectors.push(VectorSpec { name, dtype, len, range, on_host, factor: 1.0 });
        Ok(())
    }

    /// The matrix of this name.
    #[must_use]
    pub fn matrix(&self, name: &str) -> Option<&MatrixSpec> {
        self.matrices.iter().find(|m| m.name == name)
    }
}

/// Compares the shape of a tensor with the one that the metadata implies.
///
/// # Errors
/// [`TensorError::Shape`] when they differ.
pub fn expect(tensor: &TensorInfo, expected: &[u64]) -> Result<(), TensorError> {
    // Trailing dimensions of 1 are ignored: [d] and [d, 1] are the same vector.
    let trim = |shape: &[u64]| {
        let end = shape.iter().rposition(|&n| n != 1).map_or(0, |last| last + 1);
        shape[..end].to_vec()
    };
    if trim(&tensor.shape) == trim(expected) {
        return Ok(());
    }
    Err(TensorError::Shape {
        name: tensor.name.clone(),
        found: tensor.shape.clone(),
        expected: expected.to_vec(),
    })
}

fn dtype(tensor: &TensorInfo) -> Result<DType, TensorError> {
    tensor
        .dtype
        .known()
        .ok_or_else(|| TensorError::Type { name: tensor.name.clone(), dtype: tensor.dtype.to_string() })
}
