//! What adapters add to the experts of a mixture, and the gradients of their factors, against their twins; the twins against
//! central differences.

use shaders::experts::low_rank::{Expand, Params, Reduce, expand, reduce};
use shaders::experts::{Choice, Mixture, buckets};
use shaders::matmul::Tile;
use shaders::train::expert_gradient;

use crate::common::{BufferArg, Gpu, assert_close, check, random};
use crate::experts::made_up;

const MIXTURES: [Mixture; 3] =
    [Mixture { experts: 6, used: 3 }, Mixture { experts: 128, used: 8 }, Mixture { experts: 5, used: 1 }];

#[test]
fn corrections_of_chosen_experts_agree() {
    for mixture in MIXTURES {
        for sorted in [false, true] {
            for scaled in [false, true] {
                check(&Reduce { mixture, sorted, scaled, packed: false });
            }
        }
        check(&Reduce { mixture, sorted: false, scaled: true, packed: true });
        for of in [Expand::Sorted, Expand::Few, Expand::FewSummed] {
            check(&of(mixture));
        }
    }
}

fn narrow(values: &[f64]) -> Vec<f32> {
    values.iter().map(|&v| v as f32).collect()
}

#[test]
fn gradients_of_the_factors_of_experts_agree() {
    for (mixture, rows, width, rank) in
        [(MIXTURES[0], 21, 45, 12), (MIXTURES[1], 40, 33, 3), (MIXTURES[2], 3, 100, 64)]
    {
        let chosen = made_up(mixture, rows);
        let bm = Tile::SMALL.bm;
        // Room for more tiles than there are, and something else behind them.
        let capacity = buckets::most_tiles(mixture, rows, bm) + 300;
        let (order, mut tiles) = buckets::buckets(mixture, bm, capacity, &chosen);
        tiles.push([1, 0, 1, 0]);
        let range = [0, mixture.experts];
        let [a, b] = [Params::a(width, rank, 7, range), Params::b(width, rank, 3, range)];
        for (params, weighted) in
            [(a.shared_by(mixture.used), false), (b, true), (b.shared_by(mixture.used), true)]
        {
            let params = Params { stride: width + 5, offset: 2, tiles: capacity, ..params }.scaled(0.7);
            let x = random(1, chosen.len() * params.stride as usize);
            let z = random(2, chosen.len() * rank as usize);
            let before = random(3, (params.at + mixture.experts * params.by_expert + 9) as usize);
            let mut args = vec![
                BufferArg::uniform(&params),
                BufferArg::read(tiles.as_flattened()),
                BufferArg::read(&order),
            ];
            args.extend(weighted.then(|| BufferArg::read(&chosen)));
            args.extend([BufferArg::read(&x), BufferArg::read(&z), BufferArg::read_write(&before)]);
            let source = expert_gradient::source(weighted).expect("the template preprocesses");
            let got = Gpu::get().run(&source, &args, expert_gradient::dispatch(&params)).remove(0).f32s();
            let mut want: Vec<f64> = before.iter().map(|&v| v.into()).collect();
            expert_gradient::gradient(&params, (&chosen, weighted), [&x, &z], &mut want);
            assert_close(&got, &narrow(&want), 2e-5, 1e-5);
        }
    }
}

/// A loss through the weighted sum of corrected experts, and its gradients by the operations as training puts them together.
#[test]
fn the_rule_of_corrected_experts_is_its_derivative() {
    let mixture = Mixture { experts: 4, used: 2 };
    let (input, output, rank, rows) = (6u32, 5u32, 2u32, 3u32);
    let chosen = made_up(mixture, rows);
    let pairs: Vec<u32> = (0..chosen.len() as u32).collect();
    let range = [0, mixture.experts];
    let a = Params::a(input, rank, 0, range).shared_by(mixture.used);
    let b = Params::b(output, rank, mixture.experts * rank * input, range).scaled(1.7);
    let count = (mixture.experts * rank * (input + output)) as usize;
    let (factors, x) = (random(1, count), random(2, (rows * input) as usize));
    let dy = random(3, (rows * output) as usize);
    let flat =
        |rows: Vec<(u32, Vec<f64>)>| narrow(&rows.into_iter().flat_map(|(_, row)| row).collect::<Vec<_>>());
    let weighted = |pair: u32, choice: &Choice, y: &[f32]| -> f64 {
        let dy = &dy[(pair / mixture.used * output) as usize..][..output as usize];
        let products = y.iter().zip(dy).map(|(&y, &dy)| f64::from(y) * f64::from(dy));
        f64::from(choice.weight) * products.sum::<f64>()
    };
    let loss = |factors: &[f32], x: &[f32]| -> f64 {
        let z = flat(reduce(&a, &chosen, &pairs, [x, factors], None));
        let y = flat(expand(&b, &chosen, &pairs, [&z, factors]));
        (0..).zip(&chosen).zip(y.chunks(output as usize)).map(|((p, choice), y)| weighted(p, choice, y)).sum()
    };
    let z = flat(reduce(&a, &chosen, &pairs, [&x, &factors], None));
    let of_rows = b.shared_by(mixture.used);
    let mut dz = flat(reduce(&of_rows, &chosen, &pairs, [&dy, &factors], None));
    for (dz, choice) in dz.chunks_mut(rank as usize).zip(&chosen) {
        dz.iter_mut().for_each(|v| *v *= choice.weight);
    }
    let mut gradients = vec![0.0; count];
    expert_gradient::gradient(&of_rows, (&chosen, true), [&dy, &z], &mut gradients);
    expert_gradient::gradient(&a, (&chosen, false), [&x, &dz], &mut gradients);
    assert!(gradients.contains(&0.0), "some expert has no pairs");
    for (index, want) in gradients.iter().enumerate() {
        let at = |step: f32| {
            let mut factors = factors.clone();
            factors[index] += step;
            loss(&factors, &x)
        };
        // The loss is linear in each number, but z is rounded to f32 on the way.
        let got = (at(0.125) - at(-0.125)) / 0.25;
        assert!((got - want).abs() < 1e-5, "factor {index}: {got} for {want}");
    }
}
