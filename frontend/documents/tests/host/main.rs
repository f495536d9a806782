//! Whole files, from bytes to citations.

#![allow(clippy::unwrap_used, reason = "a failure here is a failed test")]

mod hostile;
mod made;
mod packages;
mod pdf;
mod retrieval;

use std::ops::ControlFlow;

use documents::{Document, Error, Options};

fn read(name: &str, bytes: &[u8]) -> Result<Document, Error> {
    documents::read(name, bytes, &Options::default(), &mut |_| ControlFlow::Continue(()))
}

/// The text of all sections.
fn text(document: &Document) -> String {
    document.sections.iter().flat_map(|section| [section.text.as_str(), "\n"]).collect()
}
