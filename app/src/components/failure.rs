//! What went wrong, where it went wrong, with what can be done.

use leptos::prelude::*;
use protocol::failure::StorageFailure;
use protocol::{Code, Failure, Remedy};

use super::{Glyph, Icon, IconButton};
use crate::{
    browser, failures, format,
    history::StoreError,
    language::t,
    place::Place,
    state::{models::ModelState, use_chat, use_engine, use_stores, use_ui},
};

/// A failure in words, with a button for each remedy that there is one for.
#[component]
pub fn FailureBox(
    /// What happened.
    failure: Failure,
    /// Tries the same again; without it there is no such button.
    #[prop(optional, into)]
    retry: Option<Callback<()>>,
    /// Takes it away; without it, it stays.
    #[prop(optional, into)]
    on_close: Option<Callback<()>>,
) -> impl IntoView {
    let buttons: Vec<_> = failure
        .remedies()
        .iter()
        .enumerate()
        .filter_map(|(index, remedy)| remedy_button(remedy, retry, index == 0))
        .collect();
    view! {
        <div class="failure" role="group" aria-label=t().failure_title()>
            <Icon glyph=Glyph::Warning />
            <div class="failure-body">
                <p>{failures::sentence(&failure)}</p>
                {technical(failures::details(&failure))}
                <div class="buttons">{buttons}</div>
            </div>
            {on_close.map(|close| view! { <IconButton glyph=Glyph::Close label=t().close() on_press=close /> })}
        </div>
    }
}

/// What engineers may want to know, folded.
pub fn technical(details: Option<String>) -> impl IntoView {
    details.map(|details| {
        view! {
            <details class="fold">
                <summary>{t().failure_details()}</summary>
                <p class="muted">{details}</p>
            </details>
        }
    })
}

fn remedy_button(remedy: &Remedy, retry: Option<Callback<()>>, first: bool) -> Option<AnyView> {
    let (chat, engine, ui) = (use_chat(), use_engine(), use_ui());
    let (label, press): (String, Callback<()>) = match remedy {
        Remedy::Retry => (t().try_again().into(), retry?),
        Remedy::SmallerContext(context) => {
            let context = *context;
            let label = t().use_context(context.into());
            let press = Callback::new(move |()| {
                chat.edit(|conversation| conversation.options.context = context);
                let choice = engine.model.with_untracked(|model| model.choice().cloned());
                if let Some(choice) = choice.or_else(|| engine.selection_now()) {
                    engine.load(choice, context);
                }
            });
            (label, press)
        }
        Remedy::UseMemory(bytes) => {
            let label = t().use_memory(&format::bytes(*bytes));
            let press = Callback::new(move |()| {
                let choice = engine.model.with_untracked(|model| model.choice().cloned());
                if let Some(choice) = choice.or_else(|| engine.selection_now()) {
                    let context = chat.conversation.with_untracked(|it| it.options.context);
                    engine.load_with_memory(choice, context);
                }
            });
            (label, press)
        }
        Remedy::OtherModel => (t().other_model().into(), Callback::new(move |()| ui.picker.set(true))),
        Remedy::NewChat => {
            (t().place_new().into(), Callback::new(move |()| ui.go(&Place::Chat(None).path())))
        }
        Remedy::ReloadPage => (t().reload_page().into(), Callback::new(|()| browser::reload())),
        Remedy::EnableWebGpu => (t().webgpu_how().into(), Callback::new(move |()| ui.advice.set(true))),
        Remedy::FreeStorage => {
            (t().see_saved().into(), Callback::new(move |()| ui.go(&Place::Models.path())))
        }
    };
    let class = if first { "button primary" } else { "button" };
    Some(
        view! { <button type="button" class=class on:click=move |_| press.run(())>{label}</button> }
            .into_any(),
    )
}

/// Why the last load failed or a file was not opened, with what can be done. Nothing when all went well.
#[component]
pub fn LoadFailure() -> impl IntoView {
    let engine = use_engine();
    let refused = move || {
        let close = Callback::new(move |()| engine.refused.set(None));
        engine.refused.get().map(|failure| view! { <FailureBox failure=failure on_close=close /> })
    };
    let failed = move || match engine.model.get() {
        ModelState::Failed { choice, failure } => {
            let context = use_chat().conversation.with_untracked(|conversation| conversation.options.context);
            let retry = Callback::new(move |()| engine.load((*choice).clone(), context));
            Some(view! { <FailureBox failure=failure retry=retry /> })
        }
        _ => None,
    };
    view! {
        {refused}
        {failed}
    }
}

/// Trouble that concerns no single request. Nothing when there is none.
#[component]
pub fn EngineTrouble() -> impl IntoView {
    let stores = use_stores();
    let (engine, unsaved) = (stores.engine, stores.library.unsaved);
    // What is saved decides what can be done about a full storage.
    Effect::new(move |_| {
        let full = engine.trouble.with(|it| it.as_ref().is_some_and(is_full))
            || unsaved.with(|it| it.as_ref().is_some_and(|it| it.error == StoreError::Full));
        if full && engine.cache.with_untracked(Option::is_none) {
            engine.read_cache(Vec::new());
        }
    });
    move || {
        let failure = engine.trouble.get()?;
        if is_full(&failure) {
            // That there is no room is said once.
            return unsaved.with(Option::is_none).then(|| view! { <NotKept failure=failure /> }.into_any());
        }
        let close = Callback::new(move |()| engine.trouble.set(None));
        Some(view! { <FailureBox failure=failure on_close=close /> }.into_any())
    }
}

/// Whether the browser had no room to keep a model that was loaded.
fn is_full(failure: &Failure) -> bool {
    matches!(failure.code, Code::Storage(StorageFailure::NoRoom { .. } | StorageFailure::Full { .. }))
}

/// A model works, and was not kept: one line, with a button only if there is something to delete.
#[component]
fn NotKept(failure: Failure) -> impl IntoView {
    let (engine, ui) = (use_engine(), use_ui());
    let saved = Memo::new(move |_| engine.has_saved() == Some(true));
    view! {
        <div class="notice slim warning" role="group" aria-label=t().failure_title()>
            <Icon glyph=Glyph::Warning />
            <p>{failures::sentence(&failure)}</p>
            <Show when=move || saved.get()>
                <button type="button" class="button" on:click=move |_| ui.go(&Place::Models.path())>
                    {t().see_saved()}
                </button>
            </Show>
            <button type="button" class="button quiet" on:click=move |_| engine.trouble.set(None)>{t().close()}</button>
        </div>
    }
}
