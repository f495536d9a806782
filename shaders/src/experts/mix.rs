//! `wgsl/experts/mix.wgsl`: the feed-forward branch of a row, from its dense part and its chosen experts.

use super::case::{LEN, made_up};
use super::{Choice, Mixture};
use crate::case::{Arg, Case, CaseError, EPS, Expected, args, as_f32, random};
use crate::math::rms;
use crate::{Defines, Kernel, PreprocessError, Source, grid};

/// The kernel for rows of `width` elements. Bindings: params, state, vectors, choices, y, branch. Without a mixture, y
/// has a sum for each row, as [`super::down`] leaves it, and there are no choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mix {
    /// The mixture; `None` if its sums are there.
    pub mixture: Option<Mixture>,
    /// Elements of a row.
    pub width: u32,
}

params! {
    /// The uniform at binding 0.
    #[derive(Default)]
    pub struct Params {
        /// Offset of the weights of the dense part's norm in `vectors`.
        pub dense_norm: u32,
        /// Offset of the weights of the experts' norm.
        pub experts_norm: u32,
        /// ε of both norms.
        pub eps: f32,
        /// Unused.
        pub pad: u32,
    }
}

/// Workgroups for a chunk of `positions`.
pub const fn dispatch(positions: u32) -> [u32; 3] {
    grid(positions)
}

/// CPU twin for one row, in f64. `y` is `[used, width]`.
pub fn mix(params: &Params, vectors: &[f32], choices: &[Choice], y: &[f32], branch: &[f32]) -> Vec<f64> {
    let width = branch.len();
    let norm = |row: &[f64], at: u32| rms(row, Some(&vectors[at as usize..][..width]), params.eps.into());
    let dense: Vec<f64> = branch.iter().map(|&v| f64::from(v)).collect();
    let mut sum = vec![0.0; width];
    for (choice, y) in choices.iter().zip(y.chunks_exact(width)) {
        sum.iter_mut().zip(y).for_each(|(sum, &y)| *sum += f64::from(choice.weight) * f64::from(y));
    }
    let experts = norm(&sum, params.experts_norm);
    norm(&dense, params.dense_norm).iter().zip(experts).map(|(a, b)| a + b).collect()
}

impl Kernel for Mix {
    fn source(&self) -> Result<Source, PreprocessError> {
        let Self { mixture, width } = *self;
        let (defines, of) =
            mixture.map_or((Defines::new(), "sums".into()), |all| (all.defines(), all.name()));
        let defines = defines.set("SUMMED", mixture.is_none()).set("WIDTH", width);
        Source::build::<Params>("experts/mix.wgsl", format!("experts_mix_{of}_w{width}"), &defines)
    }

    fn case(&self) -> Result<Case, CaseError> {
        let Self { mixture, width } = *self;
        // Sums are those of a single expert with the weight 1.
        let (used, row) = (mixture.map_or(1, |mixture| mixture.used as usize), width as usize);
        let one = Choice { weight: 1.0, ..Choice::default() };
        let chosen = mixture.map_or(vec![one; LEN as usize], |mixture| made_up(mixture, LEN));
        let y = random(66, chosen.len() * row);
        let branch = random(67, LEN as usize * row);
        let vectors = random(68, 2 * row);
        let params = Params { experts_norm: width, eps: EPS, ..Default::default() };
        let rows = chosen.chunks_exact(used).zip(y.chunks_exact(used * row)).zip(branch.chunks_exact(row));
        let want: Vec<f64> =
            rows.flat_map(|((chosen, y), branch)| mix(&params, &vectors, chosen, y, branch)).collect();
        let mut args = args![uniform(&params), state(0, LEN), floats(&vectors)];
        args.extend(mixture.map(|_| Arg::words(&chosen)));
        args.extend([Arg::floats(&y), Arg::floats(&branch)]);
        let expected = vec![Expected::new(args.len() - 1, as_f32(&want), 1e-4)];
        Ok(Case { args, grid: dispatch(LEN), expected })
    }
}
