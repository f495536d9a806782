//! Schemas, read into what can be enforced. Anything else is refused.

use std::collections::HashMap;

use llguidance::derivre::Regex;
use serde_json::{Map, Number, Value};

use crate::error::{GrammarError, Refusal};

/// Integers that JSON numbers hold exactly.
const LARGEST: f64 = 9_007_199_254_740_992.0;
/// The longest string and array that may be asked for.
const LONGEST: u64 = 10_000;

/// Keywords that describe a schema and constrain nothing. Definitions are read where they are referred to.
const ANNOTATIONS: [&str; 12] = [
    "title",
    "description",
    "default",
    "examples",
    "$schema",
    "$id",
    "$comment",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$defs",
    "definitions",
];

/// Formats of strings, as regular expressions. The length of months isn't checked.
const FORMATS: [(&str, &str); 5] = [
    ("date", "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"),
    ("time", "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])"),
    (
        "date-time",
        "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])",
    ),
    (
        "ipv4",
        "((25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])\\.){3}(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])",
    ),
    ("uuid", "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"),
];

/// Where a schema stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// The format of an answer.
    Json,
    /// The parameters of a tool: `nullable`, and names of types in any case.
    Parameters,
}

/// What a value may be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    Any,
    Values(Vec<Value>),
    String {
        least: u64,
        most: Option<u64>,
        /// Of the whole string, without anchors.
        pattern: Option<String>,
    },
    /// Both bounds are included.
    Integer {
        least: Option<i64>,
        most: Option<i64>,
    },
    Number,
    Boolean,
    Null,
    Array {
        items: Box<Shape>,
        least: u64,
        most: Option<u64>,
    },
    /// In the order of the schema, with whether they are required.
    Object(Vec<(String, Shape, bool)>),
    Map(Box<Shape>),
    OneOf(Vec<Shape>),
    /// The number of a definition.
    Defined(usize),
}

/// A schema with the definitions that it refers to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Schema {
    pub shape: Shape,
    pub definitions: Vec<Shape>,
}

impl Schema {
    /// Reads a schema.
    ///
    /// # Errors
    /// [`GrammarError::Refused`], with `place` before the path.
    pub fn read(schema: &Value, dialect: Dialect, place: &str) -> Result<Self, GrammarError> {
        let mut reader = Reader { root: schema, dialect, numbers: HashMap::new(), definitions: Vec::new() };
        let shape = reader.shape(schema, place)?;
        let mut definitions = Vec::new();
        while let Some((reference, path)) = reader.definitions.get(definitions.len()).cloned() {
            let target = reader.target(&reference, &path)?;
            definitions.push(reader.shape(target, &path)?);
        }
        let read = Self { shape, definitions };
        match read.endless() {
            Some(number) => Err(GrammarError::at(&reader.definitions[number].1, Refusal::Endless)),
            None => Ok(read),
        }
    }

    /// Returns a definition that no finite value matches, if there is one.
    fn endless(&self) -> Option<usize> {
        let mut ends = vec![false; self.definitions.len()];
        loop {
            let more: Vec<bool> = self.definitions.iter().map(|shape| shape.ends(&ends)).collect();
            if more == ends {
                return ends.iter().position(|ends| !ends);
            }
            ends = more;
        }
    }
}

impl Shape {
    /// Whether a finite value matches, if one does of the definitions in `known`.
    fn ends(&self, known: &[bool]) -> bool {
        match self {
            Self::Array { items, least, .. } => *least == 0 || items.ends(known),
            Self::Object(properties) => {
                properties.iter().all(|(_, shape, required)| !required || shape.ends(known))
            }
            Self::OneOf(shapes) => shapes.iter().any(|shape| shape.ends(known)),
            Self::Defined(number) => known.get(*number).copied().unwrap_or(false),
            _ => true,
        }
    }
}

struct Reader<'s> {
    root: &'s Value,
    dialect: Dialect,
    /// Definitions by their references.
    numbers: HashMap<String, usize>,
    /// The references, and where they were found first.
    definitions: Vec<(String, String)>,
}

impl<'s> Reader<'s> {
    /// Returns what a reference leads to.
    fn target(&self, reference: &str, path: &str) -> Result<&'s Value, GrammarError> {
        let refusal = || GrammarError::at(path, Refusal::Reference { reference: reference.to_owned() });
        let pointer =
            reference.strip_prefix('#').filter(|pointer| !pointer.contains('%')).ok_or_else(refusal)?;
        self.root.pointer(pointer).ok_or_else(refusal)
    }

    fn shape(&mut self, schema: &'s Value, path: &str) -> Result<Shape, GrammarError> {
        let keywords = match schema {
            Value::Bool(true) => return Ok(Shape::Any),
            Value::Object(keywords) => keywords,
            _ => return Err(GrammarError::at(path, Refusal::NoSchema)),
        };
        let nullable = self.dialect == Dialect::Parameters
            && keywords.get("nullable").is_some_and(|nullable| *nullable == Value::Bool(true));
        let shape = self.not_null(keywords, path)?;
        Ok(if nullable { Shape::OneOf(vec![Shape::Null, shape]) } else { shape })
    }

    /// The shape without `nullable`.
    fn not_null(&mut self, keywords: &'s Map<String, Value>, path: &str) -> Result<Shape, GrammarError> {
        if let Some(value) = keywords.get("const") {
            return self.values(std::slice::from_ref(value), "const", path);
        }
        if let Some(values) = keywords.get("enum") {
            let values = values.as_array().filter(|values| !values.is_empty());
            let values = values.ok_or_else(|| GrammarError::at(path, Refusal::Value { keyword: "enum" }))?;
            return self.values(values, "enum", path);
        }
        for keyword in ["anyOf", "oneOf", "allOf"] {
            if let Some(schemas) = keywords.get(keyword) {
                self.only(keywords, &[keyword], path)?;
                return self.union(schemas, keyword, path);
            }
        }
        if let Some(reference) = keywords.get("$ref") {
            self.only(keywords, &["$ref"], path)?;
            let reference = reference
                .as_str()
                .ok_or_else(|| GrammarError::at(path, Refusal::Value { keyword: "$ref" }))?;
            return self.reference(reference, path);
        }
        self.types(keywords, path)
    }

    /// Refuses every keyword but these and what constrains nothing.
    fn only(&self, keywords: &Map<String, Value>, known: &[&str], path: &str) -> Result<(), GrammarError> {
        let is_known = |keyword: &str| {
            known.contains(&keyword)
                || ANNOTATIONS.contains(&keyword)
                || (keyword == "nullable" && self.dialect == Dialect::Parameters)
        };
        match keywords.keys().find(|keyword| !is_known(keyword)) {
            Some(keyword) => Err(GrammarError::at(path, Refusal::Keyword { keyword: keyword.clone() })),
            None => Ok(()),
        }
    }

    fn values(&self, values: &[Value], keyword: &'static str, path: &str) -> Result<Shape, GrammarError> {
        if values.iter().all(is_writable) {
            Ok(Shape::Values(values.to_vec()))
        } else {
            Err(GrammarError::at(path, Refusal::Value { keyword }))
        }
    }

    fn union(
        &mut self,
        schemas: &'s Value,
        keyword: &'static str,
        path: &str,
    ) -> Result<Shape, GrammarError> {
        let schemas = schemas.as_array().filter(|schemas| !schemas.is_empty());
        let schemas = schemas.ok_or_else(|| GrammarError::at(path, Refusal::Value { keyword }))?;
        if keyword == "allOf" && schemas.len() > 1 {
            return Err(GrammarError::at(path, Refusal::Keyword { keyword: keyword.to_owned() }));
        }
        let read = |(index, schema)| self.shape(schema, &format!("{path}/{keyword}/{index}"));
        let mut shapes = schemas.iter().enumerate().map(read).collect::<Result<Vec<_>, _>>()?;
        Ok(if shapes.len() == 1 { shapes.remove(0) } else { Shape::OneOf(shapes) })
    }

    fn reference(&mut self, reference: &str, path: &str) -> Result<Shape, GrammarError> {
        self.target(reference, path)?;
        let count = self.numbers.len();
        let number = *self.numbers.entry(reference.to_owned()).or_insert(count);
        if number == count {
            self.definitions.push((reference.to_owned(), path.to_owned()));
        }
        Ok(Shape::Defined(number))
    }

    fn types(&mut self, keywords: &'s Map<String, Value>, path: &str) -> Result<Shape, GrammarError> {
        let bad_type = || GrammarError::at(path, Refusal::Value { keyword: "type" });
        let names: Vec<String> = match keywords.get("type") {
            None => match implied_type(keywords) {
                Some(name) => vec![name.to_owned()],
                None => {
                    self.only(keywords, &[], path)?;
                    return Ok(Shape::Any);
                }
            },
            Some(Value::String(name)) => vec![self.type_name(name)],
            Some(Value::Array(names)) => {
                let name = |name: &Value| Some(self.type_name(name.as_str()?));
                names.iter().map(name).collect::<Option<_>>().ok_or_else(bad_type)?
            }
            Some(_) => return Err(bad_type()),
        };
        let known: Vec<&str> =
            names.iter().flat_map(|name| keywords_of(name)).copied().chain(["type"]).collect();
        self.only(keywords, &known, path)?;
        let mut shapes = Vec::new();
        for name in &names {
            shapes.push(match name.as_str() {
                "string" => string(keywords, path)?,
                "integer" => integer(keywords, path)?,
                "number" => Shape::Number,
                "boolean" => Shape::Boolean,
                "null" => Shape::Null,
                "array" => self.array(keywords, path)?,
                "object" => self.object(keywords, path)?,
                _ => return Err(bad_type()),
            });
        }
        match shapes.len() {
            0 => Err(bad_type()),
            1 => Ok(shapes.remove(0)),
            _ => Ok(Shape::OneOf(shapes)),
        }
    }

    fn type_name(&self, name: &str) -> String {
        if self.dialect == Dialect::Parameters { name.to_lowercase() } else { name.to_owned() }
    }

    fn array(&mut self, keywords: &'s Map<String, Value>, path: &str) -> Result<Shape, GrammarError> {
        let items = match keywords.get("items") {
            Some(items) => self.shape(items, &format!("{path}/items"))?,
            None => Shape::Any,
        };
        let (least, most) = counts(keywords, ["minItems", "maxItems"], path)?;
        Ok(Shape::Array { items: Box::new(items), least, most })
    }

    fn object(&mut self, keywords: &'s Map<String, Value>, path: &str) -> Result<Shape, GrammarError> {
        let refused = |keyword| GrammarError::at(path, Refusal::Value { keyword });
        let required: Vec<&str> = match keywords.get("required") {
            None => Vec::new(),
            Some(names) => {
                let names = names.as_array().and_then(|names| names.iter().map(Value::as_str).collect());
                names.ok_or_else(|| refused("required"))?
            }
        };
        let additional = keywords.get("additionalProperties");
        let Some(properties) = keywords.get("properties") else {
            if let Some(name) = required.first() {
                return Err(GrammarError::at(path, Refusal::Required { name: (*name).to_owned() }));
            }
            return Ok(match additional {
                Some(Value::Bool(false)) => Shape::Object(Vec::new()),
                None => Shape::Map(Box::new(Shape::Any)),
                Some(schema) => {
                    Shape::Map(Box::new(self.shape(schema, &format!("{path}/additionalProperties"))?))
                }
            });
        };
        // A call never has keys that aren't declared.
        let is_open = additional.is_some_and(|schema| *schema != Value::Bool(false));
        if is_open && self.dialect == Dialect::Json {
            let keyword = "additionalProperties".to_owned();
            return Err(GrammarError::at(path, Refusal::Keyword { keyword }));
        }
        let properties = properties.as_object().ok_or_else(|| refused("properties"))?;
        if let Some(name) = required.iter().find(|name| !properties.contains_key(**name)) {
            return Err(GrammarError::at(path, Refusal::Required { name: (*name).to_owned() }));
        }
        let mut members = Vec::new();
        for (name, schema) in properties {
            if !is_text(name) {
                return Err(refused("properties"));
            }
            let pointer = name.replace('~', "~0").replace('/', "~1");
            let shape = self.shape(schema, &format!("{path}/properties/{pointer}"))?;
            members.push((name.clone(), shape, required.contains(&name.as_str())));
        }
        Ok(Shape::Object(members))
    }
}

/// The type whose keywords a schema without a type has.
fn implied_type(keywords: &Map<String, Value>) -> Option<&'static str> {
    ["object", "array", "string"]
        .into_iter()
        .find(|name| keywords_of(name).iter().any(|keyword| keywords.contains_key(*keyword)))
}

/// Keywords that constrain values of a type.
fn keywords_of(name: &str) -> &'static [&'static str] {
    match name {
        "string" => &["minLength", "maxLength", "pattern", "format"],
        "integer" => &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
        "array" => &["items", "minItems", "maxItems"],
        "object" => &["properties", "required", "additionalProperties"],
        _ => &[],
    }
}

/// Whether a text can be written as a JSON string without `\u` escapes, and in a grammar.
fn is_text(text: &str) -> bool {
    text.chars().all(|c| !c.is_ascii_control() || "\u{8}\u{c}\n\r\t".contains(c))
}

fn is_writable(value: &Value) -> bool {
    match value {
        Value::String(text) => is_text(text),
        Value::Array(items) => items.iter().all(is_writable),
        Value::Object(members) => members.iter().all(|(key, value)| is_text(key) && is_writable(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
    }
}

/// The least and the largest count.
fn counts(
    keywords: &Map<String, Value>,
    names: [&'static str; 2],
    path: &str,
) -> Result<(u64, Option<u64>), GrammarError> {
    let count = |keyword| match keywords.get(keyword) {
        None => Ok(None),
        Some(value) => {
            let whole = value.as_f64().filter(|value| value.fract() == 0.0 && *value >= 0.0);
            let count = whole.map(|value| value as u64).filter(|count| *count <= LONGEST);
            count.map(Some).ok_or_else(|| GrammarError::at(path, Refusal::Value { keyword }))
        }
    };
    let (least, most) = (count(names[0])?.unwrap_or(0), count(names[1])?);
    if most.is_some_and(|most| most < least) {
        return Err(GrammarError::at(path, Refusal::Value { keyword: names[1] }));
    }
    Ok((least, most))
}

fn string(keywords: &Map<String, Value>, path: &str) -> Result<Shape, GrammarError> {
    let (least, most) = counts(keywords, ["minLength", "maxLength"], path)?;
    let text = |keyword| match keywords.get(keyword) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str())),
        Some(_) => Err(GrammarError::at(path, Refusal::Value { keyword })),
    };
    let pattern = match (text("pattern")?, text("format")?) {
        (Some(_), Some(_)) => return Err(GrammarError::at(path, Refusal::PatternAndFormat)),
        (Some(pattern), None) => {
            let pattern = whole(pattern).and_then(|pattern| match Regex::new(&pattern) {
                Ok(_) => Ok(pattern),
                Err(error) => Err(error.to_string()),
            });
            Some(pattern.map_err(|reason| GrammarError::at(path, Refusal::Pattern { reason }))?)
        }
        (None, Some(format)) => {
            let known = FORMATS.into_iter().find(|(name, _)| *name == format);
            let known = known.ok_or_else(|| GrammarError::at(path, Refusal::Value { keyword: "format" }))?;
            Some(known.1.to_owned())
        }
        (None, None) => None,
    };
    Ok(Shape::String { least, most, pattern })
}

/// Returns the regular expression of the whole string, without anchors: an open side takes any text.
fn whole(pattern: &str) -> Result<String, String> {
    let (from_start, pattern) = pattern.strip_prefix('^').map_or((false, pattern), |rest| (true, rest));
    let escapes = |text: &str| text.chars().rev().take_while(|c| *c == '\\').count() % 2 == 1;
    let closed = pattern.strip_suffix('$').filter(|rest| !escapes(rest));
    let (to_end, pattern) = closed.map_or((false, pattern), |rest| (true, rest));
    let mut depth = 0_u32;
    let mut in_class = false;
    let mut characters = pattern.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('b' | 'B' | 'A' | 'z' | 'Z' | 'G' | '1'..='9' | 'k') if !in_class => {
                    return Err("word boundaries and back-references".to_owned());
                }
                Some(_) => {}
                None => return Err("an escape without a character".to_owned()),
            },
            ']' => in_class = false,
            _ if in_class => {}
            '[' => in_class = true,
            '(' => {
                depth += 1;
                if characters.peek() == Some(&'?') && !pattern.contains("(?:") {
                    return Err("groups that look around, have names or flags".to_owned());
                }
            }
            ')' => depth = depth.saturating_sub(1),
            '^' | '$' => return Err("an anchor inside".to_owned()),
            // It would be the choice of an anchored side and an open one.
            '|' if depth == 0 && (from_start || to_end) => {
                return Err("a choice outside of brackets beside an anchor".to_owned());
            }
            _ => {}
        }
    }
    let any = |is_closed: bool| if is_closed { "" } else { "(?s:.*)" };
    let pattern = llguidance::regex_to_lark(pattern, "dw").replace("\\/", "/");
    Ok(format!("{}(?:{pattern}){}", any(from_start), any(to_end)))
}

fn integer(keywords: &Map<String, Value>, path: &str) -> Result<Shape, GrammarError> {
    let bound = |keyword, exclusive: bool, round: fn(f64) -> f64| {
        let Some(value) = keywords.get(keyword) else { return Ok(None) };
        let number = value.as_number().and_then(Number::as_f64).filter(|number| number.abs() < LARGEST);
        let number = number.ok_or_else(|| GrammarError::at(path, Refusal::Value { keyword }))?;
        let step = if keyword == "exclusiveMinimum" { 1 } else { -1 };
        let whole = round(number) as i64;
        Ok(Some(if exclusive && number.fract() == 0.0 { whole + step } else { whole }))
    };
    let least = bound("minimum", false, f64::ceil)?.max(bound("exclusiveMinimum", true, f64::ceil)?);
    let most = [bound("maximum", false, f64::floor)?, bound("exclusiveMaximum", true, f64::floor)?];
    let most = most.into_iter().flatten().min();
    if least.zip(most).is_some_and(|(least, most)| least > most) {
        return Err(GrammarError::at(path, Refusal::Value { keyword: "maximum" }));
    }
    // There is no −0 in a range.
    match (least, most) {
        (None, None) => Ok(Shape::Integer { least, most }),
        _ if least.is_some_and(|least| least >= 0) || most.is_some_and(|most| most < 0) => {
            Ok(Shape::Integer { least, most })
        }
        _ => Ok(Shape::OneOf(vec![
            Shape::Integer { least, most: Some(-1) },
            Shape::Integer { least: Some(0), most },
        ])),
    }
}
