//! Reading PEFT adapters.

use super::super::halves::{Part, Reading};
use super::super::names;
use super::super::pairs::{Half, Pairs};
use super::super::safetensors::File;
use super::super::{Adapter, AdapterError, Target};
use super::AdapterConfig;
use super::experts::{self, Wrappers};
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
    let module = |(name, _): &'_ (String, _)| names::peft(name).map(|(module, _)| module.to_owned());
    let modules = tensors.iter().map(module).collect::<Result<Vec<_>, _>>()?;
    let wrappers = Wrappers::of(&modules);
    for (name, info) in &tensors {
        let (module, side) = names::peft(name)?;
        let &[rows, columns] = info.shape.as_slice() else {
            return Err(AdapterError::Unsupported { what: format!("a stack of matrices ({name})") });
        };
        let shape = [rows as u64, columns as u64];
        let (target, half) = if let Some(target) = wrappers.target(module, &config)? {
            let rank = config.rank(&target.module())?;
            let (experts, shape) = experts::shape(name, side, shape, rank)?;
            (target, Half { tensor: name.clone(), experts, shape, reference: (target.module(), info) })
        } else {
            let target = Target::of_module(module)
                .ok_or_else(|| AdapterError::Unsupported { what: format!("an adapter of {module}") })?;
            let reference = (module.to_owned(), info);
            (target, Half { tensor: name.clone(), experts: 1, shape, reference })
        };
        pairs.add((target, Part::Whole), side, half)?;
    }
    let mut reading = Reading::default();
    for pair in pairs.finish()? {
        let [a, b] = &pair.halves;
        let scale = config.scale(&a.reference.0, pair.rank);
        let first = file.values(&a.tensor, a.reference.1).await?;
        let mut second = file.values(&b.tensor, b.reference.1).await?;
        if pair.key.0.projection.is_of_experts() {
            second = experts::by_expert(&second, b.experts as usize, pair.rank as usize);
        }
        pair.put(&mut reading, first, second, scale)?;
    }
    reading.finish()
}
