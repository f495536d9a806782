//! An address that nothing is at.

use leptos::prelude::*;

use super::Column;
use crate::place::{Place, use_href};

/// Says so, and leads back.
#[component]
pub fn NotFoundPage() -> impl IntoView {
    let href = use_href();
    view! {
        <Column title="Nothing is here">
            <p>"There is no page at this address."</p>
            <p>
                <a class="button primary" href=move || href(Place::Chat(None))>"Begin a conversation"</a>
            </p>
        </Column>
    }
}
