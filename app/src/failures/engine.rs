//! Faults of the engine.

use protocol::failure::EngineFailure;

use super::t;

pub(super) fn sentence(failure: &EngineFailure) -> String {
    match failure {
        EngineFailure::Unexpected => t().failure_engine_unexpected().into(),
        EngineFailure::Generating => t().failure_engine_generating().into(),
        EngineFailure::Stopped => t().failure_engine_stopped().into(),
        EngineFailure::AnswerCut => t().failure_engine_answer_cut().into(),
        EngineFailure::NotStarted { seconds } => t().failure_engine_not_started((*seconds).into()),
        EngineFailure::BadMessage => t().failure_engine_message().into(),
        EngineFailure::NotNumbers => t().failure_engine_numbers().into(),
        EngineFailure::Miscomputes { kernels, unloaded: true } => {
            t().failure_engine_unloaded(&kernels.join(", "))
        }
        EngineFailure::Miscomputes { kernels, unloaded: false } => {
            t().failure_engine_fallback(&kernels.join(", "))
        }
    }
}
