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
    /// The quantisation mix by its usual name, such as `Q4_K_M`, from `general.file_type`.
    pub quantization: Option<&'static str>,
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
        quantization: metadata.u32("general.file_type").and_then(file_type_name),
        types,
        vision: has("v."),
        audio: has("a."),
    }
}

/// The usual name of a value of `general.file_type` (`llama_ftype` in `llama.h`).
fn file_type_name(file_type: u32) -> Option<&'static str> {
    Some(match file_type {
        0 => "F32",
        1 => "F16",
        2 => "Q4_0",
        3 => "Q4_1",
        7 => "Q8_0",
        8 => "Q5_0",
        9 => "Q5_1",
        10 => "Q2_K",
        11 => "Q3_K_S",
        12 => "Q3_K_M",
        13 => "Q3_K_L",
        14 => "Q4_K_S",
        15 => "Q4_K_M",
        16 => "Q5_K_S",
        17 => "Q5_K_M",
        18 => "Q6_K",
        19 => "IQ2_XXS",
        20 => "IQ2_XS",
        21 => "Q2_K_S",
        22 => "IQ3_XS",
        23 => "IQ3_XXS",
        24 => "IQ1_S",
        25 => "IQ4_NL",
        26 => "IQ3_S",
        27 => "IQ3_M",
        28 => "IQ2_S",
        29 => "IQ2_M",
        30 => "IQ4_XS",
        31 => "IQ1_M",
        32 => "BF16",
        36 => "TQ1_0",
        37 => "TQ2_0",
        38 => "MXFP4_MOE",
        39 => "NVFP4",
        40 => "Q1_0",
        41 => "Q2_0",
        _ => return None,
    })
}
