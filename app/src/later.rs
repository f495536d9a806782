//! What the first page does not need. The wasm is split at [`draw`]: code that only it reaches is in a file of its own, which
//! the boot script fetches as soon as the page is interactive. So the first page comes sooner, and opening one of these pages
//! later asks the server for nothing. The server's binary is not split.
//!
//! Where the page begins with one of these pages, the file is fetched before hydration, so that hydration never waits. If it cannot
//! be fetched, its place says so, and formulas stay as they are written.

use std::cell::Cell;

use futures_util::FutureExt as _;
use leptos::{prelude::*, task::spawn_local};
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use crate::{
    content,
    language::t,
    pages::{Column, DiagnosticsPage, SettingsPage, TunePage},
    place::Place,
};

/// What is drawn by the part that comes later.
pub enum Wanted {
    /// A place of the application.
    Page(LaterPage),
    /// A formula, on lines of its own or within a line.
    Formula {
        /// As it is written.
        source: String,
        /// Whether it has lines of its own.
        display: bool,
    },
}

/// A page that comes later.
#[derive(Clone, Copy)]
pub enum LaterPage {
    Tune,
    Settings,
    Diagnostics,
}

/// Draws what is wanted. Everything that only this function needs is in the file that comes later.
#[wasm_split(later, fallible, preload(fetch))]
fn draw(wanted: Wanted) -> Result<AnyView, SplitLoaderError> {
    Ok(match wanted {
        Wanted::Page(LaterPage::Tune) => view! { <TunePage /> }.into_any(),
        Wanted::Page(LaterPage::Settings) => view! { <SettingsPage /> }.into_any(),
        Wanted::Page(LaterPage::Diagnostics) => view! { <DiagnosticsPage /> }.into_any(),
        Wanted::Formula { source, display } => content::draw_formula(&source, display),
    })
}

/// Where the part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// On its way.
    Awaited,
    /// In the page.
    Here,
    /// It could not be fetched.
    Missing,
}

/// Tells where the part is; in the context.
#[derive(Clone, Copy)]
struct Later(RwSignal<State>);

thread_local! {
    static STATE: Cell<State> = const { Cell::new(if IN_BROWSER { State::Awaited } else { State::Here }) };
    /// Tells what is drawn, in a browser.
    static SHOWN: Cell<Option<RwSignal<State>>> = const { Cell::new(None) };
}

const IN_BROWSER: bool = cfg!(target_arch = "wasm32");

/// Puts into the context where the part is.
pub fn provide() {
    let shown = RwSignal::new(STATE.get());
    if IN_BROWSER {
        SHOWN.set(Some(shown));
    }
    provide_context(Later(shown));
}

/// Whether a path leads to a page that comes later: then the part has to be here before the page is hydrated.
#[must_use]
pub fn is_needed(path: &str) -> bool {
    matches!(Place::of(path), Place::Tune | Place::Settings | Place::Diagnostics)
}

/// Fetches the part, unless it is here. False where it could not be fetched; then the next time tries again.
pub async fn load() -> bool {
    if STATE.get() != State::Here {
        become_state(State::Awaited);
        become_state(if fetch().await.is_ok() { State::Here } else { State::Missing });
    }
    STATE.get() == State::Here
}

fn become_state(state: State) {
    STATE.set(state);
    if let Some(shown) = SHOWN.get() {
        shown.set(state);
    }
}

/// What is wanted, if the part is here.
fn now(wanted: Wanted) -> Option<AnyView> {
    // Nothing is waited for once it is here.
    draw(wanted).now_or_never()?.ok()
}

/// A page that comes later. While it is on its way, and where it cannot be fetched, it says so.
pub fn page(page: LaterPage) -> AnyView {
    let Later(state) = expect_context();
    if state.get_untracked() == State::Here
        && let Some(view) = now(Wanted::Page(page))
    {
        return view;
    }
    let fetch = move || {
        spawn_local(async {
            load().await;
        });
    };
    fetch();
    let place = match page {
        LaterPage::Tune => Place::Tune,
        LaterPage::Settings => Place::Settings,
        LaterPage::Diagnostics => Place::Diagnostics,
    };
    let shown = move || {
        match state.get() {
        State::Here => now(Wanted::Page(page)),
        State::Awaited => {
            let words = view! { <p class="muted" role="status">{t().later_loading()}</p> };
            Some(view! { <Column title=place.title()>{words}</Column> }.into_any())
        }
        State::Missing => Some(
            view! {
                <Column title=place.title()>
                    <p role="alert">{t().later_missing()}</p>
                    <p>
                        <button type="button" class="button primary" on:click=move |_| fetch()>{t().try_again()}</button>
                        " "
                        <a class="button" href="" rel="external">{t().reload()}</a>
                    </p>
                </Column>
            }
            .into_any(),
        ),
    }
    };
    shown.into_any()
}

/// A formula; as it is written for as long as what draws it is on its way.
pub fn formula(source: &str, display: bool) -> AnyView {
    let source = source.to_owned();
    let written = move |source: String| match display {
        true => view! { <pre class="math-source">{source}</pre> }.into_any(),
        false => view! { <code class="math-source">{source}</code> }.into_any(),
    };
    let draw = move || {
        let drawn = now(Wanted::Formula { source: source.clone(), display });
        drawn.unwrap_or_else(|| written(source.clone()))
    };
    match use_context::<Later>() {
        Some(Later(state)) if state.get_untracked() != State::Here => (move || {
            state.track();
            draw()
        })
        .into_any(),
        _ => draw(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_page_needs_nothing_of_it() {
        assert!(
            ["/", "/c/00000000000000000000000abc", "/models", "/no/such/page"]
                .iter()
                .all(|path| !is_needed(path))
        );
        assert!(["/tune", "/settings", "/diagnostics/"].iter().all(|path| is_needed(path)));
    }
}
