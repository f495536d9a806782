//! Soft tokens in the browser's storage: one file for each medium, under the hash of its content.

use std::collections::HashSet;
use std::rc::Rc;

use engine::bytes::LocalBoxFuture;
use engine::media::Medium;
use engine::store::{Folder, StoreError};
use engine::train::{SoftTokenStore, TrainError};
use futures_util::FutureExt as _;

/// Prefix of the files' names.
const PREFIX: &str = "soft.";

/// The files in a folder.
pub struct SoftTokenFiles(pub Rc<dyn Folder>);

impl SoftTokenFiles {
    /// Writes the soft tokens of a medium, `[tokens, width]`.
    ///
    /// # Errors
    /// If they cannot be stored.
    pub async fn write(&self, medium: &Medium, values: &[f32]) -> Result<(), StoreError> {
        let file: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.0.write(&name(medium), &file).await
    }

    /// Deletes all but those of these media.
    ///
    /// # Errors
    /// If a file cannot be listed or deleted.
    pub async fn keep_only(&self, media: impl Iterator<Item = Medium>) -> Result<(), StoreError> {
        let kept: HashSet<String> = media.map(|medium| name(&medium)).collect();
        for name in self.0.names().await? {
            if name.starts_with(PREFIX) && !kept.contains(&name) {
                self.0.remove(&name).await?;
            }
        }
        Ok(())
    }
}

fn name(medium: &Medium) -> String {
    format!("{PREFIX}{}", medium.content)
}

impl SoftTokenStore for SoftTokenFiles {
    fn rows<'a>(&'a self, medium: &'a Medium) -> LocalBoxFuture<'a, Result<Vec<f32>, TrainError>> {
        async move {
            let bytes = self.0.read(&name(medium)).await.map_err(TrainError::Store)?;
            let missing = || TrainError::NotEncoded { tokens: medium.tokens };
            let bytes = bytes.ok_or_else(missing)?;
            // One that was cut off has fewer numbers than it should, which the trainer tells.
            let (values, _) = bytes.as_chunks::<4>();
            Ok(values.iter().map(|&value| f32::from_le_bytes(value)).collect())
        }
        .boxed_local()
    }
}
