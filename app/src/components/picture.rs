//! Pictures in messages: small, and large in a dialog.

use leptos::{prelude::*, task::spawn_local};

use super::Dialog;
use crate::{
    history::Attachment,
    language::t,
    state::{use_media, use_ui},
};

/// The address of an attachment for this page, once it is known, and whether there is none.
fn address(attachment: Attachment) -> (RwSignal<Option<String>>, RwSignal<bool>) {
    let media = use_media();
    let (url, missing) = (RwSignal::new(None), RwSignal::new(false));
    Effect::new(move |_| {
        let attachment = attachment.clone();
        spawn_local(async move {
            let address = media.url(&attachment).await;
            // The view may be gone by now.
            missing.try_set(address.is_none());
            url.try_set(address);
        });
    });
    (url, missing)
}

/// A picture, small. Pressing it shows it large.
#[component]
pub fn Thumbnail(
    /// The picture.
    attachment: Attachment,
    /// What stands below it.
    #[prop(optional, into)]
    caption: Option<String>,
) -> impl IntoView {
    let ui = use_ui();
    let name = attachment.name.clone();
    let (url, missing) = address(attachment.clone());
    let words = match &caption {
        Some(caption) => format!("{name}, {caption}"),
        None => name.clone(),
    };
    let label = {
        let words = words.clone();
        move || {
            if missing.get() { format!("{words}: {}", t().media_gone()) } else { t().picture_show(&words) }
        }
    };
    view! {
        <button
            type="button"
            class="thumbnail"
            aria-label=label.clone()
            title=label
            disabled=move || url.with(Option::is_none)
            on:click=move |_| ui.viewing.set(Some(attachment.clone()))
        >
            // The name is the button's.
            {move || url.get().map(|url| view! { <img src=url alt="" /> })}
            {caption.map(|caption| view! { <span class="thumbnail-caption numbers" aria-hidden="true">{caption}</span> })}
        </button>
    }
}

/// The dialog with a picture as large as there is room for.
#[component]
pub fn Viewer() -> impl IntoView {
    let viewing = use_ui().viewing;
    let title = Signal::derive(move || {
        viewing.with(|it| it.as_ref().map_or_else(String::new, |attachment| attachment.name.clone()))
    });
    view! {
        <Dialog open=viewing title=title class="viewer">
            {move || viewing.get().map(|attachment| view! { <Large attachment=attachment /> })}
        </Dialog>
    }
}

#[component]
fn Large(attachment: Attachment) -> impl IntoView {
    let name = attachment.name.clone();
    let (url, _) = address(attachment);
    move || url.get().map(|url| view! { <img class="viewer-picture" src=url alt=name.clone() /> })
}
