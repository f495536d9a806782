//! Dialogs: the browser's own, which keeps the focus inside, closes on Esc and gives the focus back.

use leptos::{ev, html, prelude::*};
use send_wrapper::SendWrapper;
use wasm_bindgen::JsCast as _;

use super::{Glyph, IconButton, Notices};
use crate::{browser, language::t, state::use_ui, watch::on_window};

/// What opens a dialog: a switch, or something to be shown or asked, which is forgotten when the dialog closes.
#[derive(Clone, Copy)]
pub struct Opener {
    is_open: Memo<bool>,
    close: Callback<()>,
}

impl From<RwSignal<bool>> for Opener {
    fn from(open: RwSignal<bool>) -> Self {
        Self { is_open: Memo::new(move |_| open.get()), close: Callback::new(move |()| open.set(false)) }
    }
}

impl<T: Send + Sync + 'static> From<RwSignal<Option<T>>> for Opener {
    fn from(shown: RwSignal<Option<T>>) -> Self {
        let is_open = Memo::new(move |_| shown.with(Option::is_some));
        Self { is_open, close: Callback::new(move |()| shown.set(None)) }
    }
}

impl Opener {
    /// Closes the dialog.
    pub fn close(self) {
        self.close.run(());
    }
}

/// A modal dialog with a heading.
#[component]
pub fn Dialog(
    /// What opens it.
    #[prop(into)]
    open: Opener,
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
    let children = StoredValue::new(children);
    view! {
        <DialogFrame open=open title=title class=format!("dialog {class}")>
            <div class="dialog-body">
                <Show when=move || !bare>
                    <header class="dialog-head">
                        <h2>{title}</h2>
                        <IconButton glyph=Glyph::Close label=t().close() on_press=move |()| open.close() />
                    </header>
                </Show>
                {children.with_value(|children| children())}
            </div>
        </DialogFrame>
    }
}

/// The element of a dialog. Its content is there only while it is open.
#[component]
pub fn DialogFrame(
    /// What opens it.
    #[prop(into)]
    open: Opener,
    /// Its name.
    #[prop(into)]
    title: Signal<String>,
    /// Its class.
    #[prop(into)]
    class: String,
    /// Whether it opens as a modal one. Without this it always does, and a press beside it closes it.
    #[prop(optional)]
    is_modal: Option<fn() -> bool>,
    /// What it holds.
    children: ChildrenFn,
) -> impl IntoView {
    let ui = use_ui();
    let layer = ui.layer();
    let node = NodeRef::<html::Dialog>::new();
    let before = StoredValue::new(None::<SendWrapper<web_sys::HtmlElement>>);
    // From when it is shown until just before we close it.
    let shown = StoredValue::new(false);
    let show = move |dialog: &web_sys::HtmlDialogElement| {
        if is_modal.is_none_or(|is_modal| is_modal()) {
            // It is in the document and closed, so the browser has no reason to refuse.
            dialog.show_modal().ok();
            ui.layer_opened(layer);
        } else {
            dialog.show();
        }
    };
    Effect::new(move |_| {
        let Some(dialog) = node.get() else { return };
        if !open.is_open.get() {
            shown.set_value(false);
            if dialog.open() {
                dialog.close();
            }
            ui.layer_closed(layer);
            // The browser gives the focus back from a modal dialog only.
            if let Some(before) = before.try_update_value(Option::take).flatten()
                && browser::focused().is_none()
            {
                before.focus().ok();
            }
            return;
        }
        // The content is drawn first, so that the focus finds its place in it.
        browser::next_frame(move || {
            if open.is_open.try_get_untracked() != Some(true) || dialog.open() {
                return;
            }
            before.set_value(browser::focused().map(SendWrapper::new));
            shown.set_value(true);
            show(&dialog);
        });
    });
    if let Some(is_modal) = is_modal {
        // The window was made narrower or wider.
        on_window(ev::resize, move |_| {
            let open = node.get_untracked().filter(|dialog| dialog.open());
            if let Some(dialog) = open.filter(|it| it.matches(":modal").is_ok_and(|was| was != is_modal())) {
                dialog.close();
                ui.layer_closed(layer);
                show(&dialog);
            }
        });
    }
    on_cleanup(move || ui.layer_closed(layer));
    // The dialog's own element, which its content covers everywhere, so that only a press beside the dialog meets it.
    let is_own = move |event: &web_sys::Event| {
        let target = event.target().and_then(|target| target.dyn_into::<web_sys::Node>().ok());
        node.get_untracked().is_some_and(|dialog| dialog.is_same_node(target.as_ref()))
    };
    // A press has to begin there, too: a selection that is drawn out of a field ends there.
    let began_beside = StoredValue::new(false);
    let press = move |event: web_sys::MouseEvent| {
        if is_modal.is_none() && began_beside.get_value() && is_own(&event) {
            open.close();
        }
    };
    // Esc begins with this event: `close` is a later task, before which a key may ask for the dialog again. A file field in the
    // dialog has such an event, too.
    let cancel = move |event: web_sys::Event| {
        if is_own(&event) {
            open.close();
        }
    };
    // The browser has closed it. Our own `close()` fires this, too, in a later task, by which time the dialog may have been
    // opened again.
    let closed = move |_| {
        let on_screen = node.get_untracked().is_some_and(|dialog| dialog.open());
        if shown.get_value() && !on_screen {
            open.close();
        }
    };
    let children = StoredValue::new(children);
    view! {
        <dialog
            node_ref=node
            class=class
            aria-label=title
            on:cancel=cancel
            on:close=closed
            on:pointerdown=move |event| began_beside.set_value(is_own(&event))
            on:click=press
        >
            <Show when=move || open.is_open.get()>{children.with_value(|children| children())}</Show>
            <Notices layer=layer />
        </dialog>
    }
}
