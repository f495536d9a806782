//! What the page says in passing: to the eye, and to a screen reader.

use std::time::Duration;

use leptos::prelude::*;

use super::{Glyph, IconButton};
use crate::{
    language::t,
    state::{Layer, Toast, ToastAction, use_stores},
};

/// How long a line stays once it is seen.
const TOAST: Duration = Duration::from_secs(8);
/// How long one stays that has a button.
const ACTION: Duration = Duration::from_secs(20);
/// Lines that are seen at once. The others come when these have gone.
const SEEN: usize = 3;

/// What is said in one layer of the page, while that is the topmost: below a modal dialog nothing is announced and nothing
/// can be pressed.
#[component]
pub fn Notices(
    /// The dialog; none for the page itself.
    #[prop(optional)]
    layer: Option<Layer>,
) -> impl IntoView {
    let ui = use_stores().ui;
    let topmost = Memo::new(move |_| ui.topmost() == layer);
    // The region does not change with the layers: it would say again what it has said.
    let said = Memo::new(move |_| ui.said.with(|said| (said.layer == layer).then(|| said.text.clone())));
    let seen = Memo::new(move |_| {
        let all = ui.toasts.with(|all| all.iter().take(SEEN).map(|toast| toast.number).collect::<Vec<_>>());
        if topmost.get() { all } else { Vec::new() }
    });
    let line = move |number: u32| {
        let toast = ui.toasts.with_untracked(|all| all.iter().find(|toast| toast.number == number).cloned());
        toast.map(|toast| view! { <ToastLine toast=toast /> })
    };
    view! {
        // The one live region. It says whole sentences, one after another, and never a token.
        <div class="visually-hidden" role="status" aria-live="polite" aria-atomic="true">
            {said}
        </div>
        <Show when=move || !seen.with(Vec::is_empty)>
            <section class="toasts" aria-label=t().notices()>
                <For each=move || seen.get() key=|number| *number children=line />
            </section>
        </Show>
    }
    .into_any()
}

/// A line. It stays while it is pointed at or has the focus.
#[component]
fn ToastLine(toast: Toast) -> impl IntoView {
    let ui = use_stores().ui;
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
            on:pointerenter=move |_| pointed.set(true)
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
