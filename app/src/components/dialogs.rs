//! Dialogs that keys open on every page. The content is in the part of the wasm that comes later.

use leptos::prelude::*;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use super::filing_dialogs::{DeleteAllContent, FolderContent, MoveContent};
use super::named_dialogs::{NamedContent, title_of};
use super::{Dialog, palette::PaletteContent, shortcuts::Shortcuts};
use crate::{
    language::t,
    later,
    state::{FolderDialog, use_ui},
};

/// The content of a dialog.
#[derive(Clone, Copy)]
enum Content {
    Palette,
    Shortcuts,
    Move,
    Folder,
    DeleteAll,
    Named,
}

/// Draws a content. Everything that only this function needs is in the part that comes later.
#[wasm_split(later, fallible, preload(fetch))]
pub fn draw(content: Content) -> Result<AnyView, SplitLoaderError> {
    Ok(match content {
        Content::Palette => view! { <PaletteContent /> }.into_any(),
        Content::Shortcuts => view! { <Shortcuts /> }.into_any(),
        Content::Move => view! { <MoveContent /> }.into_any(),
        Content::Folder => view! { <FolderContent /> }.into_any(),
        Content::DeleteAll => view! { <DeleteAllContent /> }.into_any(),
        Content::Named => view! { <NamedContent /> }.into_any(),
    })
}

fn content(content: Content) -> AnyView {
    later::opened(move || draw(content), |words| words)
}

/// Conversations, models and actions by name.
#[component]
pub fn Palette() -> impl IntoView {
    let open = use_ui().palette;
    view! {
        <Dialog open=open title=t().palette_title() class="palette" bare=true>
            {content(Content::Palette)}
        </Dialog>
    }
}

/// The list of keyboard shortcuts.
#[component]
pub fn ShortcutsDialog() -> impl IntoView {
    let open = use_ui().shortcuts;
    view! {
        <Dialog open=open title=t().shortcuts_title() class="shortcuts">
            {content(Content::Shortcuts)}
        </Dialog>
    }
}

/// Moves conversations to a folder.
#[component]
pub fn MoveDialog() -> impl IntoView {
    let open = use_ui().moving;
    view! { <Dialog open=open title=t().move_title()>{content(Content::Move)}</Dialog> }
}

/// Makes a folder, or changes its name and instructions.
#[component]
pub fn EditFolderDialog() -> impl IntoView {
    let open = use_ui().folder;
    let title = Signal::derive(move || {
        match open.get() {
            Some(FolderDialog::New) => t().folder_new(),
            Some(FolderDialog::Of(_)) | None => t().folder_title(),
        }
        .to_owned()
    });
    view! { <Dialog open=open title=title>{content(Content::Folder)}</Dialog> }
}

/// Presets and prompts.
#[component]
pub fn NamedDialogs() -> impl IntoView {
    let open = use_ui().named;
    let title = Signal::derive(move || open.with(|shown| shown.as_ref().map_or("", title_of)).to_owned());
    view! { <Dialog open=open title=title class="named">{content(Content::Named)}</Dialog> }
}

/// Asks whether everything is to be deleted.
#[component]
pub fn DeleteAllDialog() -> impl IntoView {
    let open = use_ui().delete_all;
    view! { <Dialog open=open title=t().delete_all_title()>{content(Content::DeleteAll)}</Dialog> }
}
