//! The page's addresses.

use leptos::prelude::*;
use leptos_router::hooks::use_location;

use crate::{history::ConversationId, language::t};

/// A place of the application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A conversation; `None` for a new one.
    Chat(Option<ConversationId>),
    /// The models.
    Models,
    /// Fine-tuning.
    Tune,
    /// The settings.
    Settings,
    /// What engineers want to know.
    Diagnostics,
    /// An address without a page.
    Unknown,
}

impl Place {
    /// The place of a path.
    #[must_use]
    pub fn of(path: &str) -> Self {
        match path.trim_end_matches('/') {
            "" => Self::Chat(None),
            "/models" => Self::Models,
            "/tune" => Self::Tune,
            "/settings" => Self::Settings,
            "/diagnostics" => Self::Diagnostics,
            other => match other.strip_prefix("/c/").map(str::parse) {
                Some(Ok(id)) => Self::Chat(Some(id)),
                _ => Self::Unknown,
            },
        }
    }

    /// Returns what it is called.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Chat(None) => t().place_new(),
            Self::Chat(Some(_)) => t().place_conversation(),
            Self::Models => t().place_models(),
            Self::Tune => t().place_tune(),
            Self::Settings => t().place_settings(),
            Self::Diagnostics => t().place_diagnostics(),
            Self::Unknown => t().place_unknown(),
        }
    }

    /// Returns the path of the place.
    #[must_use]
    pub fn path(self) -> String {
        match self {
            Self::Chat(None) | Self::Unknown => "/".into(),
            Self::Chat(Some(id)) => format!("/c/{id}"),
            Self::Models => "/models".into(),
            Self::Tune => "/tune".into(),
            Self::Settings => "/settings".into(),
            Self::Diagnostics => "/diagnostics".into(),
        }
    }
}

/// Returns the place that the page's address names.
#[must_use]
pub fn use_place() -> Memo<Place> {
    let path = use_location().pathname;
    Memo::new(move |_| path.with(|path| Place::of(path)))
}

/// Adds to a path what must not get lost on the way: the scenario of the fake engine, if the address asks for one.
#[must_use]
pub fn keep_query(path: &str, fake: Option<&str>) -> String {
    match fake {
        Some("") => format!("{path}?fake"),
        Some(words) => format!("{path}?fake={words}"),
        None => path.to_owned(),
    }
}

/// Returns the address of a place from here, with [`keep_query`].
pub fn use_href() -> impl Fn(Place) -> String + Copy + Send + Sync + 'static {
    let query = use_location().query;
    move |place| query.with(|query| keep_query(&place.path(), query.get_str("fake")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_places_agree() {
        let id = ConversationId(0xabc);
        for place in [
            Place::Chat(None),
            Place::Chat(Some(id)),
            Place::Models,
            Place::Tune,
            Place::Settings,
            Place::Diagnostics,
        ] {
            assert_eq!(Place::of(&place.path()), place);
        }
        assert_eq!(Place::of("/models/"), Place::Models);
        assert_eq!(Place::of("/c/not-an-id"), Place::Unknown);
        assert_eq!(Place::of("/tunes"), Place::Unknown);
    }

    #[test]
    fn the_scenario_is_kept() {
        assert_eq!(keep_query("/models", None), "/models");
        assert_eq!(keep_query("/models", Some("slow,demo")), "/models?fake=slow,demo");
        assert_eq!(keep_query("/", Some("")), "/?fake");
    }
}
