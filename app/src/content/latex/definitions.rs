//! Commands that a formula defines for itself.

use super::cursor::{Cursor, Token};

/// A command that a formula defined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Definition {
    /// Its name, without the backslash.
    pub name: String,
    /// How many arguments it takes.
    pub arguments: usize,
    /// What the first one is where none is given in brackets; `None` if it takes none there.
    pub default: Option<String>,
    /// What it stands for.
    pub body: String,
}

/// Returns the definition that a command begins; `None` if it begins none that is understood.
pub(super) fn definition(command: &str, cursor: &mut Cursor<'_>) -> Option<Definition> {
    let mut ahead = *cursor;
    let found = match command {
        "newcommand" | "renewcommand" | "providecommand" => {
            ahead.take("*");
            let name = name(ahead.argument()?)?;
            let count = ahead.between('[', ']');
            let arguments =
                count.map_or(Some(0), |count| count.trim().parse().ok()).filter(|count| *count < 10)?;
            let default = ahead.between('[', ']').map(str::to_owned);
            Definition { name, arguments, default, body: ahead.argument()?.to_owned() }
        }
        "DeclareMathOperator" => {
            let starred = ahead.take("*");
            let name = name(ahead.argument()?)?;
            let words = ahead.argument()?;
            let operator = if starred { "operatorname*" } else { "operatorname" };
            Definition { name, arguments: 0, default: None, body: format!("\\{operator}{{{words}}}") }
        }
        "def" | "gdef" => {
            let name = name(ahead.argument()?)?;
            let parameters = &ahead.rest[..ahead.rest.find('{')?];
            let arguments = parameters.matches('#').count();
            let expected: String = (1..=arguments).map(|number| format!("#{number}")).collect();
            if parameters.trim() != expected || arguments > 9 {
                return None;
            }
            ahead.rest = &ahead.rest[parameters.len()..];
            Definition { name, arguments, default: None, body: ahead.argument()?.to_owned() }
        }
        "let" => {
            let name = name(ahead.argument()?)?;
            ahead.take("=");
            Definition { name, arguments: 0, default: None, body: ahead.argument()?.to_owned() }
        }
        _ => return None,
    };
    *cursor = ahead;
    Some(found)
}

/// The name in `\name`.
fn name(argument: &str) -> Option<String> {
    let mut cursor = Cursor::new(argument.trim());
    match cursor.next()? {
        Token::Command(name) if !name.is_empty() && cursor.rest.is_empty() => Some(name.to_owned()),
        _ => None,
    }
}

impl Definition {
    /// Its arguments; `None` if one is missing.
    pub(super) fn arguments(&self, cursor: &mut Cursor<'_>) -> Option<Vec<String>> {
        let mut arguments = Vec::with_capacity(self.arguments);
        if let Some(default) = self.default.as_deref().filter(|_| self.arguments > 0) {
            arguments.push(cursor.between('[', ']').unwrap_or(default).to_owned());
        }
        while arguments.len() < self.arguments {
            arguments.push(cursor.argument()?.to_owned());
        }
        Some(arguments)
    }
}
