//! Soft tokens of pictures and sounds that were encoded lately.

use engine::gpu::{Gpu, GpuError};
use engine::media::{ContentHash, SoftTokens};

/// Encodings that are kept, so that what is asked about again need not be seen again.
const MAX_KEPT: usize = 16;

/// Soft tokens that were made lately, the last ones at the end. They go with their device.
#[derive(Default)]
pub struct Encoded(Vec<SoftTokens>);

impl Encoded {
    /// Those of this content, if they are here.
    pub fn find(&self, content: ContentHash) -> Option<SoftTokens> {
        self.0.iter().find(|rows| rows.medium().content == content).cloned()
    }

    /// Keeps the soft tokens of a medium.
    pub fn keep(&mut self, rows: SoftTokens) {
        if self.0.len() >= MAX_KEPT {
            self.0.remove(0);
        }
        self.0.push(rows);
    }

    /// Brings them to the host.
    pub async fn read(&self, gpu: &Gpu) -> Result<Vec<Vec<f32>>, GpuError> {
        let mut all = Vec::with_capacity(self.0.len());
        for rows in &self.0 {
            all.push(rows.read(gpu).await?);
        }
        Ok(all)
    }

    /// Lets go of all.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}
