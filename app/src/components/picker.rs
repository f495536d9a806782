//! Choosing a model: from the list, or a file of one's own.

use leptos::{html, prelude::*};

use super::{Dialog, Glyph, Icon, ModelRows};
use crate::{browser::files_of, language::t, state::use_stores};

/// The dialog to choose a model in.
#[component]
pub fn Picker() -> impl IntoView {
    let stores = use_stores();
    let open = stores.ui.picker;
    let chosen = Callback::new(move |()| {
        open.set(false);
        stores.ui.focus_composer();
    });
    view! {
        <Dialog open=open title=t().choose_model() class="picker">
            <ModelRows on_choose=chosen />
            <div class="buttons">
                <OpenFileButton on_choose=chosen />
            </div>
        </Dialog>
    }
}

/// A button that opens model files of the person's, read in place.
#[component]
pub fn OpenFileButton(
    /// Runs when a file was chosen.
    #[prop(into)]
    on_choose: Callback<()>,
) -> impl IntoView {
    let stores = use_stores();
    let input = NodeRef::<html::Input>::new();
    let picked = move |_| {
        let Some(input) = input.get_untracked() else { return };
        let files = input.files().map(|files| files_of(&files)).unwrap_or_default();
        // The same file may be picked again.
        input.set_value("");
        if !files.is_empty() && stores.open_files(files) {
            on_choose.run(());
        }
    };
    let press = move |_| {
        if let Some(input) = input.get_untracked() {
            input.click();
        }
    };
    view! {
        <button type="button" class="button" on:click=press>
            <Icon glyph=Glyph::Folder />
            {t().open_file()}
        </button>
        <input
            type="file"
            class="visually-hidden"
            node_ref=input
            accept=".gguf"
            multiple
            tabindex="-1"
            aria-label=t().model_files()
            on:change=picked
        />
    }
}
