//! Which language is shown, and which the user has chosen.

use leptos::prelude::*;

use super::Language;

/// The cookie that holds what was chosen. Without it the browser's languages count.
const COOKIE: &str = "language";

/// Returns the choice that a `Cookie` header, or `document.cookie`, holds.
pub(super) fn chosen_in(cookies: &str) -> Option<Language> {
    cookies.split(';').find_map(|pair| {
        let (name, value) = pair.trim().split_once('=')?;
        (name == COOKIE).then(|| Language::of_tag(value)).flatten()
    })
}

/// The choice of a language, in the context.
#[derive(Clone, Copy)]
pub struct LanguageChoice {
    /// What is shown.
    pub shown: RwSignal<Language>,
    /// What was chosen; `None` if the browser's languages count.
    pub chosen: RwSignal<Option<Language>>,
}

impl LanguageChoice {
    /// Puts it into the context, with the language that the server rendered.
    pub fn provide() -> Self {
        #[cfg(target_arch = "wasm32")]
        page::begin();
        let choice = Self { shown: RwSignal::new(now()), chosen: RwSignal::new(None) };
        #[cfg(target_arch = "wasm32")]
        page::SHOWN.set(Some(choice.shown));
        #[cfg(target_arch = "wasm32")]
        Effect::new(move |_| choice.chosen.set(chosen_in(&page::cookies())));
        provide_context(choice);
        choice
    }

    /// Chooses one and shows it.
    pub fn choose(self, language: Option<Language>) {
        self.chosen.set(language);
        #[cfg(target_arch = "wasm32")]
        page::show(page::keep(language));
    }
}

/// Returns the tags of the languages that the browser asks for, the preferred one first.
#[must_use]
pub fn preferred() -> Vec<String> {
    let tags = web_sys::window().map(|window| window.navigator().languages());
    tags.map(|tags| tags.iter().filter_map(|tag| tag.as_string()).collect()).unwrap_or_default()
}

/// Returns the choice, from the context.
#[must_use]
pub fn use_language_choice() -> LanguageChoice {
    expect_context()
}

/// On the server it is part of the request's context.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn now() -> Language {
    use_context().unwrap_or_default()
}

#[cfg(target_arch = "wasm32")]
pub(super) use page::{has_come, now};

#[cfg(target_arch = "wasm32")]
mod page {
    use std::cell::Cell;

    use wasm_bindgen::JsCast as _;

    use leptos::prelude::{RwSignal, Set as _};

    use super::{
        super::{Text, fetched},
        COOKIE, Language,
    };

    thread_local! {
        /// A page shows one language.
        static NOW: Cell<Language> = Cell::new(Language::default());
        /// The one that is to be shown when its words have come.
        static AWAITED: Cell<Option<Language>> = const { Cell::new(None) };
        /// The language that is drawn.
        pub static SHOWN: Cell<Option<RwSignal<Language>>> = const { Cell::new(None) };
    }

    /// Shows a language, when its words are here.
    pub fn show(language: Language) {
        if !fetched::has(language) {
            AWAITED.set(Some(language));
            return;
        }
        AWAITED.set(None);
        NOW.set(language);
        if let Some(root) = document().and_then(|document| document.document_element()) {
            // Setting an attribute on the root cannot fail.
            root.set_attribute("lang", language.tag()).ok();
            root.set_attribute("dir", Text(language).language_direction()).ok();
        }
        if let Some(shown) = SHOWN.get() {
            shown.set(language);
        }
    }

    /// The words of a language have come.
    pub fn has_come(language: Language) {
        if AWAITED.get() == Some(language) {
            show(language);
        }
    }

    pub fn now() -> Language {
        NOW.get()
    }

    fn document() -> Option<web_sys::HtmlDocument> {
        web_sys::window()?.document()?.dyn_into().ok()
    }

    /// What the server has rendered is what is drawn first.
    pub fn begin() {
        let root = document().and_then(|document| document.document_element());
        let tag = root.and_then(|root| root.get_attribute("lang")).unwrap_or_default();
        NOW.set(Language::of_tag(&tag).unwrap_or_default());
    }

    pub fn cookies() -> String {
        document().and_then(|document| document.cookie().ok()).unwrap_or_default()
    }

    /// Keeps a choice for a year, or forgets it; the language that follows.
    pub fn keep(choice: Option<Language>) -> Language {
        let Some(document) = document() else { return now() };
        let (value, age) = choice.map_or(("", 0), |language| (language.tag(), 31_536_000));
        // A browser without cookies asks again next time.
        document.set_cookie(&format!("{COOKIE}={value}; Path=/; Max-Age={age}; SameSite=Lax")).ok();
        choice.unwrap_or_else(|| Language::accepted(&super::preferred().join(",")))
    }
}
