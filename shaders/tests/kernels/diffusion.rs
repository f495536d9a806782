//! The kernels of models that decode by diffusion against their CPU twins.

use shaders::Kernel;
use shaders::backward::input;
use shaders::diffusion::{Pick, Row, join, statistics, weigh};
use shaders::state::State;

use crate::common::{BufferArg, Gpu, assert_close, check, random, some_types};

fn state(len: u32) -> BufferArg {
    BufferArg::read(&[State { pos: 7, len, ..State::default() }])
}

#[test]
fn they_pass_their_own_test() {
    let kernels: [&dyn Kernel; 3] = [&join::Join, &statistics::Statistics, &weigh::Weigh];
    kernels.into_iter().for_each(check);
    for dtype in some_types() {
        let tiles = [false, true].into_iter().flat_map(input::Tile::all);
        tiles.for_each(|&tile| check(&input::ColumnProduct { tile, dtype }));
    }
}

#[test]
fn join_matches_its_twin() {
    for (width, rows) in [(4_u32, 1_u32), (36, 5), (1540, 3), (2816, 2)] {
        let count = (width * rows) as usize;
        let (mut h, mut branch) = (random(1, count), random(2, count));
        // A row of zeros and large values: the place of eps, and no overflow.
        h[..width as usize].fill(0.0);
        branch[..width as usize].fill(0.0);
        h.iter_mut().rev().take(width as usize).for_each(|v| *v *= 1e6);
        let params = join::Params::new(width, 1e-6);
        let mut want: Vec<f32> = join::join(&params, &h, &branch).iter().map(|&v| v as f32).collect();
        // A row of padding, which must stay as it is.
        let padding = vec![7.0; width as usize];
        [&mut h, &mut branch, &mut want].into_iter().for_each(|rows| rows.extend(&padding));
        let args =
            [BufferArg::uniform(&params), state(rows), BufferArg::read(&branch), BufferArg::read_write(&h)];
        let source = join::Join.source().expect("the template preprocesses");
        let got = Gpu::get().run(&source, &args, join::dispatch(rows + 1))[0].f32s();
        assert_close(&got, &want, 1e-6, 1e-5);
    }
}

/// The tiles of a vocabulary: pieces, and the first of them.
fn tiles(vocabulary: u32, tile: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..vocabulary).step_by(tile as usize).map(move |row0| (tile.min(vocabulary - row0), row0))
}

/// The columns of a tile, row by row.
fn cut(logits: &[Vec<f32>], (n, row0): (u32, u32)) -> Vec<f32> {
    logits.iter().flat_map(|row| row[row0 as usize..(row0 + n) as usize].to_vec()).collect()
}

const ROWS: u32 = 3;
/// Pieces of the vocabulary, of a tile, softcap, temperature.
const CASES: [(u32, u32, f32, f32); 5] = [
    (1000, 1000, 30.0, 0.8),
    (1000, 256, 30.0, 0.4083),
    (7, 7, 0.0, 1.0),
    (2050, 1024, 0.0, 0.5),
    (300, 32, 30.0, 0.6),
];

/// Logits of rows that are flat, sharp, and with two that are equally likely, in this order.
fn logits(vocabulary: u32) -> Vec<Vec<f32>> {
    let row = |seed, factor: f32| random(seed, vocabulary as usize).into_iter().map(move |v| factor * v);
    let mut rows: Vec<Vec<f32>> = vec![row(1, 0.1).collect(), row(2, 60.0).collect(), row(3, 3.0).collect()];
    let last = vocabulary as usize - 1;
    (rows[2][last], rows[2][last / 2]) = (25.0, 25.0);
    rows
}

fn run_statistics(
    logits: &[Vec<f32>],
    (vocabulary, tile, softcap, temperature): (u32, u32, f32, f32),
) -> Vec<Row> {
    let mut rows = vec![Row { top: 1e30, sum: f32::NAN, weighted: 3.0, best: 9 }; ROWS as usize];
    for (n, row0) in tiles(vocabulary, tile) {
        let params = statistics::Params { n, row0, first: u32::from(row0 == 0), softcap };
        let args = [
            BufferArg::uniform(&params),
            state(ROWS),
            BufferArg::read(&[temperature]),
            BufferArg::read(&cut(logits, (n, row0))),
            BufferArg::read_write(&rows),
        ];
        let source = statistics::Statistics.source().expect("the template preprocesses");
        let outputs = Gpu::get().run(&source, &args, statistics::dispatch(ROWS));
        rows = bytemuck::cast_slice(&outputs[0].u32s()).to_vec();
    }
    rows
}

#[test]
fn statistics_match_their_twin_however_the_vocabulary_is_cut() {
    for case in CASES {
        let (vocabulary, _, softcap, temperature) = case;
        let logits = logits(vocabulary);
        for (row, a) in run_statistics(&logits, case).iter().zip(&logits) {
            let want = statistics::statistics(a, softcap, temperature);
            assert_eq!(row.best, want.best, "{case:?}");
            let numbers = |row: &Row| [row.top, row.sum, row.weighted, row.entropy()];
            assert_close(&numbers(row), &numbers(&want), 2e-4, 2e-5);
        }
    }
}

#[test]
fn the_entropy_of_equal_logits_is_the_logarithm_of_their_number() {
    let rows = run_statistics(&vec![vec![1.5; 1000]; ROWS as usize], (1000, 256, 30.0, 0.8));
    for row in rows {
        assert!((row.entropy() - 1000.0_f32.ln()).abs() < 1e-5, "{row:?}");
        assert_eq!(row.best, 0);
    }
}

#[test]
fn weights_and_samples_match_their_twin_however_the_vocabulary_is_cut() {
    for case in CASES {
        let (vocabulary, tile, softcap, temperature) = case;
        let logits = logits(vocabulary);
        let rows = run_statistics(&logits, case);
        for draw in [0.002, 0.1, 0.37, 0.5, 0.73, 0.99] {
            // The middle of the share of an id that is likely enough, so that rounding does not matter.
            let middle = |a: &Vec<f32>| {
                let (p, drawn) = weigh::weigh(a, softcap, temperature, draw);
                let likely = (drawn as usize..p.len()).find(|&id| p[id] > 1e-4);
                let id = likely.unwrap_or_else(|| p.iter().position(|&p| p > 1e-4).expect("a likely id"));
                (p[..id].iter().sum::<f64>() + 0.5 * p[id]) as f32
            };
            let uniform: Vec<f32> = logits.iter().map(middle).collect();
            let mut picks = vec![Pick { id: 77, cumulative: 5.0 }; ROWS as usize];
            let mut weights: Vec<Vec<f32>> = vec![Vec::new(); ROWS as usize];
            for (n, row0) in tiles(vocabulary, tile) {
                let first = u32::from(row0 == 0);
                let params = weigh::Params { n, row0, first, softcap, scale: 4.0, pad: [0; 3] };
                let args = [
                    BufferArg::uniform(&params),
                    state(ROWS),
                    BufferArg::read(&[temperature]),
                    BufferArg::read(&uniform),
                    BufferArg::read(&rows),
                    BufferArg::read_write(&cut(&logits, (n, row0))),
                    BufferArg::read_write(&picks),
                ];
                let source = weigh::Weigh.source().expect("the template preprocesses");
                let outputs = Gpu::get().run(&source, &args, weigh::dispatch(ROWS));
                let all = outputs[0].f32s();
                weights.iter_mut().zip(all.chunks(n as usize)).for_each(|(row, tile)| row.extend(tile));
                picks = bytemuck::cast_slice(&outputs[1].u32s()).to_vec();
            }
            for (index, a) in logits.iter().enumerate() {
                let (p, id) = weigh::weigh(a, softcap, temperature, uniform[index]);
                assert_eq!(picks[index].id, id, "{case:?} {draw} row {index}");
                assert!((picks[index].cumulative - 1.0).abs() < 1e-5, "{:?}", picks[index]);
                let want: Vec<f32> = p.iter().map(|p| 4.0 * *p as f32).collect();
                assert_close(&weights[index], &want, 1e-6, 1e-4);
            }
        }
    }
}

#[test]
fn the_ends_of_the_distribution_are_ids() {
    // An id of no weight comes first and last: neither 0 nor what lies above all sums is one of them.
    let a = [-1e4, 1.0, 2.0, -1e4];
    for (draw, want) in [(0.0_f32, 1), (2.0, 2)] {
        let rows = [statistics::statistics(&a, 0.0, 1.0)];
        let params = weigh::Params { n: 4, row0: 0, first: 1, softcap: 0.0, scale: 1.0, pad: [0; 3] };
        let args = [
            BufferArg::uniform(&params),
            state(1),
            BufferArg::read(&[1.0_f32]),
            BufferArg::read(&[draw]),
            BufferArg::read(&rows),
            BufferArg::read_write(&a),
            BufferArg::read_write(&[Pick::default()]),
        ];
        let source = weigh::Weigh.source().expect("the template preprocesses");
        let picks = Gpu::get().run(&source, &args, weigh::dispatch(1))[1].u32s();
        assert_eq!(picks[0], want, "{draw}");
    }
}
