//! The tensor table.

use std::fmt;
use std::ops::Range;

use shaders::DType;

use super::reader::Reader;
use super::{GgufError, limits};

/// The storage type of a tensor: a supported type, or the number of another, which error messages can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DTypeId {
    /// Read by the kernels.
    Known(DType),
    /// Not read here; the number in the file.
    Other(u32),
}

/// Name, block length in elements and block size in bytes of types that exist or existed (`ggml.h`, `ggml-common.h`)
/// but are not supported.
const OTHER_TYPES: [(u32, &str, u64, u64); 15] = [
    (4, "Q4_2", 16, 10),
    (5, "Q4_3", 16, 12),
    (9, "Q8_1", 32, 36),
    (15, "Q8_K", 256, 292),
    (24, "I8", 1, 1),
    (25, "I16", 1, 2),
    (26, "I32", 1, 4),
    (27, "I64", 1, 8),
    (28, "F64", 1, 8),
    (31, "Q4_0_4_4", 32, 18),
    (32, "Q4_0_4_8", 32, 18),
    (33, "Q4_0_8_8", 32, 18),
    (36, "IQ4_NL_4_4", 32, 18),
    (37, "IQ4_NL_4_8", 32, 18),
    (38, "IQ4_NL_8_8", 32, 18),
];

impl DTypeId {
    /// The type with this number in the file.
    #[must_use]
    pub fn from_ggml(id: u32) -> Self {
        DType::from_ggml(id).map_or(Self::Other(id), Self::Known)
    }

    /// Its number in the file.
    #[must_use]
    pub fn ggml_id(self) -> u32 {
        match self {
            Self::Known(dtype) => dtype.ggml_id(),
            Self::Other(id) => id,
        }
    }

    /// The type, if it is supported.
    #[must_use]
    pub fn known(self) -> Option<DType> {
        match self {
            Self::Known(dtype) => Some(dtype),
            Self::Other(_) => None,
        }
    }

    /// Name, elements and bytes of a block; `None` for an unknown number.
    fn block(self) -> Option<(&'static str, u64, u64)> {
        match self {
            Self::Known(dtype) => {
                Some((dtype.name(), dtype.block_elements() as u64, dtype.block_bytes() as u64))
            }
            Self::Other(id) => OTHER_TYPES
                .iter()
                .find(|(number, ..)| *number == id)
                .map(|&(_, name, elements, bytes)| (name, elements, bytes)),
        }
    }
}

impl fmt::Display for DTypeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.block() {
            Some((name, ..)) => f.write_str(name),
            None => write!(f, "type {}", self.ggml_id()),
        }
    }
}

/// A tensor in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorInfo {
    /// Its name, such as `blk.0.attn_q.weight`.
    pub name: String,
    /// Its shape in the order of the file: the first dimension is the contiguous one. A scalar may have none.
    pub shape: Vec<u64>,
    /// How its elements are stored.
    pub dtype: DTypeId,
    /// Its first byte, from the start of the file.
    pub offset: u64,
    /// Size in bytes. For an unknown type, all bytes up to the next tensor or the end.
    pub bytes: u64,
}

impl TensorInfo {
    /// Its bytes in the file.
    #[must_use]
    pub fn range(&self) -> Range<u64> {
        self.offset..self.offset + self.bytes
    }

    /// Its elements.
    #[must_use]
    pub fn elements(&self) -> u64 {
        // Checked when the table was read.
        self.shape.iter().product()
    }

    /// Row length: the contiguous dimension.
    #[must_use]
    pub fn columns(&self) -> u64 {
        self.shape.first().copied().unwrap_or(1)
    }

    /// Number of rows, over all higher dimensions.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.shape.iter().skip(1).product()
    }
}

/// Minimum size of a tensor's entry in the table: an empty name and no dimensions.
const MIN_BYTES: u64 = 8 + 4 + 4 + 8;

/// Reads the table. The tensors' `offset` is still relative to the start of the data, as in the file.
pub(super) async fn read_table(reader: &mut Reader<'_>, count: u64) -> Result<Vec<TensorInfo>, GgufError> {
    let count = reader.check_count(count, "the number of tensors", limits::TENSORS, MIN_BYTES)?;
    let mut tensors = Vec::with_capacity(count);
    for _ in 0..count {
        tensors.push(read_tensor(reader).await?);
    }
    Ok(tensors)
}

async fn read_tensor(reader: &mut Reader<'_>) -> Result<TensorInfo, GgufError> {
    let name = reader.str("the name of a tensor", limits::NAME_BYTES).await?.to_owned();
    let dimensions = reader.u32("the dimensions of a tensor").await?;
    if dimensions > limits::DIMENSIONS {
        return Err(GgufError::TooManyDimensions { tensor: name, dimensions });
    }
    let mut shape = Vec::with_capacity(dimensions as usize);
    for _ in 0..dimensions {
        shape.push(reader.u64("the shape of a tensor").await?);
    }
    let dtype = DTypeId::from_ggml(reader.u32("the type of a tensor").await?);
    let offset = reader.u64("the offset of a tensor").await?;
    let bytes = size_in_bytes(&name, &shape, dtype)?.unwrap_or(0);
    Ok(TensorInfo { name, shape, dtype, offset, bytes })
}

/// Size of a tensor in bytes; `None` for an unknown type.
pub(super) fn size_in_bytes(name: &str, shape: &[u64], dtype: DTypeId) -> Result<Option<u64>, GgufError> {
    let bad_shape = || GgufError::BadShape { tensor: name.to_owned(), shape: shape.to_vec() };
    let elements = shape
        .iter()
        .try_fold(1_u64, |product, &dimension| product.checked_mul(dimension))
        .filter(|&elements| elements > 0)
        .ok_or_else(bad_shape)?;
    let Some((dtype, block, block_bytes)) = dtype.block() else { return Ok(None) };
    let row = shape.first().copied().unwrap_or(1);
    if !row.is_multiple_of(block) {
        return Err(GgufError::PartialBlock { tensor: name.to_owned(), row, block, dtype });
    }
    (elements / block).checked_mul(block_bytes).map(Some).ok_or_else(bad_shape)
}

/// Checks the locations of the tensors and makes their offsets absolute.
pub(super) fn place(
    tensors: &mut [TensorInfo],
    data_start: u64,
    file_size: u64,
    alignment: u32,
) -> Result<(), GgufError> {
    let mut needed = data_start;
    for tensor in &mut *tensors {
        if !tensor.offset.is_multiple_of(alignment.into()) {
            return Err(GgufError::Misaligned {
                tensor: tensor.name.clone(),
                offset: tensor.offset,
                alignment,
            });
        }
        // An end beyond 2^64 is beyond the end of the file as well.
        tensor.offset = tensor.offset.saturating_add(data_start);
        needed = needed.max(tensor.offset.saturating_add(tensor.bytes));
    }
    if needed > file_size {
        return Err(GgufError::Truncated { missing: needed - file_size, file_size, needed });
    }

    let mut order: Vec<usize> = (0..tensors.len()).collect();
    order.sort_unstable_by_key(|&i| (tensors[i].offset, tensors[i].bytes));
    for (position, &i) in order.iter().enumerate() {
        let next = order.get(position + 1).map(|&next| &tensors[next]);
        let end = next.map_or(file_size, |next| next.offset);
        if tensors[i].dtype.block().is_none() {
            tensors[i].bytes = end - tensors[i].offset;
        } else if tensors[i].range().end > end {
            let (first, second) =
                (tensors[i].name.clone(), next.map_or_else(String::new, |next| next.name.clone()));
            return Err(GgufError::Overlap { first, second });
        }
    }
    Ok(())
}
