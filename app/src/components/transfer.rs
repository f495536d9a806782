//! Conversations as files: export and import.

use leptos::{prelude::*, task::spawn_local};
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use super::transfer_acts::{self, Format};
use crate::{history::ConversationId, language::t, state::Stores};

/// What is exported or imported.
enum Transfer {
    Import,
    Some(Vec<ConversationId>, String),
    One(ConversationId, Format),
}

/// Everything that only this function needs is in the part that comes later.
#[wasm_split(later, fallible)]
fn act(stores: Stores, what: Transfer) -> Result<(), SplitLoaderError> {
    match what {
        Transfer::Import => transfer_acts::pick_archive(stores),
        Transfer::Some(ids, name) => transfer_acts::export_json(stores, ids, name),
        Transfer::One(id, format) => transfer_acts::export_one(stores, id, format),
    }
    Ok(())
}

fn begin(stores: Stores, what: Transfer) {
    spawn_local(async move {
        if act(stores, what).await.is_err() {
            stores.ui.toast(t().later_missing());
        }
    });
}

/// Saves all conversations in a file.
pub fn export_all(stores: Stores) {
    let ids = stores.library.list.with_untracked(|list| list.iter().map(|it| it.id).collect());
    export_json(stores, ids, t().export_file().to_owned());
}

/// Offers conversations as a file to keep.
pub fn export_json(stores: Stores, ids: Vec<ConversationId>, name: String) {
    begin(stores, Transfer::Some(ids, name));
}

/// Offers a conversation as a file to keep, or prints it.
pub fn export_one(stores: Stores, id: ConversationId, format: Format) {
    begin(stores, Transfer::One(id, format));
}

/// Has the user pick a file of conversations to import.
pub fn pick_archive(stores: Stores) {
    begin(stores, Transfer::Import);
}
