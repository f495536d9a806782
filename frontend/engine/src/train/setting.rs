//! Settings with a limited range, by name.

/// A setting with a limited range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// [`super::Settings::rank`].
    Rank,
    /// [`super::Settings::alpha`].
    Alpha,
    /// [`super::Settings::targets`].
    Targets,
    /// [`super::Settings::steps`].
    Steps,
    /// [`super::Settings::learning_rate`].
    LearningRate,
    /// [`super::Settings::weight_decay`].
    WeightDecay,
    /// [`super::Settings::clip`].
    Clipping,
    /// [`super::Settings::dropout`].
    Dropout,
    /// [`super::Settings::max_tokens`].
    MaxTokens,
}

impl Setting {
    /// Returns the valid range, for messages.
    pub(super) fn range(self) -> &'static str {
        match self {
            Self::Rank => "between 1 and 64",
            Self::Targets => "one projection or more",
            Self::Steps => "1 or more",
            Self::Alpha | Self::LearningRate => "above 0",
            Self::WeightDecay | Self::Clipping => "0 or more",
            Self::Dropout => "at least 0 and below 1",
            Self::MaxTokens => "between 2 and the model’s context length",
        }
    }
}

impl std::fmt::Display for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Rank => "the rank",
            Self::Alpha => "alpha",
            Self::Targets => "the list of projections",
            Self::Steps => "the number of steps",
            Self::LearningRate => "the learning rate",
            Self::WeightDecay => "the weight decay",
            Self::Clipping => "the gradient clipping norm",
            Self::Dropout => "the dropout",
            Self::MaxTokens => "the token limit",
        })
    }
}
