//! The words of the interface. `locales` has a file for each language; the build script makes of each message a function of
//! [`Text`], and fails where a language lacks one.
//!
//! The server knows the language by the request and says it in `<html lang>`, from where the page takes it. The page has no
//! words in it: its boot script fetches those of the language that is shown, and when the page lives those of the others, so
//! that choosing one asks nobody for anything. Everything below [`crate::App`]'s `Interface` is drawn anew then.

#[cfg(target_arch = "wasm32")]
#[path = "browser.rs"]
pub mod intl;
#[cfg(not(target_arch = "wasm32"))]
#[path = "native.rs"]
pub mod intl;

mod choice;
#[cfg(target_arch = "wasm32")]
mod fetched;
mod guess;
mod pattern;

pub use choice::{LanguageChoice, preferred, use_language_choice};
#[cfg(target_arch = "wasm32")]
pub use fetched::add as add_texts;

pub use guess::language_of;
use pattern::Argument;

include!(concat!(env!("OUT_DIR"), "/messages.rs"));

/// A language that there is a file of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Language(u8);

impl Language {
    /// Returns all of them.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..TAGS.len() as u8).map(Self)
    }

    /// Returns what browsers call it: `en`.
    #[must_use]
    pub fn tag(self) -> &'static str {
        TAGS[usize::from(self.0)]
    }

    /// Returns what those who speak it call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        NAMES[usize::from(self.0)]
    }

    /// Returns the language of a tag such as `de` or `de-AT`; `None` if there is no file of it.
    #[must_use]
    pub fn of_tag(tag: &str) -> Option<Self> {
        let same = |known: &str, tag: &str| known.eq_ignore_ascii_case(tag);
        let primary = tag.split('-').next().unwrap_or(tag);
        Self::all().find(|it| same(it.tag(), tag)).or_else(|| Self::all().find(|it| same(it.tag(), primary)))
    }

    /// The first language of an `Accept-Language` that there is a file of; English where there is none.
    #[must_use]
    pub fn accepted(header: &str) -> Self {
        let mut best: Option<(f32, Self)> = None;
        for part in header.split(',') {
            let (tag, weight) = part.split_once(';').unwrap_or((part, ""));
            let weight = weight.trim().strip_prefix("q=").map_or(1.0, |it| it.trim().parse().unwrap_or(0.0));
            if weight > best.map_or(0.0, |(best, _)| best)
                && let Some(language) = Self::of_tag(tag.trim())
            {
                best = Some((weight, language));
            }
        }
        best.map_or_else(Self::default, |(_, language)| language)
    }

    /// The language of a request: the one chosen, else the one that the browser asks for.
    #[must_use]
    pub fn of_request(cookies: Option<&str>, accept: Option<&str>) -> Self {
        let chosen = cookies.and_then(choice::chosen_in);
        chosen.unwrap_or_else(|| accept.map_or_else(Self::default, Self::accepted))
    }

    /// The language now: of the page, or of the request that is answered.
    #[must_use]
    pub fn now() -> Self {
        choice::now()
    }
}

/// The words of a language: a function for each message.
#[derive(Clone, Copy)]
pub struct Text(Language);

impl Text {
    #[cfg(not(target_arch = "wasm32"))]
    fn pattern(self, at: usize) -> &'static str {
        PATTERNS[usize::from(self.0.0)][at]
    }

    #[cfg(target_arch = "wasm32")]
    fn pattern(self, at: usize) -> &'static str {
        fetched::pattern(self.0, at)
    }

    fn fill(self, at: usize, arguments: &[Argument<'_>]) -> String {
        pattern::fill(self.0, self.pattern(at), arguments)
    }
}

/// The words of the language now. A signal that holds some keeps its language: rather keep what they say, and ask for them
/// where they are drawn.
#[must_use]
pub fn t() -> Text {
    Text(Language::now())
}

/// Returns sentences behind one another, without those that are empty.
#[must_use]
pub fn in_a_row<S: AsRef<str>>(sentences: impl IntoIterator<Item = S>) -> String {
    joined(sentences, |text, all, sentence| text.two_sentences(all, sentence))
}

/// Returns a list of words, without those that are empty: `text, images`.
#[must_use]
pub fn listed<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> String {
    joined(words, |text, all, word| text.two_items(all, word))
}

fn joined<S: AsRef<str>>(
    parts: impl IntoIterator<Item = S>,
    two: impl Fn(Text, &str, &str) -> String,
) -> String {
    parts.into_iter().fold(String::new(), |all, part| match (all.as_str(), part.as_ref()) {
        ("", part) => part.to_owned(),
        (_, "") => all,
        (all, part) => two(t(), all, part),
    })
}

/// Stands in a text for an element.
pub const ELEMENT: &str = "\u{fffc}";

/// Returns what is before and behind the [`ELEMENT`] of a text.
#[must_use]
pub fn around(text: &str) -> (String, String) {
    let (before, after) = text.split_once(ELEMENT).unwrap_or((text, ""));
    (before.to_owned(), after.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(accept: &str) -> &'static str {
        Language::accepted(accept).tag()
    }

    #[test]
    fn sentences_and_words_are_joined_as_the_language_does() {
        use leptos::prelude::{Owner, provide_context};
        for (tag, sentences, words) in
            [("en", "A. B.", "a, b, c"), ("zh", "A.B.", "a、b、c"), ("ar", "A. B.", "a، b، c")]
        {
            Owner::new().with(|| {
                provide_context(Language::of_tag(tag).expect("a language"));
                assert_eq!(in_a_row(["", "A.", "", "B."]), sentences);
                assert_eq!(listed(["a", "b", "c"]), words);
            });
        }
    }

    #[test]
    fn the_browsers_first_language_is_taken() {
        assert_eq!(tag("de-DE,de;q=0.9,en;q=0.8"), "de");
        assert_eq!(tag("tlh, en;q=0.5, de;q=0.7"), "de");
        assert_eq!(tag("de;q=0, *"), "en");
        assert_eq!(tag(""), "en");
        assert_eq!(tag(";;q=,,=x"), "en");
    }

    #[test]
    fn what_was_chosen_comes_first() {
        let of = |cookies, accept| Language::of_request(cookies, accept).tag();
        assert_eq!(of(Some("theme=x; language=de"), Some("en")), "de");
        assert_eq!(of(Some("language=tlh"), Some("de")), "de");
        assert_eq!(of(Some("mylanguage=de"), None), "en");
        assert_eq!(of(None, None), "en");
    }

    #[test]
    fn numbers_are_written_as_the_language_does() {
        let german = Language::of_tag("de-AT").expect("there is German");
        assert_eq!(intl::number(german, 1234.5, 1), "1.234,5");
        assert_eq!(intl::number(Language::default(), 1_234_567.0, 0), "1,234,567");
        assert_eq!(intl::number(Language::default(), -0.04, 1), "0.0");
    }
}
