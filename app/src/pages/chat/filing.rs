//! What is said of where a conversation is kept: its folder, or nowhere.

use leptos::prelude::*;

use crate::{
    components::{Glyph, Icon},
    history::Conversation,
    language::t,
    state::{FolderDialog, use_chat, use_library, use_ui},
};

/// The folder of the conversation, which may have instructions of its own.
#[component]
pub fn FolderChip() -> impl IntoView {
    let (ui, chat, library) = (use_ui(), use_chat(), use_library());
    let folder = Memo::new(move |_| {
        let id = chat.conversation.with(|conversation| conversation.filing.folder)?;
        library.folder(id)
    });
    view! {
        {move || folder.get().map(|folder| {
            let words = match folder.instructions.trim().is_empty() {
                true => t().folder_here(&folder.name),
                false => t().folder_instructs(&folder.name),
            };
            view! {
                <button
                    type="button"
                    class="button chip"
                    title=words.clone()
                    aria-label=words
                    on:click=move |_| ui.folder.set(Some(FolderDialog::Of(folder.id)))
                >
                    <Icon glyph=Glyph::Folder />
                    <span dir="auto">{folder.name}</span>
                </button>
            }
        })}
    }
}

/// The instructions of the folder, beside those of the conversation.
#[component]
pub fn FolderInstructions() -> impl IntoView {
    let (chat, library) = (use_chat(), use_library());
    let folder = Memo::new(move |_| {
        let id = chat.conversation.with(|conversation| conversation.filing.folder)?;
        library.folder(id).filter(|folder| !folder.instructions.trim().is_empty())
    });
    view! {
        {move || folder.get().map(|folder| view! {
            <p class="hint">{t().folder_adds(&folder.name)}</p>
            <blockquote class="folder-instructions" dir="auto">{folder.instructions}</blockquote>
        })}
    }
}

/// Says that nothing of the conversation is kept.
#[component]
pub fn TemporaryNote() -> impl IntoView {
    let chat = use_chat();
    let temporary = Memo::new(move |_| chat.conversation.with(|conversation| conversation.temporary));
    let begun =
        Memo::new(move |_| chat.conversation.with(|conversation| !Conversation::is_empty(conversation)));
    view! {
        <Show when=move || temporary.get()>
            <div class="notice slim" role="note" aria-label=t().temporary_title()>
                <Icon glyph=Glyph::Temporary />
                <p>{move || if begun.get() { t().temporary_short() } else { t().temporary_words() }}</p>
            </div>
        </Show>
    }
}
