//! The pages that are in the part of the wasm that comes later. Where the visit begins with one of these, the part is fetched
//! before hydration, so that hydration never waits. If it cannot be fetched, the page says so.

use leptos::prelude::*;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use super::{
    Column, chat, diagnostics::DiagnosticsPage, models::ModelsPage, settings::SettingsPage, tune::TunePage,
};
use crate::{components, content, later, place::Place, state};

/// A page that comes later.
#[derive(Clone, Copy)]
pub enum LaterPage {
    Models,
    Tune,
    Settings,
    Diagnostics,
}

/// Draws a page. Everything that only this function needs is in the part that comes later.
#[wasm_split(later, fallible, preload(fetch))]
fn draw(page: LaterPage) -> Result<AnyView, SplitLoaderError> {
    Ok(match page {
        LaterPage::Models => view! { <ModelsPage /> }.into_any(),
        LaterPage::Tune => view! { <TunePage /> }.into_any(),
        LaterPage::Settings => view! { <SettingsPage /> }.into_any(),
        LaterPage::Diagnostics => view! { <DiagnosticsPage /> }.into_any(),
    })
}

/// Whether a path leads to a page that comes later: then the part has to be here before the page is hydrated.
#[must_use]
pub fn is_needed(path: &str) -> bool {
    matches!(Place::of(path), Place::Models | Place::Tune | Place::Settings | Place::Diagnostics)
}

/// Fetches the part that comes later, unless it is in the page. Returns whether it is; if not, the next call tries again.
pub async fn load() -> bool {
    // One file has all of it, but each function asks for it.
    later::load(async {
        fetch().await?;
        components::fetch_dialogs().await?;
        chat::fetch_dialogs().await?;
        state::fetch_voice().await?;
        state::fetch_recording().await?;
        content::fetch_formulas().await
    })
    .await
}

/// Returns a page that comes later. While it is on its way, and where it cannot be fetched, it says so.
pub fn page(page: LaterPage) -> AnyView {
    let place = match page {
        LaterPage::Models => Place::Models,
        LaterPage::Tune => Place::Tune,
        LaterPage::Settings => Place::Settings,
        LaterPage::Diagnostics => Place::Diagnostics,
    };
    later::opened(
        move || draw(page),
        move |words| view! { <Column title=place.title()>{words}</Column> }.into_any(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_page_needs_nothing_of_it() {
        assert!(["/", "/c/00000000000000000000000abc", "/no/such/page"].iter().all(|path| !is_needed(path)));
        assert!(["/models", "/tune", "/settings", "/diagnostics/"].iter().all(|path| is_needed(path)));
    }
}
