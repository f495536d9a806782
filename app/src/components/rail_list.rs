//! The list of conversations: pinned ones, folders, days, the archive.

use std::time::Duration;

use leptos::{prelude::*, task::spawn_local};
use wasm_bindgen::JsCast as _;

use super::filing::{dragged, is_dragged, move_to};
use super::rail_line::{ConversationLine, Summaries};
use super::transfer::export_json;
use super::{Glyph, Icon, Menu, MenuItem};
use crate::{
    browser,
    grouping::{Section, day, sections},
    history::{self, ConversationId, FolderId},
    language::t,
    state::{FolderDialog, Stores, use_stores},
};

/// How often it is looked whether another day has begun.
const LOOK_AT_CLOCK: Duration = Duration::from_secs(30);

/// Lines that are drawn at first, and that are added at the end.
const LINES: usize = 60;

/// More lines are drawn when the end of the list is this close, in pixels.
const NEAR: i32 = 600;

/// A section, with those of its conversations that are drawn.
type Drawn = (Section, Vec<ConversationId>);

/// The conversations, or what a search has found.
#[component]
pub fn ConversationList() -> impl IntoView {
    let stores = use_stores();
    let Stores { library, selection, settings, .. } = stores;
    let shown = Memo::new(move |_| library.found.get().unwrap_or_else(|| library.list.get()));
    let summaries: Summaries = Memo::new(move |_| {
        shown.with(|shown| shown.iter().map(|summary| (summary.id, summary.clone())).collect())
    });
    let searching = Memo::new(move |_| library.found.with(Option::is_some));
    let today = today();
    let all = Memo::new(move |_| {
        // It changes at midnight. A memo that is only tracked is never computed.
        today.get();
        let (now, offset) = (history::now(), browser::timezone_offset());
        let folders: Vec<_> = library.folders.with(|all| all.iter().map(|folder| folder.id).collect());
        shown.with(|shown| sections(shown, &folders, searching.get(), now, offset))
    });
    let open_folders = settings.field(|settings| settings.open_folders.clone());
    let archive_open = RwSignal::new(false);
    let is_open = move |section: &Section| match section {
        Section::Folder(id) => open_folders.with(|open| open.contains(id)),
        Section::Archived => archive_open.get(),
        Section::Pinned | Section::Age(_) => true,
    };
    let limit = RwSignal::new(LINES);
    // Another list begins at its top.
    Effect::new(move |_| {
        searching.get();
        limit.set(LINES);
    });
    let drawn = Memo::new(move |_| {
        let mut left = limit.get();
        all.with(|all| {
            let of = |(section, ids): &Drawn| {
                let count = if is_open(section) { ids.len().min(left) } else { 0 };
                left -= count;
                (*section, ids[..count].to_vec())
            };
            all.iter().map(of).collect::<Vec<_>>()
        })
    });
    let listed = Memo::new(move |_| {
        let open = |all: &Vec<Drawn>| {
            all.iter()
                .filter(|(section, _)| is_open(section))
                .flat_map(|(_, ids)| ids.clone())
                .collect::<Vec<_>>()
        };
        all.with(open)
    });
    Effect::new(move |_| selection.listed.set(listed.get()));
    Effect::new(move |_| {
        if selection.is_on() {
            library.list.with(|list| {
                let there: std::collections::BTreeSet<_> = list.iter().map(|it| it.id).collect();
                selection.keep(|id| there.contains(&id));
            });
        }
    });
    let has_more = Memo::new(move |_| {
        drawn.with(|all| all.iter().map(|(_, ids)| ids.len()).sum::<usize>()) < listed.with(Vec::len)
    });
    let more = move || {
        if has_more.get_untracked() {
            limit.update(|limit| *limit += LINES);
        }
    };
    let scrolled = move |event: web_sys::Event| {
        let list = event_target::<web_sys::Element>(&event);
        if list.scroll_height() - list.scroll_top() - list.client_height() < NEAR {
            more();
        }
    };
    let empty = move || {
        all.with(Vec::is_empty).then(|| {
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
    let section = move |section: Section| {
        let of = move |all: &Vec<Drawn>| {
            all.iter().find(|(it, _)| *it == section).map(|(_, ids)| ids.clone()).unwrap_or_default()
        };
        let members = Memo::new(move |_| drawn.with(of));
        let count = Memo::new(move |_| all.with(|all| of(all).len()));
        let open = Memo::new(move |_| is_open(&section));
        let head = match section {
            Section::Folder(id) => {
                let toggle = move || {
                    settings.change(|settings| {
                        if !settings.open_folders.remove(&id) {
                            settings.open_folders.insert(id);
                        }
                    });
                };
                view! { <FolderHead id=id count=count open=open toggle=toggle /> }.into_any()
            }
            Section::Archived => {
                let toggle = move || archive_open.update(|open| *open = !*open);
                let name = Signal::derive(|| t().rail_archived().to_owned());
                view! { <h2 class="rail-head-line"><Fold name=name count=count open=open toggle=toggle /></h2> }.into_any()
            }
            Section::Pinned => view! { <h2>{t().rail_pinned()}</h2> }.into_any(),
            Section::Age(age) => view! { <h2>{age.words()}</h2> }.into_any(),
        };
        let over = RwSignal::new(false);
        let drop_here = move |event: web_sys::DragEvent| {
            over.set(false);
            let ids = dragged(&event);
            if !ids.is_empty() {
                event.prevent_default();
                drop_into(stores, section, ids);
            }
        };
        let enter = move |event: web_sys::DragEvent| {
            if is_dragged(&event) {
                event.prevent_default();
                over.set(true);
            }
        };
        let leave = move |event: web_sys::DragEvent| {
            let to = event.related_target().and_then(|to| to.dyn_into::<web_sys::Node>().ok());
            let here = event.current_target().and_then(|it| it.dyn_into::<web_sys::Node>().ok());
            if !here.is_some_and(|here| here.contains(to.as_ref())) {
                over.set(false);
            }
        };
        view! {
            <section class="rail-group" class:drop-target=move || over.get() on:dragover=enter on:dragleave=leave on:drop=drop_here>
                {head}
                <Show when=move || members.with(|members| !members.is_empty())>
                    <ul role="list">
                        // A line stays the same element while its conversation changes: a running answer is kept every
                        // few seconds, and must not take a half-made click, an open menu or a half-typed title with it.
                        <For
                            each=move || members.get()
                            key=|id| *id
                            children=move |id| view! { <ConversationLine id=id summaries=summaries searching=searching /> }
                        />
                    </ul>
                </Show>
                <Show when=move || matches!(section, Section::Folder(_)) && open.get() && count.get() == 0>
                    <p class="rail-empty muted">{t().folder_empty()}</p>
                </Show>
            </section>
        }
    };
    let key = move |event: web_sys::KeyboardEvent| {
        // A title that is being written takes its keys itself.
        let renaming = browser::focused().is_some_and(|it| it.class_list().contains("rename"));
        if selection.ids.with_untracked(Option::is_none) || renaming {
            return;
        }
        let modified = event.ctrl_key() || event.meta_key();
        match event.key().as_str() {
            "Escape" => selection.end(),
            "a" if modified => selection.set_all(),
            "Delete" if !modified => super::rail_select::delete_selected(stores),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    view! {
        <nav class="rail-list" aria-label=t().rail_conversations() on:scroll=scrolled on:keydown=key>
            {empty}
            <For each=move || drawn.with(|all| all.iter().map(|(section, _)| *section).collect::<Vec<_>>()) key=|it| *it children=section />
            <Show when=move || has_more.get()>
                <button type="button" class="button quiet rail-more" on:click=move |_| more()>{t().rail_more()}</button>
            </Show>
        </nav>
    }
}

/// Takes conversations that were dropped on a section.
fn drop_into(stores: Stores, section: Section, ids: Vec<ConversationId>) {
    match section {
        Section::Folder(id) => move_to(stores, ids, Some(id)),
        Section::Age(_) => move_to(stores, ids, None),
        Section::Pinned => super::filing::set_pinned(stores, ids, true, || ()),
        Section::Archived => super::filing::set_archived(stores, ids, true),
    }
}

/// A heading that opens and closes its section.
#[component]
fn Fold(
    #[prop(into)] name: Signal<String>,
    count: Memo<usize>,
    open: Memo<bool>,
    toggle: impl Fn() + Send + 'static,
) -> impl IntoView {
    let glyph = Signal::derive(move || if open.get() { Glyph::Down } else { Glyph::Right });
    view! {
        <button type="button" class="rail-section" aria-expanded=move || open.get().to_string() on:click=move |_| toggle()>
            <Icon glyph=glyph />
            <span class="rail-title" dir="auto">{name}</span>
            <span class="numbers">{move || t().rail_count(count.get() as u64)}</span>
        </button>
    }
}

/// The heading of a folder, with what can be done with it.
#[component]
fn FolderHead(
    id: FolderId,
    count: Memo<usize>,
    open: Memo<bool>,
    toggle: impl Fn() + Send + 'static,
) -> impl IntoView {
    let stores = use_stores();
    let name =
        Signal::derive(move || stores.library.folder(id).map(|folder| folder.name).unwrap_or_default());
    let label = Signal::derive(move || t().folder_actions(&name.get()));
    let begin = move |()| {
        stores.ui.rail.set(false);
        stores.chat.start(Some(id), false);
    };
    let export = move |()| {
        let ids = stores.library.list.with_untracked(|list| {
            let inside = list.iter().filter(|it| it.filing.folder == Some(id));
            inside.map(|it| it.id).collect::<Vec<_>>()
        });
        export_json(stores, ids, t().select_export_file().to_owned());
    };
    view! {
        <div class="rail-line rail-folder">
            <h2 class="rail-head-line"><Fold name=name count=count open=open toggle=toggle /></h2>
            <Menu label=label>
                <MenuItem glyph=Glyph::Plus label=t().folder_begin() on_press=begin />
                <MenuItem glyph=Glyph::Edit label=t().folder_edit() on_press=move |()| stores.ui.folder.set(Some(FolderDialog::Of(id))) />
                <MenuItem glyph=Glyph::Export label=t().rail_export_json() on_press=export />
                <MenuItem glyph=Glyph::Delete label=t().folder_delete() on_press=move |()| delete_folder(stores, id) />
            </Menu>
        </div>
    }
}

/// Deletes a folder. It can be undone.
pub fn delete_folder(stores: Stores, id: FolderId) {
    browser::next_frame(browser::focus_somewhere);
    spawn_local(async move {
        let Some(folder) = stores.library.delete_folder(id).await else { return };
        stores.ui.toast_with_undo(t().folder_deleted(), move || {
            let folder = folder.clone();
            spawn_local(async move {
                stores.library.put_back_folder(&folder).await;
            });
        });
    });
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
