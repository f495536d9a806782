//! What the server says of its models. Where it says what this page doesn't know yet, its own words are shown.

use protocol::said::{FolderProblem, ListNote, ModelPart, ModelProblem, Said, Unreadable};

use super::t;
use crate::format::bytes;

/// Why a model of the list cannot be used, and what to do.
#[must_use]
pub fn model_problem(said: &Said<ModelProblem>) -> String {
    let problem = model_problem_alone(said);
    // The server's own words have it.
    match downloadable(said).filter(|_| said.code.is_some()) {
        Some(model) => format!("{problem} {}", t().catalog_pull(model)),
        None => problem,
    }
}

/// The model whose download would mend it.
#[must_use]
pub fn downloadable(said: &Said<ModelProblem>) -> Option<&str> {
    match said.code.as_ref()? {
        ModelProblem::Manifest { model }
        | ModelProblem::Missing { model, .. }
        | ModelProblem::Unfinished { model }
        | ModelProblem::WrongSize { model, .. } => Some(model),
        _ => None,
    }
}

/// Why a model of the list cannot be used.
#[must_use]
pub fn model_problem_alone(said: &Said<ModelProblem>) -> String {
    use ModelProblem as P;
    let Some(problem) = &said.code else { return said.english.clone() };
    match problem {
        P::Manifest { .. } => t().catalog_manifest().into(),
        P::Unreadable { part, why } => match why {
            Unreadable::Gone => t().catalog_gone(&subject(*part)),
            Unreadable::Forbidden => t().catalog_forbidden(&subject(*part)),
            Unreadable::Other => t().catalog_unreadable(&subject(*part)),
        },
        P::TooLarge { part, size } => t().catalog_too_large(&subject(*part), &bytes(*size)),
        P::Remote => t().catalog_remote().into(),
        P::Safetensors => t().catalog_safetensors().into(),
        P::NoModel => t().catalog_no_model().into(),
        P::Split { parts } => t().catalog_split(*parts),
        P::Foreign { architecture } => t().failure_model_architecture(architecture),
        P::Drafter => t().failure_model_drafter().into(),
        P::Adapter => t().catalog_adapter().into(),
        P::Projector => t().failure_model_projector().into(),
        P::TooManyPrompts => t().catalog_prompts().into(),
        P::Missing { part, .. } => t().catalog_missing(&subject(*part)),
        P::Unfinished { .. } => t().catalog_unfinished().into(),
        P::WrongSize { part, found, expected, .. } => {
            let (found, expected) = super::compared(*found, *expected);
            t().catalog_wrong_size(&subject(*part), &found, &expected)
        }
        P::Escape => t().catalog_escape().into(),
        P::NotGguf => t().failure_model_not_gguf().into(),
        P::GgufVersion { version } => t().failure_model_version(&version.to_string()),
        P::Truncated => t().catalog_truncated().into(),
        P::Damaged => t().failure_model_damaged().into(),
    }
}

/// A file of a model, to begin a sentence with.
fn subject(part: ModelPart) -> String {
    t().catalog_part(match part {
        ModelPart::File => "file",
        ModelPart::Manifest => "manifest",
        ModelPart::Model => "model",
        ModelPart::Projector => "projector",
        ModelPart::Adapter => "adapter",
        ModelPart::Drafter => "drafter",
    })
}

/// Why nothing in a folder is listed, to stand behind its name.
#[must_use]
pub fn folder_problem(said: &Said<FolderProblem>) -> String {
    match said.code {
        Some(FolderProblem::NotThere) => t().catalog_folder_missing().into(),
        Some(FolderProblem::Unreadable) => t().catalog_folder_unreadable().into(),
        None => format!("({})", said.english),
    }
}

/// What the list lacks.
#[must_use]
pub fn list_note(said: &Said<ListNote>) -> String {
    match &said.code {
        Some(ListNote::FullFolder { folder, shown }) => t().catalog_full_folder(folder, *shown),
        Some(ListNote::FullList { left_out }) => t().catalog_full_list(*left_out),
        None => said.english.clone(),
    }
}
