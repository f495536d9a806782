//! What storage holds, and how it fails.

/// A table of records, each under a key that is text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Table {
    /// Conversation id → the conversation, as JSON.
    Conversations,
    /// Conversation id → its [`super::Summary`], as JSON: the list need not read every message.
    Summaries,
    /// Attachment key → bytes.
    Attachments,
    /// Conversation id, or `new`, with a tab → what was typed there and not sent, as JSON.
    Drafts,
    /// Name → any JSON.
    Settings,
    /// Kind and id → what the user has made and named, as JSON. See [`super::Named`].
    Named,
}

impl Table {
    /// The name of its object store.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Conversations => "conversations",
            Self::Summaries => "summaries",
            Self::Attachments => "attachments",
            Self::Drafts => "drafts",
            Self::Settings => "settings",
            Self::Named => "named",
        }
    }
}

/// The content of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// JSON, in all tables but that of attachments.
    Text(String),
    /// Bytes of an attachment.
    Bytes(Vec<u8>),
}

/// A change of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Write {
    /// Adds it or replaces it.
    Put(Table, String, Value),
    /// Removes it, if it is there.
    Remove(Table, String),
}

/// What can go wrong with storage. [`failures::store`](crate::failures::store) has its texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreError {
    /// The browser gives no more room.
    Full,
    /// The browser gives no storage.
    Unavailable {
        /// In the browser's words.
        reason: String,
    },
    /// A tab with an older version of the page keeps the storage from being changed.
    Blocked,
    /// A record is not what it should be.
    Broken {
        /// Where it lies.
        key: String,
        /// What is wrong with it, for engineers.
        reason: String,
    },
    /// A newer page wrote this record.
    Newer {
        /// Where it lies.
        key: String,
        /// The version of its format.
        version: u32,
    },
    /// Anything else that the browser reported.
    Failed {
        /// In the browser's words.
        reason: String,
    },
}
