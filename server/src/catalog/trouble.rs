//! Why a model cannot be used: what the list says beside its name.

use std::io;

use protocol::said::{ModelPart, ModelProblem, Said, Unreadable};

use super::gguf::PeekError;
use crate::text::printable;

/// Why a model is listed but cannot be used. The text is for the log: the page has its own for each code.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// The manifest is no manifest.
    #[error("Its manifest is damaged ({reason}). Run: ollama pull {name}")]
    Manifest {
        /// What the parser found.
        reason: String,
        /// Name of the model, for the advice.
        name: String,
    },
    /// A file could not be read.
    #[error("{} can't be read: {error}.", subject(*.part))]
    Unreadable {
        /// The file.
        part: ModelPart,
        /// The system's reason.
        error: io::Error,
    },
    /// A file is much larger than its kind ever is.
    #[error("{} is {}, which is too large.", subject(*.part), bytes(*.size))]
    TooLarge {
        /// The file.
        part: ModelPart,
        /// Its bytes.
        size: u64,
    },
    /// The model runs on someone's server; there are no weights.
    #[error("This model runs on Ollama's servers. Its weights aren't on this machine.")]
    Remote,
    /// The weights are stored as safetensors.
    #[error("Its weights are in safetensors format. gemtab only reads GGUF.")]
    Safetensors,
    /// The manifest names no model layer.
    #[error("Its manifest lists no model file.")]
    NoModel,
    /// The model is cut into several files.
    #[error("It's split into {parts} files. gemtab only reads single-file models.")]
    Split {
        /// Files that it is cut into.
        parts: u64,
    },
    /// A model that the engine does not run.
    #[error("This is a {architecture} model. gemtab runs Gemma 4 and Gemma 3.")]
    Foreign {
        /// What it is.
        architecture: String,
    },
    /// A drafter, found alone.
    #[error("This is a drafter. It only works together with a model.")]
    Drafter,
    /// A LoRA adapter, found alone.
    #[error("This is a LoRA adapter. It only works together with a model.")]
    Adapter,
    /// A projector, found alone.
    #[error("This is a projector for images and audio. It only works together with a model.")]
    Projector,
    /// There is no room for its system prompt in the list.
    #[error("The list has no room left for its system prompt.")]
    TooManyPrompts,
    /// A layer is not in the store.
    #[error("{} is missing. Run: ollama pull {name}", subject(*.part))]
    Missing {
        /// The file.
        part: ModelPart,
        /// Name of the model, for the advice.
        name: String,
    },
    /// A layer is still being downloaded, or its download was stopped.
    #[error("Its download isn't finished. Run: ollama pull {name}")]
    Unfinished {
        /// Name of the model, for the advice.
        name: String,
    },
    /// A layer has another size than its manifest says.
    #[error(
        "{} is {} but should be {}. Run: ollama pull {name}",
        subject(*.part), bytes(*.found), bytes(*.expected)
    )]
    WrongSize {
        /// The file.
        part: ModelPart,
        /// Bytes that are there.
        found: u64,
        /// Bytes that the manifest names.
        expected: u64,
        /// Name of the model, for the advice.
        name: String,
    },
    /// A link in a folder of models leads out of it.
    #[error(
        "This link points outside its folder. To use it, start gemtab with --models and the folder it points to."
    )]
    Escape,
    /// The GGUF header is damaged or foreign.
    #[error("The file can't be used: {0}.")]
    Header(#[from] std::sync::Arc<PeekError>),
}

/// A file as the subject of a sentence.
fn subject(part: ModelPart) -> &'static str {
    match part {
        ModelPart::File => "The file",
        ModelPart::Manifest => "Its manifest",
        ModelPart::Model => "The model's file",
        ModelPart::Projector => "The projector's file",
        ModelPart::Adapter => "The adapter's file",
        ModelPart::Drafter => "The drafter's file",
    }
}

fn unreadable(part: ModelPart, error: &io::Error) -> ModelProblem {
    let why = match error.kind() {
        io::ErrorKind::NotFound => Unreadable::Gone,
        io::ErrorKind::PermissionDenied => Unreadable::Forbidden,
        _ => Unreadable::Other,
    };
    ModelProblem::Unreadable { part, why }
}

impl Trouble {
    /// What the list says. Names that came out of files are fit to be shown.
    #[must_use]
    pub fn said(&self) -> Said<ModelProblem> {
        Said { code: Some(self.code()), english: printable(&self.to_string()).into_owned() }
    }

    fn code(&self) -> ModelProblem {
        let shown = |name: &str| printable(name).into_owned();
        match self {
            Self::Manifest { name, .. } => ModelProblem::Manifest { model: shown(name) },
            Self::Unreadable { part, error } => unreadable(*part, error),
            Self::TooLarge { part, size } => ModelProblem::TooLarge { part: *part, size: *size },
            Self::Remote => ModelProblem::Remote,
            Self::Safetensors => ModelProblem::Safetensors,
            Self::NoModel => ModelProblem::NoModel,
            Self::Split { parts } => ModelProblem::Split { parts: *parts },
            Self::Foreign { architecture } => ModelProblem::Foreign { architecture: shown(architecture) },
            Self::Drafter => ModelProblem::Drafter,
            Self::Adapter => ModelProblem::Adapter,
            Self::Projector => ModelProblem::Projector,
            Self::TooManyPrompts => ModelProblem::TooManyPrompts,
            Self::Missing { part, name } => ModelProblem::Missing { part: *part, model: shown(name) },
            Self::Unfinished { name } => ModelProblem::Unfinished { model: shown(name) },
            Self::WrongSize { part, found, expected, name } => ModelProblem::WrongSize {
                part: *part,
                found: *found,
                expected: *expected,
                model: shown(name),
            },
            Self::Escape => ModelProblem::Escape,
            Self::Header(error) => match &**error {
                PeekError::NotGguf => ModelProblem::NotGguf,
                PeekError::Version(version) => ModelProblem::GgufVersion { version: *version },
                PeekError::Truncated => ModelProblem::Truncated,
                PeekError::Absurd { .. } => ModelProblem::Damaged,
                PeekError::Io(error) => unreadable(ModelPart::File, error),
            },
        }
    }
}

/// A size as people write it: `7.2 GB`.
pub(crate) fn bytes(size: u64) -> String {
    scaled(size, &["bytes", "kB", "MB", "GB", "TB"], " ")
}

/// A count of parameters as model names have it: `5.1B`.
pub(crate) fn parameters(count: u64) -> String {
    scaled(count, &["", "K", "M", "B", "T"], "")
}

fn scaled(number: u64, units: &[&str], space: &str) -> String {
    let mut scaled = number as f64;
    let mut unit = 0;
    // Not 1000: what would be shown as 1000.0 is shown as 1.0 of the next unit.
    while scaled >= 999.95 && unit + 1 < units.len() {
        scaled /= 1000.0;
        unit += 1;
    }
    if unit == 0 {
        format!("{number}{space}{}", units[0])
    } else {
        format!("{scaled:.1}{space}{}", units[unit])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hostile_name_is_fit_to_be_shown() {
        let trouble = Trouble::Foreign { architecture: "a\n\u{202e}b".into() };
        let said = trouble.said();
        assert_eq!(said.code, Some(ModelProblem::Foreign { architecture: "a\u{fffd}\u{fffd}b".into() }));
        assert_eq!(said.english, "This is a a\u{fffd}\u{fffd}b model. gemtab runs Gemma 4 and Gemma 3.");
    }

    #[test]
    fn sizes_read_well() {
        assert_eq!(bytes(0), "0 bytes");
        assert_eq!(bytes(999), "999 bytes");
        assert_eq!(bytes(13_661_216), "13.7 MB");
        assert_eq!(bytes(999_999_999), "1.0 GB");
        assert_eq!(parameters(12_600_000), "12.6M");
        assert_eq!(parameters(5_123_000_000), "5.1B");
    }
}
