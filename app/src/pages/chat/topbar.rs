//! The line above the conversation: the model, the context, the drawer.

use leptos::prelude::*;

use crate::{
    components::{Glyph, Icon, IconButton},
    language::t,
    state::{models::ModelState, use_stores},
};

/// The line.
#[component]
pub fn TopBar() -> impl IntoView {
    let stores = use_stores();
    let (ui, engine, chat) = (stores.ui, stores.engine, stores.chat);
    let name = Memo::new(move |_| engine.selection().map(|choice| choice.entry.name));
    let about = Memo::new(move |_| engine.selection().map(|choice| choice.summary()));
    let demo = Memo::new(move |_| engine.selection().is_some_and(|choice| choice.entry.demo));
    let state = Memo::new(move |_| {
        engine.model.with(|model| match model {
            ModelState::Ready { .. } => ("dot ready", t().model_loaded()),
            ModelState::Loading { .. } => ("dot loading", t().model_loading()),
            ModelState::Failed { .. } => ("dot failed", t().model_unloaded()),
            ModelState::None => ("dot", t().model_unloaded()),
        })
    });
    let context = Memo::new(move |_| {
        let size = engine.model.with(|model| match model {
            ModelState::Ready { context, .. } => Some(*context),
            _ => None,
        });
        let last = chat.conversation.with(|conversation| {
            let path = conversation.active_path();
            path.iter().rev().find_map(|&node| conversation.message(node)?.timings)
        });
        let size = size.or(last.map(|timings| timings.context_size)).filter(|&size| size > 0)?;
        Some((last.map_or(0, |timings| timings.context_used), size))
    });
    let context_view = move || {
        context.get().map(|(used, size)| {
            let words = t().context_used(used.into(), size.into());
            let short = t().context_short(used.into(), size.into());
            view! {
                <span class="context numbers" title=words.clone()>
                    <span class="visually-hidden">{words.clone()}</span>
                    <span aria-hidden="true">{short}</span>
                </span>
            }
        })
    };
    view! {
        <header class="topbar">
            <IconButton glyph=Glyph::Menu label=t().rail_title() class="rail-button" on_press=move |()| ui.rail.set(true) />
            <button
                type="button"
                class="model-button"
                aria-haspopup="dialog"
                aria-label=move || match name.get() {
                    Some(name) => t().model_button(&name, state.get().1),
                    None => t().choose_model().to_owned(),
                }
                on:click=move |_| ui.picker.set(true)
            >
                <span class=move || state.get().0 aria-hidden="true"></span>
                <span class="model-button-name">{move || name.get().unwrap_or_else(|| t().choose_model().to_owned())}</span>
                {move || demo.get().then(|| view! { <span class="tag">{t().model_demo()}</span> })}
                <span class="model-button-about muted">{move || about.get()}</span>
                <Icon glyph=Glyph::Down />
            </button>
            {context_view}
            <IconButton
                glyph=Glyph::Sliders
                label=t().palette_drawer()
                on_press=move |()| ui.drawer.update(|open| *open = !*open)
            />
        </header>
    }
    .into_any()
}
