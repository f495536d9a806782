//! `probe info`: what is in a model file, and the memory that it takes.

use std::path::Path;

use anyhow::Result;
use engine::gguf::summary;
use engine::plan::Limits;
use engine::session::{DeviceMemory, EngineError, LoadOptions, MIN_CONTEXT, ModelSpec, Storage, TablePlace};
use engine::tokenizer::has_foreign_template;
use serde_json::{Value, json};

use super::files::header;

/// Describes a model file.
pub fn run(model: &Path) -> Result<Value> {
    let header = header(model)?;
    let s = summary(&header);
    let types: Vec<_> =
        s.types.iter().map(|t| json!({ "name": t.name, "tensors": t.tensors, "bytes": t.bytes })).collect();
    let mut value = json!({
        "name": s.name,
        "architecture": s.architecture,
        "parameters": s.parameters,
        "file_size": s.file_size,
        "tensors": header.tensors.len(),
        "types": types,
        "vision": s.vision,
        "audio": s.audio,
        "foreign_template": has_foreign_template(&header.metadata),
    });
    let spec = ModelSpec::with_options(&header, &LoadOptions::default());
    if let Err(error) = spec.and_then(|plan| costs(&plan, &mut value)) {
        value["cannot_run"] = json!(error.to_string());
    }
    Ok(value)
}

/// Adds the model's structure and its memory use.
fn costs(plan: &ModelSpec, value: &mut Value) -> Result<(), EngineError> {
    let c = &plan.config;
    let device = DeviceMemory { available: u64::MAX, limits: Limits::default() };
    let needs = plan.needs(device)?;
    let memory: Vec<_> = [2048, 8192, 32_768, 131_072]
        .into_iter()
        .filter(|&n| n <= c.max_context)
        .map(|n| {
            let stored = |table| needs.memory(n, Storage { table, ..plan.storage });
            let use_of = stored(TablePlace::Device);
            let without_table = plan.table().map(|_| stored(TablePlace::Host).total());
            json!({ "context": n, "bytes": use_of.total(), "weights": use_of.weights, "cache": use_of.cache,
                "working": use_of.working, "checkpoints": use_of.checkpoints, "towers": use_of.towers, "drafter": use_of.drafter,
                "without_table": without_table })
        })
        .collect();
    value["layers"] = json!(c.layers.len());
    value["width"] = json!(c.width);
    value["heads"] = json!(c.heads);
    value["vocabulary"] = json!(plan.tensors.vocabulary());
    value["window"] = json!(c.window);
    value["max_context"] = json!(c.max_context);
    value["shared_kv_layers"] = json!(c.layers.len() - c.first_shared);
    value["per_layer_width"] = json!(c.ple);
    value["memory"] = json!(memory);
    value["drafting_blocks_left_out"] = json!(plan.drafting_blocks);
    value["tower_left_out"] = json!(plan.unusable);
    if let Some(mixture) = c.experts.map(|experts| experts.mixture) {
        let least = |slots| {
            let plan = ModelSpec { expert_slots: slots, ..plan.clone() };
            Ok::<_, EngineError>(plan.needs(device)?.memory(MIN_CONTEXT, plan.storage).total())
        };
        // With the shortest context.
        let (all, of_a_token) = (least(None)?, least(Some(mixture.used))?);
        value["experts"] = json!({ "per_layer": mixture.experts, "per_token": mixture.used,
            "bytes_with_all": all, "bytes_with_those_of_a_token": of_a_token });
    }
    Ok(())
}
