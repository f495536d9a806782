//! The places of the application.

mod chat;
mod diagnostics;
mod later;
mod mcp_settings;
mod models;
mod not_found;
mod settings;
mod tune;
mod voice_settings;

pub use chat::{ChatPage, watch_returns};
pub use later::{LaterPage, is_needed, load, page};
pub use not_found::NotFoundPage;

use leptos::prelude::*;

use crate::{components::RailButton, language::t};

/// A page that is a column of sections under a heading.
#[component]
pub fn Column(
    /// The heading.
    title: &'static str,
    /// The sections.
    children: Children,
) -> impl IntoView {
    view! {
        <leptos_meta::Title text=t().page_title(title) />
        <main id="main" class="page" tabindex="-1">
            <header class="page-head">
                <RailButton />
                <h1>{title}</h1>
            </header>
            {children()}
        </main>
    }
}
