//! A conversation as the engine reads it.

use protocol::{Content, GenerateOptions, Message, Role, Sampling};

use super::program::as_read;
use super::{Attachment, AttachmentKind, Conversation, NodeId};

impl Conversation {
    /// What the engine is to answer: the system prompt, the summary of what it does not read, and the messages up to `until`
    /// that it reads, that one included.
    ///
    /// `content` turns an attachment into what the engine takes; one that gives none is left out. Answers that never
    /// said anything (stopped or failed at once) are left out too. What is given of documents stands before the question. Of earlier answers the thought is kept only where
    /// tools were called: the model's template wants no other.
    #[must_use]
    pub fn prompt(&self, until: NodeId, content: &dyn Fn(&Attachment) -> Option<Content>) -> Vec<Message> {
        let mut messages = Vec::new();
        let summary = self.context_start.summary.trim();
        let mut system = if self.system.trim().is_empty() { String::new() } else { self.system.clone() };
        // Part of the system prompt: as a message of its own it would need an answer, and pinned turns may stand before it.
        if !summary.is_empty() && self.start_on(&self.path_to(until)).is_some() {
            let space = if system.is_empty() { "" } else { "\n\n" };
            system.push_str(&format!("{space}<summary of=\"earlier messages\">\n{summary}\n</summary>"));
        }
        if !system.is_empty() {
            messages.push(Message::text(Role::System, system));
        }
        for kept in self.read_to(until).into_iter().filter_map(|node| self.message(node)) {
            let silent = kept.text.is_empty() && kept.calls.is_empty();
            if kept.role == Role::Assistant && silent {
                continue;
            }
            let mut parts = Vec::new();
            for attachment in &kept.attachments {
                let Some(part) = content(attachment) else { continue };
                // Before each picture of a video stands its time.
                if let (AttachmentKind::Image, Some(moment)) = (attachment.kind, &attachment.moment) {
                    let space = if parts.is_empty() { "" } else { " " };
                    parts.push(Content::Text(format!("{space}{} ", minutes(moment.millis))));
                }
                parts.push(part);
            }
            if let Some(given) = kept.given.as_ref().filter(|given| !given.text.is_empty()) {
                parts.push(Content::Text(format!("{}\n", given.text)));
            }
            if !kept.text.is_empty() || parts.is_empty() {
                parts.push(Content::Text(as_read(&kept.tool, &kept.text).into_owned()));
            }
            messages.push(Message {
                role: kept.role,
                content: parts,
                thought: if kept.calls.is_empty() { String::new() } else { kept.thought.clone() },
                calls: kept.calls.clone(),
                tool: kept.tool.clone(),
                call: kept.call.clone(),
            });
        }
        messages
    }

    /// What is attached to the messages up to `until` that the model reads, that one included, in order.
    #[must_use]
    pub fn attachments_to(&self, until: NodeId) -> Vec<Attachment> {
        let messages = self.read_to(until).into_iter().filter_map(|node| self.message(node));
        messages.flat_map(|message| message.attachments.iter().cloned()).collect()
    }

    /// How the engine is to answer, given what the model recommends.
    #[must_use]
    pub fn generate_options(&self, recommended: &Sampling) -> GenerateOptions {
        GenerateOptions {
            sampling: self.options.sampling.clone().unwrap_or_else(|| recommended.clone()),
            max_tokens: self.options.max_tokens,
            stop: self.options.stop.clone(),
            thinking: self.options.thinking,
            max_thought: self.options.max_thought,
            ..GenerateOptions::default()
        }
    }
}

/// A time as the model's training had it: `MM:SS`.
fn minutes(millis: u64) -> String {
    let seconds = millis / 1000;
    format!("{:02}:{:02}", seconds / 60, seconds % 60)
}
