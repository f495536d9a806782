//! A modal dialog: the browser's own, which keeps the focus inside, closes on Esc and gives the focus back.

use leptos::{html, prelude::*};
use wasm_bindgen::JsCast as _;

use super::{Glyph, IconButton, Notices};
use crate::{browser, language::t, state::use_stores};

/// A dialog with a heading. Its content is there only while it is open.
#[component]
pub fn Dialog(
    /// Whether it is open.
    open: RwSignal<bool>,
    /// Its heading.
    #[prop(into)]
    title: Signal<String>,
    /// A class beside `dialog`.
    #[prop(optional)]
    class: &'static str,
    /// Whether the heading is for screen readers alone.
    #[prop(optional)]
    bare: bool,
    /// What it holds.
    children: ChildrenFn,
) -> impl IntoView {
    let ui = use_stores().ui;
    let layer = ui.layer();
    let node = NodeRef::<html::Dialog>::new();
    let shown = StoredValue::new(false);
    Effect::new(move |_| {
        let Some(dialog) = node.get() else { return };
        if !open.get() {
            shown.set_value(false);
            if dialog.open() {
                dialog.close();
            }
            ui.layer_closed(layer);
            return;
        }
        // The content is drawn first, so that the focus finds its place in it.
        browser::next_frame(move || {
            if open.try_get_untracked() == Some(true) && !dialog.open() {
                // It is in the document and closed, so the browser has no reason to refuse.
                dialog.show_modal().ok();
                shown.set_value(true);
                ui.layer_opened(layer);
            }
        });
    });
    on_cleanup(move || ui.layer_closed(layer));
    // A press beside the dialog meets the dialog's own element, which its content covers everywhere else. It has to begin
    // there, too: a selection that is drawn out of a field ends there.
    let is_beside = move |event: &web_sys::MouseEvent| {
        let target = event.target().and_then(|target| target.dyn_into::<web_sys::Node>().ok());
        node.get_untracked().is_some_and(|dialog| dialog.is_same_node(target.as_ref()))
    };
    let began_beside = StoredValue::new(false);
    let press = move |event: web_sys::MouseEvent| {
        if began_beside.get_value() && is_beside(&event) {
            open.set(false);
        }
    };
    let children = StoredValue::new(children);
    view! {
        <dialog
            node_ref=node
            class=format!("dialog {class}")
            aria-label=title
            on:cancel=move |event| follow_cancel(node, open, &event)
            on:close=move |_| follow_close(node, open, shown)
            on:pointerdown=move |event| began_beside.set_value(is_beside(&event))
            on:click=press
        >
            <Show when=move || open.get()>
                <div class="dialog-body">
                    <Show when=move || !bare>
                        <header class="dialog-head">
                            <h2>{title}</h2>
                            <IconButton glyph=Glyph::Close label=t().close() on_press=move |()| open.set(false) />
                        </header>
                    </Show>
                    {children.with_value(|children| children())}
                </div>
            </Show>
            <Notices layer=layer />
        </dialog>
    }
    .into_any()
}

/// Handles the `cancel` event of a dialog, with which Esc begins: the `close` event is a later task, before which a key may ask
/// for the dialog again. A file field in the dialog has such an event, too.
pub fn follow_cancel(node: NodeRef<html::Dialog>, open: RwSignal<bool>, event: &web_sys::Event) {
    let target = event.target().and_then(|target| target.dyn_into::<web_sys::Node>().ok());
    if node.get_untracked().is_some_and(|dialog| dialog.is_same_node(target.as_ref())) {
        open.set(false);
    }
}

/// Handles the `close` event of a dialog: when the browser has closed it, as on Esc, `open` becomes false.
///
/// Our own `close()` fires the event too, in a later task, by which time the dialog may have been opened again. So `shown`
/// is true from when the dialog is shown until just before we close it.
pub fn follow_close(node: NodeRef<html::Dialog>, open: RwSignal<bool>, shown: StoredValue<bool>) {
    let on_screen = node.get_untracked().is_some_and(|dialog| dialog.open());
    if shown.get_value() && !on_screen {
        open.set(false);
    }
}

/// Opens a dialog when there is something to ask. Once it is closed, what it asked about is forgotten.
pub fn open_while<T: Send + Sync + 'static>(asked: RwSignal<Option<T>>) -> RwSignal<bool> {
    let open = RwSignal::new(false);
    Effect::new(move |_| {
        if asked.with(Option::is_some) {
            open.set(true);
        }
    });
    // Only a change is set: setting wakes the effect above.
    Effect::new(move |_| {
        if !open.get() && asked.with_untracked(Option::is_some) {
            asked.set(None);
        }
    });
    open
}
