//! Moving conversations in the list: pins, folders, the archive. All of it can be undone.

use std::collections::BTreeMap;

use leptos::{
    prelude::*,
    task::{spawn_local, tick},
};

use crate::{
    history::{ConversationId, Filing, FolderId},
    language::t,
    state::Stores,
};

/// What conversations are dragged as: their ids.
const DRAGGED: &str = "application/x-gemtab-conversations";

/// Begins to drag a conversation, and with one that is selected all that are.
pub fn drag(stores: Stores, event: &web_sys::DragEvent, id: ConversationId) {
    let selection = stores.selection;
    let ids = if untrack(|| selection.contains(id)) { selection.in_order() } else { vec![id] };
    let ids: Vec<_> = ids.iter().map(ToString::to_string).collect();
    if let Some(data) = event.data_transfer() {
        // What cannot be dragged has a menu.
        data.set_data(DRAGGED, &ids.join(" ")).ok();
    }
}

/// Whether conversations are dragged.
#[must_use]
pub fn is_dragged(event: &web_sys::DragEvent) -> bool {
    event.data_transfer().is_some_and(|data| data.types().includes(&DRAGGED.into(), 0))
}

/// The conversations that were dropped; none if it is something else.
#[must_use]
pub fn dragged(event: &web_sys::DragEvent) -> Vec<ConversationId> {
    let ids = event.data_transfer().and_then(|data| data.get_data(DRAGGED).ok()).unwrap_or_default();
    ids.split_whitespace().filter_map(|id| id.parse().ok()).collect()
}

/// Puts conversations at the top of the list, or back among the others; then calls `then`.
pub fn set_pinned(stores: Stores, ids: Vec<ConversationId>, pinned: bool, then: impl FnOnce() + 'static) {
    // What is at the top is not put away.
    change(stores, ids, None, move |it| (it.pinned, it.archived) = (pinned, it.archived && !pinned), then);
}

/// Puts conversations away, or takes them back.
pub fn set_archived(stores: Stores, ids: Vec<ConversationId>, archived: bool) {
    let words = archived.then(|| t().archived(ids.len() as u64));
    change(
        stores,
        ids,
        words,
        move |it| (it.archived, it.pinned) = (archived, it.pinned && !archived),
        || (),
    );
}

/// Moves conversations to a folder, or out of theirs.
pub fn move_to(stores: Stores, ids: Vec<ConversationId>, folder: Option<FolderId>) {
    let count = ids.len() as u64;
    let name = folder.and_then(|id| untrack(|| stores.library.folder(id))).map(|folder| folder.name);
    let words = name.map_or_else(|| t().moved_out(count), |name| t().moved(count, &name));
    change(stores, ids, Some(words), move |it| (it.folder, it.archived) = (folder, false), || ());
}

/// Changes where conversations are, unless they are there already, and says so. Calls `then` once the list shows it.
fn change(
    stores: Stores,
    ids: Vec<ConversationId>,
    words: Option<String>,
    change: impl Fn(&mut Filing) + Copy + 'static,
    then: impl FnOnce() + 'static,
) {
    let library = stores.library;
    let before: BTreeMap<_, _> = library.list.with_untracked(|list| {
        let moved = list.iter().filter(|it| {
            let mut after = it.filing;
            change(&mut after);
            ids.contains(&it.id) && after != it.filing
        });
        moved.map(|it| (it.id, it.filing)).collect()
    });
    if before.is_empty() {
        return;
    }
    spawn_local(async move {
        let ids: Vec<_> = before.keys().copied().collect();
        library.file(&ids, move |_, filing| change(filing)).await;
        tick().await;
        then();
        let Some(words) = words else { return };
        stores.ui.toast_with_undo(words, move || {
            let (ids, before) = (ids.clone(), before.clone());
            spawn_local(async move {
                library.file(&ids, |id, filing| *filing = before.get(&id).copied().unwrap_or(*filing)).await;
            });
        });
    });
}
