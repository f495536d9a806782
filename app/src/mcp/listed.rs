//! What a server says of its tools, read into what is kept of them.

use serde_json::{Map, Value};

use super::{McpTool, named::alias, visible};
use crate::format::shortened;

/// The most tools of a server.
const MOST_TOOLS: usize = 64;
/// The most characters of a name.
const MOST_NAME: usize = 128;
/// The most characters of a description, and bytes of a schema: a model reads them before every answer.
const MOST_DESCRIPTION: usize = 2_000;
const MOST_SCHEMA: usize = 16_000;

/// Returns the tools of a list, with what the user has chosen for those in `known`. Those that are new to a server whose tools are
/// known are off: the user hasn't seen them.
#[must_use]
pub fn merged(listed: &[Value], prefix: &str, known: &[McpTool]) -> Vec<McpTool> {
    let mut tools: Vec<McpTool> = Vec::new();
    for it in listed {
        let Some(name) = it["name"].as_str().filter(|name| is_fit(name)) else { continue };
        if tools.len() == MOST_TOOLS {
            break;
        }
        if tools.iter().any(|tool| tool.name == name) {
            continue;
        }
        let before = known.iter().find(|tool| tool.name == name);
        let (parameters, refused) = schema_of(&it["inputSchema"]);
        let taken: Vec<_> = tools.iter().map(|tool| tool.alias.clone()).collect();
        tools.push(McpTool {
            name: name.to_owned(),
            alias: alias(prefix, name, &taken),
            description: shortened(
                &visible(it["description"].as_str().unwrap_or_default()),
                MOST_DESCRIPTION,
            ),
            parameters,
            on: before.map_or(known.is_empty(), |tool| tool.on),
            refused,
            allowed: before.and_then(|tool| tool.allowed.clone()),
        });
    }
    tools
}

fn is_fit(name: &str) -> bool {
    (1..=MOST_NAME).contains(&name.chars().count()) && visible(name) == name && !name.contains('\n')
}

/// The schema as a model may have it, and why it may not.
fn schema_of(schema: &Value) -> (String, Option<String>) {
    match schema {
        Value::Null => (Value::Object(Map::new()).to_string(), None),
        Value::Object(_) => match visible(&schema.to_string()) {
            text if text.len() > MOST_SCHEMA => (String::new(), Some(String::new())),
            // Something hides in it.
            text if text != schema.to_string() => (String::new(), Some(String::new())),
            text => (text.into_owned(), None),
        },
        _ => (String::new(), Some(String::new())),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_list_is_read_into_what_models_can_have() {
        let listed = [
            json!({"name": "get.weather", "description": "Of\u{202e} a city", "inputSchema": {"type": "object"}}),
            json!({"name": "get_weather"}),
            json!({"name": "get.weather", "description": "another"}),
            json!({"name": ""}),
            json!({"name": "in\u{200b}visible"}),
            json!({"name": 7}),
            json!("no tool"),
            json!({"name": "large", "inputSchema": {"type": "object", "title": "x".repeat(16_000)}}),
            json!({"name": "list", "inputSchema": []}),
            json!({"name": "hides", "inputSchema": {"title": "\u{e0041}"}}),
        ];
        let tools = merged(&listed, "w", &[]);
        let names: Vec<_> = tools.iter().map(|tool| (&*tool.name, &*tool.alias)).collect();
        assert_eq!(
            names,
            [
                ("get.weather", "w__get_weather"),
                ("get_weather", "w__get_weather_2"),
                ("large", "w__large"),
                ("list", "w__list"),
                ("hides", "w__hides"),
            ]
        );
        assert_eq!(tools[0].description, "Of\\u{202e} a city");
        assert_eq!((&*tools[0].parameters, &*tools[1].parameters), (r#"{"type":"object"}"#, "{}"));
        assert!(tools.iter().all(|tool| tool.on && tool.allowed.is_none()));
        assert!(tools[..2].iter().all(|tool| tool.refused.is_none()));
        assert!(tools[2..].iter().all(|tool| tool.refused == Some(String::new())));
    }

    #[test]
    fn what_the_user_has_chosen_stays_and_what_is_new_is_off() {
        let tool = |name: &str, description: &str| json!({"name": name, "description": description});
        let mut known = merged(&[tool("a", "1"), tool("b", "1")], "w", &[]);
        known[0].on = false;
        known[1].allowed = Some(known[1].definition());
        let tools = merged(&[tool("c", "1"), tool("b", "2"), tool("a", "1")], "w", &known);
        assert_eq!(tools.iter().map(|tool| tool.on).collect::<Vec<_>>(), [false, true, false]);
        // It has another description than the one that was allowed.
        assert!(tools[1].allowed.as_ref().is_some_and(|allowed| *allowed != tools[1].definition()));
    }

    #[test]
    fn endless_lists_end() {
        let listed: Vec<_> = (0..1_000).map(|number| json!({"name": number.to_string()})).collect();
        assert_eq!(merged(&listed, "w", &[]).len(), MOST_TOOLS);
    }
}
