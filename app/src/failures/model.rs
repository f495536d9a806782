//! Models that do not work here.

use protocol::failure::{ModelFailure, OtherKind};
use protocol::{Code, Sense};

use super::t;
use crate::format::bytes_of;

pub(super) fn sentence(failure: &ModelFailure) -> String {
    match failure {
        ModelFailure::NotGguf => t().failure_model_not_gguf().into(),
        ModelFailure::Truncated { size, missing } => {
            t().failure_model_truncated(&bytes_of(*size, size.saturating_add(*missing)))
        }
        ModelFailure::GgufVersion { version } => t().failure_model_version(&version.to_string()),
        ModelFailure::BigEndian => t().failure_model_endian().into(),
        ModelFailure::UnsupportedHeader => t().failure_model_header().into(),
        ModelFailure::Damaged => t().failure_model_damaged().into(),
        ModelFailure::NoArchitecture => t().failure_model_no_architecture().into(),
        ModelFailure::Architecture { name } => t().failure_model_architecture(name),
        ModelFailure::OtherKind(kind) => match kind {
            OtherKind::Drafter => t().failure_model_drafter(),
            OtherKind::Projector => t().failure_model_projector(),
        }
        .into(),
        ModelFailure::TensorType { tensor, dtype } => t().failure_model_tensor(tensor, dtype),
        ModelFailure::NoToken { token } => t().failure_model_token(token),
        ModelFailure::NoModelFile { name } => t().failure_model_no_file(name),
        ModelFailure::WrongProjector => t().failure_model_wrong_projector().into(),
        ModelFailure::Lacks(Sense::Sight) => t().failure_model_no_vision().into(),
        ModelFailure::Lacks(Sense::Hearing) => t().failure_model_no_audio().into(),
        ModelFailure::TowerUnreadable => t().failure_model_tower().into(),
        ModelFailure::DrafterUnusable => t().failure_model_drafter_unusable().into(),
        ModelFailure::Part { number, count } => t().failure_model_part((*number).into(), (*count).into()),
        ModelFailure::Incomplete { what } => t().failure_model_incomplete(what),
        ModelFailure::Inconsistent { what } => t().failure_model_inconsistent(what),
        ModelFailure::FewRows { tensor, rows, tokens } => t().failure_model_rows(tensor, *rows, *tokens),
        ModelFailure::Tokenizer => t().failure_model_tokenizer().into(),
        ModelFailure::NotOpened { name, failure } => {
            if let Code::Model(ModelFailure::Truncated { size, missing }) = failure.code {
                return t().failure_model_truncated_of(name, &bytes_of(size, size.saturating_add(missing)));
            }
            t().failure_model_not_opened(name, &super::sentence(failure))
        }
    }
}
