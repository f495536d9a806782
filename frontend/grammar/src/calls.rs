//! Calls of tools in Gemma's notation, as a grammar in Lark's.
//!
//! ```text
//! call  = <|tool_call> "call:" NAME "{" [pair {"," pair}] "}" <tool_call|>
//! pair  = KEY ":" value
//! value = <|"|> text <|"|> | number | "true" | "false" | "null" | "[" [value {"," value}] "]" | "{" [pair {"," pair}] "}"
//! ```
//! There is no white space. The keys of an object are in any order, each at most once, and all required ones.

use std::fmt::Write as _;

use llguidance::derivre::Regex;
use serde_json::{Value, json};

use crate::error::{GrammarError, Refusal};
use crate::schema::{Dialect, Schema, Shape};
use crate::vocabulary::Markers;

/// The properties that the parameter of a rule has bits for.
const MOST_PROPERTIES: usize = 64;

/// A tool that may be called.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// JSON schema of its arguments: an object, or null.
    pub parameters: Value,
}

/// The arguments of a tool, read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Declared {
    name: String,
    arguments: Schema,
}

/// Reads declarations.
pub(crate) fn read(tools: &[Tool]) -> Result<Vec<Declared>, GrammarError> {
    let mut declared: Vec<Declared> = Vec::new();
    for Tool { name, parameters } in tools {
        let is_name =
            !name.is_empty() && name.trim() == name && !name.contains(|c: char| c.is_control() || c == '{');
        if !is_name || declared.iter().any(|other| other.name == *name) {
            return Err(GrammarError::at(name, Refusal::Name { name: name.clone() }));
        }
        let none = json!({"type": "object", "properties": {}});
        let is_empty = parameters.as_object().is_none_or(serde_json::Map::is_empty);
        let schema = if is_empty { &none } else { parameters };
        let arguments = Schema::read(schema, Dialect::Parameters, name)?;
        if !matches!(arguments.shape, Shape::Object(_) | Shape::Map(_)) {
            return Err(GrammarError::at(name, Refusal::Value { keyword: "type" }));
        }
        declared.push(Declared { name: name.clone(), arguments });
    }
    if declared.is_empty() { Err(GrammarError::NoTools) } else { Ok(declared) }
}

/// Returns the grammar of one call or, if `several`, of at least one.
pub(crate) fn compiled(tools: &[Declared], several: bool, markers: &Markers) -> Result<String, GrammarError> {
    let (Some(open), Some(close), Some(quote)) = (markers.call_open, markers.call_close, markers.quote)
    else {
        return Err(GrammarError::NoCalls);
    };
    let mut writer = Writer { quote: format!("<[{quote}]>"), rules: String::new(), count: 0, definitions: 0 };
    let mut bodies = Vec::new();
    for Declared { name, arguments } in tools {
        writer.definitions = writer.count;
        writer.count += arguments.definitions.len();
        for (number, shape) in arguments.definitions.iter().enumerate() {
            let value = writer.value(shape, name)?;
            let rule = writer.definitions + number;
            writer.rule(rule, &value);
        }
        let value = writer.value(&arguments.shape, name)?;
        bodies.push(format!("{} {value}", literal(&format!("call:{name}"))));
    }
    let rules = &writer.rules;
    let plus = if several { "+" } else { "" };
    Ok(format!("start: call{plus}\ncall: <[{open}]> ({}) <[{close}]>\n{rules}{COMMON}", bodies.join(" | ")))
}

/// Terminals.
const COMMON: &str = r"INTEGER: /-?(0|[1-9][0-9]*)/
NUMBER: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/
TEXT: /(?s:.+)/
KEY: /[A-Za-z0-9_]+/
";

struct Writer {
    /// The token around strings.
    quote: String,
    rules: String,
    /// Number of rules.
    count: usize,
    /// The rule of the first definition of the current tool.
    definitions: usize,
}

impl Writer {
    fn rule(&mut self, number: usize, body: &str) {
        // Writing to a string can't fail.
        let _ = writeln!(self.rules, "r{number}: {body}");
    }

    /// Adds a rule; returns its name.
    fn named(&mut self, body: &str) -> String {
        let number = self.count;
        self.count += 1;
        self.rule(number, body);
        format!("r{number}")
    }

    fn value(&mut self, shape: &Shape, path: &str) -> Result<String, GrammarError> {
        Ok(match shape {
            Shape::Any => self.any(),
            Shape::Values(values) => {
                let values: Vec<String> = values.iter().map(|value| self.constant(value)).collect();
                self.named(&values.join(" | "))
            }
            Shape::String { least: 0, most: None, pattern: None } => {
                let body = format!("{0} TEXT? {0}", self.quote);
                self.named(&body)
            }
            Shape::String { least, most, pattern } => self.string(*least, *most, pattern.as_deref(), path)?,
            Shape::Integer { least: None, most: None } => "INTEGER".to_owned(),
            Shape::Number { least: None, most: None } => "NUMBER".to_owned(),
            Shape::Integer { .. } | Shape::Number { .. } => {
                let schema = Value::Object(crate::json::written(shape));
                self.named(&format!("%json {schema}"))
            }
            Shape::Boolean => self.named(r#""true" | "false""#),
            Shape::Null => r#""null""#.to_owned(),
            Shape::Array { items, least, most } => {
                let items = self.value(items, path)?;
                self.array(&items, *least, *most)
            }
            Shape::Object(members) => self.object(members, path)?,
            Shape::Map(values) => {
                let values = self.value(values, path)?;
                self.map(&values)
            }
            Shape::OneOf(shapes) => {
                let shapes = shapes.iter().map(|shape| self.value(shape, path));
                let shapes = shapes.collect::<Result<Vec<_>, _>>()?;
                self.named(&shapes.join(" | "))
            }
            Shape::Defined(number) => format!("r{}", self.definitions + number),
        })
    }

    /// Any value. The rules refer to one another, so they are written once.
    fn any(&mut self) -> String {
        if !self.rules.contains("\nany: ") && !self.rules.starts_with("any: ") {
            let quote = &self.quote;
            let any = format!(
                "any: {quote} TEXT? {quote} | NUMBER | \"true\" | \"false\" | \"null\" | \"[\" (any (\",\" any)*)? \"]\" | \"{{\" (KEY \":\" any (\",\" KEY \":\" any)*)? \"}}\"\n"
            );
            self.rules.push_str(&any);
        }
        "any".to_owned()
    }

    fn string(
        &mut self,
        least: u64,
        most: Option<u64>,
        pattern: Option<&str>,
        path: &str,
    ) -> Result<String, GrammarError> {
        let refusal = |reason| GrammarError::at(path, Refusal::Pattern { reason });
        let mut may_be_empty = least == 0;
        let mut terminals = Vec::new();
        if let Some(pattern) = pattern {
            let mut regex = Regex::new(pattern).map_err(|error| refusal(error.to_string()))?;
            may_be_empty &= regex.is_match_bytes(b"");
            terminals.push(format!("/{}/", llguidance::regex_to_lark(pattern, "")));
        }
        // A terminal has at least one character.
        let most = most.map(|most| most.to_string()).unwrap_or_default();
        if most != "0" {
            terminals.push(format!("/(?s:.{{{},{most}}})/", least.max(1)));
        }
        let quote = self.quote.clone();
        if most == "0" {
            return Ok(self.named(&format!("{quote} {quote}")));
        }
        let number = self.count;
        let _ = writeln!(self.rules, "T{number}: {}", terminals.join(" & "));
        let optional = if may_be_empty { "?" } else { "" };
        Ok(self.named(&format!("{quote} T{number}{optional} {quote}")))
    }

    /// A value that is given.
    fn constant(&self, value: &Value) -> String {
        let list = |parts: Vec<String>, [open, close]: [&str; 2]| {
            format!("{} {} {}", literal(open), parts.join(&format!(" {} ", literal(","))), literal(close))
        };
        match value {
            Value::String(text) if text.is_empty() => format!("{0} {0}", self.quote),
            Value::String(text) => format!("{0} {1} {0}", self.quote, literal(text)),
            Value::Array(items) => list(items.iter().map(|item| self.constant(item)).collect(), ["[", "]"]),
            Value::Object(members) => {
                let member = |(key, value): (&String, &Value)| {
                    format!("{} {}", self.key("", key), self.constant(value))
                };
                list(members.iter().map(member).collect(), ["{", "}"])
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => literal(&value.to_string()),
        }
    }

    fn array(&mut self, items: &str, least: u64, most: Option<u64>) -> String {
        let more = |least: u64, most: Option<u64>| match most {
            Some(most) => format!("(\",\" {items}){{{least},{most}}}"),
            None if least == 0 => format!("(\",\" {items})*"),
            None => format!("(\",\" {items}){{{least},}}"),
        };
        let filled = match most {
            Some(0) => String::new(),
            Some(1) => items.to_owned(),
            most => format!("{items} {}", more(least.saturating_sub(1), most.map(|most| most - 1))),
        };
        let inner = if least == 0 && most != Some(0) { format!("({filled})?") } else { filled };
        self.named(&format!("\"[\" {inner} \"]\""))
    }

    fn map(&mut self, values: &str) -> String {
        self.named(&format!("\"{{\" (KEY \":\" {values} (\",\" KEY \":\" {values})*)? \"}}\""))
    }

    /// An object. Behind its first key, the parameter of the rule has a bit for each key that is written.
    fn object(&mut self, members: &[(String, Shape, bool)], path: &str) -> Result<String, GrammarError> {
        if members.len() > MOST_PROPERTIES {
            return Err(GrammarError::at(path, Refusal::Properties { most: MOST_PROPERTIES }));
        }
        let mut pairs = Vec::new();
        for (name, shape, _) in members {
            pairs.push((name, self.value(shape, path)?));
        }
        let required = members.iter().enumerate().filter(|(_, (.., required))| *required);
        let all = required.map(|(bit, _)| format!("bit_set({bit})"));
        let all = all.reduce(|all, bit| format!("and({all}, {bit})"));
        let more = self.count;
        self.count += 1;
        let mut first = if all.is_none() { vec![literal("{}")] } else { Vec::new() };
        let end = all.map(|all| format!(" %if {all}")).unwrap_or_default();
        let mut next = vec![format!("\"}}\"{end}")];
        for (bit, (name, value)) in pairs.iter().enumerate() {
            first.push(format!("{} {value} r{more}::{:#x}", self.key("{", name), 1_u64 << bit));
            next.push(format!(
                "{} {value} r{more}::set_bit({bit}) %if bit_clear({bit})",
                self.key(",", name)
            ));
        }
        if !pairs.is_empty() {
            let _ = writeln!(self.rules, "r{more}::_: {}", next.join(" | "));
        }
        Ok(self.named(&first.join(" | ")))
    }

    /// A key with its colon, behind `before`. One that is not a word is quoted.
    fn key(&self, before: &str, name: &str) -> String {
        let is_bare =
            !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || ":,{}[]\"<".contains(c));
        if is_bare {
            return literal(&format!("{before}{name}:"));
        }
        let opened = if before.is_empty() { String::new() } else { literal(before) };
        let text = if name.is_empty() { String::new() } else { literal(name) };
        format!("{opened} {0} {text} {0} \":\"", self.quote)
    }
}

/// A text in Lark's notation, which has JSON's strings.
fn literal(text: &str) -> String {
    json!(text).to_string()
}
