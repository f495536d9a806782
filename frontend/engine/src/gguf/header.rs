//! The header of a file.

use std::collections::HashMap;
use std::collections::btree_map::Entry;

use crate::bytes::ByteSource;

use super::metadata::Metadata;
use super::reader::Reader;
use super::tensor::{TensorInfo, place, read_table};
use super::value::read_value;
use super::{ALIGNMENT_KEY, DEFAULT_ALIGNMENT, GgufError, MAGIC, limits};

/// A part of a model whose tensors are in several files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its number, counted from 1.
    pub number: u32,
    /// Number of files.
    pub count: u32,
}

/// The metadata and the tensor table. After reading, every tensor is known to be within the file, aligned, disjoint
/// from all others, and of the size that its shape and type imply.
#[derive(Clone, Debug)]
pub struct Header {
    /// Version of the format: 2 or 3.
    pub version: u32,
    /// Key–value pairs.
    pub metadata: Metadata,
    /// Tensors in the order of the file.
    pub tensors: Vec<TensorInfo>,
    /// Offset of the tensor data, in bytes from the start of the file.
    pub data_start: u64,
    /// Bytes of the whole file.
    pub file_size: u64,
    /// Alignment of tensors relative to `data_start`.
    pub alignment: u32,
    index: HashMap<String, usize>,
}

impl Header {
    /// Reads and checks the header of a file.
    ///
    /// # Errors
    /// When the file cannot be read, is not GGUF, or is inconsistent.
    pub async fn read(source: &dyn ByteSource) -> Result<Self, GgufError> {
        Self::read_with_progress(source, &mut |_| ()).await
    }

    /// Same as [`read`](Self::read); `progress` receives the number of bytes read so far. The length of the header
    /// is only known at its end.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub async fn read_with_progress(
        source: &dyn ByteSource,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Self, GgufError> {
        let mut reader = Reader::new(source, progress);
        let version = read_version(&mut reader).await?;
        // Both counts are checked against the remaining bytes when they are used.
        let tensor_count = reader.u64("the number of tensors").await?;
        let pair_count = reader.u64("the number of metadata pairs").await?;
        let metadata = read_metadata(&mut reader, pair_count).await?;
        let alignment = alignment_of(&metadata)?;
        let mut tensors = read_table(&mut reader, tensor_count).await?;
        let index = index_of(&tensors)?;

        // Exceeds the file size by at most the alignment, so it cannot overflow.
        let data_start = reader.position().next_multiple_of(alignment.into());
        let file_size = reader.file_size();
        // Without tensors, the padding may be missing as well.
        let data_start = if tensors.is_empty() { data_start.min(file_size) } else { data_start };
        place(&mut tensors, data_start, file_size, alignment)?;
        Ok(Self { version, metadata, tensors, data_start, file_size, alignment, index })
    }

    /// The tensor with this name.
    #[must_use]
    pub fn tensor(&self, name: &str) -> Option<&TensorInfo> {
        self.index.get(name).map(|&index| &self.tensors[index])
    }

    /// The tensor with this name, or an error.
    ///
    /// # Errors
    /// [`GgufError::MissingTensor`] when there is none.
    pub fn require(&self, name: &str) -> Result<&TensorInfo, GgufError> {
        self.tensor(name).ok_or_else(|| GgufError::MissingTensor { tensor: name.to_owned() })
    }

    /// Which part of a model the file is, if its tensors are in several files.
    #[must_use]
    pub fn part(&self) -> Option<Part> {
        let count = self.metadata.u32("split.count").filter(|&count| count > 1)?;
        // A file that was put together again may still have the keys.
        let all = self.metadata.u32("split.tensors.count");
        if all.is_some_and(|all| all as usize <= self.tensors.len()) {
            return None;
        }
        let number = self.metadata.u32("split.no").unwrap_or(0).saturating_add(1);
        Some(Part { number, count })
    }

    /// The architecture, such as `gemma4`.
    #[must_use]
    pub fn architecture(&self) -> Option<&str> {
        self.metadata.str("general.architecture")
    }
}

async fn read_version(reader: &mut Reader<'_>) -> Result<u32, GgufError> {
    let magic = reader.array::<4>("the first bytes").await?;
    if magic != MAGIC {
        return Err(GgufError::NotGguf { found: magic });
    }
    match reader.u32("the version").await? {
        version @ (2 | 3) => Ok(version),
        version if matches!(version.swap_bytes(), 1..=3) => Err(GgufError::BigEndian),
        version => Err(GgufError::Version { version }),
    }
}

async fn read_metadata(reader: &mut Reader<'_>, count: u64) -> Result<Metadata, GgufError> {
    // The shortest pair: an empty key, a type, one byte.
    let count = reader.check_count(count, "the number of metadata pairs", limits::PAIRS, 8 + 4 + 1)?;
    let mut metadata = Metadata::default();
    let mut elements = 0;
    for _ in 0..count {
        let key = reader.str("a metadata key", limits::NAME_BYTES).await?.to_owned();
        let value = read_value(reader, &key, &mut elements).await?;
        match metadata.0.entry(key) {
            Entry::Vacant(entry) => entry.insert(value),
            Entry::Occupied(entry) => return Err(GgufError::DuplicateKey { key: entry.key().clone() }),
        };
    }
    Ok(metadata)
}

fn alignment_of(metadata: &Metadata) -> Result<u32, GgufError> {
    let bad = |found: String| Err(GgufError::BadAlignment { found, limit: limits::ALIGNMENT });
    match metadata.try_u32(ALIGNMENT_KEY) {
        Ok(None) => Ok(DEFAULT_ALIGNMENT),
        Ok(Some(alignment)) if alignment.is_power_of_two() && alignment <= limits::ALIGNMENT => Ok(alignment),
        Ok(Some(other)) => bad(other.to_string()),
        Err(wrong) => bad(wrong.found),
    }
}

fn index_of(tensors: &[TensorInfo]) -> Result<HashMap<String, usize>, GgufError> {
    let mut index = HashMap::with_capacity(tensors.len());
    for (position, tensor) in tensors.iter().enumerate() {
        if index.insert(tensor.name.clone(), position).is_some() {
            return Err(GgufError::DuplicateTensor { tensor: tensor.name.clone() });
        }
    }
    Ok(index)
}
