//! A conversation as a document to read.

use std::fmt::Write as _;

use protocol::Role;

use crate::{failures, history::Conversation, language::t};

/// Most characters of a title in the name of a file.
const NAME_LENGTH: usize = 60;

impl Conversation {
    /// Returns the name of a file with the conversation: its title in lower case and the date, such as
    /// `norway-in-may-2026-11-28.md`.
    #[must_use]
    pub fn file_name(&self, date: &str, extension: &str) -> String {
        let title = if self.title.is_empty() { t().place_conversation() } else { &self.title };
        let words = title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let name = words.collect::<Vec<_>>().join("-").to_lowercase();
        let name: String = name.chars().take(NAME_LENGTH).collect();
        let name = if name.is_empty() { "gemtab" } else { name.trim_end_matches('-') };
        format!("{name}-{date}.{extension}")
    }

    /// Returns the messages on screen as Markdown.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let title = if self.title.is_empty() { t().place_conversation() } else { &self.title };
        let mut out = format!("# {title}\n");
        if !self.system.trim().is_empty() {
            section(&mut out, t().export_system(), &self.system);
        }
        for message in self.active_path().into_iter().filter_map(|node| self.message(node)) {
            let speaker = match message.role {
                Role::User => t().export_you(),
                Role::Tool => &message.tool,
                _ if message.model.is_empty() => t().export_assistant(),
                _ => &message.model,
            };
            section(&mut out, speaker, "");
            for attachment in &message.attachments {
                push(&mut out, format_args!("\n*{}*\n", t().export_attached(&attachment.name)));
            }
            if !message.thought.trim().is_empty() {
                let thought = message.thought.trim().replace('\n', "\n> ");
                push(&mut out, format_args!("\n> {thought}\n"));
            }
            if !message.text.trim().is_empty() {
                push(&mut out, format_args!("\n{}\n", message.text.trim()));
            }
            for call in &message.calls {
                push(&mut out, format_args!("\n`{}({})`\n", call.name, call.arguments));
            }
            if let Some(error) = &message.error {
                push(&mut out, format_args!("\n*{}*\n", failures::answer(error)));
            }
        }
        out
    }
}

fn section(out: &mut String, heading: &str, text: &str) {
    push(out, format_args!("\n## {heading}\n"));
    if !text.is_empty() {
        push(out, format_args!("\n{}\n", text.trim()));
    }
}

fn push(out: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    out.write_fmt(arguments).ok();
}
