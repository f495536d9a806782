//! A conversation as a document to read.

use std::fmt::Write as _;

use protocol::Role;

use super::Conversation;

use crate::language::t;

impl Conversation {
    /// The messages on screen as Markdown.
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
                push(&mut out, format_args!("\n*{}*\n", error.sentence()));
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
