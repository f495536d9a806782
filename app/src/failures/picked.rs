//! Files that the user opened before and that are not opened again.

use super::t;

/// Why a model was not opened again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PickedTrouble {
    /// The user did not let the page read this file.
    NotAllowed {
        /// Its name.
        name: String,
    },
    /// This file was moved, renamed or deleted.
    Gone {
        /// Its name.
        name: String,
    },
    /// This file is another one than it was.
    Changed {
        /// Its name.
        name: String,
    },
    /// The browser can't read this file.
    Unreadable {
        /// Its name.
        name: String,
    },
}

/// Says why a model was not opened again.
#[must_use]
pub fn picked(trouble: &PickedTrouble) -> String {
    match trouble {
        PickedTrouble::NotAllowed { name } => t().picked_not_allowed(name),
        PickedTrouble::Gone { name } => t().picked_gone(name),
        PickedTrouble::Changed { name } => t().picked_changed(name),
        PickedTrouble::Unreadable { name } => t().picked_unreadable(name),
    }
}
