//! What dialogs ask about folders, and before everything is deleted.

use leptos::{html, prelude::*, task::spawn_local};

use super::transfer::export_all;
use super::{Glyph, Icon, filing, rail_list::delete_folder};
use crate::{
    history::FolderId,
    language::t,
    state::{FolderDialog, use_stores},
};

/// Folders to choose from, and a field for a new one.
#[component]
pub fn MoveContent() -> impl IntoView {
    let stores = use_stores();
    let ids = StoredValue::new(stores.ui.moving.get_untracked().unwrap_or_default());
    let go = move |folder: Option<FolderId>| {
        stores.ui.moving.set(None);
        stores.selection.end();
        filing::move_to(stores, ids.get_value(), folder);
    };
    let filed = stores.library.list.with_untracked(|list| {
        ids.with_value(|ids| list.iter().any(|it| it.filing.folder.is_some() && ids.contains(&it.id)))
    });
    let name = NodeRef::<html::Input>::new();
    let create = move |event: web_sys::SubmitEvent| {
        event.prevent_default();
        let Some(name) = name.get_untracked().map(|name| name.value().trim().to_owned()) else { return };
        if !name.is_empty() {
            spawn_local(async move {
                if let Some(id) = stores.library.add_folder(&name).await {
                    go(Some(id));
                }
            });
        }
    };
    view! {
        <ul class="folder-choices" role="list">
            {filed.then(|| view! {
                <li><button type="button" class="button quiet" on:click=move |_| go(None)>{t().move_none()}</button></li>
            })}
            <For
                each=move || stores.library.folders.get()
                key=|folder| (folder.id, folder.name.clone())
                children=move |folder| view! {
                    <li>
                        <button type="button" class="button quiet" on:click=move |_| go(Some(folder.id))>
                            <Icon glyph=Glyph::Folder />
                            <span dir="auto">{folder.name}</span>
                        </button>
                    </li>
                }
            />
        </ul>
        <form class="folder-form" on:submit=create>
            <label class="field">
                <span>{t().move_new()}</span>
                <input type="text" dir="auto" required=true node_ref=name />
            </label>
            <button type="submit" class="button primary">{t().move_create()}</button>
        </form>
    }
}

/// The name and the instructions of a folder.
#[component]
pub fn FolderContent() -> impl IntoView {
    let stores = use_stores();
    let (ui, library) = (stores.ui, stores.library);
    let of = match ui.folder.get_untracked() {
        Some(FolderDialog::Of(id)) => Some(id),
        Some(FolderDialog::New) | None => None,
    };
    let before = of.and_then(|id| untrack(|| library.folder(id)));
    let (name, instructions) = (NodeRef::<html::Input>::new(), NodeRef::<html::Textarea>::new());
    let save = move |event: web_sys::SubmitEvent| {
        event.prevent_default();
        let (Some(name), Some(instructions)) = (name.get_untracked(), instructions.get_untracked()) else {
            return;
        };
        let (name, instructions) = (name.value().trim().to_owned(), instructions.value().trim().to_owned());
        if name.is_empty() {
            return;
        }
        ui.folder.set(None);
        spawn_local(async move {
            let id = match of {
                Some(id) => Some(id),
                None => library.add_folder(&name).await,
            };
            if let Some(id) = id {
                library
                    .change_folder(id, |folder| (folder.name, folder.instructions) = (name, instructions))
                    .await;
            }
        });
    };
    let delete = move |_| {
        ui.folder.set(None);
        if let Some(id) = of {
            delete_folder(stores, id);
        }
    };
    let (title, text) = before.map(|folder| (folder.name, folder.instructions)).unwrap_or_default();
    view! {
        <form class="folder-form" on:submit=save>
            <label class="field">
                <span>{t().folder_name()}</span>
                <input type="text" dir="auto" required=true node_ref=name value=title />
            </label>
            <label class="field">
                <span>{t().folder_instructions()}</span>
                <textarea rows="5" dir="auto" node_ref=instructions aria-describedby="folder-hint">{text}</textarea>
            </label>
            <p id="folder-hint" class="hint">{t().folder_instructions_hint()}</p>
            <div class="buttons">
                <button type="submit" class="button primary">{if of.is_some() { t().save() } else { t().folder_create() }}</button>
                {of.map(|_| view! {
                    <button type="button" class="button quiet" on:click=delete>{t().folder_delete()}</button>
                })}
            </div>
        </form>
    }
}

/// What is deleted, and the last question.
#[component]
pub fn DeleteAllContent() -> impl IntoView {
    let stores = use_stores();
    let open = stores.ui.delete_all;
    let count = move || t().delete_all_words(stores.library.list.with(Vec::len) as u64);
    let delete = move |_| {
        open.set(false);
        stores.selection.end();
        stores.chat.delete_everything();
    };
    view! {
        <p>{count}</p>
        <div class="buttons">
            <button type="button" class="button primary" on:click=delete>{t().delete_all_confirm()}</button>
            <button type="button" class="button" on:click=move |_| export_all(stores)>{t().rail_export_all()}</button>
            <button type="button" class="button quiet" on:click=move |_| open.set(false)>{t().cancel()}</button>
        </div>
    }
}
