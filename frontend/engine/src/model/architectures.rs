//! The architectures that run: which one a file has, and its configuration.

use super::config::{Config, ConfigError, OtherKind};
use super::{embedding2, gemma3, gemma4};
use crate::gguf::{EMBEDDING, EMBEDDING2, Metadata};

impl Config {
    /// Reads the decoder's configuration.
    ///
    /// # Errors
    /// [`ConfigError`] names the key.
    pub fn read(metadata: &Metadata) -> Result<Self, ConfigError> {
        let architecture = metadata.str("general.architecture").unwrap_or_default();
        match architecture {
            gemma4::NAME | gemma4::DIFFUSION => gemma4::read(metadata, architecture),
            gemma3::NAME | EMBEDDING => gemma3::read(metadata, architecture),
            EMBEDDING2 => embedding2::read(metadata),
            "gemma4-assistant" | "gemma4_assistant" | "gemma4_mtp" => {
                Err(ConfigError::NotYet { what: OtherKind::Drafter })
            }
            "clip" => Err(ConfigError::NotYet { what: OtherKind::Projector }),
            other => Err(ConfigError::Architecture { found: other.to_owned() }),
        }
    }
}
