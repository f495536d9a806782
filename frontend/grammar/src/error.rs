//! Why there is no grammar.

use thiserror::Error;

/// What a grammar can't enforce, or what is not a schema.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum Refusal {
    /// A keyword that can't be enforced, or not beside the others.
    #[error("the keyword {keyword:?} isn't supported here")]
    Keyword { keyword: String },
    /// A value of a keyword that can't be enforced.
    #[error("this value of {keyword:?} isn't supported")]
    Value { keyword: &'static str },
    /// `pattern` and `format` can't both be enforced.
    #[error("pattern and format can't be enforced together")]
    PatternAndFormat,
    /// A regular expression that can't be enforced.
    #[error("the pattern isn't supported: {reason}")]
    Pattern { reason: String },
    /// A required property without a schema.
    #[error("the property {name:?} is required, but not among the properties")]
    Required { name: String },
    /// A reference that is remote, leads nowhere, or begins at another schema than the whole one.
    #[error("the reference {reference:?} can't be followed in this schema")]
    Reference { reference: String },
    /// Neither an object nor true; nothing matches false.
    #[error("this is no schema that a value can match")]
    NoSchema,
    /// Only endless values match.
    #[error("no value that ends matches this schema")]
    Endless,
    /// More properties than can be kept apart.
    #[error("an object of a call may have at most {most} properties")]
    Properties { most: usize },
    /// A name that can't be written in a call.
    #[error("{name:?} is no name that a call can have")]
    Name { name: String },
}

impl Refusal {
    /// Returns the keyword of the schema that is refused.
    pub fn keyword(&self) -> &str {
        match self {
            Self::Keyword { keyword } => keyword,
            Self::Value { keyword } => keyword,
            Self::PatternAndFormat | Self::Pattern { .. } => "pattern",
            Self::Required { .. } => "required",
            Self::Reference { .. } | Self::Endless => "$ref",
            Self::NoSchema => "false",
            Self::Properties { .. } => "properties",
            Self::Name { .. } => "name",
        }
    }
}

/// Why there is no grammar, or why it ended.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum GrammarError {
    /// Something at a path of a schema is not supported.
    #[error("{path}: {refusal}")]
    Refused {
        /// JSON pointer; behind the name of a tool for its parameters.
        path: String,
        refusal: Refusal,
    },
    /// No tool is declared.
    #[error("no tool is declared")]
    NoTools,
    /// The model has no token that calls need.
    #[error("this model has no tokens for calls")]
    NoCalls,
    /// The grammar is too large, or nothing matches it.
    #[error("the grammar can't be used: {reason}")]
    Unusable { reason: String },
    /// A token that the grammar forbids.
    #[error("token {id} doesn't continue an answer of this grammar")]
    Forbidden { id: u32 },
    /// No token is allowed.
    #[error("the grammar allows no token")]
    DeadEnd,
}

impl GrammarError {
    pub(crate) fn at(path: &str, refusal: Refusal) -> Self {
        let path = if path.is_empty() { "/" } else { path };
        Self::Refused { path: path.to_owned(), refusal }
    }

    pub(crate) fn unusable(reason: impl ToString) -> Self {
        let reason = reason.to_string();
        Self::Unusable { reason: reason.lines().next().unwrap_or_default().to_owned() }
    }
}
