//! The kernels of a mixture of experts against their twins: odd sizes, equal logits, ranges of experts, every type.

use std::ops::Range;

use shaders::Kernel as _;
use shaders::experts::{Choice, Mixture, buckets, choice, choose, down, gate_up, locate, mix};
use shaders::matmul::{Tile, experts as matmul_experts};
use shaders::matvec::Form;
use shaders::state::State;
use shaders::{DType, PlanarLayout, Planes, quant};

use crate::common::{BufferArg, Gpu, assert_close, check, random, some_types};

const EPS: f32 = 1e-6;

struct Matrix {
    layout: PlanarLayout,
    words: Vec<u32>,
    values: Vec<f32>,
}

fn matrix(dtype: DType, k: u32, rows: u32, seed: u64) -> Matrix {
    let bytes = quant::quantize(dtype, &random(seed, (k * rows) as usize)).expect("test values quantise");
    let mut values = vec![0.0; (k * rows) as usize];
    quant::dequantize(dtype, &bytes, &mut values).expect("blocks dequantise");
    let (k, rows) = (u64::from(k), u64::from(rows));
    Matrix {
        layout: PlanarLayout::new(dtype, k, rows).expect("a layout"),
        words: quant::repack(dtype, k, rows, &bytes).expect("blocks repack"),
        values,
    }
}

fn width(dtype: DType) -> u32 {
    if dtype.block_elements() > 32 { 256 } else { 96 }
}

fn state(len: u32) -> BufferArg {
    BufferArg::read(&[State { len, ..State::default() }])
}

fn as_f32(values: &[f64]) -> Vec<f32> {
    values.iter().map(|&v| v as f32).collect()
}

fn choices(words: &[u32]) -> Vec<Choice> {
    bytemuck::cast_slice(words).to_vec()
}

/// Made-up choices: each row's experts are distinct, some experts get most rows and some none.
pub fn made_up(mixture: Mixture, rows: u32) -> Vec<Choice> {
    let draws = random(40, rows as usize);
    let weights = random(41, (rows * mixture.used) as usize);
    (0..rows * mixture.used)
        .map(|p| {
            let draw = draws[(p / mixture.used) as usize];
            // Squared: low numbers are likelier. The last expert is nobody's.
            let start = (draw * draw * mixture.experts as f32) as u32;
            let expert = (start + p % mixture.used) % (mixture.experts - 1);
            Choice { expert, weight: weights[p as usize] }
        })
        .collect()
}

#[test]
fn the_router_chooses_as_its_twin() {
    for (mixture, rows) in [
        (Mixture { experts: 128, used: 8 }, 21u32),
        (Mixture { experts: 5, used: 3 }, 7),
        (Mixture { experts: 200, used: 1 }, 3),
        (Mixture { experts: 6, used: 6 }, 2),
    ] {
        let (experts, used) = (mixture.experts as usize, mixture.used as usize);
        let mut logits = random(1, (rows as usize + 1) * experts);
        logits.iter_mut().for_each(|l| *l *= 40.0);
        // Equal ones: the lower expert comes first.
        let most = logits[..experts].iter().copied().fold(f32::MIN, f32::max) + 1.0;
        logits[experts - 1] = most;
        logits[1] = most;
        let mut vectors = random(2, 3);
        vectors.extend(random(3, experts));
        let params = choose::Params { scale: 0.25, scales: 3, ..Default::default() };
        let untouched = vec![7u32; (rows as usize + 1) * used * 2];
        let args = [
            BufferArg::uniform(&params),
            state(rows),
            BufferArg::read(&logits),
            BufferArg::read(&vectors),
            BufferArg::read_write(&untouched),
        ];
        let source = choose::Choose(mixture).source().expect("the template preprocesses");
        let words = Gpu::get().run(&source, &args, choose::dispatch(rows + 1))[0].u32s();
        let (got, rest) = words.split_at(rows as usize * used * 2);
        let want: Vec<_> = (0..rows as usize)
            .flat_map(|t| choice(mixture.used, &logits[t * experts..][..experts], 0.25, &vectors[3..]))
            .collect();
        let (ids, weights): (Vec<u32>, Vec<f64>) = want.into_iter().unzip();
        let got = choices(got);
        assert_eq!(got.iter().map(|c| c.expert).collect::<Vec<_>>(), ids);
        assert_close(&got.iter().map(|c| c.weight).collect::<Vec<_>>(), &as_f32(&weights), 1e-6, 1e-5);
        assert!(rest.iter().all(|&word| word == 7), "a row past the end was written");
    }
}

#[test]
fn logits_that_are_no_numbers_still_choose_distinct_experts() {
    let mixture = Mixture { experts: 5, used: 3 };
    let params = choose::Params { scale: 1.0, scales: 0, ..Default::default() };
    let args = [
        BufferArg::uniform(&params),
        state(1),
        BufferArg::read(&[f32::NAN, f32::NEG_INFINITY, f32::NAN, 0.0, -0.0]),
        BufferArg::read(&[1.0f32; 5]),
        BufferArg::zeros(6),
    ];
    let source = choose::Choose(mixture).source().expect("the template preprocesses");
    let got = choices(&Gpu::get().run(&source, &args, choose::dispatch(1))[0].u32s());
    let mut ids: Vec<_> = got.iter().map(|c| c.expert).collect();
    ids.sort_unstable();
    ids.dedup();
    assert!(ids.len() == 3 && ids.iter().all(|&id| id < 5), "{ids:?}");
}

/// How gate and up, and down, are divided: as forms for a few rows are.
const FORMS: [Form; 3] = [Form::new(1, 8, 1), Form::new(2, 8, 1), Form::new(2, 4, 1)];

/// Gate and up of experts `begin..end`, in one matrix or in two.
fn check_gate_up(
    kernel: gate_up::GateUp,
    (k, rows, positions): (u32, u32, u32),
    fused: bool,
    range: Range<u32>,
) {
    let mixture = kernel.mixture;
    let chosen = made_up(mixture, positions + 1);
    let x = random(10, (positions * k) as usize);
    // The matrices begin before the range, as parts of different sizes do.
    let (gate_first, up_first) =
        if fused { (range.start, range.start) } else { (range.start, range.start.saturating_sub(1)) };
    let stride = if fused { 2 * rows } else { rows };
    let gate = matrix(kernel.gate, k, (range.end - gate_first) * stride, 14);
    let up = if fused {
        matrix(kernel.gate, k, (range.end - gate_first) * stride, 14)
    } else {
        matrix(kernel.up, k, (range.end - up_first) * stride, 15)
    };
    let params = gate_up::Params {
        planes: [gate.layout.planes, up.layout.planes, Planes::default()],
        rows,
        units_per_row: gate.layout.units_per_row,
        begin: range.start,
        end: range.end,
        gate_first,
        up_first,
        gate_stride: stride,
        up_stride: stride,
        up_at: if fused { rows } else { 0 },
        pad: [0; 3],
    };
    // The last row is behind the step.
    let untouched = vec![-7.0f32; chosen.len() * rows as usize];
    let args = [
        BufferArg::uniform(&params),
        BufferArg::read(&gate.words),
        BufferArg::read(&up.words),
        state(positions),
        BufferArg::read(&chosen),
        BufferArg::read(&x),
        BufferArg::read_write(&untouched),
    ];
    let source = kernel.source().expect("the template preprocesses");
    let got = Gpu::get().run(&source, &args, kernel.dispatch(rows, positions + 1));
    let pairs = (positions * mixture.used) as usize;
    let act = gate_up::gate_up(&kernel, &params, &chosen[..pairs], &x, (&gate.values, &up.values), None);
    let mut want: Vec<f32> = act
        .into_iter()
        .flat_map(|pair| pair.map_or(vec![-7.0; rows as usize], |values| as_f32(&values)))
        .collect();
    want.resize(untouched.len(), -7.0);
    assert_close(&got[0].f32s(), &want, 3e-4, 1e-4);
}

#[test]
fn gate_and_up_of_chosen_experts() {
    let mixture = Mixture { experts: 7, used: 3 };
    let packs = false;
    let form = Form::new(2, 8, 1);
    let forms = FORMS.map(|form| (DType::Q4_K, form));
    for (dtype, form) in some_types().into_iter().map(|dtype| (dtype, form)).chain(forms) {
        let kernel = gate_up::GateUp { mixture, gate: dtype, up: dtype, packs, corrected: false, form };
        check_gate_up(kernel, (width(dtype), 22, 1), true, 0..7);
        // A range that has some of the chosen ones.
        check_gate_up(kernel, (width(dtype), 22, 3), true, 2..6);
    }
    let kernel =
        gate_up::GateUp { mixture, gate: DType::Q4_K, up: DType::Q8_0, packs, corrected: false, form };
    check_gate_up(kernel, (256, 13, 2), false, 0..7);
    check_gate_up(kernel, (256, 13, 8), false, 3..5);
    let mixture = Mixture { experts: 128, used: 8 };
    let kernel =
        gate_up::GateUp { mixture, gate: DType::Q4_0, up: DType::Q4_0, packs, corrected: false, form };
    check_gate_up(kernel, (2816, 6, 1), true, 0..128);
}

#[test]
fn products_of_chosen_experts_that_are_rounded() {
    let mixture = Mixture { experts: 9, used: 8 };
    let form = Form::new(2, 8, 1);
    for dtype in some_types() {
        // Activations are rounded whatever the products before them multiply.
        let form = if dtype.is_float() { form } else { form.packed() };
        check(&gate_up::GateUp { mixture, gate: dtype, up: dtype, packs: true, corrected: false, form });
        check(&down::Down { mixture, dtype, form });
    }
    for (packs, form) in [(false, form), (true, form), (true, form.packed())] {
        let dtype = DType::Q4_K;
        check(&gate_up::GateUp { mixture, gate: dtype, up: dtype, packs, corrected: true, form });
    }
    let (gate, up, packs) = (DType::Q4_K, DType::Q8_0, false);
    check(&gate_up::GateUp { mixture, gate, up, packs, corrected: false, form: form.packed() });
}

#[test]
fn the_sum_of_chosen_experts_in_ranges() {
    // Of the last ones, the columns take several tiles.
    let (few, many) = (Mixture { experts: 7, used: 3 }, Mixture { experts: 9, used: 8 });
    let small = some_types().into_iter().map(|dtype| (few, width(dtype), 21, dtype));
    let long = [(many, 704, 11, DType::Q5_0), (many, 704, 11, DType::Q8_0), (many, 768, 11, DType::Q6_K)];
    let forms = [Form::new(1, 8, 2), Form::new(4, 4, 1)].into_iter().chain(FORMS);
    let forms = forms.map(|form| ((few, 256, 21, DType::Q4_K), form));
    let shapes = small.chain(long).map(|shape| (shape, Form::new(2, 4, 1)));
    for ((mixture, k, rows, dtype), form) in shapes.chain(forms) {
        let kernel = down::Down { mixture, dtype, form };
        let source = kernel.source().expect("the template preprocesses");
        let positions = 2;
        let chosen = made_up(mixture, positions);
        let act = random(20, (positions * mixture.used * k) as usize);
        let all = (positions * rows) as usize;
        let mut y = vec![-7.0f32; all + rows as usize];
        let mut want = vec![0.0; all];
        for (begin, end) in [(0, 2), (2, mixture.experts)] {
            let m = matrix(dtype, k, (end - begin) * rows, 21 + u64::from(begin));
            let params = down::Params {
                planes: [m.layout.planes, Planes::default(), Planes::default()],
                rows,
                units_per_row: m.layout.units_per_row,
                begin,
                end,
                more: u32::from(begin > 0),
                pad: [0; 3],
            };
            let args = [
                BufferArg::uniform(&params),
                BufferArg::read(&m.words),
                state(positions),
                BufferArg::read(&chosen),
                BufferArg::read(&act),
                BufferArg::read_write(&y),
            ];
            y = Gpu::get().run(&source, &args, kernel.dispatch(rows, positions + 1))[0].f32s();
            let part = down::down(&kernel, &params, &chosen, &act, &m.values);
            want.iter_mut().zip(part).for_each(|(want, part)| *want += part);
        }
        assert_close(&y[..all], &as_f32(&want), 5e-4, 1e-4);
        assert!(y[all..].iter().all(|&v| v == -7.0), "a row behind the step was written");
    }
}

#[test]
fn choices_are_sorted_into_tiles() {
    for (mixture, rows, bm) in [
        (Mixture { experts: 128, used: 8 }, 131, 16),
        (Mixture { experts: 128, used: 8 }, 512, 32),
        (Mixture { experts: 5, used: 3 }, 100, 16),
        (Mixture { experts: 5, used: 3 }, 1, 32),
        (Mixture { experts: 300, used: 2 }, 9, 16),
    ] {
        let chosen = made_up(mixture, rows);
        let capacity = buckets::most_tiles(mixture, rows + 40, bm);
        let params = buckets::Params { capacity, ..Default::default() };
        let pairs = chosen.len();
        let args = [
            BufferArg::uniform(&params),
            state(rows),
            BufferArg::read(&chosen),
            BufferArg::zeros(pairs),
            BufferArg::read_write(&vec![9u32; capacity as usize * 4]),
        ];
        let source = buckets::Buckets { mixture, bm }.source().expect("the template preprocesses");
        let got = Gpu::get().run(&source, &args, buckets::dispatch(mixture));
        let (want_pairs, want_tiles) = buckets::buckets(mixture, bm, capacity, &chosen);
        assert_eq!(got[0].u32s(), want_pairs);
        assert_eq!(got[1].u32s(), want_tiles.as_flattened());
        let tiles = want_tiles.iter().filter(|tile| tile[2] > 0).count();
        assert!(tiles <= buckets::most_tiles(mixture, rows, bm) as usize);
    }
}

#[test]
fn pairs_of_experts_that_are_not_in_the_cache_have_no_tile() {
    let mixture = Mixture { experts: 128, used: 8 };
    // Four slots, for experts 3, 0, 7 and 5.
    let cache = Mixture { experts: 4, ..mixture };
    let mut slots = vec![locate::NONE; 128];
    [3, 0, 7, 5].into_iter().zip(0..).for_each(|(expert, slot): (usize, u32)| slots[expert] = slot);
    let rows = 21;
    let located = locate::locate(&slots, &made_up(mixture, rows));
    let absent = located.iter().filter(|choice| choice.expert == locate::NONE).count();
    assert!(absent > 0 && absent < located.len());
    let capacity = buckets::most_tiles(mixture, rows, 16);
    let params = buckets::Params { capacity, ..Default::default() };
    let args = [
        BufferArg::uniform(&params),
        state(rows),
        BufferArg::read(&located),
        BufferArg::zeros(located.len()),
        BufferArg::read_write(&vec![9u32; capacity as usize * 4]),
    ];
    let source = buckets::Buckets { mixture: cache, bm: 16 }.source().expect("the template preprocesses");
    let got = Gpu::get().run(&source, &args, buckets::dispatch(cache));
    let (pairs, tiles) = buckets::buckets(cache, 16, capacity, &located);
    assert_eq!(pairs.len(), located.len() - absent);
    assert_eq!(got[0].u32s()[..pairs.len()], pairs);
    assert_eq!(got[1].u32s(), tiles.as_flattened());
}

#[test]
fn a_step_that_misses_an_expert_ends() {
    let mixture = Mixture { experts: 6, used: 3 };
    // Two rows, which share two experts.
    let experts = [4, 0, 2, 2, 5, 4];
    let weights = [0.5, 0.25, 0.125, 0.75, 0.375, 0.0625];
    let chosen: Vec<Choice> =
        experts.into_iter().zip(weights).map(|(expert, weight)| Choice { expert, weight }).collect();
    let source = locate::Locate { mixture, few_rows: true }.source().expect("the template preprocesses");
    let header = locate::record_header(mixture) as usize;
    // The second layer's slots: of experts 4, 2 and 5, and perhaps of expert 0.
    for (of_first, len, missed) in
        [(locate::NONE, 1, 2), (1, 1, 0), (1, 0, 0), (locate::NONE, 2, 2), (1, 2, 0)]
    {
        let mut slots = vec![9; 6];
        slots.extend([of_first, locate::NONE, 3, locate::NONE, 0, 2]);
        let pairs = 3 * len as usize;
        let args = [
            BufferArg::uniform(&locate::Params { layer: 1, ..Default::default() }),
            BufferArg::read_write(&[State { len, pos: 7, ..State::default() }]),
            BufferArg::read(&slots),
            BufferArg::read(&chosen),
            BufferArg::read_write(&[9u32; 12]),
            BufferArg::zeros(header + 12),
        ];
        let got = Gpu::get().run(&source, &args, locate::dispatch(mixture, true, len));
        let after = State { len: if missed > 0 { 0 } else { len }, pos: 7, ..State::default() };
        assert_eq!(got[0].u32s(), bytemuck::cast_slice::<_, u32>(&[after]));
        // A step that has ended already, and rows beyond it, leave everything as it was.
        let located = locate::locate(&slots[6..], &chosen[..pairs]);
        let mut expected = bytemuck::cast_slice::<_, u32>(&located).to_vec();
        expected.resize(12, 9);
        assert_eq!(got[1].u32s(), expected);
        let mut record = vec![0; header + 12];
        record[0] = missed;
        record[1..=pairs].copy_from_slice(&experts[..pairs]);
        if missed == 0 {
            experts[..pairs].iter().for_each(|&expert| record[header + 6 + expert as usize] += 1);
        }
        assert_eq!(got[2].u32s(), record);
    }
}

#[test]
fn products_over_tiles_match_the_twin() {
    let mixture = Mixture { experts: 6, used: 3 };
    let (rows, n) = (37u32, 45u32);
    let chosen = made_up(mixture, rows);
    let pairs = rows * mixture.used;
    for &tile in [false, true].into_iter().flat_map(matmul_experts::tiles) {
        let capacity = buckets::most_tiles(mixture, rows, tile.bm);
        let (order, tiles) = buckets::buckets(mixture, tile.bm, capacity, &chosen);
        for dtype in some_types() {
            // A product of the rows, written beside another one, then one of the pairs; experts 1 to 4 alone.
            for (pairs_per_row, y_stride, y_at) in [(mixture.used, 2 * n, n), (1, n, 0)] {
                let k = width(dtype);
                let (begin, end) = (1, 5);
                let m = matrix(dtype, k, (end - begin) * n, 30);
                let params = matmul_experts::Params {
                    planes: m.layout.planes,
                    n,
                    units_per_row: m.layout.units_per_row,
                    begin,
                    end,
                    pairs_per_row,
                    y_stride,
                    y_at,
                    pad: 0,
                };
                let x = random(31, (pairs / pairs_per_row * k) as usize);
                let mut want = vec![-7.0f32; (pairs * y_stride) as usize];
                let args = [
                    BufferArg::uniform(&params),
                    BufferArg::read(&m.words),
                    BufferArg::read(tiles.as_flattened()),
                    BufferArg::read(&order),
                    BufferArg::read(&x),
                    BufferArg::read_write(&want),
                ];
                let source =
                    matmul_experts::ExpertMatmul { tile, dtype }.source().expect("the template preprocesses");
                let grid = matmul_experts::dispatch(tile, &params, mixture, rows);
                let got = Gpu::get().run(&source, &args, grid)[0].f32s();
                matmul_experts::matmul(&params, &m.layout, &m.words, (&tiles, &order), &x, &mut want);
                assert_close(&got, &want, 2e-5, 1e-5);
            }
        }
    }
}

#[test]
fn dense_part_and_experts_are_normed_and_added() {
    for (mixture, rows, width) in
        [(Mixture { experts: 9, used: 8 }, 5, 1060), (Mixture { experts: 2, used: 1 }, 3, 4)]
    {
        let used = mixture.used as usize;
        let chosen = made_up(mixture, rows + 1);
        let (rows, y) = (rows as usize, random(50, (rows as usize + 1) * used * width));
        let mut branch = random(51, (rows + 1) * width);
        branch[..width].fill(0.0);
        let vectors = random(52, 2 * width + 8);
        let params =
            mix::Params { dense_norm: 4, experts_norm: 8 + width as u32, eps: EPS, ..Default::default() };
        let args = [
            BufferArg::uniform(&params),
            state(rows as u32),
            BufferArg::read(&vectors),
            BufferArg::read(&chosen),
            BufferArg::read(&y),
            BufferArg::read_write(&branch),
        ];
        let source = mix::Mix { mixture: Some(mixture), width: width as u32 }
            .source()
            .expect("the template preprocesses");
        let got = Gpu::get().run(&source, &args, mix::dispatch(rows as u32 + 1))[0].f32s();
        let row = |t: usize| {
            let (chosen, y) = (&chosen[t * used..][..used], &y[t * used * width..][..used * width]);
            as_f32(&mix::mix(&params, &vectors, chosen, y, &branch[t * width..][..width]))
        };
        let mut want: Vec<f32> = (0..rows).flat_map(row).collect();
        // The row behind the chunk stays as it is.
        want.extend(&branch[rows * width..]);
        assert_close(&got, &want, 1e-5, 1e-5);
    }
}

#[test]
fn dense_part_and_sums_of_experts_are_normed_and_added() {
    for width in [1060, 4] {
        check(&mix::Mix { mixture: None, width });
    }
}

#[test]
fn small_chunks_get_small_tiles() {
    let mixture = Mixture { experts: 128, used: 8 };
    assert_eq!(matmul_experts::choose(mixture, 512, false), Tile::MEDIUM);
    assert_eq!(matmul_experts::choose(mixture, 64, false), Tile::SMALL);
}
