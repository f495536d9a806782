//! Documents in a conversation.
//!
//! [`read`] turns the bytes of a file into a [`Document`]: its text in reading order, in sections that know their headings
//! and their [`Place`] in the file. [`split`] cuts the text into passages, [`rank`] orders them by how well they fit a
//! question, and [`pick`] takes as many as fit a number of tokens. [`prompt`] writes them for the model, and [`citations`]
//! finds the passages that its answer names. [`choose`] does all but the last of this for a question, and [`Ask`] and [`Reply`]
//! are the messages between a page and the worker that reads and chooses for it.
//!
//! Files are hostile until read: [`Limits`] bounds what reading may use, and a callback can cancel it. See the crate's
//! README for the formats, the choice of the PDF library and what its failures look like.
//!
//! Without the feature `read` there is only what the page needs: the document, the messages, [`marks`].
//!
//! ```
//! # #[cfg(feature = "read")] {
//! use std::ops::ControlFlow;
//!
//! let bytes = b"# Rent\n\nThe notice period is three months.";
//! let options = documents::Options::default();
//! let document = documents::read("contract.md", bytes, &options, &mut |_| ControlFlow::Continue(()))?;
//!
//! let mut count = |text: &str| text.split_whitespace().count();
//! let passages = documents::split(&document, 200, &mut count);
//! let scores = documents::rank(&passages, "How long is the notice period?");
//! let choice = documents::pick(&passages, &scores, 1000, &mut count);
//!
//! let source = documents::Source { number: 1, name: "contract.md", passages: &passages, choice: &choice };
//! let prompt = documents::prompt(&[source]);
//! assert!(prompt.contains("[1:1] lines 1–3 · Rent"));
//! # }
//! # Ok::<(), documents::Error>(())
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a failure here is a failed test"))]

#[cfg(feature = "read")]
mod answer;
#[cfg(feature = "read")]
mod choose;
mod document;
mod error;
#[cfg(feature = "read")]
mod formats;
mod letters;
#[cfg(feature = "read")]
mod limits;
mod marks;
mod messages;
#[cfg(feature = "read")]
mod passages;
#[cfg(feature = "read")]
mod read;
mod tokens;

#[cfg(feature = "read")]
pub use answer::{Citation, Source, citations, prompt};
#[cfg(feature = "read")]
pub use choose::choose;
pub use document::{Document, Encoding, Format, Page, Place, Section, Span};
pub use error::Error;
pub use letters::is_mark;
#[cfg(feature = "read")]
pub use limits::{Limits, Progress};
pub use marks::{Mark, marks};
pub use messages::{Ask, Asked, Given, Reply, Share, Unit};
#[cfg(feature = "read")]
pub use passages::{Choice, Passage, pick, rank, split};
#[cfg(feature = "read")]
pub use read::{Options, format_of, read};
pub use tokens::estimate;
