//! Failures as sentences: what happened, then what to do. They are made when they are shown, in the language of the page.
//!
//! The build script writes a function for each enum, which takes the message that is called as the variant is; what it does is
//! described in `build/failures.rs`. A variant without a message is an error of the build.

mod by_hand;
mod catalog;
mod store;

use protocol::diagnosis::KernelProblem;
use protocol::example::*;
use protocol::failure::*;
use protocol::said::{ModelPart, ModelProblem, Said, Unreadable};
use protocol::{PullProblem, Sense};

use crate::{
    format::{self, setting_of},
    history::AnswerError,
    language::t,
    mcp::McpError,
    tools::ToolError,
};

pub use catalog::{downloadable, folder_problem, list_note, model_problem, model_problem_alone};
pub use store::{StoreTrouble, import, preset_file, store, store_details, store_trouble, tree};

include!(concat!(env!("OUT_DIR"), "/failures.rs"));

/// Why a model was not opened again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PickedTrouble {
    /// The user did not let the page read this file.
    NotAllowed {
        /// Its name.
        name: String,
    },
    /// This file was moved, renamed or deleted.
    Gone {
        /// Its name.
        name: String,
    },
    /// This file is another one than it was.
    Changed {
        /// Its name.
        name: String,
    },
    /// The browser can't read this file.
    Unreadable {
        /// Its name.
        name: String,
    },
}

/// Returns why a model isn't downloaded, and what to do. The server's own words for what this page doesn't know yet.
#[must_use]
pub fn pull_problem(said: &Said<PullProblem>) -> String {
    said.code.as_ref().map_or_else(|| said.english.clone(), of_pull)
}

/// Returns what is wrong with a kernel.
#[must_use]
pub fn kernel_problem(problem: &KernelProblem) -> String {
    match problem {
        KernelProblem::Differs { element, found, expected } => {
            t().kernel_differs(*element, &setting_of(&found.to_string()), &setting_of(&expected.to_string()))
        }
        KernelProblem::Refused { .. } => t().kernel_refused().into(),
    }
}

/// Returns what happened, and what to do.
#[must_use]
pub fn sentence(failure: &Failure) -> String {
    of(&failure.code)
}

/// Returns what went wrong with an answer.
#[must_use]
pub fn answer(error: &AnswerError) -> String {
    match error {
        AnswerError::Failed(failure) => sentence(failure),
        AnswerError::Words(words) => words.clone(),
        AnswerError::Unknown(_) => of(&EngineFailure::Generating.into()),
    }
}

/// Returns the sentence with its detail, for a report that is copied.
#[must_use]
pub fn report(failure: &Failure) -> String {
    match details(failure) {
        Some(details) => format!("{} ({details})", sentence(failure)),
        None => sentence(failure),
    }
}

/// More for engineers, in English; `None` if there is nothing to add.
#[must_use]
pub fn details(failure: &Failure) -> Option<String> {
    // Of a file that was not opened, the failure inside says more.
    let detail = match &failure.code {
        Code::Model(ModelFailure::NotOpened { failure, .. }) => &failure.detail,
        // The part that is too large.
        Code::Device(DeviceFailure::BufferTooLarge { buffer, .. }) if failure.detail.is_empty() => buffer,
        _ => &failure.detail,
    };
    (!detail.is_empty()).then(|| detail.clone())
}

/// Two amounts of bytes that are compared: with as many digits as tell them apart.
fn compared(a: u64, b: u64) -> (String, String) {
    let pair = (format::bytes(a), format::bytes(b));
    if a == b || pair.0 != pair.1 { pair } else { (format::bytes_exactly(a), format::bytes_exactly(b)) }
}

#[cfg(test)]
mod tests;
