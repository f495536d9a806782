//! Conversion between the types of the protocol and of the engine.

use engine::model::Drafts;
use engine::session::{Finish, Options};
use engine::template::{
    Content, Conversation, Message, Part, Prompt, RenderOptions, Role, Tool, ToolCall, Variant, render,
};
use protocol::failure::RequestFailure;
use protocol::{Failure, GenerateOptions, RequestId, Sampling};
use serde_json::Value;
use shaders::sampling::Settings;

/// The conversation as the chat template reads it.
/// `clips` are the clips of each sound, in order.
pub fn conversation(
    messages: &[protocol::Message],
    tools: &[protocol::Tool],
    clips: &[usize],
) -> Result<Conversation, Failure> {
    let mut clips = clips.iter().copied();
    let messages = messages.iter().map(|it| message(it, &mut clips)).collect::<Result<_, _>>()?;
    let tools = tools.iter().map(tool).collect::<Result<_, _>>()?;
    Ok(Conversation { messages, tools })
}

fn tool(tool: &protocol::Tool) -> Result<Tool, Failure> {
    let schema = tool.parameters.trim();
    let parameters = if schema.is_empty() { Ok(Value::Null) } else { serde_json::from_str(schema) };
    let parameters = parameters.map_err(|error| Failure::new(RequestFailure::SchemaText).detailed(error))?;
    Ok(Tool { name: tool.name.clone(), description: tool.description.clone(), parameters, response: None })
}

fn message(message: &protocol::Message, clips: &mut impl Iterator<Item = usize>) -> Result<Message, Failure> {
    let content = content(&message.content, clips);
    let role = match message.role {
        protocol::Role::System => Role::System,
        protocol::Role::User => Role::User,
        protocol::Role::Assistant => Role::Assistant,
        protocol::Role::Tool => {
            let tool_call_id = Some(message.call.clone());
            return Ok(Message { tool_call_id, ..Message::tool(message.tool.as_str(), content) });
        }
    };
    let tool_calls = message.calls.iter().map(call).collect::<Result<_, _>>()?;
    let reasoning = (!message.thought.is_empty()).then(|| message.thought.clone());
    Ok(Message { reasoning, tool_calls, ..Message::new(role, content) })
}

fn content(content: &[protocol::Content], clips: &mut impl Iterator<Item = usize>) -> Content {
    match content {
        [protocol::Content::Text(text)] => Content::Text(text.clone()),
        parts => Content::Parts(
            parts
                .iter()
                .flat_map(|part| match part {
                    protocol::Content::Text(text) => vec![Part::text(text.as_str())],
                    protocol::Content::Image { .. } => vec![Part::Image],
                    // One that is longer than a clip has several places, side by side.
                    protocol::Content::Audio { .. } => vec![Part::Audio; clips.next().unwrap_or(1)],
                })
                .collect(),
        ),
    }
}

fn call(call: &protocol::ToolCall) -> Result<ToolCall, Failure> {
    let text = call.arguments.trim();
    let arguments = if text.is_empty() { Ok(serde_json::Map::new()) } else { serde_json::from_str(text) };
    let arguments = arguments.map_err(|error| {
        Failure::new(RequestFailure::ToolArguments { tool: call.name.clone() }).detailed(error)
    })?;
    let id = (!call.id.is_empty()).then(|| call.id.clone());
    Ok(ToolCall { id, name: call.name.clone(), arguments })
}

/// A call that ends with this token of an answer.
pub fn tool_call(answer: RequestId, token: u32, call: ToolCall) -> protocol::ToolCall {
    let id = protocol::ToolCall::id_of(answer, token);
    protocol::ToolCall { id, name: call.name, arguments: Value::Object(call.arguments).to_string() }
}

/// How the engine is to answer. What only the engine or the prompt knows is left at its default.
pub fn options(options: &GenerateOptions, seed: u64) -> Options {
    Options {
        settings: settings(&options.sampling),
        seed,
        max_tokens: options.max_tokens,
        max_thought: options.max_thought,
        stop: options.stop.clone(),
        drafts: if options.drafts { Drafts::Measured } else { Drafts::Never },
        ..Options::default()
    }
}

fn settings(sampling: &Sampling) -> Settings {
    // The page checks what the user types, but not what comes from a file.
    let sane = |value: f32, range: std::ops::RangeInclusive<f32>, default: f32| {
        if value.is_nan() { default } else { value.clamp(*range.start(), *range.end()) }
    };
    Settings {
        temperature: sane(sampling.temperature, 0.0..=100.0, 1.0),
        top_k: sampling.top_k,
        top_p: sane(sampling.top_p, 0.0..=1.0, 1.0),
        min_p: sane(sampling.min_p, 0.0..=1.0, 0.0),
        repeat_penalty: sane(sampling.repeat_penalty, 0.01..=100.0, 1.0),
        presence_penalty: sane(sampling.presence_penalty, -100.0..=100.0, 0.0),
        frequency_penalty: sane(sampling.frequency_penalty, -100.0..=100.0, 0.0),
        ..Settings::default()
    }
}

/// Why an answer ended.
pub fn finish(finish: Finish) -> protocol::Finish {
    match finish {
        Finish::EndOfTurn => protocol::Finish::EndOfTurn,
        Finish::StopText => protocol::Finish::StopText,
        Finish::MaxTokens => protocol::Finish::MaxTokens,
        Finish::ContextFull => protocol::Finish::ContextFull,
        Finish::ToolCall => protocol::Finish::ToolCall,
        Finish::CutCall => protocol::Finish::CutCall,
        Finish::Cancelled => protocol::Finish::Cancelled,
    }
}

/// Returns the prompt of a conversation. `clips` are the clips of each sound, in order.
///
/// # Errors
/// If the conversation makes no sense.
pub fn prompt(
    variant: Variant,
    messages: &[protocol::Message],
    tools: &[protocol::Tool],
    thinking: bool,
    clips: &[usize],
) -> Result<Prompt, Failure> {
    let conversation = conversation(messages, tools, clips)?;
    let options = RenderOptions { thinking, ..RenderOptions::new(variant) };
    Ok(render(&conversation.messages, &conversation.tools, &options))
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::template::{RenderOptions, Variant, render};

    fn rendered(messages: &[protocol::Message], tools: &[protocol::Tool]) -> String {
        let conversation = conversation(messages, tools, &[2]).expect("a conversation");
        let options = RenderOptions::new(Variant::Small);
        render(&conversation.messages, &conversation.tools, &options).to_string()
    }

    #[test]
    fn a_conversation_with_a_tool_renders_as_the_template_says() {
        let mut asks = protocol::Message::text(protocol::Role::Assistant, "");
        asks.calls = vec![protocol::ToolCall {
            id: "1".into(),
            name: "weather".into(),
            arguments: r#"{"city":"Oslo"}"#.into(),
        }];
        let mut told = protocol::Message::text(protocol::Role::Tool, "sunny");
        (told.tool, told.call) = ("weather".into(), "1".into());
        let messages = [
            protocol::Message::text(protocol::Role::System, "Be brief."),
            protocol::Message::text(protocol::Role::User, "Weather in Oslo?"),
            asks,
            told,
        ];
        let text = rendered(&messages, &[]);
        assert_eq!(
            text,
            "<bos><|turn>system\nBe brief.<turn|>\n<|turn>user\nWeather in Oslo?<turn|>\n<|turn>model\n\
             <|tool_call>call:weather{city:<|\"|>Oslo<|\"|>}<tool_call|>\
             <|tool_response>response:weather{value:<|\"|>sunny<|\"|>}<tool_response|>"
        );
    }

    #[test]
    fn media_keep_their_places() {
        let mut message = protocol::Message::text(protocol::Role::User, "What is this?");
        let media = protocol::Media { key: 1, place: 0 };
        let image = protocol::Content::Image { media, budget: protocol::TokenBudget::Auto };
        message.content.insert(0, image);
        let text = rendered(&[message], &[]);
        assert!(text.contains("user\n<|image|>What is this?"), "{text}");
        let mut heard = protocol::Message::text(protocol::Role::User, "And this?");
        heard.content.insert(0, protocol::Content::Audio { media });
        let text = rendered(&[heard], &[]);
        assert!(text.contains("user\n<|audio|><|audio|>And this?"), "a long sound is two clips: {text}");
    }

    #[test]
    fn nonsense_is_refused() {
        let mut message = protocol::Message::text(protocol::Role::Assistant, "");
        message.calls =
            vec![protocol::ToolCall { id: String::new(), name: "f".into(), arguments: "[1]".into() }];
        let failure = conversation(&[message], &[], &[]).expect_err("an array");
        assert_eq!(failure.code, RequestFailure::ToolArguments { tool: "f".into() }.into());
        assert!(!failure.detail.is_empty());
        let half = protocol::Tool { parameters: "{".into(), ..protocol::Tool::default() };
        let failure = conversation(&[], &[half], &[]).expect_err("half an object");
        assert_eq!(failure.code, RequestFailure::SchemaText.into());
    }

    #[test]
    fn settings_that_make_no_sense_are_brought_to_their_bounds() {
        let sampling = Sampling {
            temperature: f32::NAN,
            top_p: 7.0,
            repeat_penalty: 0.0,
            presence_penalty: f32::INFINITY,
            ..Sampling::default()
        };
        let settings = settings(&sampling);
        assert_eq!(settings.temperature, 1.0);
        assert_eq!(settings.top_p, 1.0);
        assert_eq!(settings.repeat_penalty, 0.01);
        assert_eq!(settings.presence_penalty, 100.0);
        assert_eq!(settings.penalty_window, shaders::sampling::MAX_RECENT);
    }

    #[test]
    fn a_call_becomes_json() {
        let arguments = serde_json::from_str(r#"{"city":"Oslo","days":2}"#).expect("an object");
        let call = tool_call(RequestId(26), 9, ToolCall { id: None, name: "weather".into(), arguments });
        assert_eq!((call.id.as_str(), call.arguments.as_str()), ("1a-9", r#"{"city":"Oslo","days":2}"#));
    }
}
