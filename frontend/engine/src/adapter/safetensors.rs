//! Tensors of a safetensors file, read one at a time, so that the file is never in memory as a whole.

use safetensors::tensor::{Dtype, Metadata, TensorInfo};
use shaders::{DType, quant};

use super::AdapterError;
use crate::bytes::ByteSource;

/// Maximum header size: a thousand times that of published adapters.
const MAX_HEADER: u64 = 16 << 20;

/// The header of a file.
pub struct File<'s> {
    source: &'s dyn ByteSource,
    header: Metadata,
    /// Offset of the data.
    start: u64,
}

fn broken(reason: impl ToString) -> AdapterError {
    AdapterError::Safetensors { reason: reason.to_string() }
}

impl<'s> File<'s> {
    /// Reads and checks the header: the tensors must be contiguous and fill the file.
    ///
    /// # Errors
    /// When the file cannot be read or contradicts itself.
    pub async fn open(source: &'s dyn ByteSource) -> Result<Self, AdapterError> {
        if source.len() < 8 {
            return Err(broken("it has fewer than eight bytes"));
        }
        let mut len = [0; 8];
        source.read(0..8).await?.copy_to(&mut len);
        let len = u64::from_le_bytes(len);
        if len > MAX_HEADER || len > source.len() - 8 {
            return Err(broken(format!("its header claims {len} bytes")));
        }
        let start = 8 + len;
        let header: Metadata =
            serde_json::from_slice(&source.read(8..start).await?.to_vec()).map_err(broken)?;
        let needed = start + header.data_len() as u64;
        if needed != source.len() {
            return Err(broken(format!("its tensors end at {needed}, the file at {}", source.len())));
        }
        Ok(Self { source, header, start })
    }

    /// Names and descriptions of the tensors.
    pub fn tensors(&self) -> impl Iterator<Item = (String, TensorInfo)> {
        self.header.tensors().into_iter().map(|(name, info)| (name, info.clone()))
    }

    /// Returns the string value of a metadata key.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.header.metadata().as_ref()?.get(key).map(String::as_str)
    }

    /// Returns the values of a tensor.
    ///
    /// # Errors
    /// When their type is not supported, or they cannot be read.
    pub async fn values(&self, name: &str, info: &TensorInfo) -> Result<Vec<f32>, AdapterError> {
        let dtype = match info.dtype {
            Dtype::F32 => DType::F32,
            Dtype::F16 => DType::F16,
            Dtype::BF16 => DType::BF16,
            other => {
                return Err(AdapterError::Storage { tensor: name.to_owned(), dtype: format!("{other:?}") });
            }
        };
        let (from, to) = info.data_offsets;
        let bytes = self.source.read(self.start + from as u64..self.start + to as u64).await?.to_vec();
        let mut values = vec![0.0; bytes.len() / dtype.block_bytes()];
        quant::dequantize(dtype, &bytes, &mut values).map_err(broken)?;
        Ok(values)
    }
}
