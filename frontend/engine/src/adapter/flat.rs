//! Adapters in a single safetensors file with GGUF names: `lora.blk.3.attn_q.A`. gemtab's reference outputs and
//! training checkpoints use these names, with a third dimension in front for
//! the factors of experts; rullama writes such files, with rank and alpha in the metadata.

use super::halves::Reading;
use super::pairs::{Half, Pairs, Side};
use super::safetensors::File;
use super::{Adapter, AdapterError, Target};
use crate::bytes::ByteSource;

/// Reads such a file. `alpha` is used if the metadata has none.
///
/// # Errors
/// When the file is broken, has no alpha and none is given, or uses an unsupported feature.
pub async fn read(source: &dyn ByteSource, alpha: Option<f32>) -> Result<Adapter, AdapterError> {
    let file = File::open(source).await?;
    let told = file.text("alpha").or_else(|| file.text("lora_alpha")).and_then(|text| text.parse().ok());
    let alpha = told
        .or(alpha)
        .filter(|alpha: &f32| alpha.is_finite())
        .ok_or_else(|| AdapterError::NotAnAdapter { reason: "it does not say its alpha".into() })?;
    let mut pairs = Pairs::default();
    let tensors: Vec<_> = file.tensors().collect();
    for (name, info) in &tensors {
        let not = || AdapterError::NotAnAdapter { reason: format!("it holds the tensor {name}") };
        let (matrix, side) =
            name.strip_prefix("lora.").and_then(|rest| rest.rsplit_once('.')).ok_or_else(not)?;
        let side = match side {
            "A" => Side::A,
            "B" => Side::B,
            _ => return Err(not()),
        };
        let key = Target::part_of_matrix(matrix)
            .ok_or_else(|| AdapterError::Unsupported { what: format!("an adapter of {matrix}") })?;
        let (experts, [rows, columns]) = match *info.shape.as_slice() {
            [rows, columns] => (1, [rows, columns]),
            [experts, rows, columns] if key.0.projection.is_of_experts() => (experts, [rows, columns]),
            _ => return Err(not()),
        };
        let half = Half {
            tensor: name.clone(),
            experts: experts as u64,
            shape: [rows as u64, columns as u64],
            reference: info,
        };
        pairs.add(key, side, half)?;
    }
    let mut reading = Reading::default();
    for pair in pairs.finish()? {
        let [a, b] = &pair.halves;
        let first = file.values(&a.tensor, a.reference).await?;
        let second = file.values(&b.tensor, b.reference).await?;
        let scale = alpha / pair.rank as f32;
        pair.put(&mut reading, first, second, scale)?;
    }
    reading.finish()
}
