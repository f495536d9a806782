//! Reading LaTeX piece by piece.

/// A piece of LaTeX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A command, without its backslash.
    Command(&'a str),
    /// What stands between braces.
    Group(&'a str),
    /// Anything else.
    Character(char),
}

/// A place in a formula.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    pub rest: &'a str,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(rest: &'a str) -> Self {
        Self { rest }
    }

    /// Returns the next piece, a space too; `None` at the end. A brace without a partner is a character.
    pub(super) fn next(&mut self) -> Option<Token<'a>> {
        let first = self.rest.chars().next()?;
        if first == '{'
            && let Some(end) = closing(self.rest, '{', '}')
        {
            let group = &self.rest[1..end];
            self.rest = &self.rest[end + 1..];
            return Some(Token::Group(group));
        }
        self.rest = &self.rest[first.len_utf8()..];
        if first != '\\' {
            return Some(Token::Character(first));
        }
        let letters = self.rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(self.rest.len());
        let symbol = self.rest.chars().next().map_or(0, char::len_utf8);
        let (name, rest) = self.rest.split_at(letters.max(symbol));
        self.rest = rest;
        Some(Token::Command(name))
    }

    pub(super) fn skip_spaces(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// Returns an argument: a group, a command or a character; without its braces. `None` if there is none.
    pub(super) fn argument(&mut self) -> Option<&'a str> {
        self.skip_spaces();
        let before = self.rest;
        match self.next()? {
            Token::Group(group) => Some(group),
            Token::Command(_) | Token::Character(_) => Some(&before[..before.len() - self.rest.len()]),
        }
        .filter(|argument| *argument != "}" && *argument != "&")
    }

    /// Returns an argument between these brackets; `None` if there is none.
    pub(super) fn between(&mut self, open: char, close: char) -> Option<&'a str> {
        let spaced = self.rest.trim_start();
        if !spaced.starts_with(open) {
            return None;
        }
        let end = closing(spaced, open, close)?;
        self.rest = &spaced[end + close.len_utf8()..];
        Some(&spaced[open.len_utf8()..end])
    }

    /// Whether this comes next, which is passed then.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }
}

/// Where the bracket closes that a text begins with; `None` if it doesn't. Groups within are passed.
fn closing(text: &str, open: char, close: char) -> Option<usize> {
    let (mut depth, mut braces) = (0_usize, 0_usize);
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if std::mem::take(&mut escaped) {
            continue;
        }
        if c == '\\' {
            escaped = true;
        } else if c == open && braces == 0 {
            depth += 1;
        } else if c == close && braces == 0 {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        } else if c == '{' {
            braces += 1;
        } else if c == '}' {
            braces = braces.checked_sub(1)?;
        }
    }
    None
}
