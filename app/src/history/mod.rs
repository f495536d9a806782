//! Conversations, kept in this browser and nowhere else.
//!
//! - [`Conversation`] is a tree of messages: editing or regenerating adds a branch, so nothing is lost.
//! - [`HistoryStore`] keeps conversations, attachments, drafts and settings in IndexedDB, or in memory where the
//!   browser refuses that. [`PickedModels`] remembers which files the user has opened.
//! - [`Archive`] is the JSON that the user exports and imports, [`PresetFile`] that of presets and prompts alone.
//! - [`Named`] is what the user has made and named: folders, [presets](Preset), [prompts](Prompt).
//!
//! Everything but the storage itself is plain data, natively tested. Times are milliseconds since 1970 and are
//! arguments, so that the operations are pure; [`now`] gives the current one.

mod archive;
mod attachments;
mod backend;
mod beside;
mod branch;
mod changes;
mod chart;
mod check;
mod conversation;
mod everything;
mod filing;
mod folders;
mod foreign;
mod given;
mod id;
#[cfg_attr(not(target_arch = "wasm32"), expect(dead_code, reason = "browsers alone have it"))]
mod indexed_db;
mod json_file;
mod merge;
mod message;
mod named;
mod naming;
mod opened;
mod picked;
mod preset_file;
mod presets;
mod program;
mod prompt;
mod prompts;
mod reading;
mod record;
mod records;
mod search;
mod store;
mod summary;
mod tab_records;
#[cfg(test)]
mod tests;
mod title;
mod transfer;

pub use crate::channel::Subscription;
pub use archive::{Archive, ImportError, MAX_BYTES as MAX_IMPORT_BYTES, MAX_MESSAGE_BYTES};
pub use attachments::GRACE_MS;
#[cfg(test)]
pub(crate) use backend::Memory;
pub use beside::{AnswerPair, ContextStart};
pub use branch::Branch;
pub use changes::Change;
pub use chart::{Chart, ChartError, ChartKind, ChartSeries};
pub use check::TreeError;
pub use conversation::{Conversation, MAX_THOUGHT, Node, Options, TreeOpError};
pub use filing::{Filing, Folder};
pub use foreign::{Skipped, SkippedCounts};
pub use given::OpenDocument;
pub use id::{AttachmentKey, ConversationId, FolderId, NodeId, ParseIdError, PresetId, PromptId};
pub use message::{AnswerError, Attachment, AttachmentKind, Extent, Message, Moment};
pub use named::Named;
pub use opened::{OpenedAdapter, OpenedFrom};
pub use picked::{PickedFile, PickedModel, PickedModels};
pub use preset_file::{MAX_ENTRIES, MAX_PRESET_BYTES, MAX_TEXT_BYTES, PresetFile, PresetFileError};
pub use presets::{Preset, PresetAdapter, PresetIcon};
pub use program::{JAVASCRIPT, ProgramResult};
pub use prompts::Prompt;
pub use reading::first_that_fits;
pub use record::StoredConversation;
pub use records::StoreError;
pub use search::{Query, SearchText};
pub use store::{Deleted, Draft, HistoryStore, Persistence, Saved};
pub use summary::Summary;
pub use title::{TitleSource, numbered, one_line, title_of};
pub use transfer::ImportReport;

/// Milliseconds since 1970, now.
#[must_use]
pub fn now() -> u64 {
    let since = web_time::SystemTime::now().duration_since(web_time::UNIX_EPOCH);
    since.map_or(0, |duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}
