//! What a tool of a server has returned, as a text of bounded length.

use serde_json::Value;

use super::McpError;
use crate::format::shortened;

/// The most characters of a result.
const MOST: usize = 4_000;

/// Returns a result as a model reads it and the page shows it. What isn't text is told as such.
///
/// # Errors
/// When the tool has failed, or wants something besides its arguments.
pub fn text_of(result: &Value) -> Result<String, McpError> {
    match result["resultType"].as_str() {
        None | Some("complete") => {}
        Some("input_required") => return Err(McpError::NeedsInput),
        Some(_) => return Err(McpError::NotProtocol),
    }
    let parts = result["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut text = String::new();
    for part in parts {
        // The rest would be cut.
        if text.len() > 4 * MOST {
            break;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&part_of(part));
    }
    if parts.is_empty() && !result["structuredContent"].is_null() {
        text = result["structuredContent"].to_string();
    }
    let text = shortened(&text, MOST);
    if result["isError"] == Value::Bool(true) { Err(McpError::Refused { message: text }) } else { Ok(text) }
}

fn part_of(part: &Value) -> String {
    let word = |value: &Value| shortened(value.as_str().unwrap_or("?"), 200);
    let resource = &part["resource"];
    match part["type"].as_str() {
        Some("text") => part["text"].as_str().unwrap_or_default().to_owned(),
        Some("resource") if resource["text"].is_string() => {
            resource["text"].as_str().unwrap_or_default().to_owned()
        }
        Some("resource") => format!("[resource {} left out]", word(&resource["uri"])),
        Some("resource_link") => format!("[link to {}: {}]", word(&part["name"]), word(&part["uri"])),
        Some("image" | "audio") => format!("[{} {} left out]", word(&part["type"]), word(&part["mimeType"])),
        _ => "[unknown content left out]".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_no_text_is_told() {
        let result = json!({"content": [
            {"type": "text", "text": "21 °C"},
            {"type": "image", "mimeType": "image/png", "data": "AAAA"},
            {"type": "resource_link", "name": "log", "uri": "https://a.example/log"},
            {"type": "resource", "resource": {"uri": "a:b", "text": "inside"}},
            {"type": "resource", "resource": {"uri": "a:c", "blob": "AAAA"}},
            {"type": "new"}, 3,
        ], "structuredContent": {"a": 1}});
        let text = "21 °C\n[image image/png left out]\n[link to log: https://a.example/log]\ninside\n[resource a:c left out]\n\
                    [unknown content left out]\n[unknown content left out]";
        assert_eq!(text_of(&result).as_deref(), Ok(text));
        assert_eq!(text_of(&json!({"structuredContent": {"a": 1}})).as_deref(), Ok(r#"{"a":1}"#));
        assert_eq!(text_of(&json!({})).as_deref(), Ok(""));
    }

    #[test]
    fn a_result_has_a_bounded_length_and_failures_are_the_tools_words() {
        let long = |is_error: bool| json!({"isError": is_error, "content": [{"type": "text", "text": "ü".repeat(9_000)}]});
        let text = text_of(&long(false)).expect("a result");
        assert!(text.starts_with("üü") && text.ends_with("[cut]") && text.chars().count() < 4_020);
        let Err(McpError::Refused { message }) = text_of(&long(true)) else { panic!("it has failed") };
        assert_eq!(message, text);
        assert_eq!(text_of(&json!({"resultType": "input_required"})), Err(McpError::NeedsInput));
        assert_eq!(text_of(&json!({"resultType": "task"})), Err(McpError::NotProtocol));
    }
}
