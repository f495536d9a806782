//! LoRA adapters that cannot be used.

use protocol::failure::AdapterFailure;

use super::t;

pub(super) fn sentence(failure: &AdapterFailure) -> String {
    match failure {
        AdapterFailure::NotOpen { .. } => t().failure_adapter_not_open().into(),
        AdapterFailure::NotKept => t().failure_adapter_not_saved().into(),
        AdapterFailure::Incomplete => t().failure_adapter_incomplete().into(),
        AdapterFailure::SeveralAtOnce => t().failure_adapter_several().into(),
        AdapterFailure::NeedsModel { names } => t().failure_adapter_needs_model(&names.join(", ")),
        AdapterFailure::NotAnAdapter => t().failure_adapter_not_adapter().into(),
        AdapterFailure::ConfigTooLarge { file } => t().failure_adapter_config(file),
        AdapterFailure::Damaged => t().failure_adapter_damaged().into(),
        AdapterFailure::Inconsistent => t().failure_adapter_inconsistent().into(),
        AdapterFailure::Architecture { name } => t().failure_adapter_architecture(name),
        AdapterFailure::Unsupported => t().failure_adapter_unsupported().into(),
        AdapterFailure::TensorType { tensor, dtype } => t().failure_adapter_tensor(tensor, dtype),
        AdapterFailure::Rank { rank, most } => t().failure_adapter_rank(*rank, (*most).into()),
        AdapterFailure::OtherModel => t().failure_adapter_other_model().into(),
        AdapterFailure::NotFinite => t().failure_adapter_not_finite().into(),
        AdapterFailure::TooMany { most, ranks } => {
            t().failure_adapter_too_many((*most).into(), (*ranks).into())
        }
        AdapterFailure::NotWritten => t().failure_adapter_not_written().into(),
    }
}
