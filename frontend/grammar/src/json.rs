//! JSON of a schema, as a schema for llguidance.

use serde_json::{Map, Value, json};

use crate::bounds::Bound;
use crate::schema::{Schema, Shape};

/// Where white space may stand outside of strings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Whitespace {
    /// Nowhere.
    None,
    /// Behind `{`, `[` and `,`, before `}`, `]` and `,`, around `:`: a space, or a line end with at most 20 spaces.
    #[default]
    Limited,
}

/// Returns a schema that llguidance compiles to this one.
pub(crate) fn compiled(schema: &Schema, whitespace: Whitespace) -> Value {
    let mut keywords = written(&schema.shape);
    if !schema.definitions.is_empty() {
        let name = |(number, shape)| (format!("d{number}"), Value::Object(written(shape)));
        let definitions: Map<String, Value> = schema.definitions.iter().enumerate().map(name).collect();
        // A reference has no keywords beside it.
        keywords = with("anyOf", json!([keywords]));
        keywords.insert("$defs".to_owned(), Value::Object(definitions));
    }
    let mut options = with("json_allowed_escapes", json!("nrbtf\\\""));
    options.insert("whitespace_flexible".to_owned(), json!(false));
    if whitespace == Whitespace::Limited {
        options.insert("whitespace_pattern".to_owned(), json!(r"\x20|\n\x20{0,20}"));
    }
    keywords.insert("x-guidance".to_owned(), Value::Object(options));
    Value::Object(keywords)
}

fn with(keyword: &str, value: Value) -> Map<String, Value> {
    Map::from_iter([(keyword.to_owned(), value)])
}

/// Returns the keywords of a shape.
pub(crate) fn written(shape: &Shape) -> Map<String, Value> {
    let kind = |name: &str| with("type", json!(name));
    let put = |keywords: &mut Map<String, Value>, name: &str, value: Option<Value>| {
        keywords.extend(value.map(|value| (name.to_owned(), value)));
    };
    match shape {
        Shape::Any => Map::new(),
        Shape::Values(values) => with("enum", json!(values)),
        Shape::String { least, most, pattern } => {
            let mut keywords = kind("string");
            put(&mut keywords, "minLength", (*least > 0).then(|| json!(least)));
            put(&mut keywords, "maxLength", most.map(|most| json!(most)));
            put(&mut keywords, "pattern", pattern.as_ref().map(|pattern| json!(format!("^(?:{pattern})$"))));
            keywords
        }
        Shape::Integer { least, most } => {
            let mut keywords = kind("integer");
            put(&mut keywords, "minimum", least.map(|least| json!(least)));
            put(&mut keywords, "maximum", most.map(|most| json!(most)));
            keywords
        }
        Shape::Number { least, most } => {
            let mut keywords = kind("number");
            for (bound, names) in
                [(least, ["minimum", "exclusiveMinimum"]), (most, ["maximum", "exclusiveMaximum"])]
            {
                if let Some(Bound { value, excluded }) = bound {
                    keywords.insert(names[usize::from(*excluded)].to_owned(), json!(value));
                }
            }
            keywords
        }
        Shape::Boolean => kind("boolean"),
        Shape::Null => kind("null"),
        Shape::Array { items, least, most } => {
            let mut keywords = kind("array");
            keywords.insert("items".to_owned(), Value::Object(written(items)));
            put(&mut keywords, "minItems", (*least > 0).then(|| json!(least)));
            put(&mut keywords, "maxItems", most.map(|most| json!(most)));
            keywords
        }
        Shape::Object(members) => {
            let property =
                |(name, shape, _): &(String, Shape, bool)| (name.clone(), Value::Object(written(shape)));
            let required: Vec<_> =
                members.iter().filter(|(.., required)| *required).map(|(name, ..)| name).collect();
            let mut keywords = kind("object");
            keywords.insert("properties".to_owned(), Value::Object(members.iter().map(property).collect()));
            keywords.insert("required".to_owned(), json!(required));
            keywords.insert("additionalProperties".to_owned(), json!(false));
            keywords
        }
        Shape::Map(values) => {
            let mut keywords = kind("object");
            keywords.insert("additionalProperties".to_owned(), Value::Object(written(values)));
            keywords
        }
        Shape::OneOf(shapes) => {
            let written: Vec<_> = shapes.iter().map(written).collect();
            with("anyOf", json!(written))
        }
        Shape::Defined(number) => with("$ref", json!(format!("#/$defs/d{number}"))),
    }
}
