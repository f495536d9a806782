//! The gradients of a mixture of experts against their twins, and the twins against central differences.

use shaders::backward::{choices, experts};
use shaders::experts::{Choice, Mixture, buckets};
use shaders::matmul::experts::tiles;
use shaders::quant::{planar_values, quantize, repack};
use shaders::state::State;
use shaders::train::{rows, sum_pairs};
use shaders::{DType, PlanarLayout};

use crate::backward::differences_agree;
use crate::common::{BufferArg, Gpu, assert_close, random, some_types};
use crate::experts::made_up;

const MIXTURE: Mixture = Mixture { experts: 6, used: 3 };

fn state(len: u32) -> BufferArg {
    BufferArg::read(&[State { len, ..State::default() }])
}

fn wide(values: &[f32]) -> Vec<f64> {
    values.iter().map(|&v| f64::from(v)).collect()
}

fn narrow(values: &[f64]) -> Vec<f32> {
    values.iter().map(|&v| v as f32).collect()
}

/// Rows of dY and how the gradient of a product is in them.
#[derive(Clone, Copy)]
struct Case {
    pairs_per_row: u32,
    dy_stride: u32,
    dy_at: u32,
    add: u32,
}

/// Rows of an expert, and rows of the batch.
const N: u32 = 45;
const ROWS: u32 = 37;
/// Of the input of the pairs' products, whose rows several pairs share; of the pairs, beside another one and added.
const OF_ROWS: Case = Case { pairs_per_row: MIXTURE.used, dy_stride: N, dy_at: 0, add: 0 };
const OF_PAIRS: Case = Case { pairs_per_row: 1, dy_stride: 2 * N, dy_at: N, add: 1 };

/// A product with experts 1 to 4 alone.
fn product(dtype: DType, case: Case) -> (experts::Params, PlanarLayout, Vec<u32>) {
    let (begin, end) = (1, 5);
    let k = if dtype.block_elements() > 32 { 256u64 } else { 96 };
    let all = u64::from((end - begin) * N);
    let bytes = quantize(dtype, &random(30, (k * all) as usize)).expect("test values quantise");
    let layout = PlanarLayout::new(dtype, k, all).expect("a layout");
    let Case { pairs_per_row, dy_stride, dy_at, add } = case;
    let (planes, units_per_row) = (layout.planes, layout.units_per_row);
    let params =
        experts::Params { planes, n: N, units_per_row, add, begin, end, pairs_per_row, dy_stride, dy_at };
    (params, layout, repack(dtype, k, all, &bytes).expect("blocks repack"))
}

#[test]
fn gradients_over_tiles_match_the_twin() {
    let chosen = made_up(MIXTURE, ROWS);
    let pairs = ROWS * MIXTURE.used;
    let cases = some_types()
        .into_iter()
        .map(|dtype| tiles(false).iter().zip([OF_ROWS, OF_PAIRS]).map(move |it| (dtype, it)));
    for (dtype, (forward, case)) in cases.flatten() {
        let tile = experts::tile(*forward);
        let capacity = buckets::most_tiles(MIXTURE, ROWS, forward.bm);
        let (order, tiles) = buckets::buckets(MIXTURE, forward.bm, capacity, &chosen);
        let (params, layout, words) = product(dtype, case);
        let dy = random(31, (pairs / case.pairs_per_row * case.dy_stride) as usize);
        let before = random(32, (pairs * layout.k) as usize);
        let args = [
            BufferArg::uniform(&params),
            BufferArg::read(&words),
            BufferArg::read(tiles.as_flattened()),
            BufferArg::read(&order),
            BufferArg::read(&dy),
            BufferArg::read_write(&before),
        ];
        let source = experts::source(tile, dtype).expect("the template preprocesses");
        let grid = experts::dispatch(tile, &params, MIXTURE, ROWS);
        let got = Gpu::get().run(&source, &args, grid)[0].f32s();
        let mut want = wide(&before);
        experts::input(&params, &layout, &words, (&tiles, &order), &dy, &mut want);
        assert_close(&got, &narrow(&want), 2e-5, 1e-5);
    }
}

#[test]
fn the_gradient_of_an_expert_is_the_derivative_of_its_product() {
    let (params, layout, words) = product(DType::Q4_K, Case { add: 0, ..OF_PAIRS });
    // Expert 2 is the second one of the matrix.
    let (order, tiles, pair) = (vec![1, 0], [[1, 0, 1, 0], [2, 1, 1, 0]], 0);
    let dy = random(33, 4 * N as usize);
    let mut dx = vec![0.0; 2 * layout.k as usize];
    experts::input(&params, &layout, &words, (&tiles, &order), &dy, &mut dx);
    let weights: Vec<_> = (N..2 * N).map(|row| wide(&planar_values(&layout, &words, row))).collect();
    let dy = &dy[(2 * pair + 1) * N as usize..][..N as usize];
    let loss = |x: &[f64]| {
        let outputs = weights.iter().map(|w| w.iter().zip(x).map(|(w, x)| w * x).sum::<f64>());
        outputs.zip(dy).map(|(y, &d)| y * f64::from(d)).sum()
    };
    differences_agree(loss, &wide(&random(34, layout.k as usize)), &dx[..layout.k as usize]);
}

/// Softmax over the chosen logits, times the experts' scales.
fn weights(chosen: &[u32], logits: &[f64], scale: f64, scales: &[f64]) -> Vec<f64> {
    let exponentials: Vec<f64> = chosen.iter().map(|&e| (scale * logits[e as usize]).exp()).collect();
    let total: f64 = exponentials.iter().sum();
    chosen.iter().zip(exponentials).map(|(&e, value)| value / total * scales[e as usize]).collect()
}

#[test]
fn the_gradient_through_the_choice_agrees() {
    let large = Mixture { experts: 128, used: 8 };
    let one = Mixture { experts: 5, used: 1 };
    for (mixture, rows, width) in [(MIXTURE, 5u32, 12u32), (large, 3, 700), (one, 2, 4)] {
        let (all, used, n) = (mixture.experts as usize, mixture.used as usize, width as usize);
        let params = choices::Params::new(width, 0.25);
        let mut scales = wide(&random(1, all));
        let logits: Vec<f32> = random(2, rows as usize * all).iter().map(|l| l * 20.0).collect();
        let act = random(3, rows as usize * used * n);
        let gradients = random(4, act.len() + used * n);
        let (mut chosen, mut want_act, mut want_logits) = (Vec::new(), Vec::new(), Vec::new());
        for row in 0..rows as usize {
            let logits = wide(&logits[row * all..][..all]);
            let mut order: Vec<u32> = (0..mixture.experts).collect();
            order.sort_by(|&a, &b| logits[b as usize].total_cmp(&logits[a as usize]));
            order.truncate(used);
            // An expert without weight takes part in the softmax all the same.
            scales[order[0] as usize] = 0.0;
            let [act, gradients] = [&act, &gradients].map(|v| wide(&v[row * used * n..][..used * n]));
            let of = |logits: &[f64]| weights(&order, logits, 0.25, &scales);
            let both: Vec<_> = order.iter().copied().zip(of(&logits)).collect();
            let (dact, dlogits) = choices::choices(&params, &both, &logits, &act, &gradients);
            if n < 100 {
                let loss = |logits: &[f64], act: &[f64]| -> f64 {
                    let products = act.chunks(n).zip(gradients.chunks(n));
                    let dots = products.map(|(a, g)| a.iter().zip(g).map(|(a, g)| a * g).sum::<f64>());
                    of(logits).iter().zip(dots).map(|(weight, dot)| weight * dot).sum()
                };
                differences_agree(|logits| loss(logits, &act), &logits, &dlogits);
                differences_agree(|act| loss(&logits, act), &act, &dact);
            }
            chosen.extend(both.iter().map(|&(expert, weight)| Choice { expert, weight: weight as f32 }));
            want_act.extend(narrow(&dact));
            want_logits.extend(narrow(&dlogits));
        }
        let args = [
            BufferArg::uniform(&params),
            state(rows),
            BufferArg::read(&chosen),
            BufferArg::read(&logits),
            BufferArg::read(&act),
            BufferArg::read_write(&gradients),
            BufferArg::read_write(&vec![7.0f32; (rows as usize + 1) * all]),
        ];
        let source = choices::source(mixture).expect("the template preprocesses");
        let got = Gpu::get().run(&source, &args, choices::dispatch(rows + 1));
        // The row behind the last stays as it is.
        want_act.extend(&gradients[want_act.len()..]);
        want_logits.extend(vec![7.0; all]);
        assert_close(&got[0].f32s(), &want_act, 1e-5, 1e-5);
        assert_close(&got[1].f32s(), &want_logits, 1e-5, 1e-4);
    }
}

#[test]
fn pairs_are_summed_by_row() {
    for (mixture, rows, width) in [(MIXTURE, 5u32, 36u32), (Mixture { experts: 9, used: 8 }, 2, 1540)] {
        let (used, n) = (mixture.used as usize, width as usize);
        let chosen = made_up(mixture, rows);
        let y = random(50, rows as usize * used * n);
        let before = vec![7.0f32; (rows as usize + 1) * n];
        for weighted in [false, true] {
            let params = rows::Params::new(width, None);
            let mut args = vec![BufferArg::uniform(&params), state(rows)];
            args.extend(weighted.then(|| BufferArg::read(&chosen)));
            args.extend([BufferArg::read(&y), BufferArg::read_write(&before)]);
            let source = sum_pairs::source(mixture, weighted).expect("the template preprocesses");
            let got = Gpu::get().run(&source, &args, params.dispatch(rows + 1))[0].f32s();
            let mut want = Vec::new();
            for (y, chosen) in y.chunks(used * n).zip(chosen.chunks(used)) {
                let weights: Vec<f32> = chosen.iter().map(|choice| choice.weight).collect();
                want.extend(narrow(&sum_pairs::sum_pairs(weighted.then_some(&weights[..]), y, n)));
            }
            want.extend(vec![7.0; n]);
            assert_close(&got, &want, 1e-6, 1e-5);
        }
    }
}
