//! The messages between a page and the worker that reads documents for it.

use serde::{Deserialize, Serialize};

use crate::{Document, Error, Place};

/// What the page asks. `D` is a [`Document`], or a reference to one that is sent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Ask<D> {
    /// To read the file that comes with the message.
    Read {
        /// Its name.
        name: String,
    },
    /// To choose what of some documents the model gets with a question.
    Choose {
        /// The question.
        question: String,
        /// The documents.
        documents: Vec<Asked<D>>,
        /// The most tokens that it may take, as they are estimated.
        budget: u32,
    },
}

/// A document of a conversation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Asked<D> {
    /// Its number in the conversation, from 1.
    pub number: u32,
    /// Its name.
    pub name: String,
    /// Its text.
    pub document: D,
    /// The passages that the model has got before; `None` if the document is new to it.
    pub known: Option<Vec<u32>>,
}

/// What the worker answers. [`Self::Progress`] comes any number of times before another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reply {
    /// How far reading is, in a unit that depends on the format.
    Progress {
        /// What is read.
        done: u64,
        /// What there is.
        total: u64,
    },
    /// The document, or why it can't be read.
    Read(Result<Document, Error>),
    /// What the model gets.
    Chosen(Given),
}

/// What of some documents the model gets with a question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Given {
    /// What stands before the question.
    pub text: String,
    /// The tokens of that, as they are estimated.
    pub tokens: u32,
    /// What is in it of each document.
    pub shares: Vec<Share>,
}

/// What of one document the model gets with a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// The number of the document in the conversation, from 1.
    pub document: u32,
    /// The numbers of the passages, each with its place.
    pub passages: Vec<(u32, Place)>,
    /// What is counted.
    pub unit: Unit,
    /// How many of these are given.
    pub given: u32,
    /// How many there are. If it is more, something is left out.
    pub of: u32,
}

/// What is counted of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Pages.
    Pages,
    /// Chapters.
    Chapters,
    /// Passages.
    Passages,
}
