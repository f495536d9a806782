//! Errors of grammars as the page puts them into words.

use grammar::GrammarError;
use protocol::Failure;
use protocol::failure::RequestFailure;

/// The failure of a constraint that is not begun.
pub fn of(error: GrammarError) -> Failure {
    let detail = error.to_string();
    let failure = match error {
        GrammarError::Refused { path, refusal } => {
            RequestFailure::Schema { path, keyword: refusal.keyword().to_owned() }
        }
        GrammarError::NoCalls => RequestFailure::Unconstrained,
        GrammarError::NoTools
        | GrammarError::Unusable { .. }
        | GrammarError::Forbidden { .. }
        | GrammarError::DeadEnd => RequestFailure::SchemaTooLarge,
    };
    Failure::new(failure).detailed(detail)
}
