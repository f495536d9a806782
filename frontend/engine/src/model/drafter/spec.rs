//! What a drafter is, from its file's header.

use super::config::{self, DrafterError};
use super::ordered::OrderedHead;
use crate::gguf::Header;
use crate::model::{Config, ConfigError};
use crate::plan::{Limits, rounded};
use crate::weights::{LoadError, TensorList, Weights, check_layouts};

/// A drafter for a model, not loaded yet.
#[derive(Clone, Debug, PartialEq)]
pub struct DrafterSpec {
    /// Its decoder. The layers use KV caches of the target: `kv_layer` is a layer there.
    pub config: Config,
    /// Its tensors.
    pub tensors: TensorList,
    /// Its ordered head, if it has one and is to use it.
    pub ordered: Option<OrderedHead>,
}

impl DrafterSpec {
    /// Returns whether a file is a drafter, for whatever model and program.
    pub fn is_drafter(header: &Header) -> bool {
        config::is_drafter(&header.metadata)
    }

    /// Bytes of its weights on a device.
    ///
    /// # Errors
    /// When a matrix has no layout on such a device.
    pub fn bytes(&self, limits: Limits) -> Result<u64, LoadError> {
        let weights = Weights::describe(&self.tensors, limits)?;
        let ordering = self.ordered.as_ref().map_or(0, |head| head.ordering.end - head.ordering.start);
        Ok(weights.values().map(|value| rounded(value.bytes())).sum::<u64>() + rounded(ordering))
    }

    /// Reads the description from a header, for a target with this configuration and vocabulary size.
    ///
    /// # Errors
    /// [`DrafterError`]: when the file is no drafter, is inconsistent, or was made for another model.
    pub fn read(header: &Header, target: &Config, vocabulary: u32) -> Result<Self, DrafterError> {
        if let Some(part) = header.part() {
            return Err(ConfigError::Part { part }.into());
        }
        let config = config::read(&header.metadata, target)?;
        let mut tensors = TensorList::find_drafter(header, &config, target.width)?;
        let found = tensors.vocabulary();
        if found != vocabulary {
            let (found, expected) = (found.to_string(), vocabulary.to_string());
            return Err(DrafterError::Target { what: "vocabulary size", found, expected });
        }
        let top = header.metadata.try_u32("gemma4-assistant.centroid_top_k").map_err(ConfigError::from)?;
        let ordered = OrderedHead::find(header, vocabulary, top)?;
        if let Some(head) = &ordered {
            let shape = [config.width.into(), head.clusters.into()];
            tensors.add_matrix(header, "masked_embd_centroids.weight", "masked_embd_centroids", shape)?;
        }
        check_layouts(&tensors)?;
        Ok(Self { config, tensors, ordered })
    }
}
