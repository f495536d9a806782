//! Word from other tabs of this page.

use serde::{Deserialize, Serialize};

use super::ConversationId;

/// What another tab changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "lowercase")]
pub enum Change {
    /// A conversation was made or changed.
    Saved {
        /// Which.
        id: ConversationId,
    },
    /// Conversations were deleted.
    Deleted {
        /// Which.
        ids: Vec<ConversationId>,
    },
    /// Folders, presets or prompts were added, changed or deleted.
    Named,
    /// Conversations were imported.
    Imported,
    /// A setting was changed.
    Setting {
        /// Which.
        name: String,
    },
}
