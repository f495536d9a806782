//! The browser's storage.

use protocol::failure::StorageFailure;

use super::{compared, t};
use crate::format::bytes;

pub(super) fn sentence(failure: &StorageFailure) -> String {
    match failure {
        StorageFailure::Unavailable => t().failure_storage_unavailable().into(),
        StorageFailure::InUse => t().failure_storage_in_use().into(),
        StorageFailure::Failed => t().failure_storage_failed().into(),
        StorageFailure::NoRoom { needed, available } => {
            let (needed, available) = compared(*needed, *available);
            t().failure_storage_no_room(&needed, &available)
        }
        StorageFailure::Full { .. } => t().failure_storage_full().into(),
        StorageFailure::Corrupt => t().failure_storage_corrupt().into(),
        StorageFailure::TrainingFull { bytes: size } => t().failure_storage_training_full(&bytes(*size)),
        StorageFailure::TrainingInUse => t().failure_storage_training_in_use().into(),
        StorageFailure::Damaged { bytes: size } => t().failure_storage_damaged(&bytes(*size)),
        StorageFailure::MediaFull { bytes: size } => t().failure_storage_media_full(&bytes(*size)),
    }
}
