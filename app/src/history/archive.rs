//! The file that a person exports and imports.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::{AttachmentKey, Conversation, StoreError, TreeError};

/// Marks the file as one of ours.
const FORMAT: &str = "gemtab-history";

/// Raised with every change that an older program could misread.
const VERSION: u32 = 1;

/// Why a file was not imported. Nothing of it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// It is not JSON, or a field is missing or of the wrong kind.
    #[error("line {line}, column {column}: {reason}")]
    Json {
        /// Line, counted from 1.
        line: usize,
        /// Column, counted from 1.
        column: usize,
        /// What is wrong there.
        reason: String,
    },
    /// It is JSON of another kind.
    #[error("this file holds no conversations of gemtab: its `format` is \"{found}\", not \"{FORMAT}\"")]
    Format {
        /// What it says it is.
        found: String,
    },
    /// It was written by a newer program.
    #[error("this file is of version {found}; this page reads up to version {VERSION}")]
    Version {
        /// Its version.
        found: u32,
    },
    /// A conversation's tree is broken.
    #[error("conversations[{index}] (\"{title}\"): {source}")]
    Tree {
        /// Its place in the file, counted from 0.
        index: usize,
        /// Its title.
        title: String,
        /// What is wrong.
        source: TreeError,
    },
    /// The bytes of an attachment are not base64.
    #[error("attachments.{key} is not base64: {reason}")]
    Attachment {
        /// Its key.
        key: AttachmentKey,
        /// What is wrong.
        reason: String,
    },
    /// The file is right; the storage is not.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Conversations with what is attached to them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Archive {
    /// When it was made, in milliseconds since 1970.
    pub exported: u64,
    /// The conversations.
    pub conversations: Vec<Conversation>,
    /// Bytes of attachments.
    pub attachments: BTreeMap<AttachmentKey, Vec<u8>>,
}

/// The head of the file, read before anything else is believed.
#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    format: String,
    #[serde(default)]
    version: u32,
}

/// The file.
#[derive(Serialize, Deserialize)]
struct File<C> {
    format: String,
    version: u32,
    #[serde(default)]
    exported: u64,
    conversations: C,
    #[serde(default)]
    attachments: BTreeMap<AttachmentKey, String>,
}

impl Archive {
    /// An empty archive.
    #[must_use]
    pub fn new(now: u64) -> Self {
        Self { exported: now, ..Self::default() }
    }

    /// The file's text.
    #[must_use]
    pub fn to_json(&self) -> String {
        let file = File {
            format: FORMAT.to_owned(),
            version: VERSION,
            exported: self.exported,
            conversations: &self.conversations,
            attachments: self.attachments.iter().map(|(&key, bytes)| (key, STANDARD.encode(bytes))).collect(),
        };
        // Maps have text keys and numbers are finite or written as null: there is nothing that JSON cannot hold.
        serde_json::to_string_pretty(&file).unwrap_or_default()
    }

    /// Reads a file's text, and believes nothing in it: see [`Conversation::check`].
    ///
    /// # Errors
    /// The first fault, with its place.
    pub fn from_json(json: &str) -> Result<Self, ImportError> {
        let head: Head = serde_json::from_str(json).map_err(|error| at(&error))?;
        if head.format != FORMAT {
            return Err(ImportError::Format { found: head.format.chars().take(64).collect() });
        }
        if head.version > VERSION {
            return Err(ImportError::Version { found: head.version });
        }
        let file: File<Vec<Conversation>> = serde_json::from_str(json).map_err(|error| at(&error))?;
        for (index, conversation) in file.conversations.iter().enumerate() {
            conversation.check().map_err(|source| ImportError::Tree {
                index,
                title: conversation.title.clone(),
                source,
            })?;
        }
        let mut attachments = BTreeMap::new();
        for (key, text) in file.attachments {
            let bytes = STANDARD
                .decode(&text)
                .map_err(|error| ImportError::Attachment { key, reason: error.to_string() })?;
            attachments.insert(key, bytes);
        }
        Ok(Self { exported: file.exported, conversations: file.conversations, attachments })
    }
}

fn at(error: &serde_json::Error) -> ImportError {
    // The message ends with the place, which has its own fields here.
    let message = error.to_string();
    let reason = message.rsplit_once(" at line ").map_or(message.as_str(), |(reason, _)| reason);
    ImportError::Json { line: error.line(), column: error.column(), reason: reason.to_owned() }
}
