//! Where conversations are in the list: folders, pins, the archive.

use serde::{Deserialize, Serialize};

use super::FolderId;

/// Where a conversation is in the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Filing {
    /// Its folder; `None` for none. A folder that does not exist counts as none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<FolderId>,
    /// Whether it is at the top of the list.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// Whether it is put away.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub archived: bool,
}

impl Filing {
    /// Whether nothing is set.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// A folder of conversations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Folder {
    /// Its id.
    pub id: FolderId,
    /// Its name.
    pub name: String,
    /// Instructions to the model, for every conversation in it; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub instructions: String,
    /// When it was made, in milliseconds since 1970.
    #[serde(default)]
    pub created: u64,
}

impl Folder {
    /// A new folder.
    #[must_use]
    pub fn new(name: impl Into<String>, now: u64) -> Self {
        Self { id: FolderId::random(), name: name.into(), instructions: String::new(), created: now }
    }
}
