//! The ordered head of a drafter (specification §14.2).

use std::ops::Range;

use shaders::draft::clusters::MAX_CHOSEN;

use crate::gguf::{Header, TensorInfo};
use crate::weights::TensorError;

/// The number of clusters that published drafters choose.
const USUAL_TOP: u32 = 32;
/// Bytes of an entry of the ordering.
const ENTRY_BYTES: u64 = 4;

/// The tokens of the vocabulary in clusters of equal size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderedHead {
    /// Number of clusters.
    pub clusters: u32,
    /// Number of clusters whose logits are computed.
    pub top: u32,
    /// Tokens of a cluster.
    pub size: u32,
    /// Bytes of the ordering in the file: u32 `[vocabulary]`.
    pub ordering: Range<u64>,
}

impl OrderedHead {
    /// Returns the ordered head of a drafter with this vocabulary, of which `top` clusters are chosen. `None` without one, and
    /// where the kernels have no room for its clusters: the whole head takes its place.
    ///
    /// # Errors
    /// [`TensorError`], when its tensors contradict the vocabulary.
    pub fn find(header: &Header, vocabulary: u32, top: Option<u32>) -> Result<Option<Self>, TensorError> {
        let ordering = ["masked_embd_ordering", "masked_embd_ordering.weight"];
        let ordering = ordering.iter().find_map(|name| header.tensor(name));
        let centroids = header.tensor("masked_embd_centroids.weight");
        let (Some(ordering), Some(centroids)) = (ordering, centroids) else { return Ok(None) };
        let clusters = u32::try_from(centroids.rows()).unwrap_or(0);
        check(ordering, vocabulary)?;
        let top = top.unwrap_or(USUAL_TOP).min(clusters);
        if top == 0 || top > MAX_CHOSEN || !vocabulary.is_multiple_of(clusters) {
            return Ok(None);
        }
        let start = ordering.offset;
        let ordering = start..start + ENTRY_BYTES * u64::from(vocabulary);
        Ok(Some(Self { clusters, top, size: vocabulary / clusters, ordering }))
    }
}

/// Checks that the ordering has an entry of 32 bits for each token.
fn check(ordering: &TensorInfo, vocabulary: u32) -> Result<(), TensorError> {
    let (name, dtype) = (ordering.name.clone(), ordering.dtype.to_string());
    if dtype != "I32" {
        return Err(TensorError::Type { name, dtype });
    }
    if ordering.elements() != u64::from(vocabulary) {
        let (found, expected) = (ordering.shape.clone(), vec![vocabulary.into()]);
        return Err(TensorError::Shape { name, found, expected });
    }
    Ok(())
}
