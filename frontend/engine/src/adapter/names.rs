//! Names of adapter tensors.

use super::halves::Part;
use super::pairs::Side;
use super::{Adapter, AdapterError, Projection, Target};

/// Prefix of a layer's module in the multimodal class of transformers.
pub const LAYERS: &str = "model.language_model.layers.";

/// Prefix of a layer's module in the class of transformers that has no towers.
const LAYERS_OF_TEXT: &str = "model.layers.";

/// Widths of the models with this class: Gemma 3 270M, of which FunctionGemma is one, and 1B.
const WIDTHS_OF_TEXT: [u32; 2] = [640, 1152];

/// Prefix of a layer's module in the class of transformers for the model that an adapter is for.
#[must_use]
pub fn layers_for(adapter: &Adapter) -> &'static str {
    let width = adapter.iter().find_map(|(target, factors)| match target.projection {
        Projection::Q | Projection::K | Projection::V | Projection::Gate | Projection::Up => {
            Some(factors.input)
        }
        Projection::Output | Projection::Down => Some(factors.output),
        _ => None,
    });
    if width.is_some_and(|width| WIDTHS_OF_TEXT.contains(&width)) { LAYERS_OF_TEXT } else { LAYERS }
}

/// The prefix that PEFT adds to module names.
pub const WRAPPED: &str = "base_model.model.";

/// Modules around the layers and within them that compute nothing of their own. Which there are depends on the class
/// that was trained, the version of transformers, and what else was wrapped around the model.
const WRAPPERS: [&str; 8] = [
    "base_model",
    "model",
    "language_model",
    "text_model",
    "module",
    "_orig_mod",
    "_fsdp_wrapped_module",
    "_checkpoint_wrapped_module",
];

/// Maximum layer index in a name, as for models.
const MAX_LAYERS: usize = 1024;

/// Returns the layer that a module's path begins with, and the path within it.
fn in_layer(path: &str) -> Option<(usize, String)> {
    let mut parts = path.split('.').filter(|part| !WRAPPERS.contains(part));
    let layers = parts.next().filter(|part| *part == "layers");
    let number = layers.and_then(|_| parts.next()).and_then(layer)?;
    Some((number, parts.collect::<Vec<_>>().join(".")))
}

fn layer(text: &str) -> Option<usize> {
    text.parse().ok().filter(|&layer| layer < MAX_LAYERS)
}

impl Target {
    /// Returns the target of a module's path in transformers.
    pub fn of_module(path: &str) -> Option<Self> {
        let (layer, module) = in_layer(path)?;
        let mut modules = Projection::ALL.into_iter().filter(|p| !p.is_of_experts());
        let projection = modules.find(|p| p.module() == module)?;
        Some(Self { layer, projection })
    }

    /// Returns the module's path, or that of the parameter, in the multimodal class of transformers.
    pub fn module(self) -> String {
        self.module_below(LAYERS)
    }

    /// The same in a class with this prefix of layers.
    pub(super) fn module_below(self, layers: &str) -> String {
        format!("{layers}{}.{}", self.layer, self.projection.module())
    }

    /// Returns the target of a matrix in a GGUF file: `blk.3.attn_q`.
    pub fn of_matrix(name: &str) -> Option<Self> {
        Self::part_of_matrix(name).filter(|(_, part)| *part == Part::Whole).map(|(target, _)| target)
    }

    /// Returns the target of a matrix in a GGUF file, and which part of it the matrix is: files may have gate and up of experts
    /// apart.
    pub(super) fn part_of_matrix(name: &str) -> Option<(Self, Part)> {
        let (number, tensor) = name.strip_prefix("blk.")?.split_once('.')?;
        let part = match tensor {
            "ffn_gate_exps" => Part::Gate,
            "ffn_up_exps" => Part::Up,
            _ => Part::Whole,
        };
        // Spellings of other writers.
        let tensor = match tensor {
            "ffn_gate_exps" | "ffn_up_exps" => "ffn_gate_up_exps",
            "attn_o" => "attn_output",
            "per_layer_input_gate" => "inp_gate",
            "per_layer_projection" => "proj",
            other => other,
        };
        let projection = Projection::ALL.into_iter().find(|p| p.tensor() == tensor)?;
        Some((Self { layer: layer(number)?, projection }, part))
    }
}

/// Returns the layer whose experts a module's path in transformers names.
pub fn layer_of_experts(path: &str) -> Option<usize> {
    in_layer(path).filter(|(_, module)| module == "experts").map(|(layer, _)| layer)
}

/// Returns the module and the side (A or B) of a tensor in a PEFT file. An adapter name may precede `weight`; `weight` and PEFT's
/// prefix may be missing.
///
/// # Errors
/// Features of PEFT that are not supported, by name.
pub fn peft(name: &str) -> Result<(&str, Side), AdapterError> {
    let unsupported = |what: &str| AdapterError::Unsupported { what: format!("{what} ({name})") };
    let not = || AdapterError::NotAnAdapter { reason: format!("it holds the tensor {name}") };
    if name.contains("lora_magnitude_vector") {
        return Err(unsupported("DoRA"));
    }
    if name.contains("lora_embedding_") {
        return Err(unsupported("an adapter of the embedding"));
    }
    if name.contains("modules_to_save") {
        return Err(unsupported("modules_to_save"));
    }
    let path = name.strip_prefix(WRAPPED).unwrap_or(name);
    let sides = [(".lora_A", Side::A), (".lora_B", Side::B)];
    let found =
        sides.into_iter().find_map(|(mark, side)| path.split_once(mark).map(|(m, rest)| (m, rest, side)));
    let (module, rest, side) = found.ok_or_else(not)?;
    let adapter = rest.strip_suffix(".weight").unwrap_or(rest);
    if adapter.is_empty()
        || adapter.strip_prefix('.').is_some_and(|name| !name.contains('.') && name != "bias")
    {
        Ok((module, side))
    } else if rest.ends_with("bias") {
        Err(unsupported("a bias"))
    } else {
        Err(not())
    }
}
