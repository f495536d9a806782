//! The source of soft tokens in training.

use std::collections::HashMap;

use super::TrainError;
use crate::bytes::LocalBoxFuture;
use crate::media::{ContentHash, Medium};

/// The soft tokens of all media of a training. They are computed once in advance, since the towers are not trained.
/// They are requested for one example at a time, so they may be stored in files.
pub trait SoftTokenStore {
    /// Returns the soft tokens of a medium, `[tokens, width]`.
    fn rows<'a>(&'a self, medium: &'a Medium) -> LocalBoxFuture<'a, Result<Vec<f32>, TrainError>>;
}

/// A few media in memory, `[tokens, width]` each.
impl SoftTokenStore for HashMap<ContentHash, Vec<f32>> {
    fn rows<'a>(&'a self, medium: &'a Medium) -> LocalBoxFuture<'a, Result<Vec<f32>, TrainError>> {
        let found = self.get(&medium.content).cloned();
        Box::pin(async move { found.ok_or(TrainError::NotEncoded { tokens: medium.tokens }) })
    }
}
