//! What of the conversation's documents an answer was given, and what it cites.

use documents::{Share, Unit};
use leptos::prelude::*;

use super::message_ref::MessageRef;
use crate::{
    content::{Citations, Cited},
    history::Attachment,
    language::t,
    state::{
        documents::{place_words, short_place},
        use_documents,
    },
};

/// Has the marks in an answer open the passages that they name.
pub fn provide_citations(MessageRef { conversation, node, .. }: MessageRef) {
    let documents = use_documents();
    // It was given before the answer began: nothing of it changes.
    let find = move |mark: (u32, u32)| {
        conversation.with_untracked(|conversation| {
            let (key, place) = *conversation.passages_for(node).get(&mark)?;
            let attachment = conversation.documents_to(node).into_iter().find(|it| it.key == key)?;
            Some((attachment, place))
        })
    };
    provide_context(Citations {
        find: Callback::new(move |mark| {
            let (attachment, place) = find(mark)?;
            let title = t().citation_open(&attachment.name, &place_words(place));
            Some(Cited { label: short_place(place), title })
        }),
        open: Callback::new(move |mark| {
            if let Some((attachment, place)) = find(mark) {
                documents.show(attachment, Some(place));
            }
        }),
    });
}

/// Says what was left out of the documents for an answer.
#[component]
pub fn LeftOut(it: MessageRef) -> impl IntoView {
    let MessageRef { conversation, node, .. } = it;
    let left_out = Memo::new(move |_| conversation.with(|conversation| conversation.left_out_for(node)));
    move || {
        let line = |(attachment, share): (Attachment, Share)| {
            let (name, given, of) = (&attachment.name, share.given.into(), share.of.into());
            let words = match share.unit {
                Unit::Pages => t().given_pages(given, of, name),
                Unit::Chapters => t().given_chapters(given, of, name),
                Unit::Passages => t().given_passages(given, of, name),
            };
            view! { <p>{words}</p> }
        };
        let lines: Vec<_> = left_out.get().into_iter().map(line).collect();
        (!lines.is_empty()).then(|| view! { <div class="left-out muted numbers">{lines}</div> })
    }
}
