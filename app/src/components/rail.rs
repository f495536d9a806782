//! The rail: conversations and the other places.

use leptos::{prelude::*, task::spawn_local};

use super::rail_list::ConversationList;
use super::rail_select::SelectionBar;
use super::transfer::{export_all, pick_archive};
use super::{Dialog, Glyph, Icon, IconButton, Menu, MenuItem, RailEdge, toggle_rail};
use crate::{
    icon,
    language::t,
    place::{Place, use_href, use_place},
    state::{FolderDialog, use_chat, use_library, use_settings, use_stores, use_tune, use_ui},
};

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
    let chat = use_chat();
    let begin = move |_| {
        ui.rail.set(false);
        chat.start(None, false);
    };
    let current = move |to: Place| move || (place.get() == to).then_some("page");
    let uses_mcp =
        Memo::new(move |_| chat.mcp.servers.with(|servers| servers.iter().any(|server| server.on)));
    let privacy = move || if uses_mcp.get() { t().rail_private_but_tools() } else { t().rail_private() };
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
        <SelectionBar />
        <ConversationList />
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
            {privacy}
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
                <ListItems />
            </Menu>
        </div>
    }
}

/// What can be done with the list.
#[component]
fn ListItems() -> impl IntoView {
    let stores = use_stores();
    let ui = stores.ui;
    let begin = move |()| {
        ui.rail.set(false);
        stores.chat.start(None, true);
    };
    let any = stores.library.list.with_untracked(|list| !list.is_empty());
    view! {
        <MenuItem glyph=Glyph::Temporary label=t().rail_new_temporary() on_press=begin />
        <MenuItem glyph=Glyph::Folder label=t().rail_new_folder() on_press=move |()| ui.folder.set(Some(FolderDialog::New)) />
        {any.then(|| view! {
            <MenuItem glyph=Glyph::Check label=t().rail_select_several() on_press=move |()| stores.selection.begin([]) />
        })}
        <MenuItem glyph=Glyph::Export label=t().rail_export_all() on_press=move |()| export_all(stores) />
        <MenuItem glyph=Glyph::Import label=t().rail_import() on_press=move |()| pick_archive(stores) />
        {any.then(|| view! {
            <MenuItem glyph=Glyph::Delete label=t().delete_all() on_press=move |()| ui.delete_all.set(true) />
        })}
    }
}
