//! On narrow pages, Back closes the topmost dialog. Some browsers do this by themselves; for the others, an open dialog has a
//! history entry of its own.

use js_sys::{Object, Reflect};
use leptos::{ev, prelude::*, web_sys};
use leptos_router::hooks::use_location;
use wasm_bindgen::{JsCast as _, JsValue};

use crate::{browser, state::Ui, watch::on_window};

/// Marks the history entry of an open dialog.
const MARK: &str = "gemtabLayer";

/// A history entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Entry {
    path: String,
    /// Whether it is that of an open dialog.
    marked: bool,
}

/// How to respond when the history moves to another entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Close the topmost dialog.
    Close,
    /// Go back once more, past the entry of a dialog that is closed already.
    GoOn,
    /// Do nothing.
    Stay,
}

/// Returns the response to a move from one entry to another.
fn step(from: &Entry, to: &Entry, is_open: bool) -> Step {
    match (from.marked, to.marked) {
        (true, false) if from.path == to.path => {
            if is_open {
                Step::Close
            } else {
                Step::GoOn
            }
        }
        // Back from a page that was opened from a dialog.
        (false, true) if from.path != to.path && !is_open => Step::GoOn,
        _ => Step::Stay,
    }
}

/// Listens for Back and Forward.
pub fn follow_back(ui: Ui) {
    let path = use_location().pathname;
    let last = StoredValue::new(Entry::default());
    let mark = move || {
        if browser::is_narrow() && !now().marked && push() {
            last.set_value(now());
        }
    };
    Effect::new(move |_| {
        path.with(|path| {
            last.update_value(|last| {
                if last.path != *path {
                    *last = Entry { path: path.clone(), marked: false };
                }
            });
        });
    });
    let is_open = Memo::new(move |_| ui.topmost().is_some());
    Effect::new(move |_| {
        if is_open.get() {
            mark();
        }
    });
    on_window(ev::Custom::<web_sys::Event>::new("popstate"), move |_| {
        let (from, to) = (last.get_value(), now());
        last.set_value(to.clone());
        match step(&from, &to, is_open.get_untracked()) {
            Step::Close => {
                close_topmost();
                if browser::modal_is_open() {
                    mark();
                }
            }
            // The browser refuses nothing here: it has come from there.
            Step::GoOn => drop(window().history().and_then(|history| history.back())),
            Step::Stay => {}
        }
    });
}

/// The current entry.
fn now() -> Entry {
    let state = window().history().and_then(|history| history.state()).unwrap_or(JsValue::NULL);
    let marked = Reflect::get(&state, &MARK.into()).is_ok_and(|mark| mark.is_truthy());
    Entry { path: window().location().pathname().unwrap_or_default(), marked }
}

/// Adds a marked entry. Returns whether the browser accepted it.
fn push() -> bool {
    let state = Object::new();
    Reflect::set(&state, &MARK.into(), &true.into()).is_ok()
        && window().history().is_ok_and(|history| history.push_state(&state, "").is_ok())
}

/// Closes the dialog that is above all others.
fn close_topmost() {
    let Ok(open) = document().query_selector_all("dialog:modal") else { return };
    let last = open.length().checked_sub(1).and_then(|last| open.get(last));
    if let Some(dialog) = last.and_then(|it| it.dyn_into::<web_sys::HtmlDialogElement>().ok()) {
        dialog.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn back_closes_what_is_open_and_never_seems_to_do_nothing() {
        let entry = |path: &str, marked| Entry { path: path.into(), marked };
        let (page, layer, next) = (entry("/c/1", false), entry("/c/1", true), entry("/models", false));
        assert_eq!(step(&layer, &page, true), Step::Close);
        assert_eq!(step(&layer, &page, false), Step::GoOn, "it was closed otherwise");
        assert_eq!(step(&next, &layer, false), Step::GoOn, "back from where a dialog led");
        assert_eq!(step(&page, &layer, false), Step::Stay, "forward");
        assert_eq!(step(&layer, &next, false), Step::Stay, "forward");
        assert_eq!(step(&next, &page, false), Step::Stay);
    }
}
