//! A summary of a header, for display.

use std::collections::BTreeMap;

use super::{Header, TensorInfo};

/// The part of a file that has one tensor type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeShare {
    /// Type, such as `Q4_K`.
    pub name: String,
    /// Tensors of this type.
    pub tensors: u32,
    /// Their bytes.
    pub bytes: u64,
}

/// What a header says of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// `general.name`, if the file has one.
    pub name: Option<String>,
    /// `general.architecture`; empty if the file does not say.
    pub architecture: String,
    /// Elements of all tensors.
    pub parameters: u64,
    /// Bytes of the file.
    pub file_size: u64,
    /// Bytes by tensor type, largest first.
    pub types: Vec<TypeShare>,
    /// Whether the file holds a vision tower.
    pub vision: bool,
    /// Whether the file holds an audio tower.
    pub audio: bool,
}

/// Summarises a header.
#[must_use]
pub fn summary(header: &Header) -> Summary {
    let mut by_type = BTreeMap::<String, (u32, u64)>::new();
    for tensor in &header.tensors {
        let (tensors, bytes) = by_type.entry(tensor.dtype.to_string()).or_default();
        *tensors += 1;
        *bytes += tensor.bytes;
    }
    let mut types: Vec<_> =
        by_type.into_iter().map(|(name, (tensors, bytes))| TypeShare { name, tensors, bytes }).collect();
    types.sort_by_key(|share| std::cmp::Reverse(share.bytes));

    let has = |prefix: &str| header.tensors.iter().any(|tensor| tensor.name.starts_with(prefix));
    let metadata = &header.metadata;
    Summary {
        name: metadata.str("general.name").map(str::to_owned),
        architecture: header.architecture().unwrap_or_default().to_owned(),
        parameters: header.tensors.iter().map(TensorInfo::elements).fold(0, u64::saturating_add),
        file_size: header.file_size,
        types,
        vision: has("v."),
        audio: has("a."),
    }
}
