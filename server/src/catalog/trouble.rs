//! Why a model cannot be used: what the list says beside its name.

use super::gguf::PeekError;

/// Why a model is listed but cannot be used. The text is for the person who reads the list: it says what is wrong and,
/// where there is something, what to do.
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
    #[error("{what} can't be read: {error}.")]
    Unreadable {
        /// The file, as the subject of the sentence.
        what: &'static str,
        /// The system's reason.
        error: std::io::Error,
    },
    /// A file is much larger than its kind ever is.
    #[error("{what} is {}, which is too large.", bytes(*.size))]
    TooLarge {
        /// The file, as the subject of the sentence.
        what: &'static str,
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
    /// Another model than Gemma 4.
    #[error("This is a {architecture} model. gemtab only runs Gemma 4.")]
    Foreign {
        /// What it is.
        architecture: String,
    },
    /// A file that is part of a model, found alone.
    #[error("This is {what}. It only works together with a model.")]
    Companion {
        /// What it is, with its article.
        what: &'static str,
    },
    /// There is no room for its system prompt in the list.
    #[error("The list has no room left for its system prompt.")]
    TooManyPrompts,
    /// A layer is not in the store.
    #[error("{what} is missing. Run: ollama pull {name}")]
    Missing {
        /// The file, as the subject of the sentence.
        what: &'static str,
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
    #[error("{what} is {} but should be {}. Run: ollama pull {name}", bytes(*.found), bytes(*.expected))]
    WrongSize {
        /// The file, as the subject of the sentence.
        what: &'static str,
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
    fn sizes_read_well() {
        assert_eq!(bytes(0), "0 bytes");
        assert_eq!(bytes(999), "999 bytes");
        assert_eq!(bytes(13_661_216), "13.7 MB");
        assert_eq!(bytes(999_999_999), "1.0 GB");
        assert_eq!(parameters(12_600_000), "12.6M");
        assert_eq!(parameters(5_123_000_000), "5.1B");
    }
}
