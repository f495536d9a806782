//! Colours for code: a small lexer that knows the words and marks of a dozen languages, and never fails.
//!
//! It does not parse. What it cannot tell apart it leaves plain.

mod languages;
mod lexer;
mod markup;

use languages::Syntax;

/// What a piece of code is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Nothing in particular.
    Plain,
    /// A word of the language.
    Keyword,
    /// A constant of the language, such as `true`.
    Constant,
    /// A type.
    Type,
    /// A function where it is named or called.
    Function,
    /// Text.
    String,
    /// A number.
    Number,
    /// A comment.
    Comment,
    /// A name in a record: a JSON key, an HTML attribute, a CSS property, a shell variable.
    Property,
    /// The name of an HTML or XML element.
    Tag,
    /// An attribute, annotation or directive.
    Meta,
    /// A line added in a diff.
    Inserted,
    /// A line removed in a diff.
    Deleted,
}

impl Kind {
    /// Returns the class in the style sheet; `None` for what is plain.
    #[must_use]
    pub fn class(self) -> Option<&'static str> {
        Some(match self {
            Self::Plain => return None,
            Self::Keyword => "tok-keyword",
            Self::Constant => "tok-constant",
            Self::Type => "tok-type",
            Self::Function => "tok-function",
            Self::String => "tok-string",
            Self::Number => "tok-number",
            Self::Comment => "tok-comment",
            Self::Property => "tok-property",
            Self::Tag => "tok-tag",
            Self::Meta => "tok-meta",
            Self::Inserted => "tok-inserted",
            Self::Deleted => "tok-deleted",
        })
    }
}

/// A piece of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Its text, without line breaks.
    pub text: String,
}

/// A line of code.
pub type Line = Vec<Token>;

/// Returns the lines of a code, coloured by the words of its language. An unknown language leaves all plain.
#[must_use]
pub fn highlight(language: &str, code: &str) -> Vec<Line> {
    let spans = match languages::find(language) {
        None => vec![(Kind::Plain, code)],
        Some(Syntax::Words(words)) => lexer::lex(words, code),
        Some(Syntax::Markup) => markup::lex_markup(code),
        Some(Syntax::Styles) => markup::lex_styles(code),
        Some(Syntax::Diff) => markup::lex_diff(code),
    };
    lines(&spans)
}

/// Returns how a language is called in the label of a code block: its common name, or what was written.
#[must_use]
pub fn label(language: &str) -> &str {
    languages::name(language).unwrap_or(language)
}

/// Cuts at line breaks, and joins neighbours of one kind.
fn lines(spans: &[(Kind, &str)]) -> Vec<Line> {
    let mut lines = vec![Line::new()];
    for &(kind, text) in spans {
        for (index, part) in text.split('\n').enumerate() {
            if index > 0 {
                lines.push(Line::new());
            }
            let part = part.strip_suffix('\r').unwrap_or(part);
            let Some(line) = lines.last_mut() else { continue };
            match line.last_mut() {
                _ if part.is_empty() => {}
                Some(last) if last.kind == kind => last.text.push_str(part),
                _ => line.push(Token { kind, text: part.to_owned() }),
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The pieces of one kind.
    fn of(language: &str, code: &str, kind: Kind) -> Vec<String> {
        let lines = highlight(language, code);
        let tokens = lines.into_iter().flatten().filter(|token| token.kind == kind);
        tokens.map(|token| token.text).collect()
    }

    #[test]
    fn rust() {
        let code = "#[test]\nfn main() { let x: u32 = 0x1f_u32; /* a\nb */ call::<'a>(\"s\\\"t\", 'c', r#\"q\"q\"#); } // end";
        assert_eq!(of("rust", code, Kind::Keyword), ["fn", "let"]);
        assert_eq!(of("rs", code, Kind::Number), ["0x1f_u32"]);
        assert_eq!(of("rust", code, Kind::Comment), ["/* a", "b */", "// end"]);
        assert_eq!(of("rust", code, Kind::String), ["\"s\\\"t\"", "'c'", "r#\"q\"q\"#"]);
        assert_eq!(of("rust", code, Kind::Meta), ["#[test]"]);
        assert_eq!(of("rust", code, Kind::Function), ["main"]);
        assert_eq!(of("rust", code, Kind::Type), ["u32"]);
    }

    #[test]
    fn python() {
        let code =
            "@cache\ndef f(x):\n    \"\"\"doc\n    more\"\"\"\n    return f'{x}' + str(1.5e-3)  # sum\n";
        assert_eq!(of("python", code, Kind::Keyword), ["def", "return"]);
        assert_eq!(of("py", code, Kind::String), ["\"\"\"doc", "    more\"\"\"", "f'{x}'"]);
        assert_eq!(of("python", code, Kind::Number), ["1.5e-3"]);
        assert_eq!(of("python", code, Kind::Function), ["f", "str"]);
        assert_eq!(of("python", code, Kind::Meta), ["@cache"]);
        assert_eq!(of("python", code, Kind::Comment), ["# sum"]);
    }

    #[test]
    fn families_of_c() {
        let c = "# include <a.h>\nint main(void) { return x # y; } // 'c'\n";
        assert_eq!(of("c", c, Kind::Meta), ["# include"]);
        assert_eq!(of("c", c, Kind::Type), ["int", "void"]);
        let js = "@wrap class A { f() { return `a\n${b}` + /*c*/ 0.5 } }";
        assert_eq!(of("ts", js, Kind::String), ["`a", "${b}`"]);
        assert_eq!(of("js", js, Kind::Meta), ["@wrap"]);
        assert_eq!(of("go", "func f() { s := `a\\` }", Kind::String), ["`a\\`"]);
        assert_eq!(of("java", "@Override void f() {}", Kind::Meta), ["@Override"]);
    }

    #[test]
    fn records() {
        let json = r#"{"a": [1, true, "b"]}"#;
        assert_eq!(of("json", json, Kind::Property), ["\"a\""]);
        assert_eq!(of("json", json, Kind::String), ["\"b\""]);
        assert_eq!(of("json", json, Kind::Constant), ["true"]);
        assert_eq!(of("yaml", "name: x # c\nport: 80", Kind::Property), ["name", "port"]);
        assert_eq!(of("toml", "[a]\nb = \"c\"", Kind::Property), ["b"]);
    }

    #[test]
    fn markup_and_styles() {
        let html = "<!-- c --><a href=\"b\">t &amp; u</a>";
        assert_eq!(of("html", html, Kind::Tag), ["a", "a"]);
        assert_eq!(of("html", html, Kind::Property), ["href"]);
        assert_eq!(of("html", html, Kind::String), ["\"b\""]);
        assert_eq!(of("html", html, Kind::Comment), ["<!-- c -->"]);
        let css = ".a { color: red; margin: 2px } /* c */";
        assert_eq!(of("css", css, Kind::Property), ["color", "margin"]);
        assert_eq!(of("css", css, Kind::Number), ["2px"]);
    }

    #[test]
    fn shell_and_queries() {
        let bash = "for f in $HOME/*; do echo \"${f}\" # all\ndone";
        assert_eq!(of("bash", bash, Kind::Keyword), ["for", "in", "do", "done"]);
        assert_eq!(of("bash", bash, Kind::Property), ["$HOME"]);
        assert_eq!(of("bash", bash, Kind::Comment), ["# all"]);
        assert_eq!(of("bash", "a#b", Kind::Comment), Vec::<String>::new());
        assert_eq!(of("sql", "select a FROM t -- x", Kind::Keyword), ["select", "FROM"]);
        assert_eq!(of("diff", "-a\n+b\n c", Kind::Inserted), ["+b"]);
    }

    #[test]
    fn an_unknown_language_stays_plain() {
        assert_eq!(highlight("klingon", "a\nb").len(), 2);
        assert_eq!(label("klingon"), "klingon");
        assert_eq!(label("js"), "JavaScript");
    }

    const SAMPLES: [&str; 15] = [
        "rust", "python", "js", "ts", "json", "html", "css", "bash", "c", "java", "go", "sql", "toml",
        "yaml", "diff",
    ];

    proptest! {
        #[test]
        fn nothing_is_lost(
            language in proptest::sample::select(&SAMPLES[..]),
            code in "[ -~\n]{0,200}|[\"'`/*#<>$\\\\{}a1é\n-]{0,60}",
        ) {
            let lines = highlight(language, &code);
            let text: Vec<String> =
                lines.iter().map(|line| line.iter().map(|token| token.text.as_str()).collect()).collect();
            prop_assert_eq!(text.join("\n"), code);
        }
    }
}
