//! The documents of the conversations on screen: their text at hand, what of it fits a question, what is shown of it.

mod words;
mod worker;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use documents::{Ask, Asked, Document, Given, Place, Reply, estimate};
use leptos::prelude::*;
use web_sys::Blob;

use super::MediaStore;
use crate::browser;
use crate::history::{Attachment, AttachmentKey, Extent, OpenDocument};
use crate::language::t;
use worker::Trouble;

pub use words::{place_words, short_place, whole_words};

/// How long a document may be read.
const READING: Duration = Duration::from_secs(120);

/// How long passages may be chosen.
const CHOOSING: Duration = Duration::from_secs(30);

/// The documents of the conversations on screen.
#[derive(Clone, Copy)]
pub struct DocumentStore {
    media: MediaStore,
    held: StoredValue<HashMap<AttachmentKey, Arc<Document>>>,
    /// The document that is shown.
    pub shown: RwSignal<Option<ShownDocument>>,
}

/// A document that is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownDocument {
    /// The document.
    pub attachment: Attachment,
    /// The place in it; `None` for its beginning.
    pub at: Option<Place>,
}

impl DocumentStore {
    /// Nothing at hand.
    #[must_use]
    pub fn new(media: MediaStore) -> Self {
        Self { media, held: StoredValue::new(HashMap::new()), shown: RwSignal::new(None) }
    }

    /// Reads a file. `goes_on` gets the share that is read, in percent, as far as that is known, and returns whether the file is
    /// wanted still. Returns `None` once it is not.
    ///
    /// # Errors
    /// Why it cannot be used, in a sentence.
    pub async fn read(
        self,
        name: &str,
        file: &Blob,
        goes_on: impl Fn(Option<u64>) -> bool,
    ) -> Result<Option<Document>, String> {
        let ask = Ask::Read { name: name.to_owned() };
        let goes_on = |progress: Option<(u64, u64)>| {
            goes_on(progress.and_then(|(done, total)| done.saturating_mul(100).checked_div(total)))
        };
        match worker::ask(&ask, std::slice::from_ref(file), READING, goes_on).await {
            Ok(Reply::Read(Ok(document))) => {
                browser::keep_part("documents");
                Ok(Some(document))
            }
            Ok(Reply::Read(Err(error))) => Err(words::error(&error)),
            Err(Trouble::Canceled) => Ok(None),
            Err(trouble) => Err(words::trouble(trouble).to_owned()),
            Ok(_) => Err(words::trouble(Trouble::Crashed).to_owned()),
        }
    }

    /// Holds the text of an attachment at hand.
    pub fn hold(self, key: AttachmentKey, document: Document) {
        self.held.update_value(|held| {
            held.insert(key, Arc::new(document));
        });
    }

    /// Lets go of all texts, and of the worker that has read them.
    pub fn let_go(self) {
        worker::end_idle();
        self.held.update_value(HashMap::clear);
    }

    /// The text of an attachment, which is read again where it is not at hand.
    ///
    /// # Errors
    /// Why there is none, in a sentence.
    pub async fn text(self, attachment: &Attachment) -> Result<Arc<Document>, String> {
        let at_hand = || self.held.with_value(|held| held.get(&attachment.key).cloned());
        if let Some(document) = at_hand() {
            return Ok(document);
        }
        let blob = self.media.blob(attachment).await.ok_or(t().attach_gone())?;
        let document = self.read(&attachment.name, &blob, |_| true).await?;
        self.hold(attachment.key, document.ok_or(t().attach_gone())?);
        at_hand().ok_or_else(|| t().attach_gone().to_owned())
    }

    /// Chooses what of some documents the model gets with a question, in at most so many tokens, as they are estimated.
    ///
    /// # Errors
    /// Why it could not be chosen, in a sentence.
    pub async fn choose(
        self,
        question: &str,
        documents: &[(OpenDocument, Arc<Document>)],
        budget: u32,
    ) -> Result<Given, String> {
        let asked = documents.iter().map(|(open, document)| Asked {
            number: open.number,
            name: open.attachment.name.clone(),
            document: &**document,
            known: open.known.clone(),
        });
        let ask = Ask::Choose { question: question.to_owned(), documents: asked.collect(), budget };
        match worker::ask(&ask, &[], CHOOSING, |_| true).await {
            Ok(Reply::Chosen(given)) => Ok(given),
            Ok(_) => Err(words::trouble(Trouble::Crashed).to_owned()),
            Err(trouble) => Err(words::trouble(trouble).to_owned()),
        }
    }

    /// Shows a document at a place.
    pub fn show(self, attachment: Attachment, at: Option<Place>) {
        self.shown.set(Some(ShownDocument { attachment, at }));
    }
}

/// How much there is of a document.
///
/// # Errors
/// If it has no text, in a sentence.
pub fn extent(document: &Document) -> Result<Extent, String> {
    let scanned = document.scanned_pages().count() as u32;
    if !document.has_text() {
        let words = if scanned > 0 { t().document_scanned() } else { t().document_blank() };
        return Err(words.to_owned());
    }
    let whole = document.whole().ok_or(t().document_blank())?;
    let tokens: usize = document.sections.iter().map(|section| estimate(&section.text)).sum();
    Ok(Extent { whole, tokens: u32::try_from(tokens).unwrap_or(u32::MAX), scanned })
}

#[cfg(test)]
mod tests {
    use documents::{Format, Page, Section};

    use super::*;

    #[test]
    fn a_document_without_text_is_refused_with_what_to_do() {
        let scanned = Document {
            format: Format::Pdf,
            title: None,
            sections: Vec::new(),
            pages: vec![Page::Scanned, Page::Blank],
            encoding: None,
        };
        assert_eq!(extent(&scanned), Err(t().document_scanned().to_owned()));
        let blank = Document { pages: vec![Page::Blank], ..scanned.clone() };
        assert_eq!(extent(&blank), Err(t().document_blank().to_owned()));
        let section = Section { headings: Vec::new(), place: Place::Page(2), text: "two words".into() };
        let mixed = Document { sections: vec![section], ..scanned };
        assert_eq!(extent(&mixed), Ok(Extent { whole: Place::Page(2), tokens: 2, scanned: 1 }));
    }
}
