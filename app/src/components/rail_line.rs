//! A conversation in the list.

use std::collections::BTreeMap;

use leptos::{html, prelude::*, task::spawn_local};
use wasm_bindgen::JsCast as _;

use super::transfer::export_one;
use super::transfer_acts::Format;
use super::{Glyph, Menu, MenuItem, filing};
use crate::{
    browser,
    history::{ConversationId, Filing, Query, Summary},
    language::t,
    place::{Place, use_href, use_place},
    state::{use_library, use_stores},
};

/// What is known of the conversations in the list.
pub type Summaries = Memo<BTreeMap<ConversationId, Summary>>;

/// A conversation, with what can be done with it.
#[component]
pub fn ConversationLine(id: ConversationId, summaries: Summaries, searching: Memo<bool>) -> impl IntoView {
    let stores = use_stores();
    let href = use_href();
    let place = use_place();
    let unreadable = Memo::new(move |_| {
        let known = stores.library.unreadable.with(|all| all.contains(&id));
        known || summaries.with(|all| all.get(&id).is_some_and(|summary| summary.unreadable))
    });
    let title = Memo::new(move |_| {
        let title = summaries.with(|all| all.get(&id).map(|summary| summary.title.clone()));
        if unreadable.get() && title.as_ref().is_none_or(String::is_empty) {
            return t().rail_unreadable().to_owned();
        }
        title.filter(|title| !title.is_empty()).unwrap_or_else(|| t().untitled().to_owned())
    });
    let query =
        Memo::new(
            move |_| {
                if searching.get() { stores.library.query.with(|query| Query::new(query)) } else { None }
            },
        );
    let marked = move |text: String| match query.get() {
        None => text.into_any(),
        Some(query) => {
            let pieces = query.mark(&text).into_iter().map(|(piece, found)| {
                let piece = piece.to_owned();
                if found { view! { <mark>{piece}</mark> }.into_any() } else { piece.into_any() }
            });
            pieces.collect::<Vec<_>>().into_any()
        }
    };
    // A title is cut at its end: what was found in it must be seen.
    let excerpt = move |title: String| {
        query.with(|query| query.as_ref().map_or(title.clone(), |query| query.excerpt(&title)))
    };
    let snippet = move || {
        let snippet = summaries.with(|all| all.get(&id).map(|summary| summary.snippet.clone()));
        searching.get().then(|| snippet.map(marked))
    };
    let renaming = RwSignal::new(false);
    // Whether the field was left by a key, and not for another place.
    let came_back = StoredValue::new(false);
    let link = NodeRef::<html::A>::new();
    Effect::new(move |_| {
        if let Some(link) = link.get()
            && came_back.get_value()
        {
            came_back.set_value(false);
            // It has just been put into the page.
            link.focus().ok();
        }
    });
    let selection = stores.selection;
    let selecting = Memo::new(move |_| selection.is_on());
    let selected = Memo::new(move |_| selection.contains(id));
    let with_shift = StoredValue::new(false);
    let select = move |on: bool| selection.set(id, on, with_shift.get_value());
    let filing =
        move || summaries.with_untracked(|all| all.get(&id).map_or_else(Filing::default, |it| it.filing));
    // What was found is looked for in the conversation, too.
    let follow = move |event: web_sys::MouseEvent| {
        if selecting.get_untracked() {
            event.prevent_default();
            with_shift.set_value(event.shift_key());
            return select(!selected.get_untracked());
        }
        stores.ui.rail.set(false);
        match searching.get_untracked() {
            true => stores.find.begin(id, stores.library.query.get_untracked()),
            false => stores.find.end(),
        }
    };
    let label = Signal::derive(move || t().rail_actions(&title.get()));
    let current = move || (place.get() == Place::Chat(Some(id))).then_some("page");
    let running =
        move || stores.chat.answer.place.with(|place| place.is_some_and(|place| place.conversation == id));
    view! {
        <li class="rail-line" class:selected=move || selected.get()>
            <Show when=move || selecting.get()>
                <input
                    type="checkbox"
                    class="rail-check"
                    aria-label=move || t().select_one(&title.get())
                    prop:checked=selected
                    on:click=move |event| with_shift.set_value(event.shift_key())
                    on:change=move |event| select(event_target_checked(&event))
                />
            </Show>
            <Show
                when=move || renaming.get()
                fallback=move || view! {
                    <a
                        node_ref=link
                        href=move || href(Place::Chat(Some(id)))
                        aria-current=current
                        title=title
                        draggable="true"
                        on:dragstart=move |event| filing::drag(stores, &event, id)
                        on:click=follow
                    >
                        <span class="rail-title" dir="auto">{move || marked(excerpt(title.get()))}</span>
                        {move || running().then(|| view! { <span class="pulse" role="img" aria-label=t().rail_answering()></span> })}
                        <span class="rail-snippet" dir="auto">{snippet}</span>
                    </a>
                }
            >
                <RenameField id=id title=title.get_untracked() renaming=renaming came_back=came_back />
            </Show>
            <Menu label=label>
                <Show
                    when=move || !unreadable.get()
                    fallback=move || view! {
                        <MenuItem glyph=Glyph::Export label=t().save_raw() on_press=move |()| stores.library.save_raw(id, stores.ui) />
                    }
                >
                    <MenuItem glyph=Glyph::Edit label=t().rail_rename() on_press=move |()| renaming.set(true) />
                    <MenuItem
                        glyph=Glyph::Pin
                        label=if filing().pinned { t().rail_unpin() } else { t().rail_pin() }
                        on_press=move |()| filing::set_pinned(stores, vec![id], !filing().pinned, move || focus_line(id))
                    />
                    <MenuItem glyph=Glyph::Folder label=t().rail_move() on_press=move |()| stores.ui.moving.set(Some(vec![id])) />
                    <MenuItem
                        glyph=Glyph::Archive
                        label=if filing().archived { t().rail_unarchive() } else { t().rail_archive() }
                        on_press=move |()| {
                            focus_beside();
                            filing::set_archived(stores, vec![id], !filing().archived);
                        }
                    />
                    <MenuItem glyph=Glyph::Plus label=t().rail_duplicate() on_press=move |()| spawn_local(stores.chat.duplicate(id)) />
                    <MenuItem glyph=Glyph::Export label=t().rail_export_json() on_press=move |()| export_one(stores, id, Format::Json) />
                    <MenuItem glyph=Glyph::Copy label=t().rail_export_markdown() on_press=move |()| export_one(stores, id, Format::Markdown) />
                    <MenuItem glyph=Glyph::Code label=t().rail_export_html() on_press=move |()| export_one(stores, id, Format::Html) />
                    <MenuItem glyph=Glyph::Document label=t().rail_print() on_press=move |()| export_one(stores, id, Format::Print) />
                </Show>
                <MenuItem glyph=Glyph::Check label=t().rail_select() on_press=move |()| selection.begin([id]) />
                <MenuItem
                    glyph=Glyph::Delete
                    label=t().delete()
                    on_press=move |()| {
                        focus_beside();
                        stores.chat.delete_conversations(vec![id], || ());
                    }
                />
            </Menu>
        </li>
    }
}

#[component]
fn RenameField(
    id: ConversationId,
    title: String,
    renaming: RwSignal<bool>,
    came_back: StoredValue<bool>,
) -> impl IntoView {
    let library = use_library();
    let input = NodeRef::<html::Input>::new();
    Effect::new(move |_| {
        if let Some(input) = input.get() {
            // Setting the text later would undo the selection.
            input.set_value(&title);
            // It has just been put into the page.
            input.focus().ok();
            input.select();
        }
    });
    let done = move || {
        // The field also loses the focus when it goes away, and all that belongs to it may be gone by then.
        if renaming.try_get_untracked() != Some(true) {
            return;
        }
        let Some(input) = input.try_get_untracked().flatten() else { return };
        renaming.set(false);
        let title = input.value().trim().to_owned();
        if title.is_empty() {
            return;
        }
        spawn_local(library.rename(id, title));
    };
    let key = move |event: web_sys::KeyboardEvent| match event.key().as_str() {
        _ if browser::is_composing(&event) => {}
        "Enter" => {
            came_back.set_value(true);
            done();
        }
        "Escape" => {
            event.prevent_default();
            event.stop_propagation();
            came_back.set_value(true);
            renaming.set(false);
        }
        _ => {}
    };
    view! {
        <input
            class="rename"
            type="text"
            aria-label=t().rail_new_title()
            dir="auto"
            node_ref=input
            on:keydown=key
            on:blur=move |_| done()
        />
    }
}

/// Gives the focus to the line beside the one whose menu was pressed, which goes.
fn focus_beside() {
    let line = browser::focused().and_then(|menu| menu.closest("li").ok().flatten());
    let beside =
        line.and_then(|line| line.next_element_sibling().or_else(|| line.previous_element_sibling()));
    // Once the menu has given the focus back to its button, and before that goes with the line.
    browser::next_frame(move || {
        let link = beside.and_then(|line| line.query_selector("a").ok().flatten());
        match link.and_then(|link| link.dyn_into::<web_sys::HtmlElement>().ok()) {
            // It is in the page.
            Some(link) => drop(link.focus()),
            None => browser::focus_somewhere(),
        }
    });
}

/// Gives the focus to the line of a conversation, if it went with the place where the line was.
fn focus_line(id: ConversationId) {
    if browser::focused().is_none() {
        browser::focus(&format!(".rail-line a[href*=\"{id}\"]"));
    }
}
