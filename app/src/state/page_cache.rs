//! The browser's back/forward cache: a page that is left may be frozen, with its worker and its locks, and shown again as it was.
//! A page that shares its engine with no other keeps it, and comes back as it was.

use leptos::{ev, prelude::*, task::spawn_local};

use super::engine::EngineStore;

impl EngineStore {
    /// Leaves the engine to other tabs when this page is frozen. If it comes back without its share, it is reloaded.
    pub(super) fn watch_page_cache(self) {
        // These listeners live as long as the page.
        window_event_listener(ev::pagehide, move |event| {
            if event.persisted()
                && let Some(client) = self.client.get_value()
            {
                client.yield_to_others();
            }
        });
        window_event_listener(ev::pageshow, move |event| {
            if event.persisted()
                && let Some(client) = self.client.get_value()
            {
                spawn_local(async move {
                    if !client.is_intact().await {
                        // It does not throw in a page that is shown.
                        window().location().reload().ok();
                    }
                });
            }
        });
    }
}
