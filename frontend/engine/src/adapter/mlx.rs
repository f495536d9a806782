//! Adapters of mlx-lm: `adapters.safetensors` and its `adapter_config.json`. Factors are stored the other way round than
//! in PEFT, as the product `x·A·B` needs them, and the scale is a number of its own.

use serde::Deserialize;

use super::halves::{Part, Reading};
use super::pairs::{Half, Pairs, Side};
use super::safetensors::File;
use super::{Adapter, AdapterError, Target};
use crate::bytes::ByteSource;

/// The file with the weights.
pub const WEIGHTS: &str = "adapters.safetensors";

/// The fields that matter, of all settings of the training.
#[derive(Debug, Deserialize)]
struct Config {
    peft_type: Option<serde_json::Value>,
    fine_tune_type: Option<String>,
    #[serde(default)]
    use_dora: Option<bool>,
    lora_parameters: Option<Parameters>,
}

#[derive(Debug, Deserialize)]
struct Parameters {
    scale: Option<f32>,
    /// Of early versions, in which the scale was `scale·alpha / rank`.
    alpha: Option<f32>,
}

/// Returns whether the text of an `adapter_config.json` is mlx-lm's.
pub fn is_config(json: &[u8]) -> bool {
    serde_json::from_slice(json).is_ok_and(|config: Config| {
        config.peft_type.is_none() && (config.lora_parameters.is_some() || config.fine_tune_type.is_some())
    })
}

/// Reads an adapter of mlx-lm from its weights and the text of its configuration.
///
/// # Errors
/// When a file is broken, is not a LoRA adapter of Gemma 4, or uses an unsupported feature.
pub async fn read(weights: &dyn ByteSource, config: &[u8]) -> Result<Adapter, AdapterError> {
    let broken = |reason: String| AdapterError::Config { reason };
    let unsupported = |what: String| AdapterError::Unsupported { what };
    let config: Config = serde_json::from_slice(config).map_err(|error| broken(error.to_string()))?;
    match config.fine_tune_type.as_deref() {
        None | Some("lora") if config.use_dora != Some(true) => {}
        None | Some("lora" | "dora") => return Err(unsupported("DoRA".into())),
        Some("full") => {
            return Err(unsupported("fine-tuned weights of the whole model instead of LoRA".into()));
        }
        Some(other) => return Err(unsupported(format!("the fine-tuning type {other:?}"))),
    }
    let parameters = config.lora_parameters.ok_or_else(|| broken("it has no lora_parameters".into()))?;
    let scale = parameters.scale.ok_or_else(|| broken("lora_parameters has no scale".into()))?;
    let file = File::open(weights).await?;
    let mut pairs = Pairs::default();
    let tensors: Vec<_> = file.tensors().collect();
    for (name, info) in &tensors {
        let not = || AdapterError::NotAnAdapter { reason: format!("it holds the tensor {name}") };
        let (module, factor) = name.rsplit_once('.').ok_or_else(not)?;
        let side = match factor {
            "lora_a" => Side::A,
            "lora_b" => Side::B,
            "m" => return Err(unsupported(format!("DoRA ({name})"))),
            _ => return Err(not()),
        };
        let target =
            Target::of_module(module).ok_or_else(|| unsupported(format!("an adapter of {module}")))?;
        let &[columns, rows] = info.shape.as_slice() else {
            return Err(unsupported(format!("a stack of matrices ({name})")));
        };
        let shape = [rows as u64, columns as u64];
        let half = Half { tensor: name.clone(), experts: 1, shape, reference: info };
        pairs.add((target, Part::Whole), side, half)?;
    }
    let mut reading = Reading::default();
    for pair in pairs.finish()? {
        let [a, b] = &pair.halves;
        let first = transposed(&file.values(&a.tensor, a.reference).await?, a.shape[0] as usize);
        let second = transposed(&file.values(&b.tensor, b.reference).await?, b.shape[0] as usize);
        let scale = parameters.alpha.map_or(scale, |alpha| scale * alpha / pair.rank as f32);
        pair.put(&mut reading, first, second, scale)?;
    }
    reading.finish()
}

/// Returns the transpose of a matrix with so many columns.
fn transposed(values: &[f32], columns: usize) -> Vec<f32> {
    let rows = values.len() / columns.max(1);
    (0..values.len()).map(|i| values[i % rows * columns + i / rows]).collect()
}
