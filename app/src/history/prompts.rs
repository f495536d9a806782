//! Prompts that the user keeps, with variables to fill in: `Translate into {{language}}:`.

use serde::{Deserialize, Serialize};

use super::PromptId;

/// Most characters of a variable's name.
const VARIABLE_LENGTH: usize = 60;

/// A text to send, kept under a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompt {
    /// Its id.
    pub id: PromptId,
    /// Its name.
    pub name: String,
    /// The text. `{{name}}` stands for what is filled in.
    pub text: String,
    /// When it was made, in milliseconds since 1970.
    #[serde(default)]
    pub created: u64,
}

/// A piece of a prompt.
enum Piece<'a> {
    Text(&'a str),
    Variable(&'a str),
}

impl Prompt {
    /// An empty prompt without a name.
    #[must_use]
    pub fn new(now: u64) -> Self {
        Self { id: PromptId::random(), name: String::new(), text: String::new(), created: now }
    }

    /// The variables, each once, in the order of the text.
    #[must_use]
    pub fn variables(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for piece in pieces(&self.text) {
            if let Piece::Variable(name) = piece
                && !names.contains(&name)
            {
                names.push(name);
            }
        }
        names
    }

    /// The text with what `value` gives for each variable. Braces in a value stand for themselves.
    #[must_use]
    pub fn filled(&self, value: impl Fn(&str) -> String) -> String {
        let filled = pieces(&self.text).map(|piece| match piece {
            Piece::Text(text) => text.to_owned(),
            Piece::Variable(name) => value(name),
        });
        filled.collect()
    }
}

/// The pieces of a text. Braces that are around no name are text.
fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut searched = 0;
        while let Some(open) = rest[searched..].find("{{").map(|at| searched + at) {
            let inner = open + 2;
            let close = rest[inner..].find(['{', '}', '\n']).map(|at| inner + at);
            let name =
                close.filter(|&close| rest[close..].starts_with("}}")).map(|close| rest[inner..close].trim());
            match (name, close) {
                (Some(name), Some(close)) if !name.is_empty() && name.chars().count() <= VARIABLE_LENGTH => {
                    let piece = if open > 0 { Piece::Text(&rest[..open]) } else { Piece::Variable(name) };
                    rest = &rest[if open > 0 { open } else { close + 2 }..];
                    return Some(piece);
                }
                _ => searched = open + 1,
            }
        }
        let last = std::mem::take(&mut rest);
        (!last.is_empty()).then_some(Piece::Text(last))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(text: &str) -> Prompt {
        Prompt { text: text.to_owned(), ..Prompt::new(1) }
    }

    #[test]
    fn variables_are_found_once_and_filled_everywhere() {
        let it = prompt("Translate {{text}} into {{ language }}, please: {{text}}{{end}}");
        assert_eq!(it.variables(), ["text", "language", "end"]);
        let filled =
            it.filled(|name| if name == "text" { "{{language}}".to_owned() } else { format!("<{name}>") });
        assert_eq!(filled, "Translate {{language}} into <language>, please: {{language}}<end>");
    }

    #[test]
    fn braces_around_no_name_are_text() {
        let long = format!("{{{{{}}}}}", "a".repeat(VARIABLE_LENGTH + 1));
        for text in ["", "{{", "}}", "{{}}", "{{ }}", "{{a}", "{{a\n}}", "{ {a}}", long.as_str(), "ä{{"] {
            let it = prompt(text);
            assert!(it.variables().is_empty(), "{text}");
            assert_eq!(it.filled(|_| "x".to_owned()), text);
        }
        assert_eq!(prompt("{{{a}}}").filled(|_| "x".to_owned()), "{x}");
        assert_eq!(prompt("{{a{{b}}").variables(), ["b"]);
    }
}
