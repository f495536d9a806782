//! Launcher of `wgsl/draft/clusters.wgsl`: the clusters of the ordered head with the best centroids.

use crate::sampling::{Candidates, Sampling};
use crate::{PreprocessError, Source};

params! {
    /// The uniform at binding 0. Then: lists, clusters. One workgroup.
    #[derive(Eq)]
    pub struct Params {
        /// Number of lists.
        pub lists: u32,
        /// Number of clusters to choose, at most [`MAX_CHOSEN`].
        pub count: u32,
        /// Unused.
        pub pad: [u32; 2],
    }
}

/// Maximum number of clusters that are chosen.
pub const MAX_CHOSEN: u32 = Candidates::Few.count();

/// How the logits of centroids are sampled: `top_k` runs before this kernel.
#[must_use]
pub const fn sampling(centroids: u32) -> Sampling {
    Sampling { vocab: centroids, candidates: Candidates::Few }
}

impl Params {
    /// Parameters for the best `count` of all centroids.
    #[must_use]
    pub const fn new(centroids: u32, count: u32) -> Self {
        Self { lists: sampling(centroids).slices(), count, pad: [0; 2] }
    }
}

/// The kernel.
///
/// # Errors
/// When the template cannot be expanded.
pub fn source() -> Result<Source, PreprocessError> {
    Source::build::<Params>("draft/clusters.wgsl", "draft_clusters".to_owned(), &sampling(1).defines())
}
