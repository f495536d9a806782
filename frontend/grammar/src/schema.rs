//! Schemas, read into what can be enforced. Anything else is refused.

use std::collections::HashMap;

use llguidance::derivre::Regex;
use serde_json::{Map, Value};

use crate::bounds::{self, Bound};
use crate::error::{GrammarError, Refusal};
use crate::formats;

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
    /// Decimal.
    Number {
        least: Option<Bound>,
        most: Option<Bound>,
    },
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
        let mut reader = Reader {
            root: schema,
            dialect,
            numbers: HashMap::new(),
            definitions: Vec::new(),
            has_own_address: false,
        };
        let shape = reader.shape(schema, place)?;
        let mut definitions = Vec::new();
        while let Some(Definition { pointer, schema, has_own_address, .. }) =
            reader.definitions.get(definitions.len()).cloned()
        {
            reader.has_own_address = has_own_address;
            definitions.push(reader.shape(schema, &format!("{place}{pointer}"))?);
        }
        let read = Self { shape, definitions };
        match read.endless() {
            Some(number) => Err(GrammarError::at(&reader.definitions[number].found, Refusal::Endless)),
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
    /// Definitions by their pointers.
    numbers: HashMap<String, usize>,
    definitions: Vec<Definition<'s>>,
    /// Whether what is read is inside of a schema with an address of its own: references there begin at that schema.
    has_own_address: bool,
}

/// What a reference leads to.
#[derive(Clone)]
struct Definition<'s> {
    pointer: String,
    schema: &'s Value,
    has_own_address: bool,
    /// Where the first reference is.
    found: String,
}

impl<'s> Reader<'s> {
    /// Returns what a reference leads to.
    fn target(&self, reference: &str, found: &str) -> Option<Definition<'s>> {
        let pointer = reference.strip_prefix('#').and_then(decoded).filter(|_| !self.has_own_address)?;
        let schema = self.root.pointer(&pointer)?;
        let mut ends = pointer.match_indices('/').map(|(at, _)| at).skip(1).chain([pointer.len()]);
        let has_address = |end| self.root.pointer(&pointer[..end]).is_some_and(|at| self.is_addressed(at));
        let has_own_address = ends.any(has_address);
        Some(Definition { pointer, schema, has_own_address, found: found.to_owned() })
    }

    /// Returns whether a schema within the whole one has an address of its own.
    fn is_addressed(&self, schema: &Value) -> bool {
        schema.get("$id").is_some_and(Value::is_string) && !std::ptr::eq(schema, self.root)
    }

    fn shape(&mut self, schema: &'s Value, path: &str) -> Result<Shape, GrammarError> {
        let had_own_address = self.has_own_address;
        self.has_own_address |= self.is_addressed(schema);
        let shape = self.nullable(schema, path);
        self.has_own_address = had_own_address;
        shape
    }

    fn nullable(&mut self, schema: &'s Value, path: &str) -> Result<Shape, GrammarError> {
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
        let is_exact = self.dialect == Dialect::Parameters || values.iter().all(is_exact);
        if is_exact && values.iter().all(is_writable) {
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
        let target = self
            .target(reference, path)
            .ok_or_else(|| GrammarError::at(path, Refusal::Reference { reference: reference.to_owned() }))?;
        let count = self.numbers.len();
        let number = *self.numbers.entry(target.pointer.clone()).or_insert(count);
        if number == count {
            self.definitions.push(target);
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
                "integer" => bounds::integers(keywords, path)?,
                "number" => bounds::decimals(keywords, path)?,
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
    ["object", "array", "string", "number"]
        .into_iter()
        .find(|name| keywords_of(name).iter().any(|keyword| keywords.contains_key(*keyword)))
}

/// Keywords that constrain values of a type.
fn keywords_of(name: &str) -> &'static [&'static str] {
    match name {
        "string" => &["minLength", "maxLength", "pattern", "format"],
        "integer" | "number" => &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
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

/// Whether JSON's grammar, which knows numbers of 64 bits, can tell the numbers in a value from all others.
fn is_exact(value: &Value) -> bool {
    match value {
        Value::Number(number) => {
            number.is_f64() || number.as_f64().is_some_and(|n| n.abs() < bounds::LARGEST)
        }
        Value::Array(items) => items.iter().all(is_exact),
        Value::Object(members) => members.values().all(is_exact),
        _ => true,
    }
}

/// Returns the pointer of a reference, in which `%` stands before the two digits of a byte.
fn decoded(fragment: &str) -> Option<String> {
    let mut parts = fragment.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend(rest.bytes());
    }
    String::from_utf8(bytes).ok()
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
            let pattern = formats::whole(pattern).and_then(|pattern| match Regex::new(&pattern) {
                Ok(_) => Ok(pattern),
                Err(error) => Err(error.to_string()),
            });
            Some(pattern.map_err(|reason| GrammarError::at(path, Refusal::Pattern { reason }))?)
        }
        (None, Some(format)) => {
            let known = formats::pattern(format);
            Some(known.ok_or_else(|| GrammarError::at(path, Refusal::Value { keyword: "format" }))?)
        }
        (None, None) => None,
    };
    Ok(Shape::String { least, most, pattern })
}
