//! The words of the languages that the page has fetched.

use std::cell::Cell;

use super::{Language, MESSAGES, SEPARATOR, TAGS, choice};

thread_local! {
    /// By language; empty where it is not here yet. They stay as long as the page.
    static PATTERNS: [Cell<&'static [&'static str]>; TAGS.len()] = const { [const { Cell::new(&[]) }; TAGS.len()] };
}

/// Takes the file of a language. False where it is not the file of this page.
#[must_use]
pub fn add(tag: &str, texts: String) -> bool {
    let patterns: Vec<&'static str> = String::leak(texts).split(SEPARATOR).collect();
    let Some(language) = Language::of_tag(tag).filter(|_| patterns.len() == MESSAGES) else { return false };
    PATTERNS.with(|all| all[usize::from(language.0)].set(Vec::leak(patterns)));
    choice::has_come(language);
    true
}

/// Whether the words of a language are here.
pub fn has(language: Language) -> bool {
    PATTERNS.with(|all| !all[usize::from(language.0)].get().is_empty())
}

/// Returns a message as the build script has written it.
pub fn pattern(language: Language, at: usize) -> &'static str {
    PATTERNS.with(|all| all[usize::from(language.0)].get().get(at).copied().unwrap_or_default())
}
