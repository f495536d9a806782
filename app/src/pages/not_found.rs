//! An address that nothing is at.

use leptos::prelude::*;

use super::Column;
use crate::{
    language::t,
    place::{Place, use_href},
};

/// Says so, and leads back.
#[component]
pub fn NotFoundPage() -> impl IntoView {
    let href = use_href();
    view! {
        <Column title=t().place_unknown()>
            <p>{t().not_found()}</p>
            <p>
                <a class="button primary" href=move || href(Place::Chat(None))>{t().place_new()}</a>
            </p>
        </Column>
    }
}
