//! The line above the conversation: the model, the context, the drawer.

use leptos::prelude::*;

use crate::{
    components::{Glyph, IconButton, ModelButton},
    language::t,
    state::{models::ModelState, use_stores},
};

/// The line.
#[component]
pub fn TopBar() -> impl IntoView {
    let stores = use_stores();
    let (ui, engine, chat) = (stores.ui, stores.engine, stores.chat);
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
            <ModelButton />
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
