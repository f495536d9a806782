//! Dialogs that keys open on every page. The content is in the part of the wasm that comes later.

use leptos::prelude::*;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use super::{Dialog, palette::PaletteContent, shortcuts::Shortcuts};
use crate::{language::t, later, state::use_ui};

/// The content of a dialog.
#[derive(Clone, Copy)]
enum Content {
    Palette,
    Shortcuts,
}

/// Draws a content. Everything that only this function needs is in the part that comes later.
#[wasm_split(later, fallible, preload(fetch))]
pub fn draw(content: Content) -> Result<AnyView, SplitLoaderError> {
    Ok(match content {
        Content::Palette => view! { <PaletteContent /> }.into_any(),
        Content::Shortcuts => view! { <Shortcuts /> }.into_any(),
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
