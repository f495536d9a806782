//! What goes wrong in a tool.

use serde_json::{Value, json};

use crate::mcp::McpError;

/// Why a call has no result. A model reads it as JSON; the page shows a sentence, [`crate::failures::tool`].
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// A program could not be run.
    NoSandbox,
    /// A program took too long, or the browser ended it.
    TimeLimit,
    /// A program wrote too much output.
    OutputLimit,
    /// A program threw an exception, or has a syntax error.
    Thrown {
        /// The exception, in its own words.
        message: String,
    },
    /// A program made a chart that can't be drawn.
    Chart {
        /// Why.
        message: String,
    },
    /// A server has given nothing.
    Mcp(McpError),
}

/// Begins the name of [`ToolError::Syntax`]; the number follows.
const SYNTAX: &str = "syntax-at-character-";

/// The names of those with a message beside them.
const THROWN: &str = "thrown";
const CHART: &str = "chart";

/// The names of the others.
const NAMES: [(ToolError, &str); 9] = [
    (ToolError::UnknownTool, "unknown-tool"),
    (ToolError::DivisionByZero, "division-by-zero"),
    (ToolError::TooLarge, "too-large"),
    (ToolError::Undefined, "undefined"),
    (ToolError::Units, "units-do-not-match"),
    (ToolError::NoWords, "no-words"),
    (ToolError::NoSandbox, "no-sandbox"),
    (ToolError::TimeLimit, "time-limit"),
    (ToolError::OutputLimit, "output-limit"),
];

impl ToolError {
    /// Returns it as a model reads it.
    #[must_use]
    pub fn to_json(&self) -> String {
        let error = match self {
            Self::Syntax { character } => json!({ "error": format!("{SYNTAX}{character}") }),
            Self::Thrown { message } => json!({ "error": THROWN, "message": message }),
            Self::Chart { message } => json!({ "error": CHART, "message": message }),
            Self::Mcp(error) => error.to_json(),
            _ => json!({ "error": NAMES.into_iter().find(|it| it.0 == *self).map_or("", |it| it.1) }),
        };
        error.to_string()
    }

    /// Reads what a model has read; `None` if it is something else, such as an error of another page.
    #[must_use]
    pub fn from_json(json: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(json).ok()?;
        let name = value["error"].as_str()?;
        if let Some(character) = name.strip_prefix(SYNTAX) {
            return Some(Self::Syntax { character: character.parse().ok()? });
        }
        let message = || value["message"].as_str().map(str::to_owned);
        match name {
            THROWN => Some(Self::Thrown { message: message()? }),
            CHART => Some(Self::Chart { message: message()? }),
            _ => match NAMES.into_iter().find(|it| it.1 == name) {
                Some((error, _)) => Some(error),
                None => McpError::from_json(&value).map(Self::Mcp),
            },
        }
    }
}
