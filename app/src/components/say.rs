//! What the page says in passing: to the eye, and to a screen reader.

use std::time::Duration;

use leptos::prelude::*;

use super::{Glyph, IconButton};
use crate::state::{Toast, use_stores};

/// How long a line at the lower edge stays.
const TOAST_TIME: Duration = Duration::from_secs(7);

/// The one live region. It says whole sentences, one after another, and never a token.
#[component]
pub fn LiveRegion() -> impl IntoView {
    let said = use_stores().ui.said;
    view! {
        <div class="visually-hidden" role="status" aria-live="polite" aria-atomic="true">
            {said}
        </div>
    }
}

/// The line at the lower edge.
#[component]
pub fn ToastView() -> impl IntoView {
    let toast = use_stores().ui.toast;
    let shown = StoredValue::new(0_u32);
    Effect::new(move |_| {
        if toast.with(Option::is_none) {
            return;
        }
        let now = shown.get_value().wrapping_add(1);
        shown.set_value(now);
        set_timeout(
            move || {
                if shown.try_get_value() == Some(now) {
                    toast.set(None);
                }
            },
            TOAST_TIME,
        );
    });
    let line = move |Toast { text, undo }: Toast| {
        let undo = undo.map(|undo| {
            let press = move |_| {
                undo();
                toast.set(None);
            };
            view! { <button type="button" class="button quiet" on:click=press>"Undo"</button> }
        });
        view! {
            <aside class="toast" aria-label="Notice">
                <span>{text}</span>
                {undo}
                <IconButton glyph=Glyph::Close label="Close" on_press=move |()| toast.set(None) />
            </aside>
        }
    };
    move || toast.get().map(line)
}
