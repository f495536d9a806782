//! Cases of models that decode by diffusion.

use super::{Arg, Case, CaseError, Expected, Reading, as_f32, random};
use crate::diffusion::{Pick, Row, join as joined, statistics as of_logits, weigh as weighed};

/// Rows.
const LEN: u32 = 3;
/// Pieces of the tile, and how many come before it.
const PIECES: u32 = 2500;
const BEFORE: u32 = 64;
const SOFTCAP: f32 = 30.0;
const TEMPERATURE: f32 = 0.6;

/// What enters the first layer.
pub fn join() -> Result<Case, CaseError> {
    let width = 388_u32;
    let params = joined::Params::new(width, 1e-6);
    let count = (LEN * width) as usize;
    let (h, branch) = (random(81, count), random(82, count));
    let want = as_f32(&joined::join(&params, &h, &branch));
    let args = vec![Arg::uniform(&params), Arg::state(0, LEN), Arg::floats(&branch), Arg::floats(&h)];
    let expected = vec![Expected::new(3, want, 1e-4)];
    Ok(Case { source: joined::source()?, args, grid: joined::dispatch(LEN), expected })
}

/// Raw logits: far apart, so that some probabilities are next to nothing.
fn logits() -> Vec<f32> {
    random(83, (LEN * PIECES) as usize).into_iter().map(|v| 40.0 * v).collect()
}

fn rows(logits: &[f32]) -> Vec<Row> {
    let row = |a: &[f32]| {
        let row = of_logits::statistics(a, SOFTCAP, TEMPERATURE);
        Row { best: row.best + BEFORE, ..row }
    };
    logits.chunks(PIECES as usize).map(row).collect()
}

/// Statistics of a first tile.
pub fn statistics() -> Result<Case, CaseError> {
    let logits = logits();
    let params = of_logits::Params { n: PIECES, row0: BEFORE, first: 1, softcap: SOFTCAP };
    let rows = rows(&logits);
    let numbers = rows.iter().flat_map(|row| [row.top, row.sum, row.weighted, row.best as f32]);
    let values: Vec<f32> = numbers.collect();
    let args = vec![
        Arg::uniform(&params),
        Arg::state(0, LEN),
        Arg::floats(&[TEMPERATURE]),
        Arg::floats(&logits),
        Arg::zeros(values.len()),
    ];
    let expected = Expected { reading: Reading::Quads, ..Expected::new(4, values, 1e-3) };
    let grid = of_logits::dispatch(LEN);
    Ok(Case { source: of_logits::source()?, args, grid, expected: vec![expected] })
}

/// Probabilities and samples of a first tile that is the last one, too.
pub fn weigh() -> Result<Case, CaseError> {
    let logits = logits();
    let params = weighed::Params {
        n: PIECES,
        row0: BEFORE,
        first: 1,
        softcap: SOFTCAP,
        scale: 16.0,
        ..Default::default()
    };
    let (mut weights, mut picks, mut uniform) = (Vec::new(), Vec::new(), Vec::new());
    for (i, a) in logits.chunks(PIECES as usize).enumerate() {
        let (p, _) = weighed::weigh(a, SOFTCAP, TEMPERATURE, 0.0);
        // In the middle of what leads to an id that is likely: rounding does not matter there.
        let (id, _) = p.iter().enumerate().filter(|(_, p)| **p > 0.01).nth(i).unwrap_or((0, &0.0));
        uniform.push((p[..id].iter().sum::<f64>() + 0.5 * p[id]) as f32);
        picks.push(Pick { id: id as u32 + BEFORE, cumulative: 1.0 });
        weights.extend(p.iter().map(|p| 16.0 * *p as f32));
    }
    let values = picks.iter().flat_map(|pick| [pick.id as f32, pick.cumulative]).collect::<Vec<_>>();
    let args = vec![
        Arg::uniform(&params),
        Arg::state(0, LEN),
        Arg::floats(&[TEMPERATURE]),
        Arg::floats(&uniform),
        Arg::words(&rows(&logits)),
        Arg::floats(&logits),
        Arg::zeros(values.len()),
    ];
    let expected = vec![
        Expected::new(5, weights, 1e-3),
        Expected { reading: Reading::Pairs, relative: 0.0, ..Expected::new(6, values, 1e-3) },
    ];
    Ok(Case { source: weighed::source()?, args, grid: weighed::dispatch(LEN), expected })
}
