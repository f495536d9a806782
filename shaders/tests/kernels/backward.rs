//! The kernels of training against their twins, and the twins' gradients against central differences of their forward
//! passes, on odd sizes.

#![allow(clippy::unwrap_used)]

use shaders::Kernel as _;
use shaders::backward::attention::Span;
use shaders::backward::cross_entropy::{self, Stat};
use shaders::backward::heads::{self, Heads};
use shaders::backward::{attention, geglu, input, norm};
use shaders::math::{gelu_tanh, rms};
use shaders::quant::{planar_values, quantize, repack};
use shaders::rows::gelu_mul::{self, Rows};
use shaders::rows::group_sum;
use shaders::state::State;
use shaders::{DType, PlanarLayout, rope};

use crate::common::{BufferArg, Gpu, assert_close, is_thorough, random, some_types};

const EPS: f64 = 1e-6;

fn state(len: u32) -> BufferArg {
    BufferArg::read(&[State { len, ..State::default() }])
}

fn wide(values: &[f32]) -> Vec<f64> {
    values.iter().map(|&v| f64::from(v)).collect()
}

fn narrow(values: &[f64]) -> Vec<f32> {
    values.iter().map(|&v| v as f32).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Holds a gradient against central differences of `loss`, element by element.
#[track_caller]
pub fn differences_agree(loss: impl Fn(&[f64]) -> f64, at: &[f64], gradient: &[f64]) {
    assert_eq!(at.len(), gradient.len());
    let largest = gradient.iter().fold(0.0f64, |most, g| most.max(g.abs()));
    let mut x = at.to_vec();
    for (index, &want) in gradient.iter().enumerate() {
        let step = 1e-5;
        x[index] = at[index] + step;
        let above = loss(&x);
        x[index] = at[index] - step;
        let below = loss(&x);
        x[index] = at[index];
        let got = (above - below) / (2.0 * step);
        assert!((got - want).abs() <= 1e-5 * largest.max(1e-3), "element {index}: {got} for {want}");
    }
}

#[test]
fn the_gradient_of_a_product_agrees() {
    for dtype in some_types() {
        for (k, n, rows) in [(512u64, 20u64, 5u32), (768, 67, 70), (256, 1, 1)] {
            let values: Vec<f32> = random(k + n, (k * n) as usize).iter().map(|x| x * 0.05).collect();
            let words = repack(dtype, k, n, &quantize(dtype, &values).unwrap()).unwrap();
            let layout = PlanarLayout::new(dtype, k, n).unwrap();
            let dy = random(3, rows as usize * n as usize);
            let want = narrow(&input::input(&layout, &words, &dy));
            if dtype == DType::Q4_K && rows == 5 {
                let weights: Vec<Vec<f64>> =
                    (0..layout.n).map(|row| wide(&planar_values(&layout, &words, row))).collect();
                let loss = |x: &[f64]| (0..n as usize).map(|o| f64::from(dy[o]) * dot(&weights[o], x)).sum();
                differences_agree(loss, &wide(&random(4, k as usize)), &wide(&want[..k as usize]));
            }
            for (tile, add) in input::Tile::all(false).iter().chain(input::Tile::all(true)).zip([
                rows == 70,
                rows != 70,
                rows == 70,
            ]) {
                let params = input::Params::new(&layout, add);
                let before = random(5, want.len() + 16);
                let mut whole = before.clone();
                for (whole, want) in whole.iter_mut().zip(&want) {
                    *whole = if add { *whole + want } else { *want };
                }
                let args = [
                    BufferArg::uniform(&params),
                    BufferArg::read(&words),
                    state(rows),
                    BufferArg::read(&dy),
                    BufferArg::read_write(&before),
                ];
                let source = input::ColumnProduct { tile: *tile, dtype }.source().unwrap();
                let got = Gpu::get().run(&source, &args, tile.dispatch(&params, rows + 3))[0].f32s();
                assert_close(&got, &whole, 2e-5, 1e-5);
            }
        }
    }
}

#[test]
fn some_rows_of_a_matrix_are_a_matrix() {
    for dtype in DType::ALL {
        let (k, n) = (768u64, 100u64);
        let values = random(1, (k * n) as usize);
        let words = repack(dtype, k, n, &quantize(dtype, &values).unwrap()).unwrap();
        let layout = PlanarLayout::new(dtype, k, n).unwrap();
        let some = layout.rows(64, 36);
        for row in [0, 1, 35] {
            assert_eq!(
                planar_values(&some, &words, row),
                planar_values(&layout, &words, 64 + row),
                "{dtype}"
            );
        }
    }
}

#[test]
fn the_gradient_of_a_norm_agrees() {
    for (width, rows) in [(4u32, 1u32), (36, 5), (1540, 3)] {
        let n = width as usize;
        let vectors = random(1, n + 8);
        let weights = &vectors[4..4 + n];
        let mut x = random(2, rows as usize * n);
        x[..n].iter_mut().for_each(|v| *v *= 1e-3);
        let dy = random(3, x.len());
        let before = random(4, x.len() + n);
        let mut want = Vec::new();
        for (x, dy) in x.chunks(n).zip(dy.chunks(n)) {
            let (x, dy) = (wide(x), wide(dy));
            let gradient = norm::norm(&x, Some(weights), &dy, EPS);
            if n == 36 {
                differences_agree(|x| dot(&rms(x, Some(weights), EPS), &dy), &x, &gradient);
                let bare = norm::norm(&x, None, &dy, EPS);
                differences_agree(|x| dot(&rms(x, None, EPS), &dy), &x, &bare);
            }
            want.extend(narrow(&gradient));
        }
        for add in [0, 1] {
            let params = norm::Params { width4: width / 4, norm: 4, add, eps: EPS as f32 };
            let mut whole = before.clone();
            for (whole, want) in whole.iter_mut().zip(&want) {
                *whole = add as f32 * *whole + want;
            }
            let args = [
                BufferArg::uniform(&params),
                state(rows),
                BufferArg::read(&vectors),
                BufferArg::read(&x),
                BufferArg::read(&dy),
                BufferArg::read_write(&before),
            ];
            let got = Gpu::get().run(&norm::source().unwrap(), &args, norm::dispatch(rows + 1))[0].f32s();
            assert_close(&got, &whole, 1e-4, 1e-4);
        }
    }
}

#[test]
fn the_gradient_of_head_norms_and_rotation_agrees() {
    for (head_dim, heads, rows) in [(16u32, 3u32, 2u32), (128, 2, 7), (256, 1, 3), (512, 2, 2)] {
        let hd = head_dim as usize;
        let table = rope::table(1e4, head_dim, None, 300);
        let vectors = random(1, hd + 5);
        let weights = &vectors[5..];
        let x = random(2, (rows * heads) as usize * hd);
        let dy = random(3, x.len());
        for turned in [true, false] {
            let form = Heads { head_dim, turned };
            let params = heads::Params {
                heads,
                norm: 5,
                rope_hi_rows: rope::hi_rows(300),
                add: u32::from(turned),
                eps: EPS as f32,
                ..Default::default()
            };
            let before = random(4, x.len());
            let mut want = Vec::new();
            for (index, (x, dy)) in x.chunks(hd).zip(dy.chunks(hd)).enumerate() {
                let (x, dy) = (wide(x), wide(dy));
                let pos = index as u32 / heads;
                let gradient = heads::heads(&form, &params, (weights, &table), pos, &x, &dy);
                if hd == 16 {
                    let forward = |x: &[f64]| {
                        let mut y = rms(x, turned.then_some(weights), EPS);
                        for j in 0..if turned { hd / 2 } else { 0 } {
                            let [cos, sin] =
                                rope::cos_sin(&table, head_dim, params.rope_hi_rows, pos, j as u32);
                            let (a, b) = (y[j], y[j + hd / 2]);
                            y[j] = a * f64::from(cos) - b * f64::from(sin);
                            y[j + hd / 2] = b * f64::from(cos) + a * f64::from(sin);
                        }
                        dot(&y, &dy)
                    };
                    differences_agree(forward, &x, &gradient);
                }
                want.extend(narrow(&gradient));
            }
            for (want, before) in want.iter_mut().zip(&before) {
                *want += params.add as f32 * before;
            }
            let mut args = vec![
                BufferArg::uniform(&params),
                state(rows),
                BufferArg::read(&x),
                BufferArg::read(&dy),
                BufferArg::read_write(&before),
            ];
            if turned {
                args.extend([BufferArg::read(&vectors), BufferArg::read(&table)]);
            }
            let got =
                Gpu::get().run(&form.source().unwrap(), &args, form.dispatch(&params, rows + 1))[0].f32s();
            assert_close(&got, &want, 1e-5, 1e-4);
        }
    }
}

#[test]
fn the_gradient_of_attention_agrees() {
    // (head_dim, heads, kv_heads, window, rows, first row and end of pictures that are seen whole)
    type Case = (u32, u32, u32, u32, u32, &'static [[u32; 2]]);
    let cases: [Case; 10] = [
        (16, 4, 2, 0, 5, &[]),
        (16, 2, 1, 3, 37, &[]),
        (64, 4, 1, 16, 50, &[]),
        (128, 2, 2, 0, 33, &[]),
        (256, 2, 1, 20, 41, &[]),
        (512, 2, 1, 0, 18, &[]),
        (16, 2, 1, 3, 5, &[[1, 4]]),
        // Longer than the window, across several tiles, side by side, and to the last row.
        (16, 2, 1, 5, 77, &[[3, 40], [40, 42], [60, 77]]),
        (64, 4, 2, 0, 50, &[[17, 49]]),
        (256, 2, 1, 20, 41, &[[0, 33]]),
    ];
    for (head_dim, heads, kv_heads, window, rows, pictures) in cases {
        if head_dim == 256 && !is_thorough() {
            continue;
        }
        let hd = head_dim as usize;
        let spans: Vec<Span> = (0..rows)
            .map(|t| {
                let own = pictures.iter().find(|[since, until]| (*since..*until).contains(&t));
                own.map_or(Span { since: t, until: t + 1 }, |&[since, until]| Span { since, until })
            })
            .collect();
        let whole = !pictures.is_empty();
        let sequence = || {
            let spans = spans.iter().filter(|_| whole).flat_map(|span| [span.since, span.until]);
            let state = [State { len: rows, ..State::default() }];
            let state: &[u32] = bytemuck::cast_slice(&state);
            BufferArg::read(&state.iter().copied().chain(spans).collect::<Vec<u32>>())
        };
        let params = attention::Params { heads, kv_heads, window, pad: 0 };
        let count = |heads: u32| (rows * heads) as usize * hd;
        let [q, k, v] = [(1, heads), (2, kv_heads), (3, kv_heads)]
            .map(|(seed, heads)| random(seed, count(heads)).iter().map(|x| x * 0.7).collect::<Vec<f32>>());
        let dout = random(4, count(heads));
        let x = attention::Inputs { q: wide(&q), k: wide(&k), v: wide(&v) };
        let wide_dout = wide(&dout);
        let want = attention::backward(&params, hd, &x, &spans, &wide_dout);
        if rows == 5 {
            let loss = |x: &attention::Inputs| dot(&attention::forward(&params, hd, x, &spans), &wide_dout);
            let with = |q: &[f64], k: &[f64], v: &[f64]| {
                loss(&attention::Inputs { q: q.to_vec(), k: k.to_vec(), v: v.to_vec() })
            };
            differences_agree(|q| with(q, &x.k, &x.v), &x.q, &want.q);
            differences_agree(|k| with(&x.q, k, &x.v), &x.k, &want.k);
            differences_agree(|v| with(&x.q, &x.k, v), &x.v, &want.v);
        }
        let gpu = Gpu::get();
        let out = narrow(&attention::forward(&params, hd, &x, &spans));
        let args = [
            BufferArg::uniform(&params),
            sequence(),
            BufferArg::read(&q),
            BufferArg::read(&k),
            BufferArg::read(&v),
            BufferArg::read(&dout),
            BufferArg::read(&out),
            BufferArg::zeros(count(heads)),
            BufferArg::zeros(2 * (rows * heads) as usize),
        ];
        let grid = params.dispatch(rows + 17);
        let outputs = gpu.run(&attention::queries(head_dim, whole).unwrap(), &args, grid);
        assert_close(&outputs[0].f32s(), &narrow(&want.q), 1e-4, 1e-4);

        let args = [
            BufferArg::uniform(&params),
            sequence(),
            BufferArg::read(&q),
            BufferArg::read(&k),
            BufferArg::read(&v),
            BufferArg::read(&dout),
            BufferArg::read(&outputs[1].f32s()),
            BufferArg::zeros(count(heads)),
            BufferArg::zeros(count(heads)),
        ];
        let parts = gpu.run(&attention::keys_values(head_dim, whole).unwrap(), &args, grid);
        for (part, want) in parts.iter().zip([&want.k, &want.v]) {
            let params =
                group_sum::Params { quads: head_dim / 4, sums: kv_heads, group: heads / kv_heads, add: 1 };
            let before = random(6, count(kv_heads));
            let args = [
                BufferArg::uniform(&params),
                state(rows),
                BufferArg::read(&part.f32s()),
                BufferArg::read_write(&before),
            ];
            let got =
                gpu.run(&group_sum::GroupSum.source().unwrap(), &args, params.dispatch(rows + 1))[0].f32s();
            let want: Vec<f32> = want.iter().zip(&before).map(|(w, b)| *w as f32 + b).collect();
            assert_close(&got, &want, 2e-4, 1e-4);
        }
    }
}

#[test]
fn the_gradient_of_the_gated_activation_agrees() {
    for x in [-25.0, -4.0, -0.7, 0.0, 0.3, 2.0, 19.0] {
        let (da, du) = geglu::geglu(x, 1.3, 0.7);
        differences_agree(|x| 0.7 * gelu_tanh(x[0]) * x[1], &[x, 1.3], &[da, du]);
    }
    let plain = |width| Rows { stride: width, at: 0 };
    let beside = |at| Rows { stride: 24, at };
    let cases = [
        (100u32, 7u32, 1u32, plain(100), plain(100), geglu::Form::Both),
        (20, 5, 1, plain(20), Rows { stride: 140, at: 60 }, geglu::Form::Gate),
        (12, 9, 3, beside(0), beside(12), geglu::Form::Joined),
    ];
    for (width, rows, rows_per_position, gate_rows, up_rows, form) in cases {
        let params = gelu_mul::Params::new(width, gate_rows, up_rows, plain(width));
        let params = gelu_mul::Params { rows_per_position, ..params };
        let mut gate: Vec<f32> =
            random(5, (gate_rows.stride * rows) as usize).iter().map(|v| v * 6.0).collect();
        gate[1] = 1e20;
        gate[2] = -1e20;
        let joined = form == geglu::Form::Joined;
        let up = if joined { gate.clone() } else { random(6, (up_rows.stride * rows) as usize) };
        let dy = random(7, (width * rows) as usize);
        let (mut want_gate, mut want_up) = (gate.clone(), up.clone());
        for row in 0..rows as usize {
            for i in 0..width as usize {
                let g = row * gate_rows.stride as usize + i;
                let u = row * up_rows.stride as usize + up_rows.at as usize + i;
                let d = f64::from(dy[row * width as usize + i]);
                let (da, du) = geglu::geglu(f64::from(gate[g]).clamp(-1e3, 1e3), f64::from(up[u]), d);
                want_gate[g] = da as f32;
                // The clamp keeps the twin's powers finite; the other factor is linear there.
                want_up[u] = if gate[g] > 1e3 { (d * f64::from(gate[g])) as f32 } else { du as f32 };
            }
        }
        let mut args = vec![
            BufferArg::uniform(&params),
            state(rows / rows_per_position),
            BufferArg::read(&dy),
            BufferArg::read_write(&gate),
        ];
        match form {
            geglu::Form::Gate => args.push(BufferArg::read(&up)),
            geglu::Form::Both => args.push(BufferArg::read_write(&up)),
            geglu::Form::Joined => {
                for (gate, up) in want_gate.chunks_mut(24).zip(want_up.chunks(24)) {
                    gate[12..].copy_from_slice(&up[12..]);
                }
            }
        }
        let source = form.source().unwrap();
        let outputs = Gpu::get().run(&source, &args, geglu::dispatch(&params, rows + 1));
        assert_close(&outputs[0].f32s(), &want_gate, 1e-5, 1e-5);
        if form == geglu::Form::Both {
            assert_close(&outputs[1].f32s(), &want_up, 1e-5, 1e-5);
        }
    }
}

#[test]
fn cross_entropy_in_tiles_agrees_with_the_whole() {
    let gpu = Gpu::get();
    for (vocabulary, tile, rows, softcap) in
        [(700u32, 288u32, 5u32, 30.0f32), (37, 32, 3, 0.0), (300, 300, 1, 5.0)]
    {
        let n = vocabulary as usize;
        let logits: Vec<f32> = random(1, rows as usize * n).iter().map(|v| v * 40.0).collect();
        let targets: Vec<u32> = (0..rows).map(|m| (m * 131 + 7) % vocabulary).collect();
        let weights: Vec<f32> = random(2, rows as usize);
        let mut stats = vec![Stat::default(); rows as usize];
        let tiles: Vec<(u32, u32)> =
            (0..vocabulary).step_by(tile as usize).map(|row0| (row0, tile.min(vocabulary - row0))).collect();
        let part = |row0: u32, count: u32| -> Vec<f32> {
            logits.chunks(n).flat_map(|row| &row[row0 as usize..(row0 + count) as usize]).copied().collect()
        };
        for &(row0, count) in &tiles {
            let params = cross_entropy::Params { n: count, row0, first: u32::from(row0 == 0), softcap };
            let args = [
                BufferArg::uniform(&params),
                state(rows),
                BufferArg::read(&targets),
                BufferArg::read(&part(row0, count)),
                BufferArg::read_write(&stats),
            ];
            let grid = cross_entropy::Params::loss_dispatch(rows + 1);
            let output = gpu.run(&cross_entropy::loss().unwrap(), &args, grid).remove(0);
            stats = output
                .f32s()
                .chunks(4)
                .map(|s| Stat { top: s[0], sum: s[1], target: s[2], pad: s[3] })
                .collect();
        }
        for &(row0, count) in &tiles {
            let params = cross_entropy::Params { n: count, row0, first: 0, softcap };
            let args = [
                BufferArg::uniform(&params),
                state(rows),
                BufferArg::read(&targets),
                BufferArg::read_write(&part(row0, count)),
                BufferArg::read(&stats),
                BufferArg::read(&weights),
            ];
            let grid = params.gradient_dispatch(rows + 1);
            let got = gpu.run(&cross_entropy::gradient().unwrap(), &args, grid).remove(0).f32s();
            for m in 0..rows as usize {
                let a = wide(&logits[m * n..(m + 1) * n]);
                let weight = f64::from(weights[m]);
                let target = targets[m] as usize;
                let (loss, gradient) = cross_entropy::cross_entropy(&a, target, softcap.into(), weight);
                assert!((stats[m].loss() - loss).abs() < 1e-4, "{} for {loss}", stats[m].loss());
                if n < 700 {
                    let of =
                        |a: &[f64]| weight * cross_entropy::cross_entropy(a, target, softcap.into(), 0.0).0;
                    differences_agree(of, &a, &gradient);
                }
                let want = narrow(&gradient[row0 as usize..(row0 + count) as usize]);
                assert_close(&got[m * count as usize..(m + 1) * count as usize], &want, 1e-6, 2e-4);
            }
        }
    }
}
