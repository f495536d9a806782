//! A conversation as a document to read.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use protocol::Role;

use crate::{
    content::{escape, html},
    failures,
    history::{Attachment, AttachmentKey, AttachmentKind, Conversation, Message, ProgramResult},
    language::{Language, t},
};

/// Most characters of a title in the name of a file.
const NAME_LENGTH: usize = 60;

impl Conversation {
    /// Returns the name of a file with the conversation: its title in lower case and the date, such as
    /// `norway-in-may-2026-11-28.md`.
    #[must_use]
    pub fn file_name(&self, date: &str, extension: &str) -> String {
        format!("{}-{date}.{extension}", self.file_stem())
    }

    /// Returns the title as the beginning of a file's name, such as `norway-in-may`.
    #[must_use]
    pub fn file_stem(&self) -> String {
        let words = self.heading().split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let name = words.collect::<Vec<_>>().join("-").to_lowercase();
        let name: String = name.chars().take(NAME_LENGTH).collect();
        if name.is_empty() { "gemtab".to_owned() } else { name.trim_end_matches('-').to_owned() }
    }

    fn heading(&self) -> &str {
        if self.title.is_empty() { t().place_conversation() } else { &self.title }
    }

    fn messages_on_screen(&self) -> impl Iterator<Item = &Message> {
        self.active_path().into_iter().filter_map(|node| self.message(node))
    }

    /// Returns the messages on screen as Markdown.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let mut out = format!("# {}\n", self.heading());
        if !self.system.trim().is_empty() {
            section(&mut out, t().export_system(), &self.system);
        }
        for message in self.messages_on_screen() {
            section(&mut out, speaker(message), "");
            for attachment in &message.attachments {
                push(&mut out, format_args!("\n*{}*\n", t().export_attached(&attachment.name)));
            }
            if !message.thought.trim().is_empty() {
                let thought = message.thought.trim().replace('\n', "\n> ");
                push(&mut out, format_args!("\n> {thought}\n"));
            }
            let text = text_of(message);
            if !text.trim().is_empty() {
                push(&mut out, format_args!("\n{}\n", text.trim()));
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

    /// Returns the pictures of the messages on screen.
    pub fn pictures_on_screen(&self) -> impl Iterator<Item = &Attachment> {
        let attachments = self.messages_on_screen().flat_map(|message| &message.attachments);
        attachments.filter(|it| it.kind == AttachmentKind::Image)
    }

    /// Returns the messages on screen as an HTML document, which loads and runs nothing. `pictures` are those that it shows; all
    /// other attachments are named.
    #[must_use]
    pub fn to_html(&self, pictures: &HashMap<AttachmentKey, Vec<u8>>) -> String {
        let mut body = String::new();
        if !self.system.trim().is_empty() {
            let (heading, text) = (escape(t().export_system()), escape(self.system.trim()));
            push(
                &mut body,
                format_args!("<h2>{heading}</h2>\n<p class=\"question\" dir=\"auto\">{text}</p>\n"),
            );
        }
        for message in self.messages_on_screen() {
            push(&mut body, format_args!("<h2 dir=\"auto\">{}</h2>\n", escape(speaker(message))));
            for attachment in &message.attachments {
                let name = escape(&attachment.name);
                match pictures.get(&attachment.key) {
                    Some(bytes) => {
                        let (mime, data) = (escape(&attachment.mime), STANDARD.encode(bytes));
                        let source = format_args!("data:{mime};base64,{data}");
                        push(&mut body, format_args!("<p><img alt=\"{name}\" src=\"{source}\"></p>\n"));
                    }
                    None => {
                        let words = escape(&t().export_attached(&attachment.name));
                        push(&mut body, format_args!("<p><em>{words}</em></p>\n"));
                    }
                }
            }
            if !message.thought.trim().is_empty() {
                push(
                    &mut body,
                    format_args!("<blockquote dir=\"auto\">\n{}</blockquote>\n", html(&message.thought)),
                );
            }
            match message.role {
                // What the user wrote is shown as it was written.
                Role::User if !message.text.trim().is_empty() => {
                    let text = escape(message.text.trim());
                    push(&mut body, format_args!("<p class=\"question\" dir=\"auto\">{text}</p>\n"));
                }
                _ => push(&mut body, format_args!("<div dir=\"auto\">\n{}</div>\n", html(&text_of(message)))),
            }
            for call in &message.calls {
                let call = escape(&format!("{}({})", call.name, call.arguments));
                push(&mut body, format_args!("<pre><code>{call}</code></pre>\n"));
            }
            if let Some(error) = &message.error {
                push(&mut body, format_args!("<p><em>{}</em></p>\n", escape(&failures::answer(error))));
            }
        }
        let title = escape(self.heading());
        let (head, tail) = include_str!("export.html").split_once("{{body}}").unwrap_or_default();
        let head = head.replace("{{language}}", Language::now().tag());
        let head = head.replace("{{direction}}", t().language_direction()).replace("{{title}}", &title);
        format!("{head}{body}{tail}")
    }
}

/// The text of a message as Markdown: what a program has given is read out of its JSON, and charts become tables.
fn text_of(message: &Message) -> Cow<'_, str> {
    let program =
        (message.role == Role::Tool).then(|| ProgramResult::read(&message.tool, &message.text)).flatten();
    let Some(program) = program else { return Cow::Borrowed(&message.text) };
    let mut out = String::new();
    for text in [&program.result, &program.console] {
        // Longer than what it is around.
        let fence = "`".repeat(text.split(|c| c != '`').map(str::len).max().unwrap_or_default().max(2) + 1);
        if !text.is_empty() {
            push(&mut out, format_args!("{fence}\n{text}\n{fence}\n\n"));
        }
    }
    for chart in &program.charts {
        if !chart.title.is_empty() {
            push(&mut out, format_args!("**{}**\n\n", plain(&chart.title)));
        }
        let names = chart.series.iter().map(|series| plain(&series.name));
        let head: Vec<_> = std::iter::once(String::new()).chain(names).collect();
        push(&mut out, format_args!("| {} |\n|{}\n", head.join(" | "), " --- |".repeat(head.len())));
        for (at, label) in chart.x.iter().enumerate() {
            let values = chart.series.iter().filter_map(|series| series.values.get(at)).map(f64::to_string);
            let row: Vec<_> = std::iter::once(plain(label)).chain(values).collect();
            push(&mut out, format_args!("| {} |\n", row.join(" | ")));
        }
        out.push('\n');
    }
    Cow::Owned(out)
}

/// A text on one line in which nothing means anything to Markdown.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for c in text.chars() {
        if c.is_ascii_punctuation() {
            plain.push('\\');
        }
        plain.push(c);
    }
    plain
}

/// Who speaks.
fn speaker(message: &Message) -> &str {
    match message.role {
        Role::User => t().export_you(),
        Role::Tool => &message.tool,
        _ if message.model.is_empty() => t().export_assistant(),
        _ => &message.model,
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
