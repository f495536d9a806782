//! Reads the languages, compares them with English, and writes one function a message.
//!
//! Of Fluent's syntax it takes messages with text, variables and one level of choices. What `app/src/language/pattern.rs`
//! reads is written here. The server has all patterns in it; for the page, `xtask` writes a file of each language.
//!
//! Fluent's own runtime is not used. It brings its own plural rules, where the browser has `Intl`, and with 400 messages the page
//! would be 48 kB larger (brotli).

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::Path,
};

use fluent_syntax::{
    ast::{Entry, Expression, InlineExpression, Pattern, PatternElement, Variant, VariantKey},
    parser,
};

/// The language whose messages all others must have.
const REFERENCE: &str = "en";
/// Names that begin so are for the server alone.
const NATIVE: &str = "number-";
/// The first of the characters that stand for arguments.
const FIRST_ARGUMENT: u8 = 1;
/// There are as many.
const MAX_ARGUMENTS: usize = 8;
/// Begins a choice; an argument follows, then its variants.
const CHOICE: char = '\u{e}';
/// Between the key of a variant and its text.
const KEY: char = '\u{f}';
/// Ends a variant.
const VARIANT: char = '\u{10}';
/// Ends a choice.
const END: char = '\u{11}';
/// Between two patterns of a file.
const SEPARATOR: &str = "\u{1e}";
/// The message with what those who speak a language call it.
const NAME: &str = "language-name";
/// What plural rules may say.
const PLURALS: [&str; 6] = ["zero", "one", "two", "few", "many", "other"];

/// All languages, English first, with the same messages.
#[derive(Debug)]
pub struct Catalogue {
    /// Tags and the pattern of every message, in the order of the messages.
    languages: Vec<(String, Vec<String>)>,
    /// Names of messages with their arguments in the order of the English text; true where it is a number.
    pub messages: Vec<(String, Vec<(String, bool)>)>,
}

/// A message of one language as it was parsed.
#[derive(Default)]
struct Parsed {
    /// Text, with `{name}` not replaced yet.
    pieces: Vec<Piece>,
    /// Its variables in the order of their appearance; true where it is a number.
    variables: Vec<(String, bool)>,
}

enum Piece {
    Text(String),
    Variable(String),
    Choice { variable: String, variants: Vec<(String, Vec<Piece>)> },
}

/// Compares all languages with English. The files are tags with texts.
///
/// # Errors
/// All that is wrong, a line each.
pub fn check(mut files: Vec<(String, String)>) -> Result<Catalogue, Vec<String>> {
    files.sort_by_key(|(tag, _)| (tag != REFERENCE, tag.clone()));
    let mut faults = Vec::new();
    let parsed: Vec<(String, Vec<(String, Parsed)>)> = files
        .into_iter()
        .map(|(tag, text)| {
            let messages = parse(&tag, &text, &mut faults);
            (tag, messages)
        })
        .collect();
    let Some((_, reference)) = parsed.first().filter(|(tag, _)| tag == REFERENCE) else {
        faults.push(format!("{REFERENCE}.ftl is missing"));
        return Err(faults);
    };
    // A variable is a number where any language treats it as one.
    let mut numbers: BTreeSet<(&str, &str)> = BTreeSet::new();
    for (_, messages) in &parsed {
        for (name, message) in messages {
            numbers.extend(
                message.variables.iter().filter(|(_, number)| *number).map(|(it, _)| (&**name, &**it)),
            );
        }
    }
    let mut languages = Vec::new();
    for (tag, messages) in &parsed {
        let own: BTreeMap<&str, &Parsed> =
            messages.iter().map(|(name, message)| (&**name, message)).collect();
        let wanted: BTreeSet<&str> = reference.iter().map(|(name, _)| &**name).collect();
        if own.len() != messages.len() {
            let mut seen = BTreeSet::new();
            let twice = messages.iter().filter(|(name, _)| !seen.insert(name));
            faults.extend(twice.map(|(name, _)| format!("{tag}.ftl has `{name}` twice")));
        }
        let extra = own.keys().filter(|name| !wanted.contains(*name));
        faults.extend(extra.map(|name| format!("{tag}.ftl: there is no `{name}` in {REFERENCE}.ftl")));
        let mut patterns = Vec::new();
        for (name, english) in reference {
            let Some(message) = own.get(&**name) else {
                faults.push(format!("{tag}.ftl: `{name}` is missing"));
                continue;
            };
            let variables = |message: &Parsed| message.variables.iter().map(|it| it.0.clone()).collect();
            let (found, wanted): (BTreeSet<String>, BTreeSet<String>) =
                (variables(message), variables(english));
            if found != wanted {
                faults.push(format!("{tag}.ftl: `{name}` has the variables {found:?} instead of {wanted:?}"));
                continue;
            }
            let mut pattern = String::new();
            write_pattern(&message.pieces, &english.variables, &mut pattern);
            patterns.push(pattern);
        }
        languages.push((tag.clone(), patterns));
    }
    let messages = reference
        .iter()
        .map(|(name, message)| {
            let arguments = message.variables.iter();
            let arguments =
                arguments.map(|(it, _)| (it.clone(), numbers.contains(&(&**name, &**it)))).collect();
            (name.clone(), arguments)
        })
        .collect();
    if faults.is_empty() { Ok(Catalogue { languages, messages }) } else { Err(faults) }
}

/// The messages of a file in their order.
fn parse(tag: &str, text: &str, faults: &mut Vec<String>) -> Vec<(String, Parsed)> {
    let resource = match parser::parse_runtime(text) {
        Ok(resource) => resource,
        Err((resource, errors)) => {
            for error in errors {
                let line = text.get(..error.pos.start).map_or(0, |before| before.matches('\n').count() + 1);
                faults.push(format!("{tag}.ftl, line {line}: {error}"));
            }
            resource
        }
    };
    let mut messages = Vec::new();
    for entry in resource.body {
        match entry {
            Entry::Message(message) => {
                let name = message.id.name;
                let mut parsed = Parsed::default();
                match &message.value {
                    Some(value) if message.attributes.is_empty() => {
                        match pieces(value, &mut parsed.variables, false) {
                            Ok(found) => parsed.pieces = found,
                            Err(fault) => faults.push(format!("{tag}.ftl: `{name}`: {fault}")),
                        }
                    }
                    _ => faults.push(format!("{tag}.ftl: `{name}` must have a text and no attributes")),
                }
                if parsed.variables.len() > MAX_ARGUMENTS {
                    faults.push(format!("{tag}.ftl: `{name}` has more than {MAX_ARGUMENTS} variables"));
                }
                messages.push((name.to_owned(), parsed));
            }
            Entry::Term(term) => {
                faults.push(format!("{tag}.ftl: terms such as -{} are not used here", term.id.name))
            }
            Entry::Comment(_) | Entry::GroupComment(_) | Entry::ResourceComment(_) | Entry::Junk { .. } => {}
        }
    }
    messages
}

fn pieces(
    pattern: &Pattern<&str>,
    variables: &mut Vec<(String, bool)>,
    inside: bool,
) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    for element in &pattern.elements {
        pieces.push(match element {
            PatternElement::TextElement { value } => Piece::Text((*value).to_owned()),
            PatternElement::Placeable { expression: Expression::Inline(inline) } => match inline {
                InlineExpression::StringLiteral { value } => {
                    Piece::Text(fluent_syntax::unicode::unescape_unicode_to_string(value).into_owned())
                }
                _ => {
                    let (name, number) = variable(inline)?;
                    note(variables, &name, number);
                    Piece::Variable(name)
                }
            },
            PatternElement::Placeable { expression: Expression::Select { selector, variants } } => {
                if inside {
                    return Err("a choice within a choice".into());
                }
                let (name, _) = variable(selector)?;
                note(variables, &name, variants.iter().all(is_plural));
                let variants = variants
                    .iter()
                    .map(|variant| {
                        let mark = if variant.default { "*" } else { "" };
                        Ok((
                            format!("{mark}{}", key(variant)),
                            self::pieces(&variant.value, variables, true)?,
                        ))
                    })
                    .collect::<Result<_, String>>()?;
                Piece::Choice { variable: name, variants }
            }
        });
    }
    Ok(pieces)
}

/// Notes a variable where it is met first, and that it is a number where any place says so.
fn note(variables: &mut Vec<(String, bool)>, name: &str, number: bool) {
    match variables.iter_mut().find(|known| known.0 == name) {
        Some(known) => known.1 |= number,
        None => variables.push((name.to_owned(), number)),
    }
}

fn key<'a>(variant: &Variant<&'a str>) -> &'a str {
    match variant.key {
        VariantKey::Identifier { name } => name,
        VariantKey::NumberLiteral { value } => value,
    }
}

fn is_plural(variant: &Variant<&str>) -> bool {
    matches!(variant.key, VariantKey::NumberLiteral { .. }) || PLURALS.contains(&key(variant))
}

/// A variable's name, and whether it is said to be a number.
fn variable(inline: &InlineExpression<&str>) -> Result<(String, bool), String> {
    match inline {
        InlineExpression::VariableReference { id } => Ok((id.name.replace('-', "_"), false)),
        InlineExpression::FunctionReference { id, arguments } if id.name == "NUMBER" => {
            match (arguments.positional.as_slice(), arguments.named.is_empty()) {
                ([InlineExpression::VariableReference { id }], true) => Ok((id.name.replace('-', "_"), true)),
                _ => Err("NUMBER takes one variable and nothing else".into()),
            }
        }
        _ => Err("only text, variables, NUMBER($variable) and choices are used here".into()),
    }
}

fn write_pattern(pieces: &[Piece], variables: &[(String, bool)], out: &mut String) {
    let argument = |name: &String| {
        let at = variables.iter().position(|it| it.0 == *name).unwrap_or_default();
        char::from(FIRST_ARGUMENT + u8::try_from(at).unwrap_or_default())
    };
    for piece in pieces {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Variable(name) => out.push(argument(name)),
            Piece::Choice { variable, variants } => {
                out.push(CHOICE);
                out.push(argument(variable));
                for (key, pieces) in variants {
                    out.push_str(key);
                    out.push(KEY);
                    write_pattern(pieces, variables, out);
                    out.push(VARIANT);
                }
                out.push(END);
            }
        }
    }
}

/// Tags, and the file of each language from which the page reads its patterns.
#[allow(dead_code, reason = "the build script makes the code, xtask the files")]
pub fn files(catalogue: &Catalogue) -> Vec<(String, String)> {
    let languages = catalogue.languages.iter();
    languages.map(|(tag, patterns)| (tag.clone(), patterns.join(SEPARATOR))).collect()
}

/// The languages of a folder: a file each.
///
/// # Errors
/// All that is wrong, a line each.
#[allow(dead_code, reason = "tests have no folder")]
pub fn read(folder: &Path) -> Result<Catalogue, Vec<String>> {
    let one = |error: std::io::Error| vec![format!("{}: {error}", folder.display())];
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(one)? {
        let path = entry.map_err(one)?.path();
        if path.extension().is_some_and(|it| it == "ftl") {
            let tag = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            files.push((tag, fs::read_to_string(&path).map_err(one)?));
        }
    }
    check(files)
}

/// The code that `app/src/language/mod.rs` includes.
#[allow(dead_code, reason = "the build script makes the code, xtask the files")]
pub fn generate(catalogue: &Catalogue) -> String {
    let mut out = String::new();
    let (languages, messages) = (catalogue.languages.len(), catalogue.messages.len());
    // Writing to a string cannot fail.
    let _ = writeln!(out, "const TAGS: [&str; {languages}] = [");
    for (tag, _) in &catalogue.languages {
        let _ = writeln!(out, "    {tag:?},");
    }
    let _ = writeln!(out, "];\nconst NAMES: [&str; {languages}] = [");
    let name = catalogue.messages.iter().position(|(name, _)| name == NAME).unwrap_or_default();
    for (_, patterns) in &catalogue.languages {
        let _ = writeln!(out, "    {:?},", patterns[name]);
    }
    let _ = writeln!(out, "];\n#[cfg(target_arch = \"wasm32\")]\nconst MESSAGES: usize = {messages};");
    let _ = writeln!(out, "#[cfg(target_arch = \"wasm32\")]\nconst SEPARATOR: &str = {SEPARATOR:?};");
    out.push_str("#[cfg(not(target_arch = \"wasm32\"))]\n");
    let _ = writeln!(out, "static PATTERNS: [[&str; {messages}]; {languages}] = [");
    for (_, patterns) in &catalogue.languages {
        let _ = writeln!(out, "    {patterns:?},");
    }
    let _ = writeln!(out, "];\nimpl Text {{");
    for (at, (name, arguments)) in catalogue.messages.iter().enumerate() {
        let english = catalogue.languages[0].1[at].replace(|it: char| it.is_control(), "·");
        if name == NAME {
            continue;
        }
        let _ = writeln!(out, "    /// {english}");
        let function = name.replace('-', "_");
        if name.starts_with(NATIVE) {
            // A browser knows these itself.
            out.push_str("    #[cfg(not(target_arch = \"wasm32\"))]\n");
        }
        if arguments.is_empty() {
            let _ = writeln!(out, "    pub fn {function}(self) -> &'static str {{ self.pattern({at}) }}");
            continue;
        }
        let typed =
            |(name, number): &(String, bool)| format!(", {name}: {}", if *number { "u64" } else { "&str" });
        let parameters: String = arguments.iter().map(typed).collect();
        let value = |(name, number): &(String, bool)| {
            format!("Argument::{}({name})", if *number { "Number" } else { "Text" })
        };
        let values = arguments.iter().map(value).collect::<Vec<_>>().join(", ");
        let _ = writeln!(
            out,
            "    pub fn {function}(self{parameters}) -> String {{ self.fill({at}, &[{values}]) }}"
        );
    }
    out.push_str("}\n");
    out
}
