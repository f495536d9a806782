//! What can be done with the conversations that are selected.

use leptos::prelude::*;

use super::transfer::export_json;
use super::{Glyph, IconButton, filing};
use crate::{
    browser,
    language::t,
    state::{Stores, use_stores},
};

/// The bar above the list, while conversations are selected.
#[component]
pub fn SelectionBar() -> impl IntoView {
    let stores = use_stores();
    let selection = stores.selection;
    let on = Memo::new(move |_| selection.is_on());
    let count = Memo::new(move |_| selection.count());
    let none = Signal::derive(move || count.get() == 0);
    let all = Memo::new(move |_| count.get() > 0 && count.get() == selection.listed.with(Vec::len));
    let some = Signal::derive(move || !none.get() && !all.get());
    Effect::new(move |_| {
        if on.get() {
            stores.ui.say(t().selected(count.get() as u64));
        }
    });
    // Only where all are put away already, they are taken back.
    let archived = Memo::new(move |_| {
        stores.library.list.with(|list| {
            let mut chosen = list.iter().filter(|it| selection.contains(it.id)).peekable();
            chosen.peek().is_some() && chosen.all(|it| it.filing.archived)
        })
    });
    let archive = move |()| {
        filing::set_archived(stores, selection.in_order(), !archived.get_untracked());
        end(stores);
    };
    let export = move |()| {
        export_json(stores, selection.in_order(), t().select_export_file().to_owned());
        end(stores);
    };
    view! {
        <Show when=move || on.get()>
            <div class="rail-selection" role="toolbar" aria-label=t().select_title()>
                <label class="rail-select-all">
                    <input
                        type="checkbox"
                        aria-label=t().select_all()
                        prop:checked=all
                        prop:indeterminate=some
                        on:change=move |_| selection.set_all()
                    />
                    <span class="numbers">{move || t().selected(count.get() as u64)}</span>
                </label>
                <IconButton
                    glyph=Signal::derive(move || if archived.get() { Glyph::Again } else { Glyph::Archive })
                    label=Signal::derive(move || if archived.get() { t().rail_unarchive() } else { t().rail_archive() }.to_owned())
                    disabled=none
                    on_press=archive
                />
                <IconButton
                    glyph=Glyph::Folder
                    label=t().rail_move()
                    disabled=none
                    on_press=move |()| stores.ui.moving.set(Some(selection.in_order()))
                />
                <IconButton glyph=Glyph::Export label=t().export() disabled=none on_press=export />
                <IconButton glyph=Glyph::Delete label=t().delete() disabled=none on_press=move |()| delete_selected(stores) />
                <IconButton glyph=Glyph::Close label=t().select_end() on_press=move |()| end(stores) />
            </div>
        </Show>
    }
}

/// Deletes the conversations that are selected. It can be undone.
pub fn delete_selected(stores: Stores) {
    let ids = stores.selection.in_order();
    if !ids.is_empty() {
        end(stores);
        stores.chat.delete_conversations(ids, || ());
    }
}

/// Ends the selection. What was pressed goes with it.
fn end(stores: Stores) {
    stores.selection.end();
    browser::next_frame(browser::focus_somewhere);
}
