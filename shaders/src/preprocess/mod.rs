//! A small text preprocessor for WGSL. It runs when a pipeline is built.
//!
//! - `#include "shared/x.wgsl"` or `#include "shared/x.wgsl" with A=foo, B=3`. The included text sees the arguments
//!   and the pipeline's defines, but not the arguments of the including text. The same file with the same arguments
//!   is included once.
//! - `#if EXPR`, `#elif EXPR`, `#else`, `#endif`. An expression has names, integers, `defined(NAME)`, `==`, `!=`,
//!   `!`, `&&`, `||` and parentheses. The names of [`DType`](crate::DType) stand for their GGUF numbers, and
//!   `bits(DTYPE) == BITS_4`, `scales(DTYPE) == HALVES` and others compare a property of the type ([`crate::forms`]).
//! - `#for NAME in A..B` … `#endfor` repeats its lines, with the name set to each number. It unrolls loops over
//!   registers independently of the browser's compiler.
//! - `#fill NAME` … `#endfill` keeps its lines for a later `#slot NAME`, in this file or in one that includes it. A
//!   slot is replaced by the lines of every earlier fill, in order, or by nothing. The skeleton of a kernel has
//!   slots; the file of each part fills them.
//! - `{{NAME}}` is replaced by the value of the name, also in directives, and `{{zero(DTYPE)}}` by that property.
//! - A line that begins with `var<uniform>` or `var<storage, …>` gets the next binding number. The list of
//!   [`Binding`]s is returned with the text.
//!
//! Lines that are only a `//` comment are removed. A `#` directive may end with a `//` comment.

mod expression;

use crate::{Access, Binding, DType};
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

include!(concat!(env!("OUT_DIR"), "/wgsl_table.rs"));

/// Defines: names and their values.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Defines(BTreeMap<String, String>);

impl Defines {
    /// No names.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds or replaces a name. `true` and `false` read as 1 and 0 in expressions.
    pub fn set(mut self, name: &str, value: impl ToString) -> Self {
        self.0.insert(name.to_owned(), value.to_string());
        self
    }

    /// Returns the value of a name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

/// An error in a template.
#[allow(missing_docs)] // The fields `file` and `line` are the location; the others are in the message.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PreprocessError {
    /// No such file in the table.
    #[error("{file}:{line}: no shader file {path}")]
    NoFile { file: String, line: usize, path: String },
    /// A name without a value.
    #[error("{file}:{line}: {name} is not defined")]
    Undefined { file: String, line: usize, name: String },
    /// An integer is needed, but the value of the name is not one.
    #[error("{file}:{line}: {name} is {value}, not a number")]
    NotANumber { file: String, line: usize, name: String, value: String },
    /// A define with the name of a storage type.
    #[error("{file}:{line}: the name {name} is taken by a storage type")]
    Reserved { file: String, line: usize, name: String },
    /// A directive or expression that cannot be parsed.
    #[error("{file}:{line}: {what}")]
    Syntax { file: String, line: usize, what: &'static str },
    /// A file that includes itself.
    #[error("{file}:{line}: {path} includes itself")]
    Cycle { file: String, line: usize, path: String },
}

/// An expanded template.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expanded {
    /// The WGSL text.
    pub text: String,
    /// What it binds: the index is the `@binding` number.
    pub bindings: Vec<Binding>,
}

/// Expands the template at `path` (relative to `wgsl/`).
///
/// # Errors
/// See [`PreprocessError`]. Every variant has file and line.
pub fn preprocess(path: &str, defines: &Defines) -> Result<Expanded, PreprocessError> {
    let load = |path: &str| {
        let index = FILES.binary_search_by_key(&path, |(name, _)| name).ok()?;
        Some(FILES[index].1)
    };
    expand(&load, path, defines)
}

fn expand(
    load: &dyn Fn(&str) -> Option<&'static str>,
    path: &str,
    defines: &Defines,
) -> Result<Expanded, PreprocessError> {
    let start = Place { file: path, line: 0 };
    if let Some(name) = defines.0.keys().find(|name| is_dtype(name)) {
        return Err(start.reserved(name));
    }
    let mut preprocessor = Preprocessor {
        load,
        defines,
        included: BTreeSet::new(),
        open: Vec::new(),
        fills: Vec::new(),
        out: Expanded::default(),
    };
    preprocessor.include(start, path, Defines::new())?;
    match preprocessor.fills.first() {
        Some(fill) => Err(Place { file: &fill.file, line: fill.line }.syntax("no slot of this name follows")),
        None => Ok(preprocessor.out),
    }
}

fn is_dtype(name: &str) -> bool {
    DType::ALL.iter().any(|dtype| dtype.name() == name)
}

/// The current location, for errors.
#[derive(Clone, Copy)]
struct Place<'a> {
    file: &'a str,
    line: usize,
}

impl Place<'_> {
    fn syntax(self, what: &'static str) -> PreprocessError {
        PreprocessError::Syntax { file: self.file.to_owned(), line: self.line, what }
    }

    fn undefined(self, name: &str) -> PreprocessError {
        PreprocessError::Undefined { file: self.file.to_owned(), line: self.line, name: name.to_owned() }
    }

    fn reserved(self, name: &str) -> PreprocessError {
        PreprocessError::Reserved { file: self.file.to_owned(), line: self.line, name: name.to_owned() }
    }
}

/// The names that a file sees: `#for` counters, the arguments of its include, then the defines of the pipeline.
struct Scope<'a> {
    arguments: &'a Defines,
    defines: &'a Defines,
}

impl Scope<'_> {
    fn get(&self, name: &str) -> Option<&str> {
        self.arguments.get(name).or_else(|| self.defines.get(name))
    }

    fn substitute(&self, place: Place<'_>, line: &str) -> Result<String, PreprocessError> {
        let mut text = String::with_capacity(line.len());
        let mut rest = line;
        while let Some((before, after)) = rest.split_once("{{") {
            let (name, after) =
                after.split_once("}}").ok_or_else(|| place.syntax("a {{ without its }} on this line"))?;
            let name = name.trim();
            text.push_str(before);
            match self.get(name) {
                Some(value) => text.push_str(value),
                None if name.ends_with(')') => {
                    text.push_str(&expression::evaluate(place, self, name)?.to_string());
                }
                None => return Err(place.undefined(name)),
            }
            rest = after;
        }
        text.push_str(rest);
        Ok(text)
    }
}

/// Lines kept for a slot, and where they are from.
struct Fill<'a> {
    slot: &'a str,
    file: String,
    line: usize,
    lines: Vec<&'static str>,
    arguments: Defines,
}

/// An open `#if`.
struct Branch {
    /// The line of the `#if`.
    line: usize,
    /// Whether the text around the `#if` is emitted.
    outer: bool,
    /// Whether the text here is emitted.
    active: bool,
    /// Whether an earlier branch was emitted.
    taken: bool,
    /// Whether there was an `#else`.
    last: bool,
}

struct Preprocessor<'a> {
    load: &'a dyn Fn(&str) -> Option<&'static str>,
    defines: &'a Defines,
    /// Files that were included, with their arguments.
    included: BTreeSet<(String, Defines)>,
    /// The stack of open files, to find cycles.
    open: Vec<String>,
    /// Fills that no slot has used yet.
    fills: Vec<Fill<'static>>,
    out: Expanded,
}

impl Preprocessor<'_> {
    fn include(&mut self, place: Place<'_>, path: &str, arguments: Defines) -> Result<(), PreprocessError> {
        if self.open.iter().any(|open| open == path) {
            let (file, path) = (place.file.to_owned(), path.to_owned());
            return Err(PreprocessError::Cycle { file, line: place.line, path });
        }
        if !self.included.insert((path.to_owned(), arguments.clone())) {
            return Ok(());
        }
        let Some(source) = (self.load)(path) else {
            let (file, path) = (place.file.to_owned(), path.to_owned());
            return Err(PreprocessError::NoFile { file, line: place.line, path });
        };
        let lines: Vec<&'static str> = source.lines().collect();
        self.open.push(path.to_owned());
        self.lines(Place { file: path, line: 1 }, &lines, &arguments)?;
        self.open.pop();
        Ok(())
    }

    /// Emits a line of text, with a number if it declares a binding.
    fn emit(&mut self, place: Place<'_>, line: &str) -> Result<(), PreprocessError> {
        let Expanded { text, bindings } = &mut self.out;
        if let Some(binding) = parse_binding(place, line)? {
            text.push_str(&format!("@group(0) @binding({}) ", bindings.len()));
            bindings.push(binding);
        }
        text.push_str(line);
        text.push('\n');
        Ok(())
    }

    /// Expands consecutive lines of a file; `start` is the location of the first.
    fn lines(
        &mut self,
        start: Place<'_>,
        lines: &[&'static str],
        arguments: &Defines,
    ) -> Result<(), PreprocessError> {
        let scope = Scope { arguments, defines: self.defines };
        let mut branches: Vec<Branch> = Vec::new();
        let mut index = 0;
        while let Some(line) = lines.get(index) {
            let place = Place { line: start.line + index, ..start };
            index += 1;
            let active = branches.last().is_none_or(|branch| branch.active);
            let trimmed = line.trim_start();
            let Some(directive) = trimmed.strip_prefix('#') else {
                if active && !trimmed.starts_with("//") && !trimmed.is_empty() {
                    let line = scope.substitute(place, line)?;
                    self.emit(place, &line)?;
                }
                continue;
            };
            let directive = directive.split("//").next().unwrap_or(directive).trim();
            let (word, rest) = directive.split_once(char::is_whitespace).unwrap_or((directive, ""));
            match word {
                "include" if active => {
                    let rest = scope.substitute(place, rest)?;
                    let (path, arguments) = parse_include(place, &rest)?;
                    self.include(place, path, arguments)?;
                }
                "include" => {}
                "for" => {
                    let length = body_length(place, &lines[index..], ["#for", "#endfor"])?;
                    if active {
                        let body = &lines[index..index + length];
                        let (name, range) = parse_for(place, &scope, rest)?;
                        for number in range {
                            let arguments = arguments.clone().set(name, number);
                            self.lines(Place { line: place.line + 1, ..place }, body, &arguments)?;
                        }
                    }
                    index += length + 1;
                }
                "fill" => {
                    let length = body_length(place, &lines[index..], ["#fill", "#endfill"])?;
                    if active {
                        let (file, arguments) = (place.file.to_owned(), arguments.clone());
                        let lines = lines[index..index + length].to_vec();
                        self.fills.push(Fill { slot: rest.trim(), file, line: place.line, lines, arguments });
                    }
                    index += length + 1;
                }
                "slot" if active => {
                    let (taken, left) =
                        self.fills.drain(..).partition::<Vec<_>, _>(|fill| fill.slot == rest.trim());
                    self.fills = left;
                    for Fill { file, line, lines, arguments, .. } in &taken {
                        self.lines(Place { file, line: line + 1 }, lines, arguments)?;
                    }
                }
                "slot" => {}
                _ => conditional(place, &scope, &mut branches, word, rest)?,
            }
        }
        match branches.last() {
            Some(branch) => Err(Place { line: branch.line, ..start }.syntax("#if without #endif")),
            None => Ok(()),
        }
    }
}

/// Returns the binding that a line declares, if any.
fn parse_binding(place: Place<'_>, line: &str) -> Result<Option<Binding>, PreprocessError> {
    let Some((access, rest)) = line.strip_prefix("var<").and_then(|rest| rest.split_once('>')) else {
        return Ok(None);
    };
    let access = match access {
        "uniform" => Access::Uniform,
        "storage, read" => Access::Read,
        "storage, read_write" => Access::ReadWrite,
        _ if access.starts_with("storage") => return Err(place.syntax("expected read or read_write")),
        _ => return Ok(None),
    };
    let (name, _) = rest.split_once(':').ok_or_else(|| place.syntax("a binding without a type"))?;
    Ok(Some(Binding { name: name.trim().to_owned(), access }))
}

/// Returns the number of lines before the matching end of the directive at `place`.
fn body_length(place: Place<'_>, lines: &[&str], [begin, end]: [&str; 2]) -> Result<usize, PreprocessError> {
    let mut depth = 0;
    for (index, line) in lines.iter().enumerate() {
        match line.split_whitespace().next() {
            Some(word) if word == begin => depth += 1,
            Some(word) if word == end && depth == 0 => return Ok(index),
            Some(word) if word == end => depth -= 1,
            _ => {}
        }
    }
    Err(place.syntax("#for or #fill without its end"))
}

/// Parses `NAME in A..B`.
fn parse_for<'a>(
    place: Place<'_>,
    scope: &Scope<'_>,
    rest: &'a str,
) -> Result<(&'a str, std::ops::Range<i64>), PreprocessError> {
    const SHAPE: &str = "expected #for NAME in A..B";
    const MAX_ROUNDS: i64 = 1024;
    let (name, range) = rest.split_once(" in ").ok_or_else(|| place.syntax(SHAPE))?;
    let (from, to) = range.split_once("..").ok_or_else(|| place.syntax(SHAPE))?;
    let number = |text: &str| expression::evaluate(place, scope, &scope.substitute(place, text)?);
    let (from, to) = (number(from)?, number(to)?);
    if to.checked_sub(from).is_none_or(|rounds| rounds > MAX_ROUNDS) {
        return Err(place.syntax("a #for of more than 1024 rounds"));
    }
    Ok((name.trim(), from..to))
}

/// Handles `#if`, `#elif`, `#else` and `#endif`.
fn conditional(
    place: Place<'_>,
    scope: &Scope<'_>,
    branches: &mut Vec<Branch>,
    word: &str,
    rest: &str,
) -> Result<(), PreprocessError> {
    let evaluate = |rest: &str| Ok(expression::evaluate(place, scope, &scope.substitute(place, rest)?)? != 0);
    match word {
        "if" => {
            let outer = branches.last().is_none_or(|branch| branch.active);
            let active = outer && evaluate(rest)?;
            branches.push(Branch { line: place.line, outer, active, taken: active, last: false });
        }
        "elif" | "else" => {
            let branch = branches.last_mut().ok_or_else(|| place.syntax("no #if is open here"))?;
            if branch.last {
                return Err(place.syntax("#else was the last branch"));
            }
            branch.last = word == "else";
            branch.active = branch.outer && !branch.taken && (branch.last || evaluate(rest)?);
            branch.taken |= branch.active;
        }
        "endif" => {
            branches.pop().ok_or_else(|| place.syntax("no #if is open here"))?;
        }
        _ => return Err(place.syntax("unknown directive")),
    }
    Ok(())
}

/// Parses `"path"` and `"path" with A=foo, B=3`.
fn parse_include<'a>(place: Place<'_>, rest: &'a str) -> Result<(&'a str, Defines), PreprocessError> {
    const SHAPE: &str = "expected #include \"path\" with NAME=VALUE, …";
    let rest = rest.trim().strip_prefix('"').ok_or_else(|| place.syntax(SHAPE))?;
    let (path, rest) = rest.split_once('"').ok_or_else(|| place.syntax(SHAPE))?;
    let rest = rest.trim();
    if rest.is_empty() {
        return Ok((path, Defines::new()));
    }
    let list = rest.strip_prefix("with ").ok_or_else(|| place.syntax(SHAPE))?;
    let mut arguments = Defines::new();
    for pair in list.split(',') {
        let (name, value) = pair.split_once('=').ok_or_else(|| place.syntax(SHAPE))?;
        let (name, value) = (name.trim(), value.trim());
        if name.is_empty() || value.is_empty() {
            return Err(place.syntax(SHAPE));
        }
        if is_dtype(name) {
            return Err(place.reserved(name));
        }
        arguments = arguments.set(name, value);
    }
    Ok((path, arguments))
}

#[cfg(test)]
mod tests;
