//! Launcher and CPU twin of `wgsl/draft/ordered_head.wgsl`: the best token of the chosen clusters.

use crate::case::{Case, CaseError, Expected, Reading, args, matrix, random, tolerance};
use crate::quant::planar_values;
use crate::sampling::Candidates;
use crate::{DType, Kernel, PlanarLayout, Planes, PreprocessError, Source};

/// Rows of a workgroup.
const ROWS: u32 = 32;

/// The kernel for one storage type of the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderedHead(pub DType);

params! {
    /// The uniform at binding 0. Then: the planar head, ordering, clusters, x, lists.
    #[derive(Eq)]
    pub struct Params {
        /// Planes of the head.
        pub planes: Planes,
        /// Units of a row.
        pub units_per_row: u32,
        /// Rows of the head, at least 1.
        pub vocab: u32,
        /// Tokens of a cluster, at least 1.
        pub size: u32,
        /// Clusters, at least 1.
        pub count: u32,
    }
}

impl Params {
    /// Parameters for `count` clusters of `size` tokens each.
    pub const fn new(head: &PlanarLayout, size: u32, count: u32) -> Self {
        Self { planes: head.planes, units_per_row: head.units_per_row, vocab: head.n, size, count }
    }

    /// Returns the number of lists that the kernel writes.
    pub const fn lists(&self) -> u32 {
        (self.size * self.count).div_ceil(ROWS)
    }

    /// Workgroups.
    pub const fn dispatch(&self) -> [u32; 3] {
        [self.lists(), 1, 1]
    }
}

/// Bytes of the lists for `count` clusters of `size` tokens each.
pub const fn list_bytes(size: u32, count: u32) -> u64 {
    8 * (size * count).div_ceil(ROWS) as u64
}

/// CPU twin: the candidates in order, each with its logit.
pub fn candidates(
    head: &PlanarLayout,
    words: &[u32],
    params: &Params,
    ordering: &[u32],
    clusters: &[u32],
    x: &[f32],
) -> Vec<(u32, f32)> {
    let of = |&cluster: &u32| &ordering[(cluster * params.size) as usize..][..params.size as usize];
    let ids = clusters.iter().take(params.count as usize).flat_map(of);
    ids.map(|&id| {
        let id = id.min(params.vocab - 1);
        let row = planar_values(head, words, id);
        let sum: f64 = row.iter().zip(x).map(|(&w, &x)| f64::from(w) * f64::from(x)).sum();
        (id, sum as f32)
    })
    .collect()
}

impl Kernel for OrderedHead {
    fn source(&self) -> Result<Source, PreprocessError> {
        let Self(dtype) = *self;
        let defines = Candidates::One.defines().set("DTYPE", dtype);
        Source::build::<Params>("draft/ordered_head.wgsl", format!("draft_ordered_head_{dtype}"), &defines)
    }

    /// Returns the best tokens of three of five clusters, whose tokens are far apart.
    fn case(&self) -> Result<Case, CaseError> {
        let (k, clusters, size) = (256, 5, 23);
        let head = matrix(self.0, k, clusters * size, 45)?;
        let ordering: Vec<u32> = (0..clusters * size).map(|i| i * 37 % (clusters * size)).collect();
        let chosen = [4, 0, 2];
        let params = Params::new(&head.layout, size, chosen.len() as u32);
        let x = random(46, k as usize);
        let tokens = candidates(&head.layout, &head.words, &params, &ordering, &chosen, &x);
        let best = tokens.chunks(32).filter_map(|tokens| tokens.iter().max_by(|a, b| a.1.total_cmp(&b.1)));
        let best: Vec<f32> = best.flat_map(|&(id, z)| [z, id as f32]).collect();
        let args = args![
            uniform(&params),
            Words(head.words),
            Words(ordering),
            Words(chosen.to_vec()),
            floats(&x),
            zeros(best.len())
        ];
        let expected = Expected { reading: Reading::Candidates, ..Expected::new(5, best, tolerance(k)) };
        let expected = vec![expected];
        Ok(Case { args, grid: params.dispatch(), expected })
    }
}
