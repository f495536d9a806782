//! Files that could not be read.

use protocol::failure::ReadFailure;

use super::t;
use crate::format::bytes;

pub(super) fn sentence(failure: &ReadFailure) -> String {
    match failure {
        ReadFailure::TooShort { size } => t().failure_file_short(&bytes(*size)),
        ReadFailure::Unreadable => t().failure_file_unreadable().into(),
        ReadFailure::ConnectionLost { received } => t().failure_file_connection(&bytes(*received)),
        ReadFailure::NotFound => t().failure_file_not_found().into(),
        ReadFailure::Forbidden => t().failure_file_forbidden().into(),
        ReadFailure::Status { status } => t().failure_file_status(&status.to_string()),
        ReadFailure::WrongRange => t().failure_file_range().into(),
        ReadFailure::Changed => t().failure_file_changed().into(),
        ReadFailure::OutOfMemory { bytes: amount } => t().failure_file_memory(&bytes(*amount)),
        ReadFailure::Gone => t().failure_file_gone().into(),
        ReadFailure::ModelList => t().failure_file_list().into(),
    }
}
