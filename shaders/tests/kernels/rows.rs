//! The row kernels of prefill against their CPU twins.

use shaders::Kernel as _;
use shaders::attention::{KvType, decode::Kv};
use shaders::math::gelu_tanh;
use shaders::rope;
use shaders::rows::gelu_mul::{self, Rows};
use shaders::rows::mean::Mean;
use shaders::rows::norm_add::{self, NormAdd, NormAddRows};
use shaders::rows::qkv_finish::{self, Cache, Inputs, QkvFinish};
use shaders::state::State;

use crate::common::{BufferArg, Gpu, assert_close, check, is_thorough, random};

const EPS: f32 = 1e-6;

fn as_f32(values: &[f64]) -> Vec<f32> {
    values.iter().map(|&v| v as f32).collect()
}

/// State of a chunk of `len` rows at `pos`.
fn chunk(pos: u32, len: u32) -> [State; 1] {
    [State { pos, len, ..State::default() }]
}

#[test]
fn means_of_texts_pass_their_own_test() {
    check(&Mean);
}

#[test]
fn norm_add_matches_its_twin() {
    for form in NormAdd::ALL {
        if form.is_packed() {
            // One run over the row, and two.
            for width in [400, 5376] {
                check(&NormAddRows { form, width });
            }
            continue;
        }
        for (width, positions, rows_per_position) in
            [(4, 1, 1), (36, 5, 1), (768, 3, 1), (1540, 2, 1), (5376, 2, 1), (256, 3, 7)]
        {
            let rows = (positions * rows_per_position) as usize;
            // Weights between others, the scalar after them.
            let vectors = random(1, 2 * width + 16);
            let params = norm_add::Params {
                rows_per_position,
                branch_norm: 4,
                norm: 8 + width as u32,
                scale_at: if width == 36 { norm_add::Params::NONE } else { 13 + 2 * width as u32 },
                scale: 0.5f32.sqrt(),
                branch_scale: if width == 256 { 0.5 } else { 1.0 },
                ..norm_add::Params::new(width as u32, EPS)
            };
            let mut h = random(2, rows * width);
            let mut branch = random(3, rows * width);
            // A row of zeros and a row of large values: the place of eps, and no overflow.
            h[..width].fill(0.0);
            branch[..width].fill(0.0);
            h.iter_mut().rev().take(width).for_each(|v| *v *= 1e6);
            // One row of padding behind the chunk, which must stay as it is.
            let padding = vec![7.0; width];
            let padded = |values: &[f32]| [values, &padding].concat();

            let (want_h, want_x) = norm_add::norm_add(form, &params, &vectors, &h, &branch);
            let mut args = vec![
                BufferArg::uniform(&params),
                BufferArg::read(&chunk(9, positions)),
                BufferArg::read(&vectors),
            ];
            match form {
                NormAdd::Norm => args.push(BufferArg::read(&padded(&h))),
                _ => args.extend([BufferArg::read_write(&padded(&h)), BufferArg::read(&padded(&branch))]),
            }
            if form != NormAdd::Add {
                args.push(BufferArg::read_write(&vec![7.0f32; (rows + 1) * width]));
            }
            let source =
                NormAddRows { form, width: width as u32 }.source().expect("the template preprocesses");
            // A grid for more positions than the step has.
            let outputs = Gpu::get().run(&source, &args, NormAdd::dispatch(&params, positions + 1));
            let wants = match form {
                NormAdd::Norm => vec![want_x],
                NormAdd::Add => vec![want_h],
                _ => vec![want_h, want_x],
            };
            assert_eq!(outputs.len(), wants.len());
            for (output, want) in outputs.iter().zip(&wants) {
                assert_close(&output.f32s(), &padded(&as_f32(want)), 1e-6, 1e-5);
            }
        }
    }
}

#[test]
fn gelu_mul_matches_its_twin() {
    // (width, positions, rows of a position, gate, up, out)
    let plain = |width| Rows { stride: width, at: 0 };
    let cases = [
        (4, 1, 1, plain(4), plain(4), plain(4)),
        (100, 7, 1, plain(100), plain(100), plain(100)),
        (2048, 3, 1, plain(2048), plain(2048), plain(2048)),
        // Gate and up side by side in one matrix.
        (36, 5, 1, Rows { stride: 72, at: 0 }, Rows { stride: 72, at: 36 }, plain(36)),
        // The per-layer inputs of layer 3 of 7.
        (20, 5, 1, plain(20), Rows { stride: 140, at: 60 }, Rows { stride: 24, at: 4 }),
        // Three experts for each position.
        (36, 5, 3, Rows { stride: 72, at: 0 }, Rows { stride: 72, at: 36 }, plain(36)),
    ];
    for (width, positions, each, gate_rows, up_rows, out_rows) in cases {
        let mut params = gelu_mul::Params::new(width, gate_rows, up_rows, out_rows);
        params.rows_per_position = each;
        let rows = positions * each;
        let gate: Vec<f32> = random(5, (gate_rows.stride * rows) as usize).iter().map(|v| v * 6.0).collect();
        let up = random(6, (up_rows.stride * rows) as usize);
        let mut want = vec![9.0; (out_rows.at + out_rows.stride * (rows + 1)) as usize];
        let args = [
            BufferArg::uniform(&params),
            BufferArg::read(&chunk(0, positions)),
            BufferArg::read(&gate),
            BufferArg::read(&up),
            BufferArg::read_write(&want),
        ];
        gelu_mul::gelu_mul(&params, positions as usize, &gate, &up, &mut want);
        let source = gelu_mul::GeluMul.source().expect("the template preprocesses");
        let got = Gpu::get().run(&source, &args, gelu_mul::dispatch(&params, positions + 1))[0].f32s();
        assert_close(&got, &want, 2e-6, 1e-5);
    }
}

#[test]
fn gelu_saturates_without_nan() {
    let gate: [f32; 12] = [-1e30, -1e4, -50.0, -10.0, -5.0, -0.0, 1e-20, 5.0, 50.0, 1e4, 1e20, 1e30];
    let rows = Rows { stride: 12, at: 0 };
    let params = gelu_mul::Params::new(12, rows, rows, rows);
    let args = [
        BufferArg::uniform(&params),
        BufferArg::read(&chunk(0, 1)),
        BufferArg::read(&gate),
        BufferArg::read(&[1.0f32; 12]),
        BufferArg::zeros(12),
    ];
    let source = gelu_mul::GeluMul.source().expect("the template preprocesses");
    let got = Gpu::get().run(&source, &args, gelu_mul::dispatch(&params, 1))[0].f32s();
    let want: Vec<f32> = gate.iter().map(|&x| gelu_tanh(f64::from(x)) as f32).collect();
    assert_close(&got, &want, 1e-6, 1e-5);
}

#[test]
fn qkv_finish_matches_its_twin() {
    // (head_dim, heads, kv_heads, pos, positions, ring)
    let cases = [
        (16, 4, 1, 0, 3, 0),
        (64, 3, 3, 250, 13, 0),
        (72, 2, 1, 5, 4, 0),
        (128, 4, 2, 1000, 7, 20),
        (256, 8, 1, 70_000, 5, 9),
        (512, 8, 1, 131, 3, 0),
    ];
    for (head_dim, heads, kv_heads, pos, positions, ring) in cases {
        for kv in [Kv::Own, Kv::OwnVIsK, Kv::Shared] {
            for kv_type in KvType::ALL.into_iter().filter(|kv_type| kv_type.supports(head_dim)) {
                if !is_thorough() && ![64, 512].contains(&head_dim) && kv_type != KvType::F16 {
                    continue;
                }
                let form = QkvFinish { head_dim, kv, kv_type, joined: false };
                // A joined one differs in where it reads.
                if kv != Kv::Shared && head_dim.is_multiple_of(16) {
                    check(&QkvFinish { joined: true, ..form });
                }
                let hd = head_dim as usize;
                let max_pos = 70_100;
                let params = qkv_finish::Params {
                    heads,
                    kv_heads,
                    ring,
                    raw_v: (kv == Kv::Own && head_dim == 256).into(),
                    q_norm: 3,
                    k_norm: head_dim + 4,
                    rope_hi_rows: rope::hi_rows(max_pos),
                    eps: EPS,
                    ..Default::default()
                };
                let factors: Vec<f32> =
                    (0..head_dim / 2).map(|j| if j < head_dim / 8 { 1.0 } else { 1e30 }).collect();
                let factors = (head_dim == 512).then_some(&factors[..]);
                let table = rope::table(1e4, head_dim, factors, max_pos);
                let vectors = random(1, 2 * hd + 4);
                let slots = if ring == 0 { pos + positions } else { ring };
                let kv_len = (positions * kv_heads) as usize * hd;
                let cache_len = (slots * kv_heads) as usize * hd;

                let q = random(2, (positions * heads) as usize * hd);
                let k = random(3, if kv == Kv::Shared { 0 } else { kv_len });
                let v = random(4, if kv == Kv::Own { kv_len } else { 0 });
                let filled = |value| kv_type.rounded(&vec![value; cache_len], head_dim);
                let cache = Cache { k: filled(0.25), v: filled(0.5) };
                let words = |values: &[f32]| BufferArg::read_write(&kv_type.words(values, head_dim));

                let mut args = vec![
                    BufferArg::uniform(&params),
                    BufferArg::read(&chunk(pos, positions)),
                    BufferArg::read(&vectors),
                    BufferArg::read(&table),
                    BufferArg::read_write(&q),
                ];
                if kv != Kv::Shared {
                    args.extend([words(&cache.k), words(&cache.v), BufferArg::read(&k)]);
                }
                if kv == Kv::Own {
                    args.push(BufferArg::read(&v));
                }
                let source = form.source().expect("the template preprocesses");
                let outputs = Gpu::get().run(&source, &args, form.dispatch(&params, positions + 2));

                let (mut want_q, mut want) = (q.clone(), cache);
                let inputs = Inputs { vectors: &vectors, rope: &table, pos };
                qkv_finish::qkv_finish(&form, &params, inputs, &mut want_q, (&k, &v), &mut want);
                assert_close(&outputs[0].f32s(), &want_q, 2e-6, 1e-5);
                for (output, want) in outputs[1..].iter().zip([&want.k, &want.v]) {
                    let got = kv_type.values(&output.u32s(), head_dim);
                    match kv_type {
                        // A unit in the last place of f16, where a value lies between two or the driver truncates.
                        KvType::F16 => assert_close(&got, want, 1e-6, 1.1 / 1024.0),
                        KvType::F32 => assert_close(&got, want, 2e-6, 1e-5),
                        KvType::Q8_0 => {
                            for (got, want) in got.chunks(hd).zip(want.chunks(hd)) {
                                assert_close(got, want, KvType::step(want), 1e-3);
                            }
                        }
                    }
                }
            }
        }
    }
}
