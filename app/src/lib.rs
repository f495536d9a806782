//! The interface, in Leptos: it renders on the server, hydrates in the page, and speaks with the engine's worker.
//!
//! - [`shell`] is the document, [`App`] the application in it.
//! - `pages` are the places, `components` what several of them use, `frame` what is around them all.
//! - `state` holds the stores: bundles of signals in the context, one a subject.
//! - `media` makes of pictures, sound and videos what the engine takes.
//! - `engine_client` speaks with the worker, `mcp` with servers of tools.
//! - [`history`] keeps conversations in the browser; [`content`] draws Markdown, code and formulas.

// The type of a page is the nesting of its views; an optimised build lays it out as a whole.
#![recursion_limit = "256"]

mod assets;
mod axis;
mod back;
mod browser;
mod calendar;
mod channel;
mod components;
pub mod content;
mod engine_client;
mod export;
mod failures;
mod file_handles;
mod find;
mod format;
mod frame;
mod grouping;
pub mod history;
mod language;
mod later;
mod locks;
mod mcp;
mod media;
mod pages;
mod place;
mod sentences;
mod state;
mod swipe;
mod tab;
mod tools;
mod watch;
mod webgpu_advice;

#[cfg(test)]
#[path = "../../frontend/engine/tests/hostile/counting.rs"]
mod counting;
#[cfg(test)]
#[path = "../../frontend/engine/tests/hostile/fuzz.rs"]
mod fuzz;

pub use assets::Assets;
pub use language::Language;
#[cfg(target_arch = "wasm32")]
pub use language::add_texts;
pub use pages::{is_needed as needs_later, load as load_later};

use leptos::{prelude::*, task::spawn_local};
use leptos_meta::{MetaTags, Title, provide_meta_context};
use leptos_router::{
    components::{ParentRoute, Route, Router, Routes},
    path,
};

use self::{
    frame::Frame,
    language::{LanguageChoice, t},
    pages::{ChatPage, LaterPage, NotFoundPage, page},
};

/// Whether there is a page at a path. What the path names on it, such as a conversation, may still not be in the browser.
#[must_use]
pub fn has_page(path: &str) -> bool {
    place::Place::of(path) != place::Place::Unknown
}

/// The HTML document around the application.
pub fn shell(assets: Assets) -> impl IntoView {
    view! {
        <!DOCTYPE html>
        <html lang=Language::now().tag() dir=t().language_direction()>
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content" />
                <meta name="color-scheme" content="light dark" />
                <meta name="description" content=t().shell_description() />
                <link rel="icon" href=icon() type="image/svg+xml" />
                <link rel="apple-touch-icon" href="/icon-512.png" />
                <link rel="manifest" href="/manifest.webmanifest" />
                <link rel="stylesheet" href=assets.stylesheet />
                {assets.font.map(|font| view! { <link rel="preload" href=font r#as="font" r#type="font/woff2" crossorigin="anonymous" /> })}
                <link rel="modulepreload" href=assets.page_js />
                <link rel="preload" href=assets.page_wasm r#as="fetch" r#type="application/wasm" crossorigin="anonymous" />
                <script type="module" src=assets.boot></script>
                <meta name="gemtab-worker" content=assets.worker />
                <meta name="gemtab-recorder" content=assets.recorder />
                <meta name="gemtab-documents" content=assets.documents />
                <meta name="gemtab-preview" content=assets.preview />
                <meta name="gemtab-sandbox" content=assets.sandbox />
                {assets.fake.map(|fake| view! { <meta name="gemtab-fake" content=fake /> })}
                <MetaTags />
            </head>
            <body>
                <App />
                <BootNote />
            </body>
        </html>
    }
}

/// Returns the icon, in the document itself: a browser asks the server for a file of its own anew on each page.
pub(crate) fn icon() -> String {
    let svg = include_str!("../../style/static/favicon.svg").trim();
    format!("data:image/svg+xml,{}", svg.replace('%', "%25").replace('#', "%23"))
}

/// What is said while the page does not live yet, for as long as that takes: without a script, so that it is also said
/// where none could be loaded (`style/boot.css`).
#[component]
fn BootNote() -> impl IntoView {
    view! {
        <div class="boot-note" role="status">
            <p class="boot-slow">
                {t().boot_slow()} " " <a href="" rel="external">{t().reload()}</a>
            </p>
            <p class="boot-failed">
                {t().boot_failed()} " " <a href="" rel="external">{t().reload()}</a>
            </p>
            <noscript>
                <p class="boot-off">{t().boot_no_script()}</p>
            </noscript>
        </div>
    }
}

/// The root component.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    let language = LanguageChoice::provide();
    later::provide(|| {
        spawn_local(async {
            load_later().await;
        });
    });
    state::provide_stores();
    // All words are drawn anew in another language; what the stores hold stays.
    let interface = move || {
        language.shown.track();
        view! { <Interface /> }.into_any()
    };
    view! { <Router>{interface}</Router> }
}

/// All that has words in it.
#[component]
fn Interface() -> impl IntoView {
    view! {
        <Title text=t().brand() />
        <Frame>
            <Routes fallback=NotFoundPage>
                // One page for both addresses, so that a first message does not draw the page anew.
                <ParentRoute path=path!("") view=ChatPage>
                    <Route path=path!("") view=|| () />
                    <Route path=path!("c/:id") view=|| () />
                </ParentRoute>
                <Route path=path!("models") view=|| page(LaterPage::Models) />
                <Route path=path!("tune") view=|| page(LaterPage::Tune) />
                <Route path=path!("settings") view=|| page(LaterPage::Settings) />
                <Route path=path!("diagnostics") view=|| page(LaterPage::Diagnostics) />
            </Routes>
        </Frame>
    }
}
