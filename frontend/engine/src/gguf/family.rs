//! Families of models.

/// `general.architecture` of EmbeddingGemma, whose layers are those of Gemma 3. Ollama's files say `gemma3`.
pub const EMBEDDING: &str = "gemma-embedding";
/// `general.architecture` of EmbeddingGemma 2, whose layers are nearly those of Gemma 4.
pub const EMBEDDING2: &str = "gemma-embedding2";

/// A family of models that files are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Family {
    /// Gemma 3.
    Gemma3,
    /// Gemma 4.
    #[default]
    Gemma4,
}

impl Family {
    /// `general.architecture` of its language models and adapters, and the prefix of their keys.
    #[must_use]
    pub const fn architecture(self) -> &'static str {
        match self {
            Self::Gemma3 => "gemma3",
            Self::Gemma4 => "gemma4",
        }
    }

    /// The family of a file with this architecture, which may make embeddings.
    #[must_use]
    pub fn of_file(architecture: &str) -> Option<Self> {
        match architecture {
            EMBEDDING => Some(Self::Gemma3),
            EMBEDDING2 => Some(Self::Gemma4),
            other => Self::of(other),
        }
    }

    /// The family with this architecture.
    #[must_use]
    pub fn of(architecture: &str) -> Option<Self> {
        [Self::Gemma3, Self::Gemma4].into_iter().find(|family| family.architecture() == architecture)
    }
}
