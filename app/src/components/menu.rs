//! A few actions behind a button.

use leptos::{html, prelude::*};
use wasm_bindgen::JsCast as _;

use super::{Glyph, Icon};

/// A button that opens a list of [`MenuItem`]s. It closes when one is pressed, on Esc, and when the focus goes away.
#[component]
pub fn Menu(
    /// What the actions are for, in words.
    #[prop(into)]
    label: Signal<String>,
    /// The actions.
    children: ChildrenFn,
) -> impl IntoView {
    let open = RwSignal::new(false);
    let root = NodeRef::<html::Div>::new();
    let button = NodeRef::<html::Button>::new();
    let leave = move |event: web_sys::FocusEvent| {
        let to = event.related_target().and_then(|to| to.dyn_into::<web_sys::Node>().ok());
        if let Some(root) = root.get_untracked()
            && !root.contains(to.as_ref())
        {
            open.set(false);
        }
    };
    let key = move |event: web_sys::KeyboardEvent| {
        if event.key() == "Escape" && open.get_untracked() {
            event.stop_propagation();
            open.set(false);
            if let Some(button) = button.get_untracked() {
                // The button is still there.
                button.focus().ok();
            }
        }
    };
    let children = StoredValue::new(children);
    view! {
        <div class="menu" node_ref=root on:focusout=leave on:keydown=key>
            <button
                type="button"
                class="icon-button"
                node_ref=button
                aria-label=label
                title=label
                aria-expanded=move || open.get().to_string()
                on:click=move |_| open.update(|open| *open = !*open)
            >
                <Icon glyph=Glyph::More />
            </button>
            <Show when=move || open.get()>
                <div class="menu-list" on:click=move |_| open.set(false)>
                    {children.with_value(|children| children())}
                </div>
            </Show>
        </div>
    }
}

/// An action of a [`Menu`].
#[component]
pub fn MenuItem(
    /// What is drawn.
    glyph: Glyph,
    /// What it does, in words.
    label: &'static str,
    /// What it does.
    #[prop(into)]
    on_press: Callback<()>,
) -> impl IntoView {
    view! {
        <button type="button" class="menu-item" on:click=move |_| on_press.run(())>
            <Icon glyph=glyph />
            <span>{label}</span>
        </button>
    }
}
