//! Families of models.

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

    /// The family with this architecture.
    #[must_use]
    pub fn of(architecture: &str) -> Option<Self> {
        [Self::Gemma3, Self::Gemma4].into_iter().find(|family| family.architecture() == architecture)
    }
}
