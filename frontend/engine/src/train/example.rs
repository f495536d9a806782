//! What is learned from.

/// The label of a token that is not learned.
pub const MASKED: i32 = -100;

/// One sequence of tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Example {
    /// Token ids.
    pub ids: Vec<u32>,
    /// For each id: itself where it is to be learned, [`MASKED`] elsewhere. The first is never learned, for nothing
    /// stands before it.
    pub labels: Vec<i32>,
}

impl Example {
    /// Tokens that are learned.
    #[must_use]
    pub fn learned(&self) -> usize {
        self.labels.iter().skip(1).filter(|&&label| label >= 0).count()
    }
}
