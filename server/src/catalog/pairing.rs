//! Which projector or drafter belongs to which model, by file name and width.
//!
//! Publishers put towers beside the model as `mmproj-<model>-<type>.gguf`, `<model>.mmproj.<type>.gguf` or just
//! `mmproj-<type>.gguf`, and drafters as `<model>-assistant-<type>.gguf`. What is left of such a name when these words and
//! types are taken away must begin the model's name; and where both headers give the width of the residual stream, the
//! widths must be equal.

/// The part of a file name that tells models apart, in lower-case words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words(Vec<String>);

impl Words {
    /// The words of a file name without its extension.
    #[must_use]
    pub fn new(stem: &str) -> Self {
        let stem = stem.to_lowercase();
        let mut words = Vec::new();
        let mut in_type = false;
        for word in stem.split(['-', '_', '.', ' ']).filter(|word| !word.is_empty()) {
            if is_type(word) || (in_type && TYPE_ENDINGS.contains(&word)) {
                in_type = true;
            } else {
                in_type = false;
                if !["mmproj", "model", "ud", "assistant", "drafter", "draft", "mtp"].contains(&word) {
                    words.push(word.to_owned());
                }
            }
        }
        Self(words)
    }
}

/// What follows the first word of a type: `Q4_K_M`, `IQ3_XXS`, `Q8_0`.
const TYPE_ENDINGS: [&str; 11] = ["k", "s", "m", "l", "xl", "xs", "xxs", "xxl", "nl", "0", "1"];

/// Whether the word begins a tensor type: `q4`, `iq3`, `tq1`, `f16`, `bf16`.
fn is_type(word: &str) -> bool {
    if ["f16", "f32", "bf16", "fp16", "fp32", "mxfp4"].contains(&word) {
        return true;
    }
    let digits = word.trim_start_matches(['i', 't']).strip_prefix('q');
    digits.is_some_and(|digits| digits.len() == 1 && digits.chars().all(|c| c.is_ascii_digit()))
}

/// What pairing looks at.
#[derive(Clone, Debug)]
pub struct Half {
    /// From the file name.
    pub words: Words,
    /// Width of the model's residual stream, or the width that the projector or drafter is for.
    pub width: Option<u64>,
}

/// Whether the projector or drafter can belong to the model.
#[must_use]
pub fn fits(model: &Half, other: &Half) -> bool {
    let widths_known = model.width.is_some() && other.width.is_some();
    let generic = other.words.0.is_empty();
    model.words.0.starts_with(&other.words.0)
        && (model.width == other.width || !widths_known)
        && (widths_known || !generic)
}

/// Of those that fit, the one whose name says most; of those, the first.
#[must_use]
pub fn best(model: &Half, others: &[Half]) -> Option<usize> {
    let fitting = others.iter().enumerate().filter(|(_, other)| fits(model, other));
    // `max_by_key` gives the last of equals.
    fitting.rev().max_by_key(|(_, other)| other.words.0.len()).map(|(index, _)| index)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn half(stem: &str, width: u64) -> Half {
        Half { words: Words::new(stem), width: Some(width) }
    }

    #[test]
    fn names_lose_their_types() {
        for stem in [
            "gemma-4-E2B-it-Q4_K_M",
            "gemma-4-E2B-it.q4_0",
            "gemma-4-E2B-it-UD-IQ3_XXS",
            "mmproj-gemma-4-E2B-it-BF16",
            "gemma-4-e2b-it.mmproj.q8_0",
            "mmproj_gemma_4_e2b_it_f16",
            "gemma-4-E2B-it-assistant-Q8_0",
        ] {
            assert_eq!(Words::new(stem).0, ["gemma", "4", "e2b", "it"], "{stem}");
        }
        assert_eq!(Words::new("mmproj-model-f16").0, [] as [&str; 0]);
    }

    #[test]
    fn a_projector_goes_with_the_model_it_names() {
        let projectors =
            [half("mmproj-F16", 1536), half("mmproj-gemma-4-e2b", 1536), half("mmproj-gemma-4-e4b", 2560)];
        assert_eq!(best(&half("gemma-4-e2b-Q4_K_M", 1536), &projectors), Some(1));
        assert_eq!(best(&half("gemma-4-e4b-Q4_K_M", 2560), &projectors), Some(2));
        assert_eq!(best(&half("my-finetune", 1536), &projectors), Some(0));
        assert_eq!(best(&half("my-finetune", 3840), &projectors), None);
    }

    #[test]
    fn without_widths_the_name_must_say_it() {
        let unknown = |stem| Half { words: Words::new(stem), width: None };
        assert!(fits(&half("gemma-4-e2b", 1536), &unknown("mmproj-gemma-4-e2b")));
        assert!(!fits(&half("gemma-4-e2b", 1536), &unknown("mmproj-F16")));
    }
}
