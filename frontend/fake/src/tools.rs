//! Calls of tools and answers of a format, as the fake engine gives them.

use protocol::failure::RequestFailure;
use protocol::{AnswerFormat, Constraint, Failure, Message, RequestId, Role, ToolCall};
use serde_json::{Map, Value, json};

use super::generate::text_of;

/// Keywords that the real engine can't enforce, of those that schemas have most often.
const REFUSED: [&str; 8] =
    ["allOf", "not", "if", "prefixItems", "uniqueItems", "contains", "patternProperties", "multipleOf"];

/// What says in a question that the model is to call again behind every result.
const ENDLESSLY: &str = "again and again";

/// Checks that a constraint can be enforced, as far as tests of the page need it.
pub fn check(constraint: &Constraint) -> Result<(), Failure> {
    if let AnswerFormat::Schema(schema) = &constraint.format {
        check_schema(&read(schema)?, "")?;
    }
    for tool in constraint.tools.iter().filter(|tool| !tool.parameters.is_empty()) {
        check_schema(&read(&tool.parameters)?, &tool.name)?;
    }
    Ok(())
}

fn read(schema: &str) -> Result<Value, Failure> {
    serde_json::from_str(schema).map_err(|error| Failure::new(RequestFailure::SchemaText).detailed(error))
}

fn check_schema(schema: &Value, path: &str) -> Result<(), Failure> {
    let Value::Object(members) = schema else { return Ok(()) };
    if let Some(keyword) = REFUSED.iter().find(|keyword| members.contains_key(**keyword)) {
        let path = if path.is_empty() { "/" } else { path }.to_owned();
        return Err(RequestFailure::Schema { path, keyword: (*keyword).to_owned() }.into());
    }
    for (name, property) in members.get("properties").and_then(Value::as_object).into_iter().flatten() {
        check_schema(property, &format!("{path}/properties/{name}"))?;
    }
    members.get("items").map_or(Ok(()), |items| check_schema(items, &format!("{path}/items")))
}

/// What the model calls: what stands in the question as `call NAME {ARGUMENTS}`; where it must call and nothing stands there, the
/// first tool, and an odd seed does so twice. Behind results it calls nothing, unless the question says [`ENDLESSLY`].
pub fn calls(constraint: &Constraint, question: &str, messages: &[Message], seed: u64) -> Vec<ToolCall> {
    let has_results = messages.last().is_some_and(|message| message.role == Role::Tool);
    if has_results && !question.contains(ENDLESSLY) {
        return Vec::new();
    }
    let call = |name: &str, arguments: &Value| ToolCall {
        id: String::new(),
        name: name.to_owned(),
        arguments: arguments.to_string(),
    };
    let mut calls = Vec::new();
    for asked in question.split("call ").skip(1) {
        let Some((name, rest)) = asked.split_once(' ') else { continue };
        let arguments = serde_json::Deserializer::from_str(rest).into_iter::<Value>().next();
        if let (true, Some(Ok(arguments))) =
            (constraint.tools.iter().any(|tool| tool.name == name), arguments)
        {
            calls.push(call(name, &arguments));
        }
    }
    if let (true, true, Some(tool)) = (calls.is_empty(), constraint.must_call, constraint.tools.first()) {
        calls = vec![call(&tool.name, &json!({})); 1 + (seed % 2) as usize];
    }
    calls
}

/// The id of a call that ends with this token.
pub fn with_id(call: &ToolCall, answer: RequestId, token: u32) -> ToolCall {
    ToolCall { id: ToolCall::id_of(answer, token), ..call.clone() }
}

/// What is said of the results behind the last question; `None` if there are none.
pub fn told(messages: &[Message]) -> Option<String> {
    let results = messages.iter().rev().take_while(|message| message.role != Role::User);
    let results = results.filter(|message| message.role == Role::Tool);
    let mut said: Vec<_> =
        results.map(|message| format!("{} says: {}", message.tool, text_of(message))).collect();
    said.reverse();
    (!said.is_empty()).then(|| said.join("\n\n"))
}

/// The answer in a format; `None` for any text.
pub fn formatted(format: &AnswerFormat) -> Option<String> {
    let schema = match format {
        AnswerFormat::Text => return None,
        AnswerFormat::Json => json!({"properties": {"answer": {"type": "string"}}}),
        AnswerFormat::Schema(schema) => read(schema).ok()?,
    };
    Some(instance(&schema).to_string())
}

/// A value that a schema of simple keywords allows.
fn instance(schema: &Value) -> Value {
    if let Some(value) = schema["enum"].get(0).or(schema.get("const")) {
        return value.clone();
    }
    let properties = schema["properties"].as_object();
    match schema["type"].as_str() {
        Some("string") => json!("a red circle"),
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or(json!(2)),
        Some("boolean") => json!(true),
        Some("array") => {
            let least = schema["minItems"].as_u64().unwrap_or(1).max(1) as usize;
            vec![instance(&schema["items"]); least].into()
        }
        Some("null") => Value::Null,
        _ => properties.map_or(json!({}), |all| {
            all.iter().map(|(name, schema)| (name.clone(), instance(schema))).collect::<Map<_, _>>().into()
        }),
    }
}

#[cfg(test)]
mod tests {
    use protocol::Tool;

    use super::*;

    #[test]
    fn a_question_says_what_is_called() {
        let tool = |name: &str| Tool { name: name.into(), ..Tool::default() };
        let constraint = Constraint { tools: vec![tool("now"), tool("sum")], ..Constraint::default() };
        let asked = r#"Please call sum {"of": [1, 2]}, call other {} and call now {}."#;
        let called = calls(&constraint, asked, &[], 0);
        let called: Vec<_> = called.iter().map(|it| (it.name.as_str(), it.arguments.as_str())).collect();
        assert_eq!(called, [("sum", r#"{"of":[1,2]}"#), ("now", "{}")]);
        let result = Message { tool: "sum".into(), ..Message::text(Role::Tool, "3") };
        assert_eq!(calls(&constraint, asked, std::slice::from_ref(&result), 0), []);
        assert_eq!(told(&[result]).as_deref(), Some("sum says: 3"));
    }

    #[test]
    fn an_instance_has_what_the_schema_wants() {
        let schema = r#"{"type":"object","properties":{"a":{"enum":["x","y"]},"b":{"type":"array","items":{"type":"integer"}}}}"#;
        let said = formatted(&AnswerFormat::Schema(schema.into()));
        assert_eq!(said.as_deref(), Some(r#"{"a":"x","b":[2]}"#));
    }
}
