//! Parts that several pages use.

mod advice;
mod detail;
mod dialog;
mod dialogs;
mod failure;
mod field;
mod filing;
mod filing_dialogs;
mod icon;
mod load;
mod load_question;
mod menu;
mod model_button;
mod model_row;
mod named_dialogs;
mod palette;
mod picked_rows;
mod picker;
mod picture;
mod preset_form;
mod prompt_forms;
mod rail;
mod rail_edge;
mod rail_line;
mod rail_list;
mod rail_select;
mod reload;
mod say;
mod shortcuts;
mod sound;
mod thought_field;
mod tool_fields;
mod transfer;
mod transfer_acts;
mod typed;

pub use advice::{AdviceDialog, DeviceNotice};
pub use detail::DetailSelect;
pub use dialog::{Dialog, DialogFrame, Opener};
pub use dialogs::{
    DeleteAllDialog, EditFolderDialog, MoveDialog, NamedDialogs, Palette, ShortcutsDialog,
    fetch as fetch_dialogs,
};
pub use failure::{EngineTrouble, FailureBox, LoadFailure, technical};
pub use field::{Choice, NumberField, SamplingFields, Switch};
pub use icon::{Glyph, Icon, glyph_of};
pub use load::LoadProgressView;
pub use load_question::{MemoryDialog, TooSlowDialog, UnlikelyDialog};
pub use menu::{Menu, MenuItem};
pub use model_button::ModelButton;
pub use model_row::{ModelRows, Verdict};
pub use named_dialogs::use_prompt;
pub use picked_rows::PickedRows;
pub use picker::{OpenFileButton, Picker};
pub use picture::{Thumbnail, Viewer};
pub use rail::{Rail, RailSheet};
pub use rail_edge::{RailButton, RailEdge, toggle_rail};
pub use reload::ReloadHint;
pub use say::Notices;
pub use sound::SoundPlayer;
pub use thought_field::ThoughtField;
pub use tool_fields::{FormatFields, ToolFields};
pub use transfer::{export_all, export_json, pick_archive};
pub use typed::Typed;

use leptos::prelude::*;

/// A button that is a drawing, with its words for those who do not see it.
#[component]
pub fn IconButton(
    /// What is drawn.
    #[prop(into)]
    glyph: Signal<Glyph>,
    /// What it does, in words.
    #[prop(into)]
    label: Signal<String>,
    /// What it does.
    #[prop(into)]
    on_press: Callback<()>,
    /// Whether it cannot be pressed now.
    #[prop(into, optional)]
    disabled: Signal<bool>,
    /// A class beside `icon-button`.
    #[prop(optional)]
    class: &'static str,
) -> impl IntoView {
    view! {
        <button
            type="button"
            class=format!("icon-button {class}")
            aria-label=label
            title=label
            disabled=disabled
            on:click=move |_| on_press.run(())
        >
            <Icon glyph=glyph />
        </button>
    }
}
