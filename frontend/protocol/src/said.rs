//! What the server says in its list of models: codes with arguments, which the page puts into its language.

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize};

/// A code, and the same in English.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "C: Deserialize<'de>"))]
pub struct Said<C> {
    /// `None` if this page doesn't know the code, because the server is of another version.
    #[serde(deserialize_with = "known")]
    pub code: Option<C>,
    /// For the server's log, and for a page that doesn't know the code.
    pub english: String,
}

/// A code of this version; `None` for any other.
fn known<'de, C: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<C>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Read<C> {
        Known(C),
        Other(IgnoredAny),
    }
    Ok(match Read::deserialize(deserializer)? {
        Read::Known(code) => Some(code),
        Read::Other(_) => None,
    })
}

/// Why a model is listed but cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelProblem {
    /// Its manifest is damaged.
    Manifest {
        /// Its name for `ollama pull`.
        model: String,
    },
    /// A file could not be read.
    Unreadable {
        /// Which.
        part: ModelPart,
        /// Why.
        why: Unreadable,
    },
    /// A file is much larger than its kind ever is.
    TooLarge {
        /// Which.
        part: ModelPart,
        /// Its bytes.
        size: u64,
    },
    /// It runs on someone's server; there are no weights.
    Remote,
    /// Its weights are stored as safetensors.
    Safetensors,
    /// Its manifest names no model file.
    NoModel,
    /// It is cut into several files.
    Split {
        /// How many.
        parts: u64,
    },
    /// Another model than Gemma 4.
    Foreign {
        /// What it is.
        architecture: String,
    },
    /// A drafter, found alone.
    Drafter,
    /// A LoRA adapter, found alone.
    Adapter,
    /// A file with what a model needs for pictures and sound, found alone.
    Projector,
    /// There is no room for its system prompt in the list.
    TooManyPrompts,
    /// A file is missing.
    Missing {
        /// Which.
        part: ModelPart,
        /// The model's name for `ollama pull`.
        model: String,
    },
    /// Its download is not finished.
    Unfinished {
        /// Its name for `ollama pull`.
        model: String,
    },
    /// A file has another size than its manifest says.
    WrongSize {
        /// Which.
        part: ModelPart,
        /// Bytes that are there.
        found: u64,
        /// Bytes that should be there.
        expected: u64,
        /// The model's name for `ollama pull`.
        model: String,
    },
    /// A link leads out of the folder of models.
    Escape,
    /// Its file is not GGUF.
    NotGguf,
    /// Its file is GGUF of another version.
    GgufVersion {
        /// Which.
        version: u32,
    },
    /// Its file ends too early.
    Truncated,
    /// Its file contradicts itself.
    Damaged,
}

/// A file of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelPart {
    /// The only one.
    File,
    /// What Ollama says of the model.
    Manifest,
    /// The text model.
    Model,
    /// Towers for pictures and sound.
    Projector,
    /// A LoRA adapter.
    Adapter,
    /// A drafter for speculative decoding.
    Drafter,
}

/// Why a file could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unreadable {
    /// It is not there.
    Gone,
    /// The server may not read it.
    Forbidden,
    /// Anything else.
    Other,
}

/// Why nothing in a folder could be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FolderProblem {
    /// There is no such folder.
    NotThere,
    /// It could not be read.
    Unreadable,
}

/// What the list lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ListNote {
    /// A folder holds more models than are listed.
    FullFolder {
        /// Which.
        folder: String,
        /// How many of its models are listed.
        shown: u64,
    },
    /// The list as a whole is too long.
    FullList {
        /// Models that are left out.
        left_out: u64,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Option<ModelProblem> {
        serde_json::from_str::<Said<ModelProblem>>(json).expect("it is read").code
    }

    #[test]
    fn codes_are_read_as_they_were_written() {
        let problem = ModelProblem::Missing { part: ModelPart::Projector, model: "gemma4:e2b".into() };
        for code in [ModelProblem::Remote, problem] {
            let said = Said { code: Some(code), english: "Why.".into() };
            let json = serde_json::to_string(&said).expect("JSON");
            assert_eq!(serde_json::from_str::<Said<ModelProblem>>(&json).expect("the same"), said);
        }
    }

    #[test]
    fn a_code_of_another_version_leaves_the_words() {
        for code in [r#""stolen""#, r#"{"stolen":{"by":"a magpie"}}"#, r#"{"split":{}}"#, "null"] {
            assert_eq!(read(&format!(r#"{{"code":{code},"english":"Why."}}"#)), None, "{code}");
        }
        let split = r#"{"code":{"split":{"parts":2,"more":1}},"english":"Why."}"#;
        assert_eq!(read(split), Some(ModelProblem::Split { parts: 2 }));
    }
}
