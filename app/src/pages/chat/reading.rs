//! Where one was reading in a conversation: Back and a reload of the page come back to it.

use std::cell::Cell;

use leptos::{ev, prelude::*, web_sys};

use super::marks;
use crate::{
    history::{ConversationId, NodeId},
    place::Place,
    watch::on_window,
};

/// A place in a conversation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReadingPlace {
    /// The message at the upper edge of the view.
    pub node: NodeId,
    /// Pixels of it above the edge.
    pub above: i32,
}

impl ReadingPlace {
    fn write(self) -> String {
        format!("{} {}", self.node, self.above)
    }

    fn read(text: &str) -> Option<Self> {
        let (node, above) = text.split_once(' ')?;
        Some(Self { node: NodeId(node.parse().ok()?), above: above.parse().ok()? })
    }

    /// Returns the message at the upper edge of the view; `None` if there is none.
    #[must_use]
    pub fn now(scroller: &web_sys::HtmlElement) -> Option<Self> {
        let view = scroller.get_bounding_client_rect();
        let across = (view.left() + view.width() / 2.0) as f32;
        // Between two messages is nothing.
        let message = [1.0, 33.0, 65.0].into_iter().find_map(|below| {
            let element = document().element_from_point(across, view.top() as f32 + below)?;
            element.closest(".messages > [data-node]").ok().flatten()
        })?;
        let node = NodeId(message.get_attribute("data-node")?.parse().ok()?);
        let above = view.top() - message.get_bounding_client_rect().top();
        Some(Self { node, above: above as i32 })
    }

    /// Scrolls there, if the message is drawn.
    pub fn go(self, scroller: &web_sys::HtmlElement) {
        if let Some(message) = marks::message(self.node) {
            let below = message.get_bounding_client_rect().top() - scroller.get_bounding_client_rect().top();
            scroller.set_scroll_top(scroller.scroll_top() + below as i32 + self.above);
        }
    }
}

/// Keeps a place for as long as the tab is open; none forgets it.
pub fn keep(of: ConversationId, place: Option<ReadingPlace>) {
    let Some(storage) = storage() else { return };
    // Without room in the storage, the conversation opens at its end.
    match place {
        Some(place) => storage.set_item(&key(of), &place.write()).ok(),
        None => storage.remove_item(&key(of)).ok(),
    };
}

/// Returns the place to come back to in a conversation that comes on screen; `None` if it is opened anew.
#[must_use]
pub fn returned_to(id: ConversationId) -> Option<ReadingPlace> {
    if RETURNED.get() != Some(id) {
        return None;
    }
    RETURNED.set(None);
    ReadingPlace::read(&storage()?.get_item(&key(id)).ok()??)
}

/// A conversation was opened otherwise.
pub fn forget_return() {
    RETURNED.set(None);
}

/// Notes which conversation Back, Forward or the beginning of the page leads to.
pub fn watch_returns() {
    let note = || RETURNED.set(here());
    Effect::new(move |_| {
        if !BEGUN.replace(true) {
            note();
        }
    });
    on_window(ev::Custom::<web_sys::Event>::new("popstate"), move |_| note());
}

thread_local! {
    static RETURNED: Cell<Option<ConversationId>> = const { Cell::new(None) };
    /// Whether the page has begun.
    static BEGUN: Cell<bool> = const { Cell::new(false) };
}

/// The conversation that the address names.
fn here() -> Option<ConversationId> {
    match Place::of(&window().location().pathname().ok()?) {
        Place::Chat(id) => id,
        _ => None,
    }
}

fn key(of: ConversationId) -> String {
    format!("gemtab-reading-{of}")
}

fn storage() -> Option<web_sys::Storage> {
    window().session_storage().ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_as_it_was_written() {
        for place in
            [ReadingPlace { node: NodeId(7), above: 120 }, ReadingPlace { node: NodeId(1 << 60), above: -8 }]
        {
            assert_eq!(ReadingPlace::read(&place.write()), Some(place));
        }
        for other in ["", "7", "x 1", "7 x", "7 1 2"] {
            assert_eq!(ReadingPlace::read(other), None, "{other}");
        }
    }
}
