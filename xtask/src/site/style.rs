//! The style sheet: `@import`s inlined in order, comments removed. What is left is for brotli.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

/// Reads a style sheet and everything it imports into one text.
pub fn bundle(path: &Path) -> Result<String> {
    bundle_within(path, &mut Vec::new())
}

fn bundle_within(path: &Path, importers: &mut Vec<String>) -> Result<String> {
    let source = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let name = path.display().to_string();
    if importers.contains(&name) {
        bail!("{name} imports itself");
    }
    importers.push(name);
    let mut out = String::new();
    for line in without_comments(&source).lines().filter(|line| !line.trim().is_empty()) {
        match parse_import(line.trim()) {
            Some(Import { file, layer }) => {
                let imported = bundle_within(&path.with_file_name(file), importers)?;
                match layer {
                    Some(layer) => out.push_str(&format!("@layer {layer} {{\n{imported}}}\n")),
                    None => out.push_str(&imported),
                }
            }
            None => {
                out.push_str(line.trim_end());
                out.push('\n');
            }
        }
    }
    importers.pop();
    Ok(out)
}

struct Import<'a> {
    file: &'a str,
    layer: Option<&'a str>,
}

/// `@import "FILE";`, `@import url("FILE") layer(NAME);` and what lies between. Media queries are not understood and
/// stay as they are.
fn parse_import(line: &str) -> Option<Import<'_>> {
    let rest = line.strip_prefix("@import")?.trim().strip_suffix(';')?.trim();
    let (is_url, rest) = rest.strip_prefix("url(").map_or((false, rest), |rest| (true, rest));
    let quote = rest.chars().next().filter(|quote| ['"', '\''].contains(quote))?;
    let (file, rest) = rest[1..].split_once(quote)?;
    let rest = if is_url { rest.strip_prefix(')')? } else { rest }.trim();
    if rest.is_empty() {
        return Some(Import { file, layer: None });
    }
    Some(Import { file, layer: Some(rest.strip_prefix("layer(")?.strip_suffix(')')?) })
}

/// The text without `/* … */`, which may not be mistaken inside strings.
fn without_comments(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    let mut quote = None;
    while let Some(next) = rest.chars().next() {
        if quote.is_none() && rest.starts_with("/*") {
            rest = rest.find("*/").map_or("", |end| &rest[end + 2..]);
            continue;
        }
        let mut taken = next.len_utf8();
        match (quote, next) {
            (Some(_), '\\') => taken += rest[1..].chars().next().map_or(0, char::len_utf8),
            (Some(open), _) if open == next => quote = None,
            (None, '"' | '\'') => quote = Some(next),
            _ => {}
        }
        out.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_inlined_in_order_and_in_their_layer() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
        write(
            "main.css",
            "@layer base, parts;\n@import \"a.css\";\n@import url('b.css') layer(parts);\nc { }\n",
        );
        write("a.css", "/* first */\na { }\n");
        write("b.css", "b { content: \"/* kept */\" }\n");
        let bundled = bundle(&folder.path().join("main.css")).expect("bundled");
        assert_eq!(
            bundled,
            "@layer base, parts;\na { }\n@layer parts {\nb { content: \"/* kept */\" }\n}\nc { }\n"
        );
    }

    #[test]
    fn a_circle_of_imports_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("a.css"), "@import \"a.css\";").expect("written");
        let error = bundle(&folder.path().join("a.css")).expect_err("must fail");
        assert!(error.to_string().contains("imports itself"), "{error}");
    }

    #[test]
    fn comments_go_and_strings_stay() {
        assert_eq!(without_comments("a/* b */c"), "ac");
        assert_eq!(without_comments(r#"a: "\"/*é*/" /* open"#), r#"a: "\"/*é*/" "#);
    }
}
