//! The self-test case of a decode product.

mod low_rank;
mod prologue;

use self::prologue::{EPS, HEAD_DIM, MAX_SPLITS};
use super::{Correction, Epilogue, HandoffForm, Matvec, Prologue, twin};
use crate::case::{Arg, Case, CaseError, Expected, args, as_f32, matrix, random, tolerance};
use crate::math::{gelu_tanh, rounded_to_bytes};
use crate::{Kernel, PreprocessError, Source};

/// Rows of the matrices: odd, so that workgroups are only partly used.
const ROWS: [u32; 3] = [19, 7, 5];
/// Additional tolerance of a packed product: two elements of x that are rounded to the other integer.
const OF_BYTES: f32 = 2.0 / 127.0;

impl Kernel for Matvec {
    fn source(&self) -> Result<Source, PreprocessError> {
        self.text()
    }

    fn case(&self) -> Result<Case, CaseError> {
        of(self)
    }

    fn is_packed(&self) -> bool {
        self.form.packed
    }
}

/// The case of this permutation.
fn of(kernel: &Matvec) -> Result<Case, CaseError> {
    let pair = kernel.epilogue == Epilogue::Geglu;
    let rows = |i: usize| if pair { ROWS[0] } else { ROWS[i.min(ROWS.len() - 1)] };
    let matrices =
        kernel.dtypes.iter().enumerate().map(|(i, &dtype)| matrix(dtype, kernel.k, rows(i), i as u64 + 5));
    let matrices = matrices.collect::<Result<Vec<_>, _>>()?;
    let places = kernel.k as usize / HEAD_DIM * MAX_SPLITS;
    let behind = low_rank::behind(kernel, places as u32);
    let front = prologue::of(kernel, &behind);
    let multiplied = if kernel.form.packed { &rounded_to_bytes(&front.x) } else { &front.x };
    let mut products: Vec<_> = matrices.iter().map(|m| twin::product(&m.values, multiplied)).collect();
    let mut counts: Vec<u32> = matrices.iter().map(|m| m.layout.n).collect();
    let input_at = match kernel.prologue {
        Prologue::Merge => places * (HEAD_DIM + 2),
        _ => kernel.k as usize,
    };
    let low_rank = kernel.low_rank.is_bound();
    let low_rank = low_rank.then(|| low_rank::of(kernel, &front, &behind, &counts, input_at as u32));
    if matches!(kernel.low_rank.handoff, HandoffForm::Ahead { .. }) {
        counts.extend(counts.last().copied());
    }
    let (mut params, grid) = kernel.dispatch(&counts);
    params.eps = EPS;
    if let Some(norms) = front.norms {
        params = params.with_norms(norms);
    }
    if let Some(merge) = front.merge {
        params = params.with_merge(merge);
    }
    if let Some(low_rank) = &low_rank {
        params = params.with_correction(&low_rank.correction);
        params = params.with_handoff(kernel.low_rank.z_source, low_rank.handoff_at);
        for (products, added) in products.iter_mut().zip(&low_rank.added) {
            products.iter_mut().zip(added).for_each(|(product, added)| *product += added);
        }
    }
    let ple = random(19, 20 + ROWS[0] as usize);
    let scales = [0.5, -2.0, 1.0, 3.0];
    let mut want: Vec<f64> = match kernel.epilogue {
        Epilogue::Store => products.concat(),
        Epilogue::Geglu => products[0].iter().zip(&products[1]).map(|(&g, u)| gelu_tanh(g) * u).collect(),
        Epilogue::Ple => {
            products[0].iter().zip(&ple[20..]).map(|(&g, &p)| gelu_tanh(g) * f64::from(p)).collect()
        }
        Epilogue::Shrink { .. } => {
            let correction = Correction { rank: scales.len() as u32, places: [None; 3] };
            params = params.with_correction(&correction);
            products[0]
                .iter()
                .zip(scales.iter().cycle())
                .map(|(dot, &scale)| dot * f64::from(scale))
                .collect()
        }
    };
    let mut next = 0;
    for ((planes, out), m) in params.planes.iter_mut().zip(&mut params.out).zip(&matrices) {
        (*planes, *out) = (m.layout.planes, next);
        next += m.layout.n;
    }
    if let Some(low_rank) = &low_rank {
        if !low_rank.ahead.is_empty() {
            params.out[matrices.len()] = next;
        }
        want.extend(low_rank.left(kernel, &want));
    }
    params.ple = 20;

    // A gated product multiplies two sums, each with its own error.
    let largest = products.iter().flatten().fold(1.0_f64, |most, v| most.max(v.abs()));
    let factor = if kernel.epilogue == Epilogue::Store { 1.0 } else { 2.0 * largest as f32 };
    let mut args = args![uniform(&params), zeros(want.len().max(next as usize)), floats(&front.input)];
    args.extend(matrices.into_iter().map(|m| Arg::Words(m.words)));
    args.extend(front.tail);
    let allowed = tolerance(kernel.k) + if kernel.form.packed { OF_BYTES } else { 0.0 };
    let mut expected = vec![Expected::new(1, as_f32(&want), factor * allowed)];
    if let Some(stream) = front.stream {
        expected.push(Expected::new(args.len() - 1, as_f32(&stream), 1e-4));
    }
    match kernel.epilogue {
        Epilogue::Ple => args.push(Arg::floats(&ple)),
        Epilogue::Shrink { keep } => {
            args.push(Arg::floats(&scales));
            if keep {
                expected.push(Expected::new(args.len(), as_f32(&front.x), 1e-3));
                args.push(Arg::zeros(kernel.k as usize));
            }
        }
        Epilogue::Store | Epilogue::Geglu => {}
    }
    args.extend(low_rank.into_iter().flat_map(|low_rank| low_rank.args));
    Ok(Case { args, grid, expected })
}
