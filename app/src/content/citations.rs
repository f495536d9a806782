//! Marks in an answer that name passages of documents, as buttons that open them.

use leptos::prelude::*;

/// A passage that a mark names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cited {
    /// What is shown, such as `p. 3`.
    pub label: String,
    /// What that means, with the name of the document.
    pub title: String,
}

/// What the marks in a text mean, in the context of its view. Without it they are text.
#[derive(Clone, Copy)]
pub struct Citations {
    /// Returns the passage of these numbers of document and passage; `None` if the model did not have it.
    pub find: Callback<(u32, u32), Option<Cited>>,
    /// Opens it.
    pub open: Callback<(u32, u32)>,
}

/// Draws a mark: a button for each place, as neighboring passages may be on one page.
pub(super) fn mark(text: &str, passages: &[(u32, u32)]) -> AnyView {
    let Some(Citations { find, open }) = use_context::<Citations>() else {
        return text.to_owned().into_any();
    };
    let mut found: Vec<((u32, u32), Cited)> = Vec::new();
    for passage in passages {
        if let Some(cited) = find.run(*passage)
            && found.iter().all(|(_, other)| *other != cited)
        {
            found.push((*passage, cited));
        }
    }
    if found.is_empty() {
        return text.to_owned().into_any();
    }
    let button = |(passage, Cited { label, title }): ((u32, u32), Cited)| {
        view! {
            <button type="button" class="citation" aria-label=title.clone() title=title on:click=move |_| open.run(passage)>
                {label}
            </button>
        }
    };
    found.into_iter().map(button).collect::<Vec<_>>().into_any()
}
