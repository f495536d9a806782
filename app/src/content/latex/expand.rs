//! Replaces commands by what is known of them.

use super::commands::{self, OPERATORS, REWRITES};
use super::cursor::{Cursor, Token};
use super::definitions::{Definition, definition};
use super::text::Piece;
use super::{MathError, chemistry, diagram, text, units, with_class};

/// Commands that are replaced at most, and bytes that come of them: a short formula could grow without end.
const MAX_STEPS: usize = 2_000;
const MAX_LENGTH: usize = 32_768;

/// How deep groups and replacements may nest.
const MAX_DEPTH: usize = 48;

/// Returns a formula in commands that are known, as far as they are.
///
/// # Errors
/// If it would nest too deep or grow without end.
pub(in super::super) fn rewrite(latex: &str) -> Result<String, MathError> {
    let mut expander = Expander::default();
    let body = expander.group(latex, 0)?;
    Ok(match expander.rows {
        Rows::None => body,
        Rows::Lines => format!("\\begin{{gathered}}{body}\\end{{gathered}}"),
        Rows::Cells => format!("\\begin{{aligned}}{body}\\end{{aligned}}"),
    })
}

/// What stands in a formula outside of all environments.
#[derive(Debug, Default, PartialEq, Eq)]
enum Rows {
    #[default]
    None,
    /// Line breaks.
    Lines,
    /// Line breaks and alignments.
    Cells,
}

#[derive(Debug, Default)]
struct Expander {
    definitions: Vec<Definition>,
    steps: usize,
    rows: Rows,
}

/// What is being written, and where a fraction in the old style (`a \over b`) would begin.
#[derive(Default)]
struct Output {
    text: String,
    /// For each open environment and pair of brackets: where the cell begins, and the fraction's sign in it.
    cells: Vec<(usize, Option<(usize, &'static str)>)>,
}

impl Output {
    fn begin(&mut self) {
        self.cells.push((self.text.len(), None));
    }

    /// Ends the cell: what stands on both sides of a fraction's sign becomes its parts.
    fn end(&mut self) {
        if let Some((start, Some((sign, fraction)))) = self.cells.pop() {
            let below = self.text.split_off(sign);
            let above = self.text.split_off(start);
            let pieces = fraction.split('#').zip([above.as_str(), below.as_str(), ""]);
            self.text.extend(pieces.flat_map(|(before, part)| [before, part]));
        }
    }
}

/// Fractions whose sign stands between their parts.
const SIGNS: [(&str, &str); 5] = [
    ("over", "\\frac{#}{#}"),
    ("choose", "\\binom{#}{#}"),
    ("atop", "\\genfrac{}{}{0pt}{}{#}{#}"),
    ("brace", "\\left\\{\\genfrac{}{}{0pt}{}{#}{#}\\right\\}"),
    ("brack", "\\left[\\genfrac{}{}{0pt}{}{#}{#}\\right]"),
];

impl Expander {
    fn group(&mut self, source: &str, depth: usize) -> Result<String, MathError> {
        if depth > MAX_DEPTH {
            return Err(MathError::TooDeep);
        }
        let mut output = Output::default();
        output.begin();
        self.read(source, depth, &mut output)?;
        while !output.cells.is_empty() {
            output.end();
        }
        Ok(output.text)
    }

    fn read(&mut self, source: &str, depth: usize, output: &mut Output) -> Result<(), MathError> {
        if depth > MAX_DEPTH {
            return Err(MathError::TooDeep);
        }
        let mut cursor = Cursor::new(source);
        while let Some(token) = cursor.next() {
            if output.text.len() > MAX_LENGTH {
                return Err(MathError::TooLong { found: output.text.len() });
            }
            match token {
                Token::Group(inner) => {
                    let inner = self.group(inner, depth + 1)?;
                    output.text.push('{');
                    output.text.push_str(&inner);
                    output.text.push('}');
                }
                // What is written behind it is no comment.
                Token::Character('%') => output.text.push_str("\\%"),
                Token::Character('&') => {
                    self.new_cell(output, depth, Rows::Cells);
                    output.text.push('&');
                    output.end();
                    output.begin();
                }
                Token::Character(c) => output.text.push(c),
                Token::Command(name) => self.command(name, &mut cursor, depth, output)?,
            }
        }
        Ok(())
    }

    /// Ends a cell. Outside of all environments, the formula needs one.
    fn new_cell(&mut self, output: &mut Output, depth: usize, rows: Rows) {
        if depth == 0 && output.cells.len() == 1 && self.rows != Rows::Cells {
            self.rows = rows;
        }
        output.end();
        output.begin();
    }

    fn command(
        &mut self,
        name: &str,
        cursor: &mut Cursor<'_>,
        depth: usize,
        output: &mut Output,
    ) -> Result<(), MathError> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return Err(MathError::Command { command: name.to_owned() });
        }
        if let Some(found) = definition(name, cursor) {
            self.definitions.retain(|known| known.name != found.name);
            self.definitions.push(found);
            return Ok(());
        }
        let defined = self.definitions.iter().find(|known| known.name == name).cloned();
        if let Some(defined) = defined {
            let mut ahead = *cursor;
            if let Some(arguments) = defined.arguments(&mut ahead) {
                cursor.rest = ahead.rest;
                if depth >= MAX_DEPTH {
                    return Err(MathError::Command { command: name.to_owned() });
                }
                let mut body = fill(&defined.body, &arguments);
                take_scripts(&mut body, cursor);
                return self.read(&body, depth + 1, output);
            }
        }
        if let Some(mut body) = special(name, cursor).or_else(|| rewritten(name, cursor)) {
            take_scripts(&mut body, cursor);
            return self.read(&body, depth + 1, output);
        }
        if text::is_text(name) {
            let mut ahead = *cursor;
            ahead.take("*");
            if let Some(content) = ahead.argument() {
                cursor.rest = ahead.rest;
                return self.words(name, content, depth, output);
            }
        }
        match name {
            "begin" => return self.environment(cursor, depth, output),
            "end" => output.end(),
            "left" => {}
            "right" => output.end(),
            "\\" | "cr" => {
                self.new_cell(output, depth, Rows::Lines);
                output.text.push_str("\\\\");
                let mut ahead = *cursor;
                let space = ahead.between('[', ']');
                // A bracket that opens the next row is no length.
                if space.is_some_and(|space| {
                    !space.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit() || c == '.')
                }) {
                    output.text.push_str("{}");
                }
                output.end();
                output.begin();
                return Ok(());
            }
            _ => {}
        }
        if let Some((_, fraction)) = SIGNS.iter().find(|(sign, _)| *sign == name)
            && let Some((_, sign @ None)) = output.cells.last_mut()
        {
            *sign = Some((output.text.len(), fraction));
            cursor.skip_spaces();
            return Ok(());
        }
        output.text.push('\\');
        output.text.push_str(name);
        if matches!(name, "left" | "right") {
            // The bracket is no argument of what follows.
            let before = cursor.rest;
            cursor.skip_spaces();
            let spaced = cursor.rest;
            if spaced.starts_with(['{', '}']) {
                cursor.rest = before;
            } else if cursor.next().is_some() {
                output.text.push_str(&spaced[..spaced.len() - cursor.rest.len()]);
            }
            if name == "left" {
                output.begin();
            }
        }
        Ok(())
    }

    /// Words, whose formulas are rewritten.
    fn words(
        &mut self,
        name: &str,
        content: &str,
        depth: usize,
        output: &mut Output,
    ) -> Result<(), MathError> {
        let pieces = text::pieces(name, content);
        let several = pieces.len() != 1;
        if several {
            output.text.push('{');
        }
        for piece in pieces {
            match piece {
                Piece::Words(font, words) => output.text.push_str(&format!("\\{font}{{{words}}}")),
                Piece::Math(math) => {
                    let math = self.group(&math, depth + 1)?;
                    output.text.push_str(&format!("{{{math}}}"));
                }
            }
        }
        if several {
            output.text.push('}');
        }
        if matches!(name, "intertext" | "shortintertext") {
            output.text.push_str("\\\\");
        }
        Ok(())
    }

    fn environment(
        &mut self,
        cursor: &mut Cursor<'_>,
        depth: usize,
        output: &mut Output,
    ) -> Result<(), MathError> {
        let Some(name) = cursor.argument() else {
            output.text.push_str("\\begin");
            return Ok(());
        };
        let end = format!("\\end{{{name}}}");
        let begin = format!("\\begin{{{name}}}");
        // The one that ends it, not those within.
        let mut inner_end = None;
        let (mut at, mut open) = (0, 1_usize);
        while let Some(found) = cursor.rest[at..].find(&end).map(|found| found + at) {
            open += cursor.rest[at..found].matches(&begin).count();
            open -= 1;
            if open == 0 {
                inner_end = Some(found);
                break;
            }
            at = found + end.len();
        }
        let Some(inner_end) = inner_end else {
            output.text.push_str(&begin);
            return Ok(());
        };
        let inner = &cursor.rest[..inner_end];
        cursor.rest = &cursor.rest[inner_end + end.len()..];
        let known = commands::environment(name);
        if known == "CD" {
            return self.read(&diagram::matrix(inner), depth + 1, output);
        }
        let mut content = Cursor::new(inner);
        let arguments = if matches!(name, "eqnarray" | "eqnarray*") {
            "{rcl}".to_owned()
        } else if matches!(known, "array" | "darray" | "subarray") {
            content.between('[', ']');
            content
                .argument()
                .map(|columns| format!("{{{}}}", commands::columns(columns)))
                .unwrap_or_default()
        } else if matches!(known, "alignat" | "alignat*" | "alignedat") {
            content.argument().map(|count| format!("{{{count}}}")).unwrap_or_default()
        } else if matches!(known, "aligned" | "gathered") {
            // Where it stands beside the line.
            content.between('[', ']');
            String::new()
        } else if known.trim_end_matches('*').ends_with("matrix") {
            // Columns, which nothing is aligned in.
            let mut ahead = content;
            let is_columns =
                |columns: &str| columns.chars().all(|c| matches!(c, 'c' | 'l' | 'r' | '|' | ' '));
            if !known.ends_with('*') && ahead.between('[', ']').is_some_and(is_columns) {
                content = ahead;
            }
            String::new()
        } else {
            String::new()
        };
        if !known.is_empty() {
            output.text.push_str(&format!("\\begin{{{known}}}{arguments}"));
        }
        output.begin();
        let inner = self.group(content.rest, depth + 1)?;
        output.text.push_str(&inner);
        output.end();
        if !known.is_empty() {
            output.text.push_str(&format!("\\end{{{known}}}"));
        }
        Ok(())
    }
}

/// Attaches to an operator the scripts that follow it: they may stand above and below.
fn take_scripts(body: &mut String, cursor: &mut Cursor<'_>) {
    if !body.starts_with("\\mathop") && !body.starts_with("\\operatorname*") {
        return;
    }
    let before = cursor.rest;
    let _ = scripts(cursor);
    body.push_str(&before[..before.len() - cursor.rest.len()]);
}

/// What stands above and below an operator.
#[derive(Default)]
struct Scripts<'a> {
    above: Option<&'a str>,
    below: Option<&'a str>,
}

fn scripts<'a>(cursor: &mut Cursor<'a>) -> Scripts<'a> {
    let mut found = Scripts::default();
    loop {
        cursor.take("\\limits");
        let mut ahead = *cursor;
        let (script, sign) = if ahead.rest.trim_start().starts_with('_') {
            (&mut found.below, "_")
        } else {
            (&mut found.above, "^")
        };
        if script.is_some() || !ahead.take(sign) {
            return found;
        }
        let Some(argument) = ahead.argument() else { return found };
        *script = Some(argument);
        *cursor = ahead;
    }
}

/// What a command of the table stands for here.
fn rewritten(name: &str, cursor: &mut Cursor<'_>) -> Option<String> {
    let starred = cursor.rest.starts_with('*').then(|| format!("{name}*"));
    let names = starred.as_deref().into_iter().map(|name| (name, 1)).chain([(name, 0)]);
    for (name, star) in names {
        for (_, pattern, body) in REWRITES.iter().filter(|(known, ..)| *known == name) {
            let mut ahead = Cursor::new(&cursor.rest[star..]);
            if let Some(arguments) = matched(pattern, &mut ahead) {
                cursor.rest = ahead.rest;
                return Some(fill(body, &arguments));
            }
        }
    }
    OPERATORS.split_whitespace().any(|operator| operator == name).then(|| format!("\\operatorname{{{name}}}"))
}

/// The arguments that a pattern asks for: `s` a star, `o` one in brackets, `p` one in parentheses, `g` a group, `m` any.
fn matched<'a>(pattern: &str, cursor: &mut Cursor<'a>) -> Option<Vec<&'a str>> {
    pattern
        .chars()
        .map(|kind| match kind {
            's' => cursor.take("*").then_some(""),
            'o' => cursor.between('[', ']'),
            'p' => cursor.between('(', ')'),
            'g' => cursor.between('{', '}'),
            _ => cursor.argument(),
        })
        .collect()
}

/// A body with its arguments in it.
fn fill<S: AsRef<str>>(body: &str, arguments: &[S]) -> String {
    let mut filled = String::with_capacity(body.len());
    let mut pieces = body.split('#');
    filled.extend(pieces.next());
    for piece in pieces {
        let number = piece.chars().next().and_then(|c| c.to_digit(10)).map(|number| number as usize);
        match number.and_then(|number| arguments.get(number.checked_sub(1)?)) {
            Some(argument) => {
                push_apart(&mut filled, argument.as_ref());
                push_apart(&mut filled, &piece[1..]);
            }
            None => {
                filled.push('#');
                filled.push_str(piece);
            }
        }
    }
    filled
}

/// Adds a piece, of whose letters none becomes a part of a command before it.
fn push_apart(text: &mut String, piece: &str) {
    let word = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let is_command = word.len() < text.len()
        && word.len() - word.trim_end_matches('\\').len() == 1
        && piece.starts_with(|c: char| c.is_ascii_alphabetic());
    if is_command {
        text.push(' ');
    }
    text.push_str(piece);
}

/// Commands that take more than a table to rewrite.
fn special(name: &str, cursor: &mut Cursor<'_>) -> Option<String> {
    let mut ahead = *cursor;
    let body = match name {
        // Dollar signs, too, where LaTeX would take the content for a formula.
        "boxed" => {
            let content = ahead.argument().filter(|content| content.contains('$'))?;
            format!("\\fbox{{{content}}}")
        }
        "operatorname" => {
            let starred = ahead.take("*");
            let words = ahead.argument()?;
            let plain = text::plain(words);
            if plain.is_empty() {
                cursor.rest = ahead.rest;
                return Some(format!("{{{words}}}"));
            }
            if !starred && plain == words {
                return None;
            }
            let operator = format!("\\operatorname{{{plain}}}");
            if starred { format!("\\mathop{{{operator}}}") } else { operator }
        }
        // The library takes a character alone.
        "mathop" => {
            let operator = ahead.argument()?;
            if operator.trim().chars().count() <= 1 {
                return None;
            }
            let Scripts { above, below } = scripts(&mut ahead);
            let above = above.map_or_else(
                || format!("{{{operator}}}"),
                |above| format!("\\overset{{{above}}}{{{operator}}}"),
            );
            below.map_or_else(|| above.clone(), |below| format!("\\underset{{{below}}}{{{above}}}"))
        }
        "class" | "enclose" => {
            let class = ahead.argument()?;
            with_class(class.trim(), ahead.argument()?)
        }
        "ce" | "cee" => chemistry::formula(ahead.argument()?),
        "pu" => units::literal(ahead.argument()?),
        "num" => {
            ahead.between('[', ']');
            units::number(ahead.argument()?)
        }
        "ang" => {
            ahead.between('[', ']');
            // Degrees, minutes and seconds.
            let parts = ahead.argument()?.split(';').zip(["\\circ", "\\prime", "\\prime\\prime"]);
            let parts = parts.filter(|(number, _)| !number.trim().is_empty());
            parts.map(|(number, sign)| format!("{}^{{{sign}}}", units::number(number))).collect()
        }
        "si" | "unit" => {
            ahead.between('[', ']');
            units::unit(ahead.argument()?)
        }
        "SI" | "qty" | "SIrange" | "qtyrange" | "numrange" => {
            ahead.between('[', ']');
            let number = ahead.between('{', '}')?;
            let to = if name.ends_with("range") { Some(ahead.between('{', '}')?) } else { None };
            let to = to.map(|to| format!("–{}", units::number(to))).unwrap_or_default();
            let unit = if name == "numrange" {
                String::new()
            } else {
                format!("\\,{}", units::unit(ahead.between('{', '}')?))
            };
            format!("{}{to}{unit}", units::number(number))
        }
        "numlist" | "SIlist" | "qtylist" => {
            ahead.between('[', ']');
            let numbers: Vec<_> = ahead.argument()?.split(';').map(units::number).collect();
            let unit = if name == "numlist" {
                String::new()
            } else {
                format!("\\,{}", units::unit(ahead.between('{', '}')?))
            };
            numbers.join(",\\,") + &unit
        }
        "root" => {
            let index = ahead.argument()?;
            ahead.skip_spaces();
            ahead.rest = ahead.rest.strip_prefix("\\of")?;
            format!("\\sqrt[{index}]{{{}}}", ahead.argument()?)
        }
        "unicode" => {
            let code = ahead.argument()?.trim();
            let hex = code.strip_prefix(['x', 'X', '"']);
            let number = hex.map_or_else(|| code.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok())?;
            char::from_u32(number)
                .filter(|c| c.is_alphanumeric() || (!c.is_ascii() && !c.is_control()))?
                .to_string()
        }
        _ => return None,
    };
    cursor.rest = ahead.rest;
    Some(body)
}
