//! Choosing a model: from the list, or a file of one's own.

use leptos::{html, prelude::*, task::spawn_local};

use super::{Dialog, Glyph, Icon, ModelRows};
use crate::{
    browser::files_of,
    file_handles::{self, OpenFile, PickError},
    language::t,
    state::{use_stores, use_ui},
};

/// The dialog to choose a model in.
#[component]
pub fn Picker() -> impl IntoView {
    let ui = use_ui();
    let open = ui.picker;
    let chosen = Callback::new(move |()| {
        open.set(false);
        ui.focus_composer.ask(());
    });
    view! {
        <Dialog open=open title=t().choose_model() class="picker">
            <ModelRows on_choose=chosen on_leave=move |()| open.set(false) focus=true />
            <div class="buttons">
                <OpenFileButton on_choose=chosen />
            </div>
        </Dialog>
    }
}

/// A button that opens model files of the user's, read in place.
#[component]
pub fn OpenFileButton(
    /// Runs when a file was chosen.
    #[prop(into)]
    on_choose: Callback<()>,
) -> impl IntoView {
    let stores = use_stores();
    let input = NodeRef::<html::Input>::new();
    let open = move |files: Vec<OpenFile>| {
        if !files.is_empty() && stores.open_files(files) {
            on_choose.run(());
        }
    };
    let picked = move |_| {
        let Some(input) = input.get_untracked() else { return };
        let files = input.files().map(|files| files_of(&files)).unwrap_or_default();
        // The same file may be picked again.
        input.set_value("");
        open(files.into_iter().map(OpenFile::from).collect());
    };
    let ask = move || {
        if let Some(input) = input.get_untracked() {
            input.click();
        }
    };
    // What the browser's own dialog gives can be remembered; what the field gives cannot.
    let press = move |_| {
        if !file_handles::are_there() {
            return ask();
        }
        spawn_local(async move {
            match file_handles::pick().await {
                Ok(files) => open(files),
                Err(PickError::Cancelled) => {}
                Err(PickError::Refused) => ask(),
            }
        });
    };
    view! {
        <button type="button" class="button" on:click=press>
            <Icon glyph=Glyph::Folder />
            {t().open_file()}
        </button>
        <input
            type="file"
            hidden
            node_ref=input
            accept=".gguf"
            multiple
            aria-label=t().model_files()
            on:change=picked
        />
    }
}
