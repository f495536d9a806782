//! An address that nothing is at.

use leptos::prelude::*;

use super::Column;
use crate::place::{Place, use_href};

/// Says so, and leads back.
#[component]
pub fn NotFoundPage() -> impl IntoView {
    let href = use_href();
    view! {
        <Column title="Page not found">
            <p>"There is no page at this address. Check it for typos."</p>
            <p>
                <a class="button primary" href=move || href(Place::Chat(None))>"New conversation"</a>
            </p>
        </Column>
    }
}
