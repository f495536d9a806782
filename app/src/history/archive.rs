//! The file that the user exports and imports.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::error::Category;

use super::foreign::{self, Foreign};
use super::json_file::{self, NotUtf8};
use super::preset_file;
use super::title::one_line;
use super::{
    AttachmentKey, Conversation, Folder, Preset, PresetFileError, Prompt, SkippedCounts, StoreError,
    TreeError,
};

/// Marks the file as one of ours.
const FORMAT: &str = "gemtab-history";

/// Raised with every change that an older program could misread.
const VERSION: u32 = 6;

/// The first version that says who made a title.
const WITH_TITLE_SOURCE: u32 = 3;

/// Largest file that is imported, in bytes: it is in memory as a whole, together with what is made of it.
pub const MAX_BYTES: u64 = 512 << 20;

/// Longest message that is imported, in bytes: many times what a model can read.
pub const MAX_MESSAGE_BYTES: usize = 16 << 20;

/// Why a file was not imported. Nothing of it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportError {
    /// It is not JSON, or a field is missing or of the wrong kind.
    Json {
        /// Whether it ends too early, is no JSON at all, or holds something else.
        fault: Category,
        /// Line, counted from 1.
        line: usize,
        /// Column, counted from 1.
        column: usize,
        /// What is wrong there, for engineers.
        reason: String,
    },
    /// It is a ZIP archive.
    Zip,
    /// It is JSON of another kind.
    Format {
        /// What it says it is.
        found: String,
    },
    /// It is too large.
    TooLarge {
        /// Its bytes.
        size: u64,
    },
    /// It was written by a newer program.
    Version {
        /// Its version.
        found: u32,
    },
    /// A conversation's tree is broken.
    Tree {
        /// Its place in the file, counted from 0.
        index: usize,
        /// Its title.
        title: String,
        /// What is wrong.
        fault: TreeError,
    },
    /// A message is too long.
    Message {
        /// The conversation's title.
        title: String,
        /// Its bytes.
        size: u64,
    },
    /// The bytes of an attachment are not base64.
    Attachment {
        /// Its key.
        key: AttachmentKey,
        /// What is wrong, for engineers.
        reason: String,
    },
    /// A preset or a prompt cannot be one of ours.
    Preset(PresetFileError),
    /// The file is right; the storage is not.
    Store(StoreError),
}

impl From<StoreError> for ImportError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Conversations with what is attached to them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Archive {
    /// When it was made, in milliseconds since 1970.
    pub exported: u64,
    /// The conversations.
    pub conversations: Vec<Conversation>,
    /// Their folders.
    pub folders: Vec<Folder>,
    /// Their presets.
    pub presets: Vec<Preset>,
    /// Prompts.
    pub prompts: Vec<Prompt>,
    /// Bytes of attachments.
    pub attachments: BTreeMap<AttachmentKey, Vec<u8>>,
    /// What was left out of a file of another program.
    pub skipped: SkippedCounts,
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
#[derive(Deserialize)]
struct File<C> {
    #[serde(default)]
    exported: u64,
    conversations: C,
    #[serde(default)]
    folders: Vec<Folder>,
    #[serde(default)]
    presets: Vec<Preset>,
    #[serde(default)]
    prompts: Vec<Prompt>,
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
        let mut json = String::new();
        let mut writer = ArchiveWriter::new(self.exported, |piece| json.push_str(&piece));
        for conversation in &self.conversations {
            writer.conversation(conversation);
        }
        writer.named(&self.folders, &self.presets, &self.prompts);
        for (&key, bytes) in &self.attachments {
            writer.attachment(key, bytes);
        }
        writer.end();
        json
    }

    /// Reads a file's text, or the export of another program, and believes nothing in it: see [`Conversation::check`].
    ///
    /// # Errors
    /// The first fault, with its place.
    pub fn from_json(json: &[u8]) -> Result<Self, ImportError> {
        if json.len() as u64 > MAX_BYTES {
            return Err(ImportError::TooLarge { size: json.len() as u64 });
        }
        if json.starts_with(b"PK") {
            return Err(ImportError::Zip);
        }
        let json = json_file::text(json).map_err(not_utf8)?;
        let is_list = json.trim_start().starts_with('[');
        let head: Head = match is_list {
            true => Head { format: String::new(), version: 0 },
            false => serde_json::from_str(json).map_err(|error| at(&error))?,
        };
        if head.format.is_empty() {
            return Self::of_others(json);
        }
        if head.format != FORMAT {
            return Err(ImportError::Format { found: head.format.chars().take(64).collect() });
        }
        if head.version > VERSION {
            return Err(ImportError::Version { found: head.version });
        }
        let mut file: File<Vec<Conversation>> = serde_json::from_str(json).map_err(|error| at(&error))?;
        for (index, conversation) in file.conversations.iter_mut().enumerate() {
            conversation.title = one_line(&conversation.title);
            if head.version < WITH_TITLE_SOURCE {
                conversation.guess_title_source();
            }
            check(index, conversation)?;
        }
        let mut attachments = BTreeMap::new();
        for (key, text) in file.attachments {
            let bytes = STANDARD
                .decode(&text)
                .map_err(|error| ImportError::Attachment { key, reason: error.to_string() })?;
            attachments.insert(key, bytes);
        }
        for folder in &mut file.folders {
            folder.name = one_line(&folder.name);
        }
        preset_file::check(&mut file.presets, &mut file.prompts).map_err(ImportError::Preset)?;
        let File { exported, conversations, folders, presets, prompts, .. } = file;
        let skipped = SkippedCounts::new();
        Ok(Self { exported, conversations, folders, presets, prompts, attachments, skipped })
    }

    /// Reads the export of another program.
    fn of_others(json: &str) -> Result<Self, ImportError> {
        let Some(Foreign { conversations, skipped }) = foreign::read(json, super::now()) else {
            // Where it is no JSON either, that has a place.
            serde_json::from_str::<IgnoredAny>(json).map_err(|error| at(&error))?;
            return Err(ImportError::Format { found: String::new() });
        };
        for (index, conversation) in conversations.iter().enumerate() {
            check(index, conversation)?;
        }
        Ok(Self { conversations, skipped, ..Self::default() })
    }
}

/// Whether a conversation of a file can be one of ours.
fn check(index: usize, conversation: &Conversation) -> Result<(), ImportError> {
    let title = || conversation.title.clone();
    conversation.check().map_err(|fault| ImportError::Tree { index, title: title(), fault })?;
    let sizes = conversation.nodes().map(|(_, node)| {
        let given = node.message.given.as_ref().map_or(0, |given| given.text.len());
        node.message.text.len().max(node.message.thought.len()).max(given)
    });
    match sizes.max().filter(|size| *size > MAX_MESSAGE_BYTES) {
        Some(size) => Err(ImportError::Message { title: title(), size: size as u64 }),
        None => Ok(()),
    }
}

/// Writes the file piece by piece, so that it is nowhere in memory as a whole: the conversations, then what is attached.
pub struct ArchiveWriter<F: FnMut(String)> {
    take: F,
    /// What stands before the next entry.
    before: &'static str,
    /// What is named, as fields of JSON.
    named: String,
    in_attachments: bool,
}

impl<F: FnMut(String)> ArchiveWriter<F> {
    /// Begins a file; `take` is given the pieces of its text in order.
    pub fn new(exported: u64, mut take: F) -> Self {
        take(format!(
            "{{\n\"format\": \"{FORMAT}\",\n\"version\": {VERSION},\n\"exported\": {exported},\n\"conversations\": ["
        ));
        Self { take, before: "\n", named: String::new(), in_attachments: false }
    }

    /// Writes a conversation.
    pub fn conversation(&mut self, conversation: &Conversation) {
        // Maps have keys of text and numbers are finite or written as null: there is nothing that JSON cannot hold.
        let json = serde_json::to_string_pretty(conversation).unwrap_or_default();
        (self.take)(format!("{}{json}", self.before));
        self.before = ",\n";
    }

    /// Takes the folders and presets of the conversations, and prompts. No attachment may have been written.
    pub fn named(&mut self, folders: &[Folder], presets: &[Preset], prompts: &[Prompt]) {
        self.named = field("folders", folders) + &field("presets", presets) + &field("prompts", prompts);
    }

    /// Writes the bytes of an attachment. No conversation may follow.
    pub fn attachment(&mut self, key: AttachmentKey, bytes: &[u8]) {
        self.enter_attachments();
        (self.take)(format!("{}\"{key}\": \"{}\"", self.before, STANDARD.encode(bytes)));
        self.before = ",\n";
    }

    /// Ends the file.
    pub fn end(mut self) {
        self.enter_attachments();
        (self.take)("\n}\n}".to_owned());
    }

    fn enter_attachments(&mut self) {
        if !self.in_attachments {
            (self.take)(format!("\n],{}\n\"attachments\": {{", self.named));
            (self.before, self.in_attachments) = ("\n", true);
        }
    }
}

/// A field of the file, on lines of its own.
fn field<T: Serialize>(name: &str, all: &[T]) -> String {
    // Texts and finite numbers: there is nothing that JSON cannot hold.
    format!("\n\"{name}\": {},", serde_json::to_string_pretty(all).unwrap_or_default())
}

fn not_utf8(NotUtf8 { line, column }: NotUtf8) -> ImportError {
    ImportError::Json { fault: Category::Syntax, line, column, reason: "not UTF-8".to_owned() }
}

fn at(error: &serde_json::Error) -> ImportError {
    // The message ends with the place, which has its own fields here.
    let message = error.to_string();
    let reason = message.rsplit_once(" at line ").map_or(message.as_str(), |(reason, _)| reason);
    ImportError::Json {
        fault: error.classify(),
        line: error.line(),
        column: error.column(),
        reason: reason.to_owned(),
    }
}
