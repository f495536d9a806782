//! Writing PEFT adapters.

use std::collections::{BTreeMap, BTreeSet};

use safetensors::tensor::{Dtype, TensorView};
use serde_json::{Map, Value, json};

use super::super::names::{WRAPPED, layers_for};
use super::super::{Adapter, AdapterError, Factors, Projection, Target};
use super::experts;

/// The two files of an adapter.
#[derive(Clone, Debug)]
pub struct Files {
    /// `adapter_model.safetensors`.
    pub weights: Vec<u8>,
    /// `adapter_config.json`.
    pub config: String,
}

/// Returns the most frequent value.
fn commonest<T: PartialEq + Copy>(values: &[T]) -> Option<T> {
    let count = |value: &T| values.iter().filter(|other| *other == value).count();
    values.iter().copied().max_by_key(|value| count(value))
}

/// Returns a regular expression that matches exactly the modules of the adapter, in the language model; an empty list if there
/// are none. Names alone would also match the towers, whose layers PEFT cannot wrap.
fn target_modules(adapter: &Adapter) -> Value {
    let mut layers: BTreeMap<Projection, Vec<usize>> = BTreeMap::new();
    for (target, _) in adapter.iter().filter(|(target, _)| !target.projection.is_of_experts()) {
        layers.entry(target.projection).or_default().push(target.layer);
    }
    // Projections of the same layers share an alternative.
    let mut groups: BTreeMap<Vec<usize>, BTreeSet<Projection>> = BTreeMap::new();
    for (projection, layers) in layers {
        groups.entry(layers).or_default().insert(projection);
    }
    let escaped = |text: &str| text.replace('.', r"\.");
    let group = |(layers, projections): (&Vec<usize>, &BTreeSet<Projection>)| {
        let layers: Vec<_> = layers.iter().map(ToString::to_string).collect();
        let modules: Vec<_> = projections.iter().map(|p| escaped(p.module())).collect();
        format!(r"(?:{})\.(?:{})", layers.join("|"), modules.join("|"))
    };
    let groups: Vec<_> = groups.iter().map(group).collect();
    if groups.is_empty() {
        return json!([]);
    }
    json!(format!("{}(?:{})", escaped(layers_for(adapter)), groups.join("|")))
}

fn config(adapter: &Adapter, base: &str) -> String {
    let alpha = |f: &Factors| f.scale * f.rank as f32;
    let all: Vec<_> = adapter.iter().collect();
    let rank = commonest(&all.iter().map(|(_, f)| f.rank).collect::<Vec<_>>()).unwrap_or(8);
    let common = commonest(&all.iter().map(|(_, f)| alpha(f)).collect::<Vec<_>>()).unwrap_or(8.0);
    let pattern = |keep: &dyn Fn(&Factors) -> Option<Value>| {
        let key = |target: &Target| target.module_below(layers_for(adapter)).replace('.', r"\.");
        all.iter().filter_map(|(t, f)| keep(f).map(|value| (key(t), value))).collect::<Map<_, _>>()
    };
    let ranks = pattern(&|f| (f.rank != rank).then(|| json!(f.rank)));
    let alphas = pattern(&|f| (alpha(f) != common).then(|| json!(alpha(f))));
    let parameters = all.iter().filter(|(target, _)| target.projection.is_of_experts());
    let parameters: Vec<_> = parameters.map(|(target, _)| target.module()).collect();
    let mut value = json!({
        "peft_type": "LORA",
        "task_type": "CAUSAL_LM",
        "base_model_name_or_path": base,
        "r": rank,
        "lora_alpha": common,
        "lora_dropout": 0.0,
        "target_modules": target_modules(adapter),
        "rank_pattern": ranks,
        "alpha_pattern": alphas,
        "bias": "none",
        "fan_in_fan_out": false,
        "inference_mode": true,
        "init_lora_weights": true,
        "layers_pattern": null,
        "layers_to_transform": null,
        "modules_to_save": null,
        "use_dora": false,
        "use_rslora": false,
    });
    if let Some(fields) = value.as_object_mut().filter(|_| !parameters.is_empty()) {
        fields.insert("target_parameters".into(), json!(parameters));
    }
    // As PEFT writes them.
    value.sort_all_objects();
    format!("{value:#}\n")
}

/// Writes an adapter in f32 for the class that transformers has for its model, as PEFT reads it. `base` is the name of the
/// base model.
///
/// # Errors
/// When the weights cannot be serialised.
pub fn write(adapter: &Adapter, base: &str) -> Result<Files, AdapterError> {
    let broken = |e: safetensors::SafeTensorError| AdapterError::Safetensors { reason: e.to_string() };
    // B of experts is in another order there.
    let stacked: BTreeMap<Target, Vec<f32>> = adapter
        .iter()
        .filter(|(target, _)| target.projection.is_of_experts())
        .map(|(target, f)| (target, experts::by_row(&f.b, f.experts() as usize, f.rank as usize)))
        .collect();
    let mut views = Vec::with_capacity(2 * adapter.len());
    for (target, f) in adapter.iter() {
        let (module, [a, b]) = match stacked.get(&target) {
            Some(b) => (experts::module(adapter, target), [&f.a, b]),
            None => (target.module_below(layers_for(adapter)), [&f.a, &f.b]),
        };
        let rank = f.rank as usize * stacked.get(&target).map_or(1, |_| f.experts() as usize);
        let sides = [("A", a, vec![rank, f.input as usize]), ("B", b, vec![f.output as usize, rank])];
        for (side, values, shape) in sides {
            let view = TensorView::new(Dtype::F32, shape, bytemuck::cast_slice(values)).map_err(broken)?;
            views.push((format!("{WRAPPED}{module}.lora_{side}.weight"), view));
        }
    }
    // PEFT and transformers require this key.
    let format = [("format".to_owned(), "pt".to_owned())].into_iter().collect();
    let weights = safetensors::serialize(views, Some(format)).map_err(broken)?;
    Ok(Files { weights, config: config(adapter, base) })
}
