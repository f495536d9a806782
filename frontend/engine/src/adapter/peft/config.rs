//! `adapter_config.json`.

use std::collections::BTreeMap;

use regex_lite::{Regex, RegexBuilder};
use serde::Deserialize;

use super::super::{AdapterError, MAX_RANK};

/// A list of names, or a regular expression. The tensors themselves determine which modules are corrected; this
/// field is only checked for unsupported values.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Targets {
    List(Vec<String>),
    Expression(String),
}

/// Maximum number of entries in `alpha_pattern` and in `rank_pattern`: more than any model has modules.
const MAX_PATTERNS: usize = 1024;
/// Maximum total size of its keys in bytes. Each is matched against each module.
const MAX_PATTERN_BYTES: usize = 64 << 10;
/// Maximum size of one of them in bytes. A parsed pattern takes up to 128 bytes for one of its own.
const MAX_KEY_BYTES: usize = 512;
/// Maximum size of one compiled pattern in bytes: a repetition such as `{1000}` makes a short pattern large.
const MAX_COMPILED: usize = 32 << 10;

/// Beginnings of values of `init_lora_weights` that take something off the weights of the model, which the factors then give
/// back: on the weights as published, these would be given twice. PEFT can convert such an adapter.
const CHANGED_BASE: [&str; 5] = ["pissa", "olora", "corda", "loftq", "lora_ga"];

fn default_alpha() -> f32 {
    8.0
}

fn default_rank() -> u32 {
    8
}

fn none() -> String {
    "none".into()
}

/// The fields that matter for using the weights, with PEFT's defaults.
#[derive(Clone, Debug, Deserialize)]
pub struct AdapterConfig {
    #[serde(default)]
    peft_type: String,
    #[serde(default = "default_rank")]
    r: u32,
    #[serde(default = "default_alpha")]
    lora_alpha: f32,
    target_modules: Option<Targets>,
    #[serde(default = "none")]
    bias: String,
    #[serde(default)]
    use_rslora: bool,
    #[serde(default)]
    use_dora: bool,
    #[serde(default)]
    lora_bias: bool,
    #[serde(default)]
    fan_in_fan_out: bool,
    #[serde(default)]
    alpha_pattern: Option<BTreeMap<String, f32>>,
    #[serde(default)]
    rank_pattern: Option<BTreeMap<String, u32>>,
    modules_to_save: Option<Vec<String>>,
    target_parameters: Option<Vec<String>>,
    trainable_token_indices: Option<serde_json::Value>,
    layer_replication: Option<serde_json::Value>,
    alora_invocation_tokens: Option<serde_json::Value>,
    #[serde(default)]
    use_qalora: bool,
    init_lora_weights: Option<serde_json::Value>,
    /// The model that it was trained on, as named by the trainer.
    pub base_model_name_or_path: Option<String>,
    /// [`Self::alpha_pattern`], compiled.
    #[serde(skip)]
    alphas: Vec<(Regex, f32)>,
    /// [`Self::rank_pattern`], compiled, if there are `target_parameters`. The rank of other factors is in their shapes.
    #[serde(skip)]
    ranks: Vec<(Regex, u32)>,
}

fn broken(reason: String) -> AdapterError {
    AdapterError::Config { reason }
}

/// Returns the patterns of a field, compiled. A key matches the whole path of a module, or its end after a dot.
fn compiled<T: Copy>(
    field: &str,
    patterns: Option<&BTreeMap<String, T>>,
) -> Result<Vec<(Regex, T)>, AdapterError> {
    let (count, bytes) = patterns.map_or((0, 0), |all| (all.len(), all.keys().map(String::len).sum()));
    if count > MAX_PATTERNS || bytes > MAX_PATTERN_BYTES {
        return Err(broken(format!(
            "{field} has {count} entries of {bytes} bytes; up to {MAX_PATTERNS} of {MAX_PATTERN_BYTES} bytes are read"
        )));
    }
    if let Some(longest) = patterns.and_then(|all| all.keys().map(String::len).max())
        && longest > MAX_KEY_BYTES
    {
        return Err(broken(format!(
            "{field} has an entry of {longest} bytes; up to {MAX_KEY_BYTES} are read"
        )));
    }
    let one = |(pattern, value): (&String, &T)| {
        let regex = RegexBuilder::new(&format!("^(?:.*\\.)?(?:{pattern})$")).size_limit(MAX_COMPILED).build();
        let regex = regex.map_err(|e| {
            broken(format!("{field} {:?}: {e}", pattern.chars().take(80).collect::<String>()))
        })?;
        Ok((regex, *value))
    };
    patterns.into_iter().flatten().map(one).collect()
}

/// Returns the value of the first pattern that matches.
fn matching<T: Copy>(patterns: &[(Regex, T)], module: &str) -> Option<T> {
    patterns.iter().find(|(pattern, _)| pattern.is_match(module)).map(|&(_, value)| value)
}

impl AdapterConfig {
    /// Parses the file, and rejects unsupported features by name.
    ///
    /// # Errors
    /// When the file is not a LoRA configuration, or uses an unsupported feature.
    pub fn parse(json: &[u8]) -> Result<Self, AdapterError> {
        let mut config: Self = serde_json::from_slice(json).map_err(|e| broken(e.to_string()))?;
        let unsupported = |what: String| Err(AdapterError::Unsupported { what });
        if config.peft_type.is_empty() {
            let reason = "adapter_config.json has no peft_type".to_owned();
            return Err(AdapterError::NotAnAdapter { reason });
        }
        if config.peft_type != "LORA" {
            return unsupported(format!("the PEFT type {}", config.peft_type));
        }
        if config.use_dora {
            return unsupported("DoRA".into());
        }
        if let Some(modules) = config.modules_to_save.as_ref().filter(|modules| !modules.is_empty()) {
            return unsupported(format!("modules_to_save ({})", modules.join(", ")));
        }
        if config.bias != "none" || config.lora_bias {
            return unsupported("a bias".into());
        }
        let set = |value: &Option<serde_json::Value>| value.as_ref().is_some_and(|v| !v.is_null());
        let others = [
            ("trainable_token_indices", set(&config.trainable_token_indices)),
            ("layer_replication", set(&config.layer_replication)),
            ("alora_invocation_tokens", set(&config.alora_invocation_tokens)),
            ("use_qalora", config.use_qalora),
            ("fan_in_fan_out", config.fan_in_fan_out),
        ];
        if let Some((key, _)) = others.iter().find(|(_, used)| *used) {
            return unsupported((*key).to_owned());
        }
        let begun = config.init_lora_weights.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default();
        if CHANGED_BASE.iter().any(|name| begun.to_lowercase().starts_with(name)) {
            return unsupported(format!("init_lora_weights {begun:?}, which changes the model’s weights"));
        }
        match &config.target_modules {
            Some(Targets::List(names)) => {
                let tied = ["embed_tokens", "lm_head"];
                let last = |name: &String| tied.contains(&name.rsplit('.').next().unwrap_or(name));
                if let Some(name) = names.iter().find(|name| last(name)) {
                    return unsupported(format!("an adapter of the embedding ({name})"));
                }
            }
            Some(Targets::Expression(expression)) if expression.is_empty() => {
                return Err(broken("target_modules is empty".into()));
            }
            _ => {}
        }
        if !config.lora_alpha.is_finite() {
            return Err(AdapterError::NotFinite { tensor: "lora_alpha".into() });
        }
        config.alphas = compiled("alpha_pattern", config.alpha_pattern.as_ref())?;
        if config.target_parameters.is_some() {
            config.ranks = compiled("rank_pattern", config.rank_pattern.as_ref())?;
        }
        Ok(config)
    }

    /// Returns the scale of a module whose factors have this rank: that of the tensors, which in PEFT is `r` or from
    /// `rank_pattern`.
    pub fn scale(&self, module: &str, rank: u32) -> f32 {
        let alpha = matching(&self.alphas, module).unwrap_or(self.lora_alpha);
        let rank = rank as f32;
        alpha / if self.use_rslora { rank.sqrt() } else { rank }
    }
    /// Returns the rank of a parameter of experts, whose factors are stacked, so that their shapes don't tell it.
    ///
    /// # Errors
    /// [`AdapterError::Rank`] when it is 0 or above the limit.
    pub fn rank(&self, parameter: &str) -> Result<u32, AdapterError> {
        match matching(&self.ranks, parameter).unwrap_or(self.r) {
            rank @ 1..=MAX_RANK => Ok(rank),
            rank => {
                Err(AdapterError::Rank { tensor: parameter.to_owned(), rank: rank.into(), most: MAX_RANK })
            }
        }
    }

    /// Returns whether a parameter is among the `target_parameters`: by its whole path, or by the end of it after a dot.
    pub fn targets_parameter(&self, path: &str) -> bool {
        let is = |name: &String| {
            path.strip_suffix(name.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        self.target_parameters.iter().flatten().any(is)
    }
}
