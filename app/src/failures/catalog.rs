//! What the server says of its models. Where it says what this page doesn't know yet, its own words are shown.

use protocol::said::{FolderProblem, ListNote, ModelProblem, Said};

use super::{of_model, t};

/// Returns why a model of the list cannot be used, and what to do.
#[must_use]
pub fn model_problem(said: &Said<ModelProblem>) -> String {
    let problem = model_problem_alone(said);
    // The server's own words have it.
    match downloadable(said).filter(|_| said.code.is_some()) {
        Some(model) => format!("{problem} {}", t().catalog_pull(model)),
        None => problem,
    }
}

/// Returns the model whose download would mend it.
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

/// Returns why a model of the list cannot be used.
#[must_use]
pub fn model_problem_alone(said: &Said<ModelProblem>) -> String {
    said.code.as_ref().map_or_else(|| said.english.clone(), of_model)
}

/// Returns why nothing in a folder is listed, to stand behind its name.
#[must_use]
pub fn folder_problem(said: &Said<FolderProblem>) -> String {
    match said.code {
        Some(FolderProblem::NotThere) => t().catalog_folder_missing().into(),
        Some(FolderProblem::Unreadable) => t().catalog_folder_unreadable().into(),
        None => format!("({})", said.english),
    }
}

/// Returns what the list lacks.
#[must_use]
pub fn list_note(said: &Said<ListNote>) -> String {
    match &said.code {
        Some(ListNote::FullFolder { folder, shown }) => t().catalog_full_folder(folder, *shown),
        Some(ListNote::FullList { left_out }) => t().catalog_full_list(*left_out),
        None => said.english.clone(),
    }
}
