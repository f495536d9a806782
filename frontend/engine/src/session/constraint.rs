//! What an answer may be.

/// Why a constraint failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the constraint of the answer failed: {0}")]
pub struct ConstraintError(pub String);

/// What the tokens of an answer may be, from its beginning on. It decides about thoughts, too.
pub trait Constraint {
    /// Takes the next token of the answer.
    ///
    /// # Errors
    /// If it isn't allowed.
    fn push(&mut self, id: u32) -> Result<(), ConstraintError>;

    /// Returns the tokens that may come next: a bit for each, from the lowest bit of the first word on.
    ///
    /// # Errors
    /// If there are none.
    fn allowed(&mut self) -> Result<&[u32], ConstraintError>;

    /// Returns the beginning of the text that must come next; empty if there is a choice.
    fn forced(&mut self) -> String {
        String::new()
    }
}
