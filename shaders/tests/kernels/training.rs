//! The factors of an adapter, the optimiser and the copies of training against their twins.

#![allow(clippy::unwrap_used)]

use shaders::state::State;
use shaders::train::dropout;
use shaders::train::lora::{self, Lora, Params};
use shaders::train::optimiser::{self, AdamW, SquaresParams};
use shaders::train::rows;

use crate::common::{BufferArg, Gpu, assert_close, random};

const SEED: u64 = 0x0123_4567_89ab_cdef;

fn state(len: u32) -> BufferArg {
    let state = State { len, seed_lo: SEED as u32, seed_hi: (SEED >> 32) as u32, ..State::default() };
    BufferArg::read(&[state])
}

fn narrow(values: &[f64]) -> Vec<f32> {
    values.iter().map(|&v| v as f32).collect()
}

/// Runs one of the three on `[first, second, out]`.
fn run(kernel: Lora, params: &Params, dropout: bool, rows: u32, [a, b, out]: [&[f32]; 3]) -> Vec<f32> {
    let args = [
        BufferArg::uniform(params),
        state(rows),
        BufferArg::read(a),
        BufferArg::read(b),
        BufferArg::read_write(out),
    ];
    let grid = kernel.dispatch(params, rows + 9);
    Gpu::get().run(&kernel.source(dropout).unwrap(), &args, grid).remove(0).f32s()
}

#[test]
fn factors_and_their_gradients_agree() {
    for (width, rank, rows) in [(40u32, 3u32, 5u32), (256, 8, 13), (100, 64, 33), (36, 1, 1)] {
        for p in [0.0, 0.3] {
            let seed = (p > 0.0).then_some(SEED);
            let count = (width * rank) as usize;
            let factors = random(1, count + 11);
            let x = random(2, (rows * width) as usize);
            let z = random(3, (rows * rank) as usize);
            for params in [Params::a(width, rank, 5, 0.7), Params::b(width, rank, 11, 1.3)] {
                let params = Params { salt: 9, bound: dropout::bound(p), ..params };
                let drops = seed.is_some();
                // The kernels may not touch what lies behind the last row.
                let padding = [7.0f32; 8];

                let before = [vec![0.0; z.len()], padding.to_vec()].concat();
                let got = run(Lora::Reduce, &params, drops, rows, [&x, &factors, &before]);
                let want = [narrow(&lora::reduce(&params, seed, &x, &factors)), padding.to_vec()].concat();
                assert_close(&got, &want, 2e-5, 1e-5);

                let before = [random(4, x.len()), padding.to_vec()].concat();
                let got = run(Lora::Expand, &params, drops, rows, [&z, &factors, &before]);
                let mut want = before.clone();
                let added = lora::expand(&params, seed, &z, &factors);
                want.iter_mut().zip(&added).for_each(|(want, added)| *want += *added as f32);
                assert_close(&got, &want, 2e-5, 1e-5);

                let before = random(5, factors.len());
                let got = run(Lora::Gradient, &params, drops, rows, [&x, &z, &before]);
                let mut want: Vec<f64> = before.iter().map(|&v| f64::from(v)).collect();
                lora::gradient(&params, seed, &x, &z, &mut want);
                assert_close(&got, &narrow(&want), 2e-5, 1e-5);
            }
        }
    }
}

/// The whole rule in f64: a loss, and its gradients by the three operations as training puts them together.
#[test]
fn the_rule_of_a_corrected_product_is_its_derivative() {
    let (input, output, rank, rows, s) = (6u32, 5u32, 2u32, 3u32, 1.7f32);
    let at_b = input * rank;
    let factors = random(1, (at_b + output * rank) as usize);
    let x = random(2, (rows * input) as usize);
    let dy = random(3, (rows * output) as usize);
    let bound = dropout::bound(0.4);
    let keep = 1.0 / 0.6;
    let seed = Some(SEED);
    let a = Params { salt: 3, bound, ..Params::a(input, rank, 0, keep) };
    let b = Params::b(output, rank, at_b, s);
    let loss = |factors: &[f32], x: &[f32]| -> f64 {
        let z = narrow(&lora::reduce(&a, seed, x, factors));
        let y = lora::expand(&b, None, &z, factors);
        y.iter().zip(&dy).map(|(y, &d)| y * f64::from(d)).sum()
    };
    let z = narrow(&lora::reduce(&a, seed, &x, &factors));
    let dz = narrow(&lora::reduce(&b, None, &dy, &factors));
    let mut gradients = vec![0.0; factors.len()];
    lora::gradient(&a, seed, &x, &dz, &mut gradients);
    lora::gradient(&b, None, &dy, &z, &mut gradients);
    let dx = lora::expand(&a, seed, &dz, &factors);

    let difference = |of: &dyn Fn(f32) -> f64, at: f32| {
        let step = 0.125f32;
        (of(at + step) - of(at - step)) / f64::from(2.0 * step)
    };
    for (index, want) in gradients.iter().enumerate() {
        let changed = |value: f32| {
            let mut factors = factors.clone();
            factors[index] = value;
            loss(&factors, &x)
        };
        // The loss is linear in each number, but z is rounded to f32 on the way.
        let got = difference(&changed, factors[index]);
        assert!((got - want).abs() < 1e-5, "factor {index}: {got} for {want}");
    }
    for (index, want) in dx.iter().enumerate() {
        let changed = |value: f32| {
            let mut x = x.clone();
            x[index] = value;
            loss(&factors, &x)
        };
        let got = difference(&changed, x[index]);
        assert!((got - want).abs() < 1e-5, "input {index}: {got} for {want}");
    }
}

#[test]
fn the_optimiser_agrees_with_its_twin() {
    let count = 777;
    let gradients = random(1, count);
    let (theta, m) = (random(2, count), random(3, count));
    let v: Vec<f32> = random(4, count).iter().map(|v| v.abs()).collect();
    for step in [0, 5] {
        let params = AdamW::new(step, 1e-2, 0.1, 0.5);
        let args = [
            BufferArg::uniform(&params),
            BufferArg::read(&gradients),
            BufferArg::read_write(&theta),
            BufferArg::read_write(&m),
            BufferArg::read_write(&v),
        ];
        let outputs = Gpu::get().run(&AdamW::source().unwrap(), &args, AdamW::dispatch(count as u32));
        for (place, output) in outputs.iter().enumerate() {
            let want: Vec<f32> = (0..count)
                .map(|i| {
                    let numbers = [gradients[i], theta[i], m[i], v[i]].map(f64::from);
                    params.step(numbers[0], numbers[1], numbers[2], numbers[3])[place] as f32
                })
                .collect();
            assert_close(&output.f32s(), &want, 1e-6, 1e-5);
        }
    }
}

#[test]
fn squares_are_summed() {
    for count in [1u32, 300, 40_000] {
        let values = random(1, count as usize);
        let params = SquaresParams { count: count - 1, at: 64, pad: [0; 2] };
        let args = [BufferArg::uniform(&params), BufferArg::read(&values), BufferArg::zeros(192)];
        let source = optimiser::squares().unwrap();
        let sums = Gpu::get().run(&source, &args, [optimiser::PARTIAL_SUMS, 1, 1]).remove(0).f32s();
        let got: f64 = sums.iter().map(|&s| f64::from(s)).sum();
        let want: f64 = values[..count as usize - 1].iter().map(|&v| f64::from(v).powi(2)).sum();
        assert!((got - want).abs() <= 1e-5 * want, "{got} for {want}");
        assert!(sums[..64].iter().chain(&sums[128..]).all(|&s| s == 0.0));
    }
}

#[test]
fn rows_are_copied_and_chosen() {
    let width = 20u32;
    let x = random(1, 7 * width as usize);
    let vectors = [1.0f32, 0.0, 2.5, 0.0];
    for scale_at in [None, Some(2)] {
        let params = rows::Params::new(width, scale_at);
        let args = [
            BufferArg::uniform(&params),
            state(5),
            BufferArg::read(&vectors),
            BufferArg::read(&x),
            BufferArg::zeros(x.len()),
        ];
        let got = Gpu::get().run(&rows::copy().unwrap(), &args, params.dispatch(7)).remove(0).f32s();
        let scale = if scale_at.is_some() { 2.5 } else { 1.0 };
        let want: Vec<f32> =
            x.iter().enumerate().map(|(i, v)| if i < 100 { v * scale } else { 0.0 }).collect();
        assert_eq!(got, want);
    }
    let numbers = [6, rows::NONE, 0, 3, 3, 1];
    let params = rows::Params::new(width, None);
    let args = [
        BufferArg::uniform(&params),
        state(5),
        BufferArg::read(&numbers),
        BufferArg::read(&x),
        BufferArg::read_write(&vec![7.0f32; 6 * width as usize]),
    ];
    let got = Gpu::get().run(&rows::pick_rows().unwrap(), &args, params.dispatch(6)).remove(0).f32s();
    for (t, row) in got.chunks(width as usize).enumerate() {
        let want = match numbers[t] {
            _ if t == 5 => vec![7.0; width as usize],
            rows::NONE => vec![0.0; width as usize],
            number => x[number as usize * width as usize..][..width as usize].to_vec(),
        };
        assert_eq!(row, want, "row {t}");
    }
}
