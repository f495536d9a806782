//! This tab among those of this browser. It has a name, under which it keeps what no other tab may overwrite.
//!
//! The name outlives a reload, in the session's storage. While a page has it, it is not there: a tab that is duplicated gets a
//! copy of that storage, and would be called the same. A lock tells other tabs that this one is open.

use std::collections::BTreeSet;

use leptos::{ev, prelude::*};

use crate::history::ConversationId;
use crate::locks::{self, Lock};

/// Where the name is while no page has it.
const KEY: &str = "gemtab-tab";
/// The locks of open tabs begin with this.
const LOCK: &str = "gemtab-tab-";

/// Returns the name of this tab. The lock goes with the page.
#[must_use]
pub fn claim() -> (String, Option<Lock>) {
    // A tab without such a storage is a new one after a reload.
    let storage = || window().session_storage().ok().flatten();
    let taken = storage().and_then(|storage| {
        let name = storage.get_item(KEY).ok().flatten()?;
        storage.remove_item(KEY).ok()?;
        Some(name)
    });
    let name = taken.unwrap_or_else(|| ConversationId::random().to_string());
    // These listeners live as long as the page.
    window_event_listener(ev::pagehide, {
        let name = name.clone();
        move |_| {
            if let Some(storage) = storage() {
                storage.set_item(KEY, &name).ok();
            }
        }
    });
    // The browser may show a page again that was left.
    window_event_listener(ev::pageshow, move |event| {
        if let Some(storage) = storage().filter(|_| event.persisted()) {
            storage.remove_item(KEY).ok();
        }
    });
    let lock = locks::hold(&format!("{LOCK}{name}"));
    (name, lock)
}

/// Returns the names of the tabs that are open.
pub async fn open() -> BTreeSet<String> {
    locks::named(LOCK).await
}
