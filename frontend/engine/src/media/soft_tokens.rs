//! The output of a tower for an image or audio.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::gpu::{Buffer, Gpu, GpuError};
use crate::tokenizer::special;

/// A kind of media in a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Media {
    /// A picture.
    Image,
    /// Sound.
    Audio,
    /// A sequence of images.
    Video,
}

impl Media {
    /// Returns the tokens before and after the soft tokens.
    pub fn brackets(self) -> [&'static str; 2] {
        match self {
            Self::Image | Self::Video => [special::IMAGE_BEGIN, special::IMAGE_END],
            Self::Audio => [special::AUDIO_BEGIN, special::AUDIO_END],
        }
    }

    /// Returns the placeholder token.
    pub fn slot(self) -> &'static str {
        match self {
            Self::Image => special::IMAGE_SLOT,
            Self::Audio => special::AUDIO_SLOT,
            Self::Video => special::VIDEO_SLOT,
        }
    }
}

/// Identifies a medium's content and encoding settings: equal hashes have equal soft tokens.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// Returns the hash of a file and its encoding settings (the budget of an image, the range of a clip).
    pub fn of(file: &[u8], settings: &[u32]) -> Self {
        let mut digest = Sha256::new();
        digest.update((settings.len() as u64).to_le_bytes());
        for setting in settings {
            digest.update(setting.to_le_bytes());
        }
        digest.update(file);
        Self(digest.finalize().into())
    }

    /// Returns its bytes.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Formats the hash in hexadecimal, for file names.
impl std::fmt::Display for ContentHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl std::fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0[..6].iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// An image or audio clip in a prompt, encoded or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Medium {
    /// What it is.
    pub media: Media,
    /// Hash of the content.
    pub content: ContentHash,
    /// Number of soft tokens.
    pub tokens: u32,
}

/// The soft tokens of one medium, on the device: f32 `[tokens, width]`. A clone shares them.
#[derive(Clone, Debug)]
pub struct SoftTokens {
    medium: Medium,
    width: u32,
    rows: Arc<Buffer>,
}

impl SoftTokens {
    /// Wraps rows that a tower has written.
    pub fn new(medium: Medium, width: u32, rows: Arc<Buffer>) -> Self {
        Self { medium, width, rows }
    }

    /// Uploads rows; `values` are `[tokens, width]`.
    ///
    /// # Errors
    /// When they exceed the device's largest buffer.
    pub fn upload(gpu: &Gpu, medium: Medium, width: u32, values: &[f32]) -> Result<Self, GpuError> {
        Ok(Self::new(medium, width, gpu.storage_with("soft tokens", values)?))
    }

    /// Returns the medium.
    pub fn medium(&self) -> Medium {
        self.medium
    }

    /// Elements of a soft token.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Returns the rows on the device.
    pub fn rows(&self) -> &Arc<Buffer> {
        &self.rows
    }

    /// Reads the values back, `[tokens, width]`.
    ///
    /// # Errors
    /// When the device was lost.
    pub async fn read(&self, gpu: &Gpu) -> Result<Vec<f32>, GpuError> {
        let bytes = 4 * u64::from(self.medium.tokens) * u64::from(self.width);
        Ok(bytemuck::pod_collect_to_vec(&gpu.read_once(&self.rows, 0, bytes).await?))
    }
}
