//! What the page says in passing: to the eye, and to a screen reader.

use std::time::Duration;

use leptos::prelude::*;

use super::{Glyph, IconButton};
use crate::{
    language::t,
    state::{Layer, Toast, ToastAction, use_ui},
};

/// How long a line stays once it is seen.
const TOAST: Duration = Duration::from_secs(6);
/// How long one stays that has a button.
const ACTION: Duration = Duration::from_secs(20);

/// What is said in one layer of the page, while that is the topmost: below a modal dialog nothing is announced and nothing
/// can be pressed.
#[component]
pub fn Notices(
    /// The dialog; `None` for the page itself.
    #[prop(optional)]
    layer: Option<Layer>,
) -> impl IntoView {
    let ui = use_ui();
    let topmost = Memo::new(move |_| ui.topmost() == layer);
    // The region does not change with the layers: it would say again what it has said.
    let said = Memo::new(move |_| ui.said.with(|said| (said.layer == layer).then(|| said.text.clone())));
    // One at a time: those before it come back when it has gone.
    let seen = Memo::new(move |_| {
        let last = ui.toasts.with(|all| all.last().map(|toast| toast.number));
        last.filter(|_| topmost.get())
    });
    let line = move |number: u32| {
        let toast = ui.toasts.with_untracked(|all| all.iter().find(|toast| toast.number == number).cloned());
        toast.map(|toast| view! { <ToastLine toast=toast /> })
    };
    view! {
        // What happens in passing, in whole sentences, one after another, and never a token. What stays in view has a role of
        // its own where it stands.
        <div class="visually-hidden" role="status" aria-live="polite" aria-atomic="true">
            {said}
        </div>
        <Show when=move || seen.with(Option::is_some)>
            <section class="toasts" aria-label=t().notices()>
                <For each=move || seen.get() key=|number| *number children=line />
            </section>
        </Show>
    }
}

/// A line. It stays while it is pointed at or has the focus. A pointer that was left where the line appears doesn't point at it.
#[component]
fn ToastLine(toast: Toast) -> impl IntoView {
    let ui = use_ui();
    let Toast { number, text, action } = toast;
    let time = if action.is_some() { ACTION } else { TOAST };
    let close = move || ui.close_toast(number);
    let (pointed, focused) = (RwSignal::new(false), RwSignal::new(false));
    Effect::new(move |_| {
        // The timer goes when this runs again.
        if !pointed.get() && !focused.get() {
            // Every window has timers.
            set_timeout(close, time).ok();
        }
    });
    let action = action.map(|ToastAction { label, act }| {
        let press = move |_| {
            act();
            close();
        };
        view! { <button type="button" class="button quiet" on:click=press>{label}</button> }
    });
    view! {
        <div
            class="toast"
            on:pointermove=move |_| {
                if !pointed.get_untracked() {
                    pointed.set(true);
                }
            }
            on:pointerleave=move |_| pointed.set(false)
            on:focusin=move |_| focused.set(true)
            on:focusout=move |_| focused.set(false)
        >
            <span>{text}</span>
            {action}
            <IconButton glyph=Glyph::Close label=t().close() on_press=move |()| close() />
        </div>
    }
}
