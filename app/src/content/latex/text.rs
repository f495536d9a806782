//! Words in formulas: `\text{if $x$ is 50\% \textbf{or} more}`.

use super::cursor::{Cursor, Token};

/// Characters that commands stand for in texts.
pub(super) const CHARACTERS: [(&str, &str); 46] = [
    (" ", " "),
    (",", "\u{2009}"),
    (":", "\u{2005}"),
    (";", "\u{2004}"),
    ("!", ""),
    ("/", ""),
    ("\\", " "),
    ("newline", " "),
    ("quad", "\u{2003}"),
    ("qquad", "\u{2003}\u{2003}"),
    ("$", "$"),
    ("&", "&"),
    ("#", "#"),
    ("_", "_"),
    ("-", "\u{ad}"),
    ("ldots", "…"),
    ("dots", "…"),
    ("textellipsis", "…"),
    ("textdegree", "°"),
    ("degree", "°"),
    ("textendash", "–"),
    ("textemdash", "—"),
    ("textasciitilde", "~"),
    ("textasciicircum", "^"),
    ("textunderscore", "_"),
    ("textbar", "|"),
    ("textless", "<"),
    ("textgreater", ">"),
    ("textquotesingle", "'"),
    ("textmu", "µ"),
    ("textohm", "Ω"),
    ("texteuro", "€"),
    ("textdollar", "$"),
    ("textpm", "±"),
    ("texttimes", "×"),
    ("textregistered", "®"),
    ("texttrademark", "™"),
    ("textbullet", "•"),
    ("textrightarrow", "→"),
    ("textleftarrow", "←"),
    ("LaTeX", "LaTeX"),
    ("TeX", "TeX"),
    ("KaTeX", "KaTeX"),
    ("ss", "ß"),
    ("AA", "Å"),
    ("aa", "å"),
];

/// The character that a command stands for in a text; `None` if it stands for none.
fn character(command: &str) -> Option<&'static str> {
    CHARACTERS.iter().find(|(name, _)| *name == command).map(|(_, text)| *text)
}

/// How a text is set, by the command around it.
fn font(command: &str) -> Option<&'static str> {
    Some(match command {
        "text" | "mbox" | "hbox" | "textup" | "textnormal" | "textmd" | "textsc" | "vbox" | "mathsc"
        | "intertext" | "shortintertext" => "text",
        "textrm" => "textrm",
        "textbf" => "textbf",
        "textit" | "emph" | "textsl" => "textit",
        "textsf" => "textsf",
        "texttt" => "texttt",
        _ => return None,
    })
}

/// Whether a command sets words.
pub(super) fn is_text(command: &str) -> bool {
    font(command).is_some()
}

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Words, with the command that sets them.
    Words(&'static str, String),
    /// A formula in it.
    Math(String),
}

/// Returns the pieces of a text that this command sets.
pub(super) fn pieces(command: &str, content: &str) -> Vec<Piece> {
    let mut reader =
        Reader { font: font(command).unwrap_or("text"), pieces: Vec::new(), words: String::new() };
    reader.read(content);
    reader.flush();
    reader.pieces
}

/// Words without any command, such as the name of an operator has.
pub(super) fn plain(content: &str) -> String {
    let mut cursor = Cursor::new(content);
    let mut words = String::new();
    while let Some(token) = cursor.next() {
        match token {
            Token::Character('~') => words.push('\u{a0}'),
            Token::Character(c) => words.push(c),
            Token::Group(group) => words.push_str(&plain(group)),
            Token::Command(name) => words.push_str(character(name).unwrap_or_default()),
        }
    }
    words
}

struct Reader {
    font: &'static str,
    pieces: Vec<Piece>,
    words: String,
}

impl Reader {
    fn flush(&mut self) {
        if !self.words.is_empty() {
            self.pieces.push(Piece::Words(self.font, std::mem::take(&mut self.words)));
        }
    }

    fn math(&mut self, math: &str) {
        self.flush();
        self.pieces.push(Piece::Math(math.to_owned()));
    }

    fn read(&mut self, content: &str) {
        let mut cursor = Cursor::new(content);
        while let Some(token) = cursor.next() {
            match token {
                Token::Character('$') => self.formula(&mut cursor, "$"),
                Token::Command("(") => self.formula(&mut cursor, "\\)"),
                Token::Character('~') => self.words.push('\u{a0}'),
                // The library would take them for a comment and for groups.
                Token::Character('%') | Token::Command("%") => self.math("\\%"),
                Token::Character('{') | Token::Command("{") => self.math("\\{"),
                Token::Character('}') | Token::Command("}") => self.math("\\}"),
                Token::Character(c) => self.words.push(c),
                Token::Group(group) => self.read(group),
                Token::Command(name) => self.command(name, &mut cursor),
            }
        }
    }

    fn formula(&mut self, cursor: &mut Cursor<'_>, end: &str) {
        match cursor.rest.split_once(end).filter(|(math, _)| !math.trim().is_empty()) {
            Some((math, rest)) => {
                cursor.rest = rest;
                self.math(math);
            }
            None => self.words.push(if end == "$" { '$' } else { '(' }),
        }
    }

    fn command(&mut self, name: &str, cursor: &mut Cursor<'_>) {
        if let Some(text) = character(name) {
            self.words.push_str(text);
            if name.starts_with(|c: char| c.is_ascii_alphabetic()) {
                cursor.skip_spaces();
            }
            return;
        }
        let mut command = format!("\\{name}");
        while cursor.rest.starts_with('{')
            && let Some(argument) = cursor.argument()
        {
            command.push_str(&format!("{{{argument}}}"));
        }
        self.math(&command);
    }
}
