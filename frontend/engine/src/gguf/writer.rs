//! Writing a file.

use std::collections::HashSet;
use std::io::Write;

use shaders::DType;

use super::metadata::StringArray;
use super::tensor::{DTypeId, size_in_bytes};
use super::value::ValueType;
use super::{ALIGNMENT_KEY, DEFAULT_ALIGNMENT, GgufError, MAGIC, limits};

/// The version that is written.
const VERSION: u32 = 3;

/// A metadata value with the width that it has in the file.
#[allow(missing_docs, reason = "the variants are named after the types of the format")]
#[derive(Clone, Debug, PartialEq)]
pub enum WriteValue {
    U32(u32),
    U64(u64),
    I32(i32),
    F32(f32),
    Bool(bool),
    String(String),
    U32s(Vec<u32>),
    I32s(Vec<i32>),
    F32s(Vec<f32>),
    Bools(Vec<bool>),
    Strings(StringArray),
}

/// A tensor to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorSpec {
    /// Its name.
    pub name: String,
    /// Its shape, the contiguous dimension first.
    pub shape: Vec<u64>,
    /// How its elements are stored.
    pub dtype: DType,
}

impl TensorSpec {
    /// A tensor of this name, shape (contiguous dimension first) and type.
    #[must_use]
    pub fn new(name: impl Into<String>, shape: &[u64], dtype: DType) -> Self {
        Self { name: name.into(), shape: shape.to_vec(), dtype }
    }

    /// Bytes of its data.
    ///
    /// # Errors
    /// When its shape does not suit its type.
    pub fn bytes(&self) -> Result<u64, GgufError> {
        // The size of a known type is always known.
        Ok(size_in_bytes(&self.name, &self.shape, DTypeId::Known(self.dtype))?.unwrap_or_default())
    }
}

/// Why a file could not be written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum WriteError {
    /// The disk.
    #[error("The file could not be written: {0}.")]
    Io(#[from] std::io::Error),
    /// The header would be invalid: a duplicate name, a bad shape or alignment.
    #[error(transparent)]
    Invalid(#[from] GgufError),
    /// More data than the tensor announced.
    #[error("The tensor \u{ab}{tensor}\u{bb} was given {excess} bytes too many.")]
    TooMuch { tensor: String, excess: u64 },
    /// Data is missing at the end.
    #[error("The tensor \u{ab}{tensor}\u{bb} lacks {missing} bytes.")]
    TooLittle { tensor: String, missing: u64 },
}

/// Writes a file sequentially: first the header, then the tensors' data in the declared order.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    alignment: u64,
    /// Name and size of each tensor.
    tensors: Vec<(String, u64)>,
    /// The tensor being written and its bytes so far.
    current: usize,
    written: u64,
}

impl<W: Write> Writer<W> {
    /// Checks and writes the header.
    ///
    /// # Errors
    /// When names are not unique, a shape does not suit its type, or writing fails.
    pub fn new(
        out: W,
        metadata: &[(String, WriteValue)],
        tensors: &[TensorSpec],
    ) -> Result<Self, WriteError> {
        let alignment = u64::from(alignment_of(metadata)?);
        check_names(metadata, tensors)?;

        let mut header = Vec::new();
        header.extend(MAGIC);
        header.extend(VERSION.to_le_bytes());
        header.extend((tensors.len() as u64).to_le_bytes());
        header.extend((metadata.len() as u64).to_le_bytes());
        for (key, value) in metadata {
            put_str(&mut header, key);
            put_value(&mut header, value);
        }
        let mut offset = 0_u64;
        let mut sizes = Vec::with_capacity(tensors.len());
        for tensor in tensors {
            let bytes = tensor.bytes()?;
            put_str(&mut header, &tensor.name);
            header.extend((tensor.shape.len() as u32).to_le_bytes());
            for dimension in &tensor.shape {
                header.extend(dimension.to_le_bytes());
            }
            header.extend(tensor.dtype.ggml_id().to_le_bytes());
            header.extend(offset.to_le_bytes());
            offset += bytes.next_multiple_of(alignment);
            sizes.push((tensor.name.clone(), bytes));
        }
        header.resize(header.len().next_multiple_of(alignment as usize), 0);

        let mut writer = Self { out, alignment, tensors: sizes, current: 0, written: 0 };
        writer.out.write_all(&header)?;
        Ok(writer)
    }

    /// Writes the next bytes of the current tensor. After its last byte, the next tensor becomes current.
    ///
    /// # Errors
    /// When these are more bytes than the tensor has left, or writing fails.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        let (name, size) = match self.tensors.get(self.current) {
            Some((name, size)) => (name.as_str(), *size),
            None => ("", 0),
        };
        let left = size - self.written;
        if bytes.len() as u64 > left {
            return Err(WriteError::TooMuch { tensor: name.to_owned(), excess: bytes.len() as u64 - left });
        }
        self.out.write_all(bytes)?;
        self.written += bytes.len() as u64;
        if self.written == size {
            let padding = size.next_multiple_of(self.alignment) - size;
            self.out.write_all(&vec![0; padding as usize])?;
            self.current += 1;
            self.written = 0;
        }
        Ok(())
    }

    /// Ends the file.
    ///
    /// # Errors
    /// When a tensor is not complete, or writing fails.
    pub fn finish(mut self) -> Result<W, WriteError> {
        if let Some((name, size)) = self.tensors.get(self.current) {
            return Err(WriteError::TooLittle { tensor: name.clone(), missing: size - self.written });
        }
        self.out.flush()?;
        Ok(self.out)
    }
}

fn alignment_of(metadata: &[(String, WriteValue)]) -> Result<u32, GgufError> {
    match metadata.iter().find(|(key, _)| key == ALIGNMENT_KEY) {
        None => Ok(DEFAULT_ALIGNMENT),
        Some(&(_, WriteValue::U32(alignment)))
            if alignment.is_power_of_two() && alignment <= limits::ALIGNMENT =>
        {
            Ok(alignment)
        }
        Some((_, other)) => {
            Err(GgufError::BadAlignment { found: format!("{other:?}"), limit: limits::ALIGNMENT })
        }
    }
}

fn check_names(metadata: &[(String, WriteValue)], tensors: &[TensorSpec]) -> Result<(), GgufError> {
    let mut seen = HashSet::new();
    if let Some((key, _)) = metadata.iter().find(|(key, _)| !seen.insert(key.as_str())) {
        return Err(GgufError::DuplicateKey { key: key.clone() });
    }
    seen.clear();
    match tensors.iter().find(|tensor| !seen.insert(tensor.name.as_str())) {
        Some(tensor) => Err(GgufError::DuplicateTensor { tensor: tensor.name.clone() }),
        None => Ok(()),
    }
}

fn put_str(header: &mut Vec<u8>, text: &str) {
    header.extend((text.len() as u64).to_le_bytes());
    header.extend(text.as_bytes());
}

fn put_type(header: &mut Vec<u8>, kind: ValueType) {
    header.extend((kind as u32).to_le_bytes());
}

fn put_value(header: &mut Vec<u8>, value: &WriteValue) {
    match value {
        WriteValue::U32(v) => put_scalar(header, ValueType::U32, v.to_le_bytes()),
        WriteValue::U64(v) => put_scalar(header, ValueType::U64, v.to_le_bytes()),
        WriteValue::I32(v) => put_scalar(header, ValueType::I32, v.to_le_bytes()),
        WriteValue::F32(v) => put_scalar(header, ValueType::F32, v.to_le_bytes()),
        WriteValue::Bool(v) => put_scalar(header, ValueType::Bool, [u8::from(*v)]),
        WriteValue::String(v) => {
            put_type(header, ValueType::String);
            put_str(header, v);
        }
        WriteValue::U32s(v) => put_array(header, ValueType::U32, v.iter().map(|v| v.to_le_bytes())),
        WriteValue::I32s(v) => put_array(header, ValueType::I32, v.iter().map(|v| v.to_le_bytes())),
        WriteValue::F32s(v) => put_array(header, ValueType::F32, v.iter().map(|v| v.to_le_bytes())),
        WriteValue::Bools(v) => put_array(header, ValueType::Bool, v.iter().map(|&v| [u8::from(v)])),
        WriteValue::Strings(v) => {
            put_array_head(header, ValueType::String, v.len());
            v.iter().for_each(|text| put_str(header, text));
        }
    }
}

fn put_scalar<const N: usize>(header: &mut Vec<u8>, kind: ValueType, bytes: [u8; N]) {
    put_type(header, kind);
    header.extend(bytes);
}

fn put_array_head(header: &mut Vec<u8>, kind: ValueType, len: usize) {
    put_type(header, ValueType::Array);
    put_type(header, kind);
    header.extend((len as u64).to_le_bytes());
}

fn put_array<const N: usize>(
    header: &mut Vec<u8>,
    kind: ValueType,
    values: impl ExactSizeIterator<Item = [u8; N]>,
) {
    put_array_head(header, kind, values.len());
    values.for_each(|bytes| header.extend(bytes));
}
