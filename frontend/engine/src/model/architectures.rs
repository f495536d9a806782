//! The architectures that run: which one a file has, and its configuration.

use super::config::{Config, ConfigError, DRAFTING, OtherKind};
use super::{embedding2, gemma3, gemma4};
use crate::gguf::{EMBEDDING, EMBEDDING2, Header, Metadata};

impl Config {
    /// Reads the decoder's configuration. Blocks that draft tokens are left out.
    ///
    /// # Errors
    /// [`ConfigError`] names the key.
    pub fn read(metadata: &Metadata) -> Result<Self, ConfigError> {
        Self::with_drafting_blocks(metadata, drafting_blocks(metadata)?)
    }

    /// Reads the same from the header of a file, and the number of blocks in it that draft tokens, which are left out.
    ///
    /// # Errors
    /// [`ConfigError`] names the key, also where the file has blocks that no key accounts for.
    pub fn of_file(header: &Header) -> Result<(Self, u32), ConfigError> {
        let metadata = &header.metadata;
        let said = drafting_blocks(metadata)?;
        let key = format!("{}.block_count", header.architecture().unwrap_or_default());
        let blocks = metadata.try_u32(&key)?.unwrap_or(0);
        // Of each block with a norm or a drafter's tensor: what else a file has is left alone.
        let numbered = |name: &str| {
            let (number, tensor) = name.strip_prefix("blk.")?.split_once('.')?;
            let counts = tensor == "attn_norm.weight" || tensor.starts_with("nextn.");
            number.parse::<u32>().ok().filter(|_| counts)
        };
        let last = header.tensors.iter().filter_map(|tensor| numbered(&tensor.name)).max();
        let there = last.map_or(0, |last| last.saturating_add(1));
        // Some converters count the blocks that draft, others don't.
        let within = if there > blocks { 0 } else { said };
        let config = Self::with_drafting_blocks(metadata, within)?;
        let drafts = |name: &str| name.contains(".nextn.") && numbered(name) >= Some(blocks);
        if there > blocks.saturating_add(said) && !header.tensors.iter().any(|tensor| drafts(&tensor.name)) {
            let (value, other_value) = (blocks.to_string(), there.to_string());
            let other = "the number of blocks with tensors".to_owned();
            return Err(ConfigError::Contradiction { key, value, other, other_value });
        }
        Ok((config, within + there.saturating_sub(blocks)))
    }

    /// Reads it for a file of whose `block_count` so many blocks draft tokens.
    fn with_drafting_blocks(metadata: &Metadata, count: u32) -> Result<Self, ConfigError> {
        let architecture = metadata.str("general.architecture").unwrap_or_default();
        match architecture {
            gemma4::NAME | gemma4::DIFFUSION => gemma4::read(metadata, architecture, count),
            gemma3::NAME | EMBEDDING => gemma3::read(metadata, architecture, count),
            EMBEDDING2 => embedding2::read(metadata, count),
            "gemma4-assistant" | "gemma4_assistant" | "gemma4_mtp" => {
                Err(ConfigError::NotYet { what: OtherKind::Drafter })
            }
            "clip" => Err(ConfigError::NotYet { what: OtherKind::Projector }),
            other => Err(ConfigError::Architecture { found: other.to_owned() }),
        }
    }
}

/// Returns how many blocks draft tokens, as the file says.
fn drafting_blocks(metadata: &Metadata) -> Result<u32, ConfigError> {
    let architecture = metadata.str("general.architecture").unwrap_or_default();
    Ok(metadata.try_u32(&format!("{architecture}.{DRAFTING}"))?.unwrap_or(0))
}
