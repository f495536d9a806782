//! Export and import, in the part of the wasm that comes later.

use std::{cell::Cell, collections::HashMap, time::Duration};

use gloo_file::futures::read_as_bytes;
use leptos::{prelude::*, task::spawn_local};
use wasm_bindgen::{JsCast as _, closure::Closure};

use crate::{
    browser, failures, format,
    history::{
        AttachmentKey, Conversation, ConversationId, ImportReport, MAX_IMPORT_BYTES, MAX_PRESET_BYTES,
        PresetFileError, Skipped,
    },
    language::{in_a_row, t},
    place::Place,
    state::Stores,
};

/// What becomes of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A file that can be imported.
    Json,
    /// Text.
    Markdown,
    /// A document that a browser opens.
    Html,
    /// Paper, or a PDF.
    Print,
}

/// Adds the conversations of a file that the user picks.
pub fn pick_archive(stores: Stores) {
    pick_json(move |file| spawn_local(import(stores, file)));
}

/// Adds the presets and prompts of a file that the user picks.
pub fn pick_named(stores: Stores) {
    pick_json(move |file| {
        spawn_local(async move {
            let words = match import_named(stores, &file).await {
                Ok(words) => words,
                Err(reason) => t().import_failed(&reason),
            };
            stores.ui.toast(words);
        });
    });
}

async fn import_named(stores: Stores, file: &gloo_file::File) -> Result<String, String> {
    if file.size() > MAX_PRESET_BYTES {
        return Err(failures::preset_file(&PresetFileError::TooLarge { size: file.size() }));
    }
    let bytes = read_as_bytes(file).await.map_err(|_| t().media_unreadable())?;
    stores.import_named(&bytes).await
}

/// Opens the browser's file dialog. The field is made for this one use: the menu that asks is gone by the time a file
/// is chosen.
fn pick_json(taken: impl Fn(gloo_file::File) + 'static) {
    let input = document()
        .create_element("input")
        .ok()
        .and_then(|it| it.dyn_into::<web_sys::HtmlInputElement>().ok());
    let Some(input) = input else { return };
    input.set_type("file");
    input.set_accept(".json,application/json");
    let chosen = Closure::<dyn Fn()>::new({
        let input = input.clone();
        move || {
            let Some(file) = input.files().and_then(|files| files.get(0)) else { return };
            taken(gloo_file::File::from(file));
        }
    });
    input.set_onchange(Some(chosen.as_ref().unchecked_ref()));
    input.click();
    // Until the next time: whether the dialog was canceled isn't always told.
    PICKING.set(Some((input, chosen)));
}

/// A field of a file dialog, and what it calls.
type Picking = (web_sys::HtmlInputElement, Closure<dyn Fn()>);

thread_local! {
    /// That of the dialog that was opened last.
    static PICKING: Cell<Option<Picking>> = const { Cell::new(None) };
}

async fn import(stores: Stores, file: gloo_file::File) {
    if file.size() > MAX_IMPORT_BYTES {
        let (size, most) = (format::bytes(file.size()), format::bytes(MAX_IMPORT_BYTES));
        return stores.ui.toast(t().import_too_large(&size, &most));
    }
    let bytes = match read_as_bytes(&file).await {
        Ok(bytes) => bytes,
        Err(_) => return stores.ui.toast(t().media_unreadable()),
    };
    match stores.library.import(&bytes).await {
        Ok(report) => stores.ui.toast(imported(&report)),
        Err(reason) => stores.ui.toast(t().import_failed(&reason)),
    }
}

/// What an import did, in words.
fn imported(report: &ImportReport) -> String {
    let (added, merged, known) = (report.added.len(), report.merged.len(), report.known);
    let mut parts: Vec<String> = match (added + merged, known) {
        (0, 0) => vec![t().import_empty().to_owned()],
        (0, known) => vec![t().import_known(known as u64)],
        _ => [
            (added > 0).then(|| t().import_added(added as u64)),
            (merged > 0).then(|| t().import_merged(merged as u64)),
            (known > 0).then(|| t().import_already(known as u64)),
        ]
        .into_iter()
        .flatten()
        .collect(),
    };
    parts.extend(report.skipped.iter().map(|(what, &count)| left_out(*what, count)));
    in_a_row(parts)
}

/// Offers conversations as a file to keep. Its text goes to the browser in parts, so that it may be larger than any text.
pub fn export_json(stores: Stores, ids: Vec<ConversationId>, name: String) {
    spawn_local(async move {
        let mut parts = browser::FileParts::new("application/json");
        match stores.library.export(&ids, |piece| parts.push(&piece)).await {
            Ok(unreadable) => {
                parts.download(&name);
                if unreadable > 0 {
                    stores.ui.toast(t().export_unreadable(unreadable as u64));
                }
            }
            Err(reason) => stores.ui.toast(t().export_failed(&reason)),
        }
    });
}

/// Offers a conversation as a file to keep, named after its title; or prints it.
pub fn export_one(stores: Stores, id: ConversationId, format: Format) {
    if format == Format::Print {
        return print(stores, id);
    }
    spawn_local(async move {
        let Some(conversation) = stores.library.load(id).await else { return };
        let name = |extension| conversation.file_name(&browser::today(), extension);
        match format {
            Format::Json => export_json(stores, vec![id], name("json")),
            Format::Markdown => {
                browser::download(&name("md"), "text/markdown", &conversation.to_markdown());
            }
            Format::Html => {
                let pictures = pictures_of(stores, &conversation).await;
                browser::download(&name("html"), "text/html", &conversation.to_html(&pictures));
            }
            Format::Print => {}
        }
    });
}

/// Most bytes of all pictures in a document.
const MOST_PICTURES: u64 = 64 << 20;

/// Reads the pictures on screen, as many as a document may hold. Those that are no longer here are left out.
async fn pictures_of(stores: Stores, conversation: &Conversation) -> HashMap<AttachmentKey, Vec<u8>> {
    let mut pictures = HashMap::new();
    let mut room = MOST_PICTURES;
    for attachment in conversation.pictures_on_screen() {
        let Some(rest) = room.checked_sub(attachment.size) else { continue };
        if let Some(bytes) = stores.media.bytes(attachment).await {
            room = rest;
            pictures.insert(attachment.key, bytes);
        }
    }
    pictures
}

/// Looks for the messages of a conversation that comes on screen so many times, each after a while.
const TRIES: u32 = 100;
const WHILE: Duration = Duration::from_millis(50);

/// Prints a conversation, which comes on screen for it. Browsers offer to save it as PDF, under the title of the page.
fn print(stores: Stores, id: ConversationId) {
    if stores.chat.conversation.id_untracked() != id {
        stores.ui.go(&Place::Chat(Some(id)).path());
    }
    wait_and_print(stores, id, TRIES);
}

fn wait_and_print(stores: Stores, id: ConversationId, tries: u32) {
    let is_here = stores.chat.conversation.id_untracked() == id
        && document().query_selector(".messages:not([hidden]) > .message").is_ok_and(|it| it.is_some());
    if !is_here {
        if tries > 0 {
            browser::after(WHILE, move || wait_and_print(stores, id, tries - 1));
        }
        return;
    }
    // All messages are drawn by then.
    if let Ok(event) = web_sys::Event::new("beforeprint") {
        // Nobody cancels it.
        window().dispatch_event(&event).ok();
    }
    browser::next_frame(|| {
        browser::next_frame(|| {
            // A browser that can't print says so itself.
            window().print().ok();
        });
    });
}

/// What an import left out, in words.
fn left_out(what: Skipped, count: u64) -> String {
    match what {
        Skipped::Attachment => t().skipped_attachment(count),
        Skipped::Tool => t().skipped_tool(count),
        Skipped::Hidden => t().skipped_hidden(count),
        Skipped::Empty => t().skipped_empty(count),
        Skipped::Broken => t().skipped_broken(count),
        Skipped::EmptyConversation => t().skipped_empty_conversation(count),
        Skipped::Unknown => t().skipped_unknown(count),
    }
}
