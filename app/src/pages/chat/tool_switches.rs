//! The parts of the drawer for tools and the format of answers.

use leptos::prelude::*;

use crate::{
    components::{FormatFields, ToolFields},
    language::t,
    state::{models::ModelState, use_chat, use_engine},
};

/// The tools, and the format of answers.
#[component]
pub fn ToolSwitches() -> impl IntoView {
    let (chat, engine) = (use_chat(), use_engine());
    let tools = Memo::new(move |_| chat.conversation.with(|it| it.options.tools.clone()));
    let format = Memo::new(move |_| chat.conversation.with(|it| it.options.format.clone()));
    let unable = Memo::new(move |_| {
        engine.model.with(|model| match model {
            ModelState::Ready { details, .. } => [!details.capabilities.tools, details.diffusion.is_some()],
            _ => [false, false],
        })
    });
    view! {
        <section class="part">
            <h3>{t().tools_title()}</h3>
            <Show when=move || unable.get().contains(&true)>
                <p class="hint">{t().failure_request_unconstrained()}</p>
            </Show>
            <ToolFields value=tools on_change=move |tools| chat.edit(|it| it.options.tools = tools) />
        </section>
        <section class="part">
            <FormatFields value=format on_change=move |format| chat.edit(|it| it.options.format = format) />
        </section>
    }
}
