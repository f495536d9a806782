//! The factors of an adapter for the experts of a mixture: `y_p = W_e·x + s·B_e·(A_e·x)` for each pair p of a row and one
//! of its experts e. [`Reduce`] computes z from rows, and [`Expand`] rows from z; both are also their own backward pass with
//! the other factor. The gradient of a factor is [`crate::train::expert_gradient`].

use super::case::{LEN, made_up};
use super::{Choice, Mixture, buckets, choice_defines};
use crate::adapter::expand::MAX_RANK;
use crate::case::{Arg, Case, CaseError, Expected, args, as_f32, random, rows_of};
use crate::{Kernel, PreprocessError, Source};

params! {
    /// The uniform at binding 0. The element of an expert's factor for column j and rank r is at `at + (expert −
    /// begin)·by_expert + j·by_column + r·by_rank`.
    #[derive(Default)]
    pub struct Params {
        /// Columns of the factor.
        pub width: u32,
        /// Rank.
        pub rank: u32,
        /// Offset of the factor of expert `begin`.
        pub at: u32,
        /// Stride along the experts.
        pub by_expert: u32,
        /// Stride along the rank.
        pub by_rank: u32,
        /// Stride along the columns.
        pub by_column: u32,
        /// First expert with factors in the buffer.
        pub begin: u32,
        /// One past the last one.
        pub end: u32,
        /// Pairs that share a row: the number of experts used, or 1.
        pub pairs_per_row: u32,
        /// Row stride.
        pub stride: u32,
        /// First column in a row.
        pub offset: u32,
        /// Factor of the result.
        pub scale: f32,
        /// Entries of the tile buffer, for kernels that look through it: what is bound may be longer.
        pub tiles: u32,
        /// Unused.
        pub pad: [u32; 3],
    }
}

impl Params {
    /// Factors `[experts, rank, width]`: A, of the experts `begin..end`. Rows are `width` long, one for each pair.
    pub fn a(width: u32, rank: u32, at: u32, [begin, end]: [u32; 2]) -> Self {
        Self { by_rank: width, by_column: 1, ..Self::of(width, rank, at, [begin, end]) }
    }

    /// Factors `[experts, width, rank]`: B.
    pub fn b(width: u32, rank: u32, at: u32, [begin, end]: [u32; 2]) -> Self {
        Self { by_rank: 1, by_column: rank, ..Self::of(width, rank, at, [begin, end]) }
    }

    fn of(width: u32, rank: u32, at: u32, [begin, end]: [u32; 2]) -> Self {
        Self {
            width,
            rank,
            at,
            by_expert: rank * width,
            begin,
            end,
            pairs_per_row: 1,
            stride: width,
            scale: 1.0,
            ..Self::default()
        }
    }

    /// Returns the same for rows that `pairs_per_row` pairs share.
    pub fn shared_by(self, pairs_per_row: u32) -> Self {
        Self { pairs_per_row, ..self }
    }

    /// Returns the same with a factor of the result.
    pub fn scaled(self, scale: f32) -> Self {
        Self { scale, ..self }
    }

    /// Returns the place of an element; `None` for experts whose factors are elsewhere.
    pub(crate) fn place(&self, expert: u32, column: usize, r: usize) -> Option<usize> {
        let expert = expert.checked_sub(self.begin).filter(|_| expert < self.end)?;
        let start = self.at as usize + expert as usize * self.by_expert as usize;
        Some(start + column * self.by_column as usize + r * self.by_rank as usize)
    }

    /// Returns the row of a pair.
    pub(crate) fn row<'a>(&self, rows: &'a [f32], pair: u32) -> &'a [f32] {
        let start = (pair / self.pairs_per_row * self.stride + self.offset) as usize;
        &rows[start..][..self.width as usize]
    }
}

/// From rows to the rank: `wgsl/experts/reduce.wgsl`.
///
/// Bindings: params; if sorted, tiles and pairs, otherwise state; choices, x (packed: codes and scales), factors; if scaled,
/// scales; z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reduce {
    /// The mixture.
    pub mixture: Mixture,
    /// Whether pairs are sorted by expert; otherwise they are those of a few rows.
    pub sorted: bool,
    /// Whether each element of the rank has a scale of its own.
    pub scaled: bool,
    /// Whether rows were rounded to int8.
    pub packed: bool,
}

/// Pairs of the smallest tile that a product has.
pub const MIN_TILE: u32 = 16;

/// Most tiles of `positions` rows, whichever tiles a product has.
const fn most_tiles(mixture: Mixture, positions: u32) -> u32 {
    buckets::most_tiles(mixture, positions, MIN_TILE)
}

impl Reduce {
    /// Workgroups for `positions` rows.
    pub const fn dispatch(self, params: &Params, positions: u32) -> [u32; 3] {
        let mixture = self.mixture;
        let x = if self.sorted { most_tiles(mixture, positions) } else { positions * mixture.used };
        [x, params.rank.div_ceil(8), 1]
    }
}

/// CPU twin of [`Reduce`], in f64: z of each of these pairs, as far as their experts have factors here.
pub fn reduce(
    params: &Params,
    choices: &[Choice],
    pairs: &[u32],
    [x, factors]: [&[f32]; 2],
    scales: Option<&[f32]>,
) -> Vec<(u32, Vec<f64>)> {
    let z = |&pair: &u32| {
        let expert = choices[pair as usize].expert;
        params.place(expert, 0, 0)?;
        let row = params.row(x, pair);
        let of = |r: usize| {
            let products = row
                .iter()
                .enumerate()
                .filter_map(|(i, &x)| Some(f64::from(x) * f64::from(factors[params.place(expert, i, r)?])));
            let scale = scales.map_or(1.0, |scales| f64::from(scales[r]));
            f64::from(params.scale) * scale * products.sum::<f64>()
        };
        Some((pair, (0..params.rank as usize).map(of).collect()))
    };
    pairs.iter().filter_map(z).collect()
}

/// From the rank to rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expand {
    /// `wgsl/experts/expand.wgsl`: added to the row of each of the sorted pairs. Bindings: params, tiles, pairs, choices,
    /// z, factors, y.
    Sorted(Mixture),
    /// `wgsl/experts/expand_few.wgsl`: the row of each pair of a few rows. Bindings: params, state, choices, z, factors, y.
    Few(Mixture),
    /// The same, summed over the experts of a row and added to it.
    FewSummed(Mixture),
}

impl Expand {
    /// Returns the mixture.
    pub const fn mixture(self) -> Mixture {
        match self {
            Self::Sorted(mixture) | Self::Few(mixture) | Self::FewSummed(mixture) => mixture,
        }
    }

    /// Workgroups for `positions` rows.
    pub const fn dispatch(self, params: &Params, positions: u32) -> [u32; 3] {
        let y = match self {
            Self::Sorted(mixture) => most_tiles(mixture, positions),
            Self::Few(mixture) => positions * mixture.used,
            Self::FewSummed(_) => positions,
        };
        [params.width.div_ceil(64), y, 1]
    }
}

/// CPU twin of [`Expand`], in f64: what is added to (or, of [`Expand::Few`], stored in) the row of each of these pairs, as
/// far as their experts have factors here.
pub fn expand(
    params: &Params,
    choices: &[Choice],
    pairs: &[u32],
    [z, factors]: [&[f32]; 2],
) -> Vec<(u32, Vec<f64>)> {
    let rank = params.rank as usize;
    let row = |&pair: &u32| {
        let expert = choices[pair as usize].expert;
        params.place(expert, 0, 0)?;
        let z = &z[pair as usize * rank..][..rank];
        let of = |j: usize| {
            let products = z
                .iter()
                .enumerate()
                .filter_map(|(r, &z)| Some(f64::from(z) * f64::from(factors[params.place(expert, j, r)?])));
            f64::from(params.scale) * products.sum::<f64>()
        };
        Some((pair, (0..params.width as usize).map(of).collect()))
    };
    pairs.iter().filter_map(row).collect()
}

impl Kernel for Reduce {
    fn source(&self) -> Result<Source, PreprocessError> {
        let Self { mixture, sorted, scaled, packed } = *self;
        // Sorted pairs say nothing of the mixture.
        let (defines, of) =
            if sorted { (choice_defines(), "sorted".into()) } else { (mixture.defines(), mixture.name()) };
        let name = format!(
            "experts_reduce_{of}{}{}",
            if scaled { "_scaled" } else { "" },
            if packed { "_packed" } else { "" },
        );
        let defines = defines.set("SORTED", sorted).set("SCALED", scaled).set("PACKED", packed);
        Source::build::<Params>("experts/reduce.wgsl", name, &defines)
    }

    fn case(&self) -> Result<Case, CaseError> {
        // Rows are rounded 16 elements at a time.
        let width = if self.packed { 80 } else { 75 };
        let LowRank { params, chosen, leading, factors } = case_of(self.mixture, self.sorted, (true, width));
        let params = params.shared_by(self.mixture.used).scaled(0.75);
        let rows = chosen.len() as u32 / self.mixture.used;
        let (x, inputs) = rows_of(random(82, (rows * params.stride) as usize), self.packed);
        let scales = self.scaled.then(|| random(83, params.rank as usize));
        let pairs: Vec<u32> = (0..chosen.len() as u32).collect();
        let mut want = vec![0.0; chosen.len() * params.rank as usize];
        for (pair, z) in reduce(&params, &chosen, &pairs, [&x, &factors], scales.as_deref()) {
            want[pair as usize * z.len()..][..z.len()].copy_from_slice(&as_f32(&z));
        }
        let mut args = args![uniform(&params)];
        args.extend(leading);
        args.push(Arg::words(&chosen));
        args.extend(inputs);
        args.push(Arg::floats(&factors));
        args.extend(scales.as_deref().map(Arg::floats));
        let expected = Expected::rows(&mut args, want, 1e-4, false);
        Ok(Case { args, grid: self.dispatch(&params, rows), expected })
    }
}

impl Kernel for Expand {
    fn source(&self) -> Result<Source, PreprocessError> {
        let (file, name, defines) = match *self {
            Self::Sorted(_) => {
                ("expand", "experts_expand".into(), choice_defines().set("MAX_RANK", MAX_RANK))
            }
            Self::Few(mixture) | Self::FewSummed(mixture) => {
                let summed = matches!(self, Self::FewSummed(_));
                let suffix = if summed { "_summed" } else { "" };
                let name = format!("experts_expand_{}{suffix}", mixture.name());
                let places = if summed { mixture.used } else { 1 };
                ("expand_few", name, mixture.defines().set("SUMMED", summed).set("PLACES", places))
            }
        };
        Source::build::<Params>(&format!("experts/{file}.wgsl"), name, &defines)
    }

    fn case(&self) -> Result<Case, CaseError> {
        let mixture = self.mixture();
        let is_sorted = matches!(self, Self::Sorted(_));
        let LowRank { params, chosen, leading, factors } = case_of(mixture, is_sorted, (false, 75));
        // Beside other columns.
        let params = Params { stride: params.width + 9, offset: 4, ..params }.scaled(1.25);
        let rows = chosen.len() as u32 / mixture.used;
        let z = random(84, chosen.len() * params.rank as usize);
        let summed = matches!(self, Self::FewSummed(_));
        let places = if summed { mixture.used } else { 1 };
        let y = random(85, chosen.len() * params.stride as usize / places as usize);
        let mut want: Vec<f64> = y.iter().map(|&v| v.into()).collect();
        let pairs: Vec<u32> = (0..chosen.len() as u32).collect();
        for (pair, row) in expand(&params, &chosen, &pairs, [&z, &factors]) {
            let to = &mut want[(pair / places * params.stride + params.offset) as usize..][..row.len()];
            let stores = matches!(self, Self::Few(_));
            to.iter_mut().zip(row).for_each(|(to, v)| *to = if stores { v } else { *to + v });
        }
        let mut args = args![uniform(&params)];
        args.extend(leading);
        args.extend([Arg::words(&chosen), Arg::floats(&z), Arg::floats(&factors), Arg::floats(&y)]);
        let expected = vec![Expected::new(args.len() - 1, as_f32(&want), 1e-4)];
        Ok(Case { args, grid: self.dispatch(&params, rows), expected })
    }
}

/// Operands of a case.
struct LowRank {
    params: Params,
    chosen: Vec<Choice>,
    /// Tiles and pairs, or the state.
    leading: Vec<Arg>,
    /// For experts `1..end`.
    factors: Vec<f32>,
}

/// Factors of all experts but the first, between other numbers.
fn case_of(mixture: Mixture, sorted: bool, (of_a, width): (bool, u32)) -> LowRank {
    let (rank, at) = (12, 5);
    let range = [1, mixture.experts.max(2)];
    let params = if of_a { Params::a(width, rank, at, range) } else { Params::b(width, rank, at, range) };
    let rows = if sorted { LEN } else { 3 };
    let chosen = made_up(mixture, rows);
    let leading = if sorted {
        let bm = MIN_TILE;
        let capacity = buckets::most_tiles(mixture, rows, bm);
        let (order, tiles) = buckets::buckets(mixture, bm, capacity, &chosen);
        args![Words(tiles.into_flattened()), Words(order)]
    } else {
        args![state(0, rows)]
    };
    let factors = random(81, (at + (range[1] - range[0]) * params.by_expert) as usize);
    LowRank { params, chosen, leading, factors }
}
