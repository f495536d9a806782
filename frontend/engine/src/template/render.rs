//! Rendering messages to a prompt.
//!
//! ```text
//! prompt   = <bos> [system] turn* [generation]
//! system   = "<|turn>system\n" ["<|think|>\n"] text tool* "<turn|>\n"
//! turn     = "<|turn>" ROLE "\n" body "<turn|>\n"
//! body     = [thought] call* response* text
//! thought  = "<|channel>thought\n" text "\n<channel|>"
//! tool     = "<|tool>declaration:" NAME "{…}<tool|>"
//! call     = "<|tool_call>call:" NAME "{…}<tool_call|>"
//! response = "<|tool_response>response:" NAME "{…}<tool_response|>"
//! ```
//! Source of the rules: the chat templates published with the models (2026-07-09).

use serde_json::Value;

use crate::gguf::{Family, Metadata};
use crate::tokenizer::special::{
    BOS, CHANNEL_CLOSE, CHANNEL_OPEN, THINK, TOOL_CALL_CLOSE, TOOL_CALL_OPEN, TOOL_CLOSE, TOOL_OPEN,
    TOOL_RESPONSE_CLOSE, TOOL_RESPONSE_OPEN, TURN_CLOSE, TURN_OPEN, in_gemma3,
};
use crate::tokenizer::{calls_functions, is_base};

use super::gemma3;
use super::message::{Content, Message, Part, Role, Tool, is_space, trim};
use super::notation::{self, Keys};
use super::prompt::{Prompt, THOUGHT};

/// Variant of the chat template. Those of Gemma 4 differ in one place: without thinking, the answers of large models start
/// after an empty thought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// E2B and E4B.
    Small,
    /// 12B, 26B and 31B.
    Large,
    /// Gemma 3.
    Gemma3,
    /// FunctionGemma: Gemma 3 that was trained to call tools. It has no thoughts.
    Functions,
    /// A model that was not trained on chats: it continues what the messages say.
    Base,
}

impl Variant {
    /// Per-layer embeddings indicate the small models. Correct for every published size; there is no key for it.
    pub fn from_metadata(metadata: &Metadata) -> Self {
        let architecture = metadata.str("general.architecture").unwrap_or("gemma4");
        if is_base(metadata) {
            return Self::Base;
        } else if architecture == Family::Gemma3.architecture() {
            return if calls_functions(metadata) { Self::Functions } else { Self::Gemma3 };
        }
        match metadata.u32(&format!("{architecture}.embedding_length_per_layer_input")) {
            Some(width) if width > 0 => Self::Small,
            _ => Self::Large,
        }
    }
}

/// Options of rendering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenderOptions {
    /// Variant of the template.
    pub variant: Variant,
    /// Ask the model to think first.
    pub thinking: bool,
    /// Keep the thoughts of earlier messages that called tools.
    pub preserve_thinking: bool,
    /// End with the beginning of the model's turn, unless it is already open.
    pub add_generation_prompt: bool,
}

impl RenderOptions {
    /// Options for a prompt without thinking.
    pub fn new(variant: Variant) -> Self {
        Self { variant, thinking: false, preserve_thinking: false, add_generation_prompt: true }
    }
}

/// The end of the last message, for the generation prompt.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Text,
    Call,
    Response,
}

/// Renders the prompt. Tool messages without a preceding call cannot be represented, and are ignored, as are tools of models
/// that were not trained to call any.
#[must_use]
pub fn render(messages: &[Message], tools: &[Tool], options: &RenderOptions) -> Prompt {
    match options.variant {
        Variant::Gemma3 => return gemma3::chat(messages, options.add_generation_prompt),
        Variant::Base => return gemma3::continued(messages),
        Variant::Small | Variant::Large | Variant::Functions => {}
    }
    let of_gemma3 = options.variant == Variant::Functions;
    let options = &RenderOptions { thinking: options.thinking && !of_gemma3, ..*options };
    let mut prompt = Prompt::default();
    prompt.special(BOS);
    let system = messages.first().filter(|message| matches!(message.role, Role::System | Role::Developer));
    if options.thinking || !tools.is_empty() || system.is_some() {
        system_turn(&mut prompt, system, tools, options);
    }
    let turns = if system.is_some() { &messages[1..] } else { messages };
    let last_user = turns.iter().rposition(|message| message.role == Role::User);
    let mut last = Last::Text;
    let mut previous = None;
    for (index, message) in turns.iter().enumerate().filter(|(_, message)| message.role != Role::Tool) {
        if message.role != Role::Assistant || previous != Some(Role::Assistant) {
            prompt.special(TURN_OPEN);
            prompt.text(name(message.role));
            prompt.text("\n");
        }
        let current = last_user.is_none_or(|user| index > user);
        let keep_thought = current || (options.preserve_thinking && !message.tool_calls.is_empty());
        let keep_thought = keep_thought && !of_gemma3;
        prompt.start(messages.len() - turns.len() + index);
        last = turn(&mut prompt, message, &turns[index + 1..], keep_thought);
        previous = Some(message.role);
    }
    if options.add_generation_prompt {
        generation_prompt(&mut prompt, last, options);
    }
    if of_gemma3 {
        prompt.rename(in_gemma3);
    }
    prompt
}

fn name(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::Developer => "developer",
        Role::User => "user",
        Role::Assistant => "model",
        Role::Tool => "tool",
    }
}

/// What FunctionGemma was trained to read before tools, where there are no other instructions.
const FUNCTIONS: &str = "You are a model that can do function calling with the following functions";

fn system_turn(prompt: &mut Prompt, message: Option<&Message>, tools: &[Tool], options: &RenderOptions) {
    prompt.special(TURN_OPEN);
    let of_gemma3 = options.variant == Variant::Functions;
    prompt.text(if of_gemma3 { "developer\n" } else { "system\n" });
    if options.thinking {
        prompt.special(THINK);
        prompt.text("\n");
    }
    match message.map(|message| &message.content) {
        Some(Content::Text(text)) => prompt.text(trim(text)),
        Some(Content::Parts(parts)) => {
            for part in parts {
                if let Part::Text { text } = part {
                    prompt.text(trim(text));
                }
                prompt.text(" ");
            }
        }
        Some(Content::None | Content::Object(_)) => {}
        None if of_gemma3 => prompt.text(FUNCTIONS),
        None => {}
    }
    for tool in tools {
        prompt.special(TOOL_OPEN);
        notation::declaration(prompt, tool);
        prompt.special(TOOL_CLOSE);
    }
    prompt.special(TURN_CLOSE);
    prompt.text("\n");
}

/// One message after its role; `following` are the messages after it.
fn turn(prompt: &mut Prompt, message: &Message, following: &[Message], keep_thought: bool) -> Last {
    if let Some(thought) = message.reasoning.as_ref().filter(|text| keep_thought && !text.is_empty()) {
        prompt.special(CHANNEL_OPEN);
        prompt.text(THOUGHT);
        prompt.text(thought);
        prompt.text("\n");
        prompt.special(CHANNEL_CLOSE);
    }
    for call in &message.tool_calls {
        prompt.special(TOOL_CALL_OPEN);
        prompt.text("call:");
        prompt.text(&call.name);
        prompt.text("{");
        notation::members(prompt, &call.arguments, Keys::Bare);
        prompt.text("}");
        prompt.special(TOOL_CALL_CLOSE);
    }
    let answered = responses(prompt, message, following);
    let content = content(message);
    let silent = content.to_string().chars().all(is_space);
    prompt.append(content);

    let next = following.iter().map(|message| message.role).find(|&role| role != Role::Tool);
    let called = !message.tool_calls.is_empty();
    let goes_on = message.role == Role::Assistant && next == Some(Role::Assistant) && (!called || answered);
    // The tools have responded, but the model has not continued: its turn is still open.
    let waits = answered && silent && next.is_none();
    if called && !answered {
        // The tool writes the next token.
        prompt.special(TOOL_RESPONSE_OPEN);
    } else if !goes_on && !waits {
        prompt.special(TURN_CLOSE);
        prompt.text("\n");
    }
    match (answered, called) {
        (true, _) => Last::Response,
        (false, true) => Last::Call,
        (false, false) => Last::Text,
    }
}

/// The responses to a message's calls, in the same turn. Returns whether there are any.
fn responses(prompt: &mut Prompt, message: &Message, following: &[Message]) -> bool {
    if !message.tool_responses.is_empty() {
        for answer in &message.tool_responses {
            let name = if answer.name.is_empty() { "unknown" } else { &answer.name };
            response(prompt, name, &answer.response);
        }
        return true;
    }
    if message.tool_calls.is_empty() {
        return false;
    }
    let answers = following.iter().take_while(|message| message.role == Role::Tool);
    answers.fold(false, |_, answer| {
        let call = message.tool_calls.iter().rev().find(|call| call.id == answer.tool_call_id);
        let given = answer.name.as_deref().filter(|name| !name.is_empty());
        let name = call.map_or(given.unwrap_or("unknown"), |call| &call.name);
        match &answer.content {
            Content::None => response(prompt, name, &Value::Null),
            Content::Text(text) => response(prompt, name, &Value::String(text.clone())),
            Content::Object(object) => response(prompt, name, &Value::Object(object.clone())),
            Content::Parts(parts) => {
                let texts = parts.iter().filter_map(|part| match part {
                    Part::Text { text } => Some(text.as_str()),
                    _ => None,
                });
                response(prompt, name, &Value::String(texts.collect()));
                parts.iter().filter_map(Part::medium).for_each(|media| prompt.medium(media));
            }
        }
        true
    })
}

fn response(prompt: &mut Prompt, name: &str, value: &Value) {
    prompt.special(TOOL_RESPONSE_OPEN);
    prompt.text("response:");
    prompt.text(name);
    prompt.text("{");
    match value {
        Value::Object(object) => notation::members(prompt, object, Keys::Bare),
        other => {
            prompt.text("value:");
            notation::argument(prompt, other, Keys::Bare);
        }
    }
    prompt.text("}");
    prompt.special(TOOL_RESPONSE_CLOSE);
}

fn content(message: &Message) -> Prompt {
    let mut content = Prompt::default();
    let text = |content: &mut Prompt, text: &str| match message.role {
        Role::Assistant => content.text(trim(&without_channels(text))),
        _ => content.text(trim(text)),
    };
    match &message.content {
        Content::None | Content::Object(_) => {}
        Content::Text(whole) => text(&mut content, whole),
        Content::Parts(parts) => {
            for part in parts {
                match part {
                    Part::Text { text: piece } => text(&mut content, piece),
                    other => other.medium().into_iter().for_each(|media| content.medium(media)),
                }
            }
        }
    }
    content
}

fn generation_prompt(prompt: &mut Prompt, last: Last, options: &RenderOptions) {
    match last {
        Last::Text => {
            prompt.special(TURN_OPEN);
            prompt.text("model\n");
            if options.variant == Variant::Large && !options.thinking {
                prompt.special(CHANNEL_OPEN);
                prompt.text(THOUGHT);
                prompt.special(CHANNEL_CLOSE);
            }
        }
        Last::Response if options.thinking => {
            prompt.special(CHANNEL_OPEN);
            prompt.text(THOUGHT);
        }
        Last::Call | Last::Response => {}
    }
}

/// Returns an answer without thoughts that a client may have left in it. An unclosed thought extends to the end.
fn without_channels(text: &str) -> String {
    text.split(CHANNEL_CLOSE).map(|part| part.split(CHANNEL_OPEN).next().unwrap_or_default()).collect()
}
