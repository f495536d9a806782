//! Chemical formulas, in the part of mhchem that is written most: `2H2 + O2 -> 2H2O`, `SO4^2-`, `^{227}_{90}Th+`.

use super::cursor::Cursor;

/// Arrows, the longer ones first.
const ARROWS: [(&str, &str); 8] = [
    ("<=>>", "\\rightleftharpoons"),
    ("<<=>", "\\rightleftharpoons"),
    ("<-->", "\\rightleftarrows"),
    ("<->", "\\longleftrightarrow"),
    ("<=>", "\\rightleftharpoons"),
    ("->", "\\longrightarrow"),
    ("<-", "\\longleftarrow"),
    ("⇌", "\\rightleftharpoons"),
];

/// Returns the formula of a substance or of a reaction.
pub(super) fn formula(source: &str) -> String {
    let mut written = String::new();
    // What stands just before: nothing or a space, something that takes an index, or a charge's place.
    let mut before = Before::Nothing;
    let mut cursor = Cursor::new(source.trim());
    while let Some(c) = cursor.rest.chars().next() {
        if let Some((arrow, sign)) = ARROWS.iter().find(|(arrow, _)| cursor.rest.starts_with(arrow)) {
            cursor.rest = &cursor.rest[arrow.len()..];
            let above = cursor.between('[', ']').map(formula);
            let below = above.as_ref().and_then(|_| cursor.between('[', ']').map(formula));
            written.push_str(&match (above, below) {
                (Some(above), Some(below)) => {
                    format!("\\underset{{{below}}}{{\\overset{{{above}}}{{{sign}}}}}")
                }
                (Some(above), None) => format!("\\overset{{{above}}}{{{sign}}}"),
                _ => format!("{sign} "),
            });
            before = Before::Nothing;
            continue;
        }
        let run = |rest: &str, is: fn(char) -> bool| rest.find(|c| !is(c)).unwrap_or(rest.len());
        let rest = cursor.rest;
        let mut length = c.len_utf8();
        let alone =
            before == Before::Nothing && rest[length..].chars().next().is_none_or(char::is_whitespace);
        let mut after = Before::Index;
        match c {
            ' ' | '\n' | '\t' => {
                after = Before::Nothing;
                written.push_str("\\,");
            }
            'v' if alone => written.push_str("\\downarrow "),
            '^' if alone => written.push_str("\\uparrow "),
            '\\' | '$' => {
                let math = match c {
                    '$' => rest[1..].split_once('$').map(|(math, _)| math),
                    _ => None,
                };
                if let Some(math) = math {
                    length = math.len() + 2;
                    written.push_str(&format!("{{{math}}}"));
                } else {
                    let mut command = Cursor::new(rest);
                    command.next();
                    while command.between('{', '}').is_some() {}
                    length = rest.len() - command.rest.len();
                    written.push_str(&rest[..length]);
                    written.push(' ');
                }
            }
            '{' => {
                let mut group = Cursor::new(rest);
                if let Some(inner) = group.between('{', '}') {
                    length = rest.len() - group.rest.len();
                    written.push_str(&format!("{{{}}}", formula(inner)));
                } else {
                    written.push_str("\\{");
                }
            }
            '}' => written.push_str("\\}"),
            '^' | '_' => {
                let mut script = Cursor::new(&rest[1..]);
                let inner = match script.between('{', '}') {
                    Some(inner) => inner,
                    None => {
                        let end = run(script.rest, |c| c.is_ascii_digit() || "+-.•*".contains(c));
                        let end =
                            if end == 0 { script.rest.chars().next().map_or(0, char::len_utf8) } else { end };
                        let inner = &script.rest[..end];
                        script.rest = &script.rest[end..];
                        inner
                    }
                };
                length = rest.len() - script.rest.len();
                if before == Before::Nothing {
                    written.push_str("{}");
                }
                written.push_str(&format!("{c}{{{}}}", inner.replace('*', "\\bullet ")));
            }
            '+' | '-' => {
                let ends = rest[1..].chars().next().is_none_or(|c| c.is_whitespace() || ")],^".contains(c));
                if before == Before::Nothing {
                    written.push(c);
                } else if ends {
                    written.push_str(&format!("^{{{c}}}"));
                } else {
                    written.push_str(if c == '-' { "\\text{–}" } else { "+" });
                    after = Before::Nothing;
                }
            }
            '=' => {
                written.push_str("{=}");
                after = Before::Nothing;
            }
            '#' => {
                written.push_str("{\\equiv}");
                after = Before::Nothing;
            }
            '.' | '*' => {
                after = Before::Nothing;
                written.push_str("\\cdot ");
            }
            '%' => written.push_str("\\%"),
            '&' => written.push_str("\\&"),
            '~' => written.push_str("\\,"),
            _ if c.is_ascii_digit() && before == Before::Index => {
                length = run(rest, |c| c.is_ascii_digit());
                written.push_str(&format!("_{{{}}}", &rest[..length]));
            }
            _ if c.is_ascii_digit() => {
                length = run(rest, |c| c.is_ascii_digit() || "./,".contains(c));
                let number = rest[..length].trim_end_matches(['.', '/', ',']);
                written.push_str(&format!("{number}\\,"));
                // There is room between it and what it counts.
                length = rest.len() - rest[number.len()..].trim_start().len();
                after = Before::Nothing;
            }
            _ if c.is_alphabetic() => {
                length = run(rest, char::is_alphabetic);
                written.push_str(&format!("\\mathrm{{{}}}", &rest[..length]));
            }
            '(' | '[' => {
                after = Before::Nothing;
                written.push(c);
            }
            _ => written.push(c),
        }
        before = after;
        cursor.rest = &cursor.rest[length..];
    }
    written
}

/// What stands just before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// Nothing that a figure could count.
    Nothing,
    /// What a figure counts: an element, a bracket.
    Index,
}
