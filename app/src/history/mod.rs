//! Conversations, kept in this browser and nowhere else.
//!
//! - [`Conversation`] is a tree of messages: editing or regenerating adds a branch, so nothing is lost.
//! - [`HistoryStore`] keeps conversations, attachments, drafts and settings in IndexedDB, or in memory where the
//!   browser refuses that.
//! - [`Archive`] is the JSON that a person exports and imports.
//!
//! Everything but the storage itself is plain data, natively tested. Times are milliseconds since 1970 and are
//! arguments, so that the operations are pure; [`now`] gives the current one.

mod archive;
mod backend;
mod changes;
mod check;
mod conversation;
mod export;
mod id;
#[cfg(target_arch = "wasm32")]
mod indexed_db;
mod message;
mod prompt;
mod store;
mod summary;
#[cfg(test)]
mod tests;
mod title;

pub use archive::{Archive, ImportError};
pub use changes::{Change, Subscription};
pub use check::TreeError;
pub use conversation::{Conversation, Node, Options, TreeOpError};
pub use id::{AttachmentKey, ConversationId, NodeId, ParseIdError};
pub use message::{Attachment, AttachmentKind, Message, Moment};
pub use store::{Draft, GRACE_MS, HistoryStore, ImportReport, Persistence, StoreError};
pub use summary::Summary;
pub use title::title_of;

/// Milliseconds since 1970, now.
#[must_use]
pub fn now() -> u64 {
    let since = web_time::SystemTime::now().duration_since(web_time::UNIX_EPOCH);
    since.map_or(0, |duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}
