//! Where a training has the soft tokens of its examples from.

use std::collections::HashMap;

use super::TrainError;
use crate::bytes::LocalBoxFuture;
use crate::media::{ContentHash, Medium};

/// The soft tokens of all pictures and sounds of a training. They are made once, before it: the towers learn nothing, so
/// they would come out the same in every step. One example's are asked for at a time, so that a store may keep them where
/// there is room, such as in files.
pub trait SoftTokenStore {
    /// Those of a medium, `[tokens, width]`.
    fn rows<'a>(&'a self, medium: &'a Medium) -> LocalBoxFuture<'a, Result<Vec<f32>, TrainError>>;
}

/// Those of a few media, in memory, `[tokens, width]` each.
impl SoftTokenStore for HashMap<ContentHash, Vec<f32>> {
    fn rows<'a>(&'a self, medium: &'a Medium) -> LocalBoxFuture<'a, Result<Vec<f32>, TrainError>> {
        let found = self.get(&medium.content).cloned();
        Box::pin(async move { found.ok_or(TrainError::NotEncoded { tokens: medium.tokens }) })
    }
}
