//! The rail: conversations and the other places.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::time::Duration;

use gloo_file::futures::read_as_bytes;
use leptos::{html, prelude::*, task::spawn_local};
use wasm_bindgen::{JsCast as _, closure::Closure};

use super::{Dialog, Glyph, Icon, IconButton, Menu, MenuItem, RailEdge, toggle_rail};
use crate::{
    browser, format,
    grouping::{Age, age, day},
    history::{self, ConversationId, ImportReport, MAX_IMPORT_BYTES, Query, Summary},
    icon,
    language::t,
    place::{Place, use_href, use_place},
    state::{Stores, use_library, use_settings, use_stores, use_tune, use_ui},
};

/// How often it is looked whether another day has begun.
const LOOK_AT_CLOCK: Duration = Duration::from_secs(30);

/// The rail beside the page.
#[component]
pub fn Rail() -> impl IntoView {
    view! {
        <aside class="rail" aria-label=t().rail_title()>
            <RailContent />
            <RailEdge />
        </aside>
    }
}

/// The rail as a sheet, where there is no room beside the page.
#[component]
pub fn RailSheet() -> impl IntoView {
    let open = use_ui().rail;
    let place = use_place();
    // Going somewhere closes it.
    Effect::new(move |_| {
        // Read, not only tracked: a memo that nobody reads never learns of a change.
        place.get();
        open.set(false);
    });
    view! {
        <Dialog open=open title=t().rail_title() class="sheet" bare=true>
            <RailContent />
        </Dialog>
    }
}

#[component]
fn RailContent() -> impl IntoView {
    let (ui, settings) = (use_ui(), use_settings());
    let href = use_href();
    let place = use_place();
    let begin = move |_| {
        ui.rail.set(false);
        ui.go(&Place::Chat(None).path());
        ui.focus_composer.ask(());
    };
    let current = move |to: Place| move || (place.get() == to).then_some("page");
    // The sheet also when that is the place already.
    let leave = move |_| ui.rail.set(false);
    view! {
        <div class="rail-head">
            <a class="brand" href=move || href(Place::Chat(None)) on:click=leave>
                <img src=icon() alt="" width="20" height="20" />
                {t().brand()}
            </a>
            <IconButton
                glyph=Glyph::Sidebar
                label=t().rail_fold()
                class="rail-fold"
                on_press=move |()| toggle_rail(ui, settings)
            />
            <button type="button" class="button" on:click=begin>
                <Icon glyph=Glyph::Plus />
                {t().rail_new()}
            </button>
        </div>
        <Search />
        <nav class="rail-list" aria-label=t().rail_conversations()>
            <ConversationList />
        </nav>
        <nav class="rail-places" aria-label=t().rail_places()>
            <a href=move || href(Place::Models) aria-current=current(Place::Models) on:click=leave>
                <Icon glyph=Glyph::Models />
                {t().place_models()}
            </a>
            <a href=move || href(Place::Tune) aria-current=current(Place::Tune) on:click=leave>
                <Icon glyph=Glyph::Tune />
                {t().place_tune()}
                <TuneProgress />
            </a>
            <a href=move || href(Place::Diagnostics) aria-current=current(Place::Diagnostics) on:click=leave>
                <Icon glyph=Glyph::Diagnostics />
                {t().place_diagnostics()}
            </a>
            <a href=move || href(Place::Settings) aria-current=current(Place::Settings) on:click=leave>
                <Icon glyph=Glyph::Settings />
                {t().place_settings()}
            </a>
        </nav>
        <p class="rail-note">
            <Icon glyph=Glyph::Private />
            {t().rail_private()}
        </p>
    }
}

/// How far a run is, while there is one.
#[component]
fn TuneProgress() -> impl IntoView {
    let run = use_tune().run;
    let steps = Memo::new(move |_| run.about.with(|about| about.as_ref().map_or(0, |it| it.steps)));
    let shown = Memo::new(move |_| run.phase.with(|phase| phase.is_active()) && steps.get() > 0);
    view! {
        <Show when=move || shown.get()>
            <span class="rail-progress muted numbers">{move || t().rail_steps(run.step().into(), steps.get().into())}</span>
        </Show>
    }
}

#[component]
fn Search() -> impl IntoView {
    let library = use_library();
    let typed = move |event| {
        library.query.set(event_target_value(&event));
        spawn_local(library.search());
    };
    view! {
        <div class="rail-search">
            <Icon glyph=Glyph::Search />
            <input
                type="search"
                placeholder=t().rail_search()
                dir="auto"
                aria-label=t().rail_search_label()
                prop:value=library.query
                on:input=typed
            />
            <Menu label=t().rail_all()>
                <ArchiveItems />
            </Menu>
        </div>
    }
}

/// Export and import of everything.
#[component]
fn ArchiveItems() -> impl IntoView {
    let stores = use_stores();
    let export = Callback::new(move |()| export_all(stores));
    view! {
        <MenuItem glyph=Glyph::Export label=t().rail_export_all() on_press=export />
        <ImportItem />
    }
}

/// Saves all conversations in a file.
pub fn export_all(stores: Stores) {
    let ids = stores.library.list.with_untracked(|list| list.iter().map(|it| it.id).collect());
    export_json(stores, ids, t().export_file().to_owned());
}

/// Picks a file of conversations and adds them.
#[component]
fn ImportItem() -> impl IntoView {
    let stores = use_stores();
    let press = Callback::new(move |()| pick_archive(stores));
    view! { <MenuItem glyph=Glyph::Import label=t().rail_import() on_press=press /> }
}

/// Opens the browser's file dialog. The field is made for this one use: the menu that asks is gone by the time a file
/// is chosen.
pub fn pick_archive(stores: Stores) {
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
            spawn_local(import(stores, gloo_file::File::from(file)));
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
    if added + merged == 0 {
        return match known {
            0 => t().import_empty().to_owned(),
            _ => t().import_known(known as u64),
        };
    }
    let parts = [
        (added > 0).then(|| t().import_added(added as u64)),
        (merged > 0).then(|| t().import_merged(merged as u64)),
        (known > 0).then(|| t().import_already(known as u64)),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// What is known of the conversations in the list.
type Summaries = Memo<BTreeMap<ConversationId, Summary>>;

#[component]
fn ConversationList() -> impl IntoView {
    let library = use_library();
    let shown = Memo::new(move |_| library.found.get().unwrap_or_else(|| library.list.get()));
    let summaries: Summaries = Memo::new(move |_| {
        shown.with(|shown| shown.iter().map(|summary| (summary.id, summary.clone())).collect())
    });
    let today = today();
    let groups = Memo::new(move |_| {
        // It changes at midnight. A memo that is only tracked is never computed.
        today.get();
        let (now, offset) = (history::now(), browser::timezone_offset());
        let mut groups: Vec<(Age, Vec<ConversationId>)> = Vec::new();
        shown.with(|shown| {
            for summary in shown {
                let age = age(summary.updated, now, offset);
                match groups.last_mut() {
                    Some((last, members)) if *last == age => members.push(summary.id),
                    _ => groups.push((age, vec![summary.id])),
                }
            }
        });
        groups
    });
    let searching = Memo::new(move |_| library.found.with(Option::is_some));
    let empty = move || {
        groups.with(Vec::is_empty).then(|| {
            let words = if searching.get() {
                t().rail_nothing_found()
            } else if library.open.get() {
                t().rail_empty()
            } else {
                ""
            };
            view! { <p class="rail-empty muted">{words}</p> }
        })
    };
    let group = move |index: usize| {
        let label = move || groups.with(|groups| groups.get(index).map(|(age, _)| age.words()));
        let members = move || {
            groups.with(|groups| groups.get(index).map(|(_, members)| members.clone()).unwrap_or_default())
        };
        view! {
            <section class="rail-group">
                <h2>{label}</h2>
                <ul role="list">
                    // A line stays the same element while its conversation changes: a running answer is kept every
                    // few seconds, and must not take a half-made click, an open menu or a half-typed title with it.
                    <For
                        each=members
                        key=|id| *id
                        children=move |id| view! { <ConversationLine id=id summaries=summaries searching=searching /> }
                    />
                </ul>
            </section>
        }
    };
    view! {
        {empty}
        <For each=move || 0..groups.with(Vec::len) key=|index| *index children=group />
    }
}

/// The number of the day, as long as the owner lives. A timer would stand still while the computer sleeps.
fn today() -> Memo<i64> {
    let now = RwSignal::new(history::now());
    Effect::new(move |_| {
        let look = leptos::leptos_dom::helpers::set_interval(move || now.set(history::now()), LOOK_AT_CLOCK);
        on_cleanup(move || {
            if let Ok(look) = look {
                look.clear();
            }
        });
    });
    Memo::new(move |_| day(now.get(), browser::timezone_offset()))
}

#[component]
fn ConversationLine(id: ConversationId, summaries: Summaries, searching: Memo<bool>) -> impl IntoView {
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
    // What was found is looked for in the conversation, too.
    let follow = move |_| {
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
        <li class="rail-line">
            <Show
                when=move || renaming.get()
                fallback=move || view! {
                    <a
                        node_ref=link
                        href=move || href(Place::Chat(Some(id)))
                        aria-current=current
                        title=title
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
                    <MenuItem glyph=Glyph::Plus label=t().rail_duplicate() on_press=move |()| spawn_local(stores.chat.duplicate(id)) />
                    <MenuItem glyph=Glyph::Export label=t().rail_export_json() on_press=move |()| export_one(stores, id) />
                    <MenuItem glyph=Glyph::Copy label=t().rail_export_markdown() on_press=move |()| export_markdown(stores, id) />
                </Show>
                <MenuItem glyph=Glyph::Delete label=t().delete() on_press=move |()| delete(stores, id) />
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

/// Offers one conversation as a file to keep.
pub fn export_one(stores: Stores, id: ConversationId) {
    spawn_local(async move {
        if let Some(conversation) = stores.library.load(id).await {
            export_json(stores, vec![id], conversation.file_name(&browser::today(), "json"));
        }
    });
}

/// Offers a conversation as a Markdown file to keep.
pub fn export_markdown(stores: Stores, id: ConversationId) {
    spawn_local(async move {
        if let Some(conversation) = stores.library.load(id).await {
            let name = conversation.file_name(&browser::today(), "md");
            browser::download(&name, "text/markdown", &conversation.to_markdown());
        }
    });
}

/// Deletes a conversation. Its line goes with its menu, and the focus to the line beside it.
fn delete(stores: Stores, id: ConversationId) {
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
    stores.chat.delete_conversation(id, || ());
}
