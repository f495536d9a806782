//! `wgsl/experts/buckets.wgsl`: sorts the choices of a chunk by expert and splits them into tiles.

use super::case::{LEN, made_up};
use super::{Choice, Mixture};
use crate::case::{Case, CaseError, Expected, args};
use crate::{Kernel, PreprocessError, Source};

/// The kernel for tiles of `bm` pairs. Bindings: params, state, choices, pairs, tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buckets {
    /// The mixture.
    pub mixture: Mixture,
    /// Maximum number of pairs of a tile.
    pub bm: u32,
}

params! {
    /// The uniform at binding 0.
    #[derive(Default, Eq)]
    pub struct Params {
        /// Capacity of the tile buffer.
        pub capacity: u32,
        /// Unused.
        pub pad: [u32; 3],
    }
}

/// An entry of the tile buffer: expert, first entry of `pairs`, number of pairs, 0.
pub type Tile = [u32; 4];

/// Workgroups.
pub const fn dispatch(mixture: Mixture) -> [u32; 3] {
    [mixture.experts, 1, 1]
}

/// Returns the maximum number of tiles of `bm` pairs for a chunk of `positions`: the last tile of every expert may be partial.
pub const fn most_tiles(mixture: Mixture, positions: u32, bm: u32) -> u32 {
    let pairs = positions * mixture.used;
    let short = if pairs < mixture.experts { pairs } else { mixture.experts };
    pairs / bm + short
}

/// CPU twin: the pairs and tiles of these choices.
pub fn buckets(mixture: Mixture, bm: u32, capacity: u32, choices: &[Choice]) -> (Vec<u32>, Vec<Tile>) {
    let mut pairs = Vec::new();
    let mut tiles = Vec::new();
    for expert in 0..mixture.experts {
        let first = pairs.len() as u32;
        pairs.extend((0..choices.len() as u32).filter(|&p| choices[p as usize].expert == expert));
        let end = pairs.len() as u32;
        let starts = (first..end).step_by(bm as usize);
        tiles.extend(starts.map(|start| [expert, start, bm.min(end - start), 0]));
    }
    tiles.resize(capacity as usize, [0; 4]);
    (pairs, tiles)
}

impl Kernel for Buckets {
    fn source(&self) -> Result<Source, PreprocessError> {
        let Self { mixture, bm } = *self;
        let name = format!("experts_buckets_{}_{bm}", mixture.name());
        Source::build::<Params>("experts/buckets.wgsl", name, &mixture.defines().set("BM", bm))
    }

    fn case(&self) -> Result<Case, CaseError> {
        let Self { mixture, bm } = *self;
        let chosen = made_up(mixture, LEN);
        let capacity = most_tiles(mixture, LEN, bm);
        let params = Params { capacity, ..Default::default() };
        let (order, tiles) = buckets(mixture, bm, capacity, &chosen);
        let args = args![
            uniform(&params),
            state(0, LEN),
            words(&chosen),
            zeros(order.len()),
            zeros(4 * tiles.len())
        ];
        let expected = vec![Expected::words(3, &order), Expected::words(4, tiles.as_flattened())];
        Ok(Case { args, grid: dispatch(mixture), expected })
    }
}
