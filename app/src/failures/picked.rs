//! Files that a person opened before and that are not opened again.

use super::t;
use crate::state::PickedTrouble;

/// Why a model was not opened again.
#[must_use]
pub fn picked(trouble: &PickedTrouble) -> String {
    match trouble {
        PickedTrouble::NotAllowed { name } => t().picked_not_allowed(name),
        PickedTrouble::Gone { name } => t().picked_gone(name),
        PickedTrouble::Changed { name } => t().picked_changed(name),
        PickedTrouble::Unreadable { name } => t().picked_unreadable(name),
    }
}
