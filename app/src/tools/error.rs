//! What goes wrong in a tool.

use serde_json::Value;

/// Why a call has no result. A model reads it as JSON; the page shows a sentence, [`crate::failures::tool`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolError {
    /// There is no such tool, or it is off.
    UnknownTool,
    /// It is no expression.
    Syntax {
        /// How many characters were read, without spaces.
        character: u64,
    },
    /// Something is divided by zero.
    DivisionByZero,
    /// A number has more than 38 digits, or the expression is too long.
    TooLarge,
    /// The result is no number that can be written exactly, such as the root of a negative number.
    Undefined,
    /// Its units don't fit together.
    Units,
    /// There are no words to search for.
    NoWords,
}

/// Begins the name of [`ToolError::Syntax`]; the number follows.
const SYNTAX: &str = "syntax-at-character-";

/// The names of the others.
const NAMES: [(ToolError, &str); 6] = [
    (ToolError::UnknownTool, "unknown-tool"),
    (ToolError::DivisionByZero, "division-by-zero"),
    (ToolError::TooLarge, "too-large"),
    (ToolError::Undefined, "undefined"),
    (ToolError::Units, "units-do-not-match"),
    (ToolError::NoWords, "no-words"),
];

impl ToolError {
    /// Returns it as a model reads it.
    #[must_use]
    pub fn to_json(self) -> String {
        match self {
            Self::Syntax { character } => format!("{{\"error\":\"{SYNTAX}{character}\"}}"),
            _ => {
                let name = NAMES.into_iter().find(|it| it.0 == self).map_or("", |it| it.1);
                format!("{{\"error\":\"{name}\"}}")
            }
        }
    }

    /// Reads what a model has read; `None` if it is something else, such as an error of another page.
    #[must_use]
    pub fn from_json(json: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(json).ok()?;
        let name = value["error"].as_str()?;
        match name.strip_prefix(SYNTAX) {
            Some(character) => Some(Self::Syntax { character: character.parse().ok()? }),
            None => NAMES.into_iter().find(|it| it.1 == name).map(|it| it.0),
        }
    }
}
