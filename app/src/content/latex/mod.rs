//! LaTeX as models write it, in the commands that pulldown-latex knows.
//!
//! [`rewrite()`] replaces the commands of the tables in [`commands`], and those that the formula itself defines. What is in
//! none of them stays as it is.

mod chemistry;
mod commands;
mod cursor;
mod definitions;
mod diagram;
mod expand;
#[cfg(test)]
mod tests;
mod text;
mod units;

pub(super) use expand::rewrite;

/// Why a formula is shown as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MathError {
    /// It is longer than any formula should be.
    TooLong {
        /// Its bytes.
        found: usize,
    },
    /// It nests deeper than any formula should.
    TooDeep,
    /// It defines commands in a way that is not understood, or that makes it endless.
    Command {
        /// The command, without its backslash.
        command: String,
    },
    /// It is not LaTeX.
    Syntax {
        /// What is wrong, and where.
        reason: String,
    },
    /// The MathML made of it could not be read back.
    Markup {
        /// Where.
        at: usize,
    },
}

/// Stands in front of the name of a class, in a text that begins a group. Unicode keeps it out of all text.
const CLASS: char = '\u{fdd4}';

/// What can be drawn around or over a formula, and what else it is called.
const CLASSES: [(&str, &str); 13] = [
    ("boxed", "boxed"),
    ("box", "boxed"),
    ("roundedbox", "boxed"),
    ("circle", "boxed"),
    ("cancel", "cancel"),
    ("updiagonalstrike", "cancel"),
    ("bcancel", "bcancel"),
    ("downdiagonalstrike", "bcancel"),
    ("xcancel", "xcancel"),
    ("strike", "strike"),
    ("horizontalstrike", "strike"),
    ("phantom", "phantom"),
    ("rule", "rule"),
];

/// Returns the class that a text names which begins a group; `None` if it names none.
pub(super) fn class_of(text: &str) -> Option<&'static str> {
    let name = text.strip_prefix(CLASS)?;
    CLASSES.iter().find(|(_, class)| *class == name).map(|(_, class)| *class)
}

/// A group that is drawn with a class; without one if nobody knows it.
fn with_class(name: &str, content: &str) -> String {
    match CLASSES.iter().find(|(other, _)| *other == name) {
        Some((_, class)) => format!("{{\\text{{{CLASS}{class}}}{{{content}}}}}"),
        None => format!("{{{content}}}"),
    }
}
