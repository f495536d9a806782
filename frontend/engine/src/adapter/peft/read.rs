//! Reading PEFT adapters.

use super::super::names;
use super::super::pairs::{Half, Pairs};
use super::super::safetensors::File;
use super::super::{Adapter, AdapterError, Target};
use super::AdapterConfig;
use crate::bytes::ByteSource;

/// Reads a PEFT adapter from its weights and the text of its configuration.
///
/// # Errors
/// When a file is broken, is not a LoRA adapter of Gemma 4, or uses an unsupported feature.
pub async fn read(weights: &dyn ByteSource, config: &[u8]) -> Result<Adapter, AdapterError> {
    let config = AdapterConfig::parse(config)?;
    let file = File::open(weights).await?;
    let mut pairs = Pairs::default();
    let tensors: Vec<_> = file.tensors().collect();
    for (name, info) in &tensors {
        let (module, side) = names::peft(name)?;
        let target = Target::of_module(module)
            .ok_or_else(|| AdapterError::Unsupported { what: format!("an adapter of {module}") })?;
        let &[rows, columns] = info.shape.as_slice() else {
            return Err(AdapterError::Unsupported { what: format!("a stack of matrices ({name})") });
        };
        let half =
            Half { tensor: name.clone(), shape: [rows as u64, columns as u64], reference: (module, info) };
        pairs.add(target, side, half)?;
    }
    let mut adapter = Adapter::default();
    for pair in pairs.finish()? {
        let [a, b] = &pair.halves;
        let scale = config.scale(a.reference.0, pair.rank);
        let first = file.values(&a.tensor, a.reference.1).await?;
        let second = file.values(&b.tensor, b.reference.1).await?;
        pair.put(&mut adapter, first, second, scale)?;
    }
    Ok(adapter)
}
