//! The template of Gemma 3, and that of models that were not trained on chats.
//!
//! ```text
//! prompt = <bos> turn* [generation]
//! turn   = "<start_of_turn>" ROLE "\n" text "<end_of_turn>\n"      ROLE: user, model
//! ```
//! The text of a system message, with an empty line, begins the first turn. There are neither thoughts nor tools: the template of
//! FunctionGemma is that of Gemma 4 in other words.
//! Source of the rules: the chat template published with the models.

use crate::tokenizer::special::{BOS, GEMMA3_TURN_CLOSE, GEMMA3_TURN_OPEN};

use super::message::{Content, Message, Part, Role, trim};
use super::prompt::Prompt;

/// Renders the prompt of a model that was trained on chats. Tool messages are ignored.
pub(super) fn chat(messages: &[Message], add_generation_prompt: bool) -> Prompt {
    let mut prompt = Prompt::default();
    prompt.special(BOS);
    let is_system = |message: &&Message| matches!(message.role, Role::System | Role::Developer);
    let system = messages.first().filter(is_system);
    let mut instructions = system.map(|message| text(message) + "\n\n").unwrap_or_default();
    let turns = messages.iter().enumerate().skip(usize::from(system.is_some()));
    for (index, message) in turns.filter(|(_, message)| message.role != Role::Tool) {
        let role = if message.role == Role::Assistant { "model\n" } else { "user\n" };
        prompt.special(GEMMA3_TURN_OPEN);
        prompt.text(role);
        prompt.start(index);
        prompt.text(&std::mem::take(&mut instructions));
        match &message.content {
            Content::Text(whole) => prompt.text(trim(whole)),
            Content::Parts(parts) => {
                for part in parts {
                    match part {
                        Part::Text { text } => prompt.text(trim(text)),
                        other => other.medium().into_iter().for_each(|media| prompt.medium(media)),
                    }
                }
            }
            Content::None | Content::Object(_) => {}
        }
        prompt.special(GEMMA3_TURN_CLOSE);
        prompt.text("\n");
    }
    if add_generation_prompt {
        prompt.special(GEMMA3_TURN_OPEN);
        prompt.text("model\n");
    }
    prompt
}

/// Renders the text that a model continues: what the messages say, one after the other.
pub(super) fn continued(messages: &[Message]) -> Prompt {
    let mut prompt = Prompt::default();
    prompt.special(BOS);
    for (index, message) in messages.iter().enumerate() {
        prompt.start(index);
        prompt.text(&text(message));
    }
    prompt
}

/// Returns the text of a message.
fn text(message: &Message) -> String {
    match &message.content {
        Content::Text(text) => text.clone(),
        Content::Parts(parts) => {
            let texts = parts.iter().filter_map(|part| match part {
                Part::Text { text } => Some(text.as_str()),
                _ => None,
            });
            texts.collect()
        }
        Content::None | Content::Object(_) => String::new(),
    }
}
