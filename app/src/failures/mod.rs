//! Failures as sentences: what happened, then what to do. They are made when they are shown, in the language of the page.

mod adapter;
mod catalog;
mod device;
mod engine;
mod example;
mod file;
mod kernel;
mod media;
mod model;
mod picked;
mod pull;
mod request;
mod storage;
mod store;
mod training;

use protocol::failure::{DeviceFailure, EngineFailure, ModelFailure};
use protocol::{Code, Failure};

use crate::{format, history::AnswerError, language::t};

pub use catalog::{downloadable, folder_problem, list_note, model_problem, model_problem_alone};
pub use device::no_gpu;
pub use example::problem;
pub use kernel::kernel_problem;
pub use picked::{PickedTrouble, picked};
pub use pull::pull_problem;
pub use store::{StoreTrouble, import, store, store_details, store_trouble, tree};

/// What happened, and what to do.
#[must_use]
pub fn sentence(failure: &Failure) -> String {
    of(&failure.code)
}

/// What happened, and what to do, by the code alone.
#[must_use]
pub fn of(code: &Code) -> String {
    match code {
        Code::Cancelled => t().failure_cancelled().into(),
        Code::Version { page, engine } if page > engine => t().failure_version_engine().into(),
        Code::Version { .. } => t().failure_version().into(),
        Code::Request(failure) => request::sentence(failure),
        Code::Device(failure) => device::sentence(failure),
        Code::Read(failure) => file::sentence(failure),
        Code::Model(failure) => model::sentence(failure),
        Code::Media(failure) => media::sentence(failure),
        Code::Adapter(failure) => adapter::sentence(failure),
        Code::Storage(failure) => storage::sentence(failure),
        Code::Training(failure) => training::sentence(failure),
        Code::Engine(failure) => engine::sentence(failure),
    }
}

/// What went wrong with an answer.
#[must_use]
pub fn answer(error: &AnswerError) -> String {
    match error {
        AnswerError::Failed(failure) => sentence(failure),
        AnswerError::Words(words) => words.clone(),
        AnswerError::Unknown(_) => of(&EngineFailure::Generating.into()),
    }
}

/// The sentence with its detail, for a report that is copied.
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
