//! The architectures that run: which one a file has, and its configuration.

use super::config::{Config, ConfigError, OtherKind};
use super::{gemma3, gemma4};
use crate::gguf::Metadata;

impl Config {
    /// Reads the decoder's configuration.
    ///
    /// # Errors
    /// [`ConfigError`] names the key.
    pub fn read(metadata: &Metadata) -> Result<Self, ConfigError> {
        let architecture = metadata.str("general.architecture").unwrap_or_default();
        match architecture {
            gemma4::NAME | gemma4::DIFFUSION => gemma4::read(metadata, architecture),
            gemma3::NAME => gemma3::read(metadata),
            "gemma4-assistant" | "gemma4_assistant" | "gemma4_mtp" => {
                Err(ConfigError::NotYet { what: OtherKind::Drafter })
            }
            "clip" => Err(ConfigError::NotYet { what: OtherKind::Projector }),
            other => Err(ConfigError::Architecture { found: other.to_owned() }),
        }
    }
}
