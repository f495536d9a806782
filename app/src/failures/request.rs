//! Requests that make no sense now.

use protocol::failure::{Activity, RequestFailure};

use super::t;

pub(super) fn sentence(failure: &RequestFailure) -> String {
    match failure {
        RequestFailure::NoModel => t().failure_no_model().into(),
        RequestFailure::OtherModel => t().failure_other_model().into(),
        RequestFailure::Diffusion => t().failure_diffusion().into(),
        RequestFailure::Busy(activity) => match activity {
            Activity::Loading => t().failure_busy_loading(),
            Activity::Unloading => t().failure_busy_unloading(),
            Activity::Generating => t().failure_busy_generating(),
            Activity::Training => t().failure_busy_training(),
            Activity::Measuring => t().failure_busy_measuring(),
        }
        .into(),
        RequestFailure::NoQuestion => t().failure_no_question().into(),
        RequestFailure::EmptyPrompt => t().failure_empty_prompt().into(),
        RequestFailure::ContextFull { tokens, context } => {
            t().failure_context_full((*tokens).into(), (*context).into())
        }
        RequestFailure::ToolDescription => t().failure_tool_description().into(),
        RequestFailure::ToolArguments { tool } => t().failure_tool_arguments(tool),
    }
}
