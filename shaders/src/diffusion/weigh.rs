//! Launcher and CPU twin of `wgsl/diffusion/weigh.wgsl`: probabilities and samples, a tile of the vocabulary at a time.

use super::case::{BEFORE, PIECES, SOFTCAP, TEMPERATURE, logits};
use super::statistics::case_rows;
use super::{Pick, tempered};
use crate::case::{Case, CaseError, Expected, LEN, Reading, args};
use crate::{Defines, Kernel, PreprocessError, Source};

/// The kernel. Bindings: params, state, temperature, uniform draws, rows, logits, picks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weigh;

params! {
    /// The uniform at binding 0. Then: state, temperature, uniform draws, rows, logits, picks.
    #[derive(Default)]
    pub struct Params {
        /// Pieces of the tile.
        pub n: u32,
        /// The first of them.
        pub row0: u32,
        /// 1 for the first tile: samples begin anew.
        pub first: u32,
        /// The softcap; 0 is off.
        pub softcap: f32,
        /// What probabilities are multiplied with.
        pub scale: f32,
        /// Unused.
        pub pad: [u32; 3],
    }
}

/// Workgroups for so many rows, at most 65 535.
pub const fn dispatch(rows: u32) -> [u32; 3] {
    [rows, 1, 1]
}

/// CPU twin for all raw logits of one row, in f64: the probabilities, and the id that is picked by `uniform`.
pub fn weigh(a: &[f32], softcap: f32, temperature: f32, uniform: f32) -> (Vec<f64>, u32) {
    let z: Vec<f64> = a.iter().map(|&a| tempered(a.into(), softcap.into(), temperature.into())).collect();
    let top = z.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = z.iter().map(|z| (z - top).exp()).sum();
    let p: Vec<f64> = z.iter().map(|z| (z - top).exp() / sum).collect();
    let mut before = 0.0;
    let reached = p.iter().position(|p| {
        before += p;
        before >= f64::from(uniform.max(f32::MIN_POSITIVE))
    });
    let likeliest = || z.iter().position(|&z| z == top).unwrap_or(0);
    (p, reached.unwrap_or_else(likeliest) as u32)
}

impl Kernel for Weigh {
    fn source(&self) -> Result<Source, PreprocessError> {
        Source::build::<Params>("diffusion/weigh.wgsl", "diffusion_weigh", &Defines::new())
    }

    /// Probabilities and samples of a first tile that is the last one, too.
    fn case(&self) -> Result<Case, CaseError> {
        let logits = logits();
        let params =
            Params { n: PIECES, row0: BEFORE, first: 1, softcap: SOFTCAP, scale: 16.0, ..Default::default() };
        let (mut weights, mut picks, mut uniform) = (Vec::new(), Vec::new(), Vec::new());
        for (i, a) in logits.chunks(PIECES as usize).enumerate() {
            let (p, _) = weigh(a, SOFTCAP, TEMPERATURE, 0.0);
            // In the middle of what leads to an id that is likely: rounding does not matter there.
            let (id, _) = p.iter().enumerate().filter(|(_, p)| **p > 0.01).nth(i).unwrap_or((0, &0.0));
            uniform.push((p[..id].iter().sum::<f64>() + 0.5 * p[id]) as f32);
            picks.push(Pick { id: id as u32 + BEFORE, cumulative: 1.0 });
            weights.extend(p.iter().map(|p| 16.0 * *p as f32));
        }
        let values = picks.iter().flat_map(|pick| [pick.id as f32, pick.cumulative]).collect::<Vec<_>>();
        let args = args![
            uniform(&params),
            state(0, LEN),
            floats(&[TEMPERATURE]),
            floats(&uniform),
            words(&case_rows(&logits)),
            floats(&logits),
            zeros(values.len())
        ];
        let expected = vec![
            Expected::new(5, weights, 1e-3),
            Expected { reading: Reading::Pairs, relative: 0.0, ..Expected::new(6, values, 1e-3) },
        ];
        Ok(Case { args, grid: dispatch(LEN), expected })
    }
}
