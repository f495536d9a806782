//! A conversation as it lies in storage.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::Conversation;
use super::id::random_bits;
use super::records::{StoreError, Value};

/// Raised with every change that an older page could misread.
pub(super) const VERSION: u32 = 5;

/// The first version that says who made a title.
const WITH_TITLE_SOURCE: u32 = 3;

/// A conversation as it was read from storage, or as it was last written there.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredConversation {
    /// Another one with every write: who finds another than the one last seen knows that somebody else has written.
    pub revision: u64,
    /// The conversation.
    pub conversation: Conversation,
}

/// The record. Pages before version 2 wrote the bare conversation. Before version 3, a conversation had no [`super::Filing`],
/// and nothing said who had made its title. Before version 4, calls had no ids, and a conversation no tools and no format, and
/// before version 5, thoughts no limit.
#[derive(Serialize, Deserialize)]
struct Record<C> {
    version: u32,
    revision: u64,
    conversation: C,
}

/// What tells the versions apart.
#[derive(Deserialize)]
struct Head {
    version: Option<u32>,
}

impl StoredConversation {
    /// A conversation that is about to be written.
    pub(super) fn next(conversation: Conversation) -> Self {
        Self { revision: random_bits() as u64, conversation }
    }

    /// The record.
    pub(super) fn write(&self, key: &str) -> Result<Value, StoreError> {
        let Self { revision, conversation } = self;
        write_json(key, &Record { version: VERSION, revision: *revision, conversation })
    }

    /// Reads a record, and believes nothing in it.
    pub(super) fn read(key: &str, value: Value) -> Result<Self, StoreError> {
        let broken = |reason: String| StoreError::Broken { key: key.to_owned(), reason };
        let Value::Text(text) = value else { return Err(broken("not text".to_owned())) };
        let parse = |error: serde_json::Error| broken(error.to_string());
        let head: Head = serde_json::from_str(&text).map_err(parse)?;
        let mut stored = match head.version {
            None => Self { revision: 0, conversation: serde_json::from_str(&text).map_err(parse)? },
            Some(..=VERSION) => {
                let record: Record<&RawValue> = serde_json::from_str(&text).map_err(parse)?;
                let conversation = serde_json::from_str(record.conversation.get()).map_err(parse)?;
                Self { revision: record.revision, conversation }
            }
            Some(version) => return Err(StoreError::Newer { key: key.to_owned(), version }),
        };
        if head.version.is_none_or(|version| version < WITH_TITLE_SOURCE) {
            stored.conversation.guess_title_source();
        }
        stored.conversation.check().map_err(|error| broken(format!("{error:?}")))?;
        if stored.conversation.id.to_string() != key {
            return Err(broken("another id".to_owned()));
        }
        Ok(stored)
    }
}

pub(super) fn write_json<T: Serialize>(key: &str, value: &T) -> Result<Value, StoreError> {
    let broken =
        |error: serde_json::Error| StoreError::Broken { key: key.to_owned(), reason: error.to_string() };
    serde_json::to_string(value).map(Value::Text).map_err(broken)
}
