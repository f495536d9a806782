//! Launcher of `wgsl/draft/clusters.wgsl`: the clusters of the ordered head with the best centroids.

use crate::case::{Case, CaseError, Expected, args};
use crate::sampling::case::{HISTORY, OUT_LEN, VOCABULARY, lists, logits, state};
use crate::sampling::twin::{adjust, best};
use crate::sampling::{self, Candidates, Sampling, Settings};
use crate::{Kernel, PreprocessError, Source};

/// The kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clusters;

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
pub const fn sampling(centroids: u32) -> Sampling {
    Sampling { vocab: centroids, candidates: Candidates::Few }
}

impl Params {
    /// Parameters for the best `count` of all centroids.
    pub const fn new(centroids: u32, count: u32) -> Self {
        Self { lists: sampling(centroids).slices(), count, pad: [0; 2] }
    }
}

impl Kernel for Clusters {
    fn source(&self) -> Result<Source, PreprocessError> {
        Source::build::<Params>(
            "draft/clusters.wgsl",
            "draft_clusters".to_owned(),
            &Candidates::Few.defines(),
        )
    }

    /// Returns the best five of 2500 centroids.
    fn case(&self) -> Result<Case, CaseError> {
        let all = sampling(VOCABULARY);
        let params = sampling::Params::new(&Settings::default(), all, OUT_LEN);
        let logits = logits(VOCABULARY);
        let (lists, _) = lists(all, &params, &logits);
        let best = best(adjust(&logits, &params, &state(), &HISTORY), 5);
        let want: Vec<u32> = best.iter().map(|it| it.id).collect();
        let params = Params::new(VOCABULARY, 5);
        let args = args![uniform(&params), Words(lists), zeros(want.len())];
        let expected = vec![Expected::words(2, &want)];
        Ok(Case { args, grid: [1, 1, 1], expected })
    }
}
