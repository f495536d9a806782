//! What stands in place of a conversation that cannot be shown.

use leptos::prelude::*;

use crate::{
    browser,
    components::technical,
    failures,
    history::ConversationId,
    language::t,
    place::{Place, use_href},
    state::{chat::Absence, use_chat, use_library, use_ui},
};

/// Why the conversation that the address names is not shown, and what can be done.
#[component]
pub fn Absent() -> impl IntoView {
    let chat = use_chat();
    let href = use_href();
    let new = move || {
        view! { <a class="button" href=move || href(Place::Chat(None))>{t().place_new()}</a> }
    };
    move || {
        match chat.missing.get() {
        None => None,
        Some(Absence::NotHere) => Some(
            view! {
                <div class="log missing">
                    <h1>{t().absent_title()}</h1>
                    <p>{t().absent_words()}</p>
                    <p>{new()}</p>
                </div>
            }
            .into_any(),
        ),
        Some(Absence::Unreadable { id, error }) => Some(
            view! {
                <div class="log missing">
                    <h1>{t().unreadable_title()}</h1>
                    <p>{t().unreadable_words()}</p>
                    <p class="muted">{failures::store(&error)}</p>
                    {technical(failures::store_details(&error))}
                    <RawButtons id=id />
                </div>
            }
            .into_any(),
        ),
        Some(Absence::Failed { id, error }) => Some(
            view! {
                <div class="log missing">
                    <h1>{t().unloaded_title()}</h1>
                    <p class="muted">{failures::store(&error)}</p>
                    {technical(failures::store_details(&error))}
                    <p>
                        <button type="button" class="button primary" on:click=move |_| chat.open_again(id)>{t().try_again()}</button>
                    </p>
                </div>
            }
            .into_any(),
        ),
    }
    }
}

/// Saves or deletes what cannot be read.
#[component]
fn RawButtons(id: ConversationId) -> impl IntoView {
    let (chat, library, ui) = (use_chat(), use_library(), use_ui());
    view! {
        <p class="buttons">
            <button type="button" class="button primary" on:click=move |_| library.save_raw(id, ui)>{t().save_raw()}</button>
            <button type="button" class="button" on:click=move |_| chat.delete_conversations(vec![id], browser::focus_somewhere)>{t().delete()}</button>
        </p>
    }
}
