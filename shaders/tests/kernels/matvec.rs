//! The decode product against its twin: every type, every prologue and epilogue, odd row counts, every form.

use shaders::Kernel as _;
use shaders::math::{gelu_tanh, rms, rounded_to_bytes};
use shaders::matvec::twin;
use shaders::matvec::{
    Correction, Epilogue, Form, HandoffForm, LowRank, Matvec, Merge, Norms, Params, Prologue, ZSource,
    shrink_form,
};
use shaders::state::State;
use shaders::{DType, PlanarLayout, quant};

use crate::common;
use crate::common::{BufferArg, Gpu, assert_close, random, some_types};

const EPS: f32 = 1e-6;

struct Matrix {
    layout: PlanarLayout,
    words: Vec<u32>,
    values: Vec<f32>,
}

fn matrix(dtype: DType, k: u32, rows: u32, seed: u64) -> Matrix {
    let source = random(seed, (k * rows) as usize);
    let bytes = quant::quantize(dtype, &source).expect("test values quantise");
    let mut values = vec![0.0; source.len()];
    quant::dequantize(dtype, &bytes, &mut values).expect("blocks dequantise");
    let words = quant::repack(dtype, u64::from(k), u64::from(rows), &bytes).expect("blocks repack");
    let layout = PlanarLayout::new(dtype, u64::from(k), u64::from(rows)).expect("a layout");
    Matrix { layout, words, values }
}

fn as_f64(values: &[f32]) -> Vec<f64> {
    values.iter().map(|&v| f64::from(v)).collect()
}

fn as_f32(values: &[f64]) -> Vec<f32> {
    values.iter().map(|&v| v as f32).collect()
}

/// Runs a permutation over `matrices` and `tail` (what follows the matrices in its bindings).
fn run(
    kernel: &Matvec,
    x: &[f32],
    matrices: &[Matrix],
    params: shaders::matvec::Params,
    tail: Vec<BufferArg>,
) -> Vec<Vec<f32>> {
    let source = kernel.source().expect("the template expands");
    let rows: Vec<u32> = matrices.iter().map(|m| m.layout.n).collect();
    let (base, grid) = kernel.dispatch(&rows);
    let Params { rows: counts, grid_width, groups, z_at, .. } = base;
    let mut base = Params { rows: counts, grid_width, groups, z_at, ..params };
    for (plane, m) in base.planes.iter_mut().zip(matrices) {
        *plane = m.layout.planes;
    }
    let total: u32 = rows.iter().sum();
    let mut args = vec![BufferArg::uniform(&base), BufferArg::zeros(total as usize), BufferArg::read(x)];
    args.extend(matrices.iter().map(|m| BufferArg::read(&m.words)));
    args.extend(tail);
    Gpu::get().run(&source, &args, grid).iter().map(common::Output::f32s).collect()
}

fn width(dtype: DType) -> u32 {
    // Not a multiple of 32 units where the type allows it, so that lanes idle.
    if dtype.block_elements() > 32 { 768 } else { 352 }
}

fn plain(k: u32, dtype: DType, form: Form) -> Matvec {
    let (prologue, epilogue) = (Prologue::Plain, Epilogue::Store);
    Matvec { k, dtypes: vec![dtype], prologue, epilogue, low_rank: LowRank::NONE, form }
}

#[test]
fn plain_products_of_every_type_and_form() {
    let forms = [Form::default(), Form::new(1, 4, 4), Form::new(4, 8, 1), Form::new(2, 8, 2)];
    for dtype in DType::readers() {
        let k = width(dtype);
        let m = matrix(dtype, k, 37, 1);
        let x = random(2, k as usize);
        let want = as_f32(&twin::product(&m.values, &as_f64(&x)));
        // Every type in one form, every form with some types.
        let forms = if some_types().contains(&dtype) { &forms[..] } else { &forms[..1] };
        for &form in forms {
            let kernel = plain(k, dtype, form);
            let got = run(&kernel, &x, std::slice::from_ref(&m), Default::default(), vec![]);
            assert_close(&got[0], &want, 2e-4, 1e-5);
        }
    }
}

#[test]
fn packed_products_of_every_quantised_type() {
    for dtype in DType::readers().filter(|dtype| !dtype.is_float()) {
        // In tiles, and lanes that idle; one unit of x is nothing but zeros.
        let all = some_types().contains(&dtype);
        for k in [width(dtype), 2048 + 512].into_iter().take(if all { 2 } else { 1 }) {
            let m = matrix(dtype, k, 37, 1);
            let mut x = random(2, k as usize);
            x[32..48].fill(0.0);
            let want = as_f32(&twin::product(&m.values, &rounded_to_bytes(&as_f64(&x))));
            let forms = [Form::new(4, 4, 1), Form::new(1, 8, 2)].map(Form::packed);
            for form in forms.into_iter().take(if all { 2 } else { 1 }) {
                let kernel = plain(k, dtype, form);
                assert!(kernel.can_be_packed());
                let got = run(&kernel, &x, std::slice::from_ref(&m), Default::default(), vec![]);
                assert_close(&got[0], &want, 1e-3, 1e-5);
            }
        }
    }
}

#[test]
fn packing_keeps_to_what_it_says() {
    let x = random(3, 160);
    let rounded = rounded_to_bytes(&as_f64(&x));
    for (unit, rounded) in x.chunks(16).zip(rounded.chunks(16)) {
        let most = unit.iter().fold(0.0_f32, |most, v| most.max(v.abs()));
        for (x, rounded) in unit.iter().zip(rounded) {
            assert!((f64::from(*x) - rounded).abs() <= f64::from(most) / 253.0, "{x} became {rounded}");
        }
    }
    // Floats have none, and neither has a normed row so long that its bytes find no room beside it.
    let kernel = |dtype, prologue, k| Matvec {
        k,
        dtypes: vec![dtype],
        prologue,
        epilogue: Epilogue::Store,
        low_rank: LowRank::NONE,
        form: Form::default(),
    };
    assert!(!kernel(DType::BF16, Prologue::Plain, 768).can_be_packed());
    assert!(!kernel(DType::Q4_K, Prologue::Norm, 3840).can_be_packed());
    assert!(kernel(DType::Q4_K, Prologue::Norm, 2816).can_be_packed());
}

#[test]
fn a_long_row_is_staged_in_tiles() {
    let k = 5120 + 256;
    let m = matrix(DType::Q6_K, k, 5, 3);
    let x = random(4, k as usize);
    let want = as_f32(&twin::product(&m.values, &as_f64(&x)));
    let kernel = Matvec {
        k,
        dtypes: vec![DType::Q6_K],
        prologue: Prologue::Plain,
        epilogue: Epilogue::Store,
        low_rank: LowRank::NONE,
        form: Form::default(),
    };
    assert_close(&run(&kernel, &x, &[m], Default::default(), vec![])[0], &want, 2e-3, 1e-5);
}

#[test]
fn norm_then_three_products_of_different_types() {
    let k = 768;
    let matrices =
        [matrix(DType::Q4_K, k, 33, 5), matrix(DType::Q6_K, k, 7, 6), matrix(DType::Q8_0, k, 9, 7)];
    let h = random(8, k as usize);
    let vectors = random(9, 3 * k as usize);
    let norms = Norms { branch: 0, input: k, scale: None, eps: EPS };
    let weight = &vectors[k as usize..2 * k as usize];
    let x = rms(&as_f64(&h), Some(weight), EPS.into());
    let want: Vec<f64> = matrices.iter().flat_map(|m| twin::product(&m.values, &x)).collect();
    let kernel = Matvec {
        k,
        dtypes: vec![DType::Q4_K, DType::Q6_K, DType::Q8_0],
        prologue: Prologue::Norm,
        epilogue: Epilogue::Store,
        low_rank: LowRank::NONE,
        form: Form::default(),
    };
    let params = shaders::matvec::Params { out: [0, 33, 40], ..Default::default() }.with_norms(norms);
    let got = run(&kernel, &h, &matrices, params, vec![BufferArg::read(&vectors)]);
    assert_close(&got[0], &as_f32(&want), 5e-4, 1e-5);
}

#[test]
fn add_norm_geglu_and_the_stream_it_leaves() {
    for (dtype, k) in [(DType::Q4_0, 160), (DType::Q5_K, 256), (DType::F16, 3840)] {
        let matrices = [matrix(dtype, k, 21, 10), matrix(dtype, k, 21, 11)];
        let (h, branch) = (random(12, k as usize), random(13, k as usize));
        let mut vectors = random(14, 2 * k as usize);
        vectors.extend([0.75, 0.0, 0.0, 0.0]);
        let norms = Norms { branch: 0, input: k, scale: Some(2 * k), eps: EPS };
        let stream = twin::add(&h, &branch, &vectors[..k as usize], 0.75, EPS);
        let x = rms(&stream, Some(&vectors[k as usize..2 * k as usize]), EPS.into());
        let gate = twin::product(&matrices[0].values, &x);
        let up = twin::product(&matrices[1].values, &x);
        let want: Vec<f64> = gate.iter().zip(&up).map(|(&g, u)| gelu_tanh(g) * u).collect();
        let kernel = Matvec {
            k,
            dtypes: vec![dtype; 2],
            prologue: Prologue::Add { norm: true },
            epilogue: Epilogue::Geglu,
            low_rank: LowRank::NONE,
            form: Form::default(),
        };
        let params = shaders::matvec::Params::default().with_norms(norms);
        let tail = vec![BufferArg::read(&vectors), BufferArg::read(&branch), BufferArg::zeros(k as usize)];
        let got = run(&kernel, &h, &matrices, params, tail);
        assert_close(&got[0][..21], &as_f32(&want), 5e-3, 1e-4);
        assert_close(&got[1], &as_f32(&stream), 1e-5, 1e-5);
    }
}

#[test]
fn add_without_norm_and_the_per_layer_gate() {
    let k = 256;
    let m = matrix(DType::Q4_K, k, 13, 15);
    let (h, branch) = (random(16, k as usize), random(17, k as usize));
    let vectors = random(18, k as usize);
    let ple = random(19, 40);
    let stream = twin::add(&h, &branch, &vectors, 1.0, EPS);
    let want: Vec<f64> = twin::product(&m.values, &stream)
        .iter()
        .enumerate()
        .map(|(i, &v)| gelu_tanh(v) * f64::from(ple[20 + i]))
        .collect();
    let kernel = Matvec {
        k,
        dtypes: vec![DType::Q4_K],
        prologue: Prologue::Add { norm: false },
        epilogue: Epilogue::Ple,
        low_rank: LowRank::NONE,
        form: Form::new(1, 4, 2),
    };
    let norms = Norms { branch: 0, input: 0, scale: None, eps: EPS };
    let params = shaders::matvec::Params { ple: 20, ..Default::default() }.with_norms(norms);
    let tail = vec![
        BufferArg::read(&vectors),
        BufferArg::read(&branch),
        BufferArg::zeros(k as usize),
        BufferArg::read(&ple),
    ];
    let got = run(&kernel, &h, &[m], params, tail);
    assert_close(&got[0], &as_f32(&want), 1e-3, 1e-4);
    assert_close(&got[1], &as_f32(&stream), 1e-5, 1e-5);
}

#[test]
fn merged_splits_weigh_each_other() {
    let (heads, head_dim, most) = (3u32, 64u32, 4u32);
    let k = heads * head_dim;
    let m = matrix(DType::Q8_0, k, 11, 20);
    // 200 keys so far in runs of 64: four splits, all with work.
    let state = State { pos: 199, len: 1, ..Default::default() };
    let acc = random(21, (heads * most * head_dim) as usize);
    let mut part = acc.clone();
    let meta: Vec<f32> =
        random(22, (heads * most) as usize).iter().flat_map(|&m| [3.0 * m, 1.5 + m]).collect();
    part.extend(&meta);
    let mut x = vec![0.0f64; k as usize];
    for head in 0..heads as usize {
        let pair = |s: usize| {
            let at = (head * most as usize + s) * 2;
            (f64::from(meta[at]), f64::from(meta[at + 1]))
        };
        let top = (0..4).map(|s| pair(s).0).fold(f64::MIN, f64::max);
        let total: f64 = (0..4).map(|s| (pair(s).0 - top).exp() * pair(s).1).sum();
        for i in 0..head_dim as usize {
            x[head * head_dim as usize + i] = (0..4)
                .map(|s| {
                    let at = (head * most as usize + s) * head_dim as usize + i;
                    (pair(s).0 - top).exp() * f64::from(acc[at])
                })
                .sum::<f64>()
                / total;
        }
    }
    let want = as_f32(&twin::product(&m.values, &x));
    let kernel = Matvec {
        k,
        dtypes: vec![DType::Q8_0],
        prologue: Prologue::Merge,
        epilogue: Epilogue::Store,
        low_rank: LowRank::NONE,
        form: Form::default(),
    };
    let params = shaders::matvec::Params::default().with_merge(Merge {
        head_dim,
        max_splits: most,
        min_split_keys: 64,
        window: 0,
    });
    let tail = vec![BufferArg::read(bytemuck::bytes_of(&state))];
    assert_close(&run(&kernel, &part, &[m], params, tail)[0], &want, 1e-3, 1e-4);
}

/// B of `rank` columns for matrices of these rows, the second one without a correction, and z for the others.
struct Corrected {
    correction: Correction,
    z: Vec<f32>,
    b: Vec<f32>,
}

impl Corrected {
    fn new(rank: u32, rows: [u32; 3], corrected: [bool; 3]) -> Self {
        let mut correction = Correction { rank, places: [None; 3] };
        let (mut z_at, mut b_at) = (0, 0);
        for (place, (rows, corrected)) in correction.places.iter_mut().zip(rows.into_iter().zip(corrected)) {
            if corrected {
                *place = Some((z_at, b_at));
                z_at += rank;
                b_at += rows * rank;
            }
        }
        Self { correction, z: random(51, z_at as usize), b: random(52, b_at as usize) }
    }

    /// `dots` of matrix `i` with its correction.
    fn add(&self, i: usize, dots: Vec<f64>) -> Vec<f64> {
        let Some((z_at, b_at)) = self.correction.places[i] else { return dots };
        let rank = self.correction.rank as usize;
        let z = as_f64(&self.z[z_at as usize..][..rank]);
        let b = &self.b[b_at as usize..][..dots.len() * rank];
        dots.iter().zip(twin::product(b, &z)).map(|(dot, correction)| dot + correction).collect()
    }

    fn run(&self, kernel: &Matvec, x: &[f32], matrices: &[Matrix], ple: &[BufferArg]) -> Vec<f32> {
        let source = kernel.source().expect("the template expands");
        let rows: Vec<u32> = matrices.iter().map(|m| m.layout.n).collect();
        let (params, grid) = kernel.dispatch(&rows);
        let mut params = params.with_correction(&self.correction);
        let mut next = 0;
        for (i, m) in matrices.iter().enumerate() {
            params.planes[i] = m.layout.planes;
            params.out[i] = next;
            next += m.layout.n;
        }
        let mut args = vec![BufferArg::uniform(&params), BufferArg::zeros(next as usize), BufferArg::read(x)];
        args.extend(matrices.iter().map(|m| BufferArg::read(&m.words)));
        args.extend(ple.iter().cloned());
        args.extend([BufferArg::read(&self.b), BufferArg::read(&self.z)]);
        Gpu::get().run(&source, &args, grid)[0].f32s()
    }
}

#[test]
fn corrections_of_adapters_reach_each_matrix_before_what_comes_behind() {
    let k = 768;
    let x = random(41, k as usize);
    let kernel = |dtypes: Vec<DType>, epilogue, form, quads| Matvec {
        k,
        dtypes,
        prologue: Prologue::Plain,
        low_rank: LowRank { z_source: ZSource::Dispatch, handoff: HandoffForm::None, quads },
        epilogue,
        form,
    };
    // Three products, the second without a correction; ranks of one and of more vec4s than lanes.
    for (rank, form) in
        [(4, Form::default()), (20, Form::new(1, 4, 1)), (132, Form::new(4, 4, 1)), (8, Form::new(1, 8, 2))]
    {
        let matrices =
            [matrix(DType::Q4_K, k, 33, 42), matrix(DType::Q6_K, k, 7, 43), matrix(DType::Q8_0, k, 9, 44)];
        let corrected = Corrected::new(rank, [33, 7, 9], [true, false, true]);
        let want: Vec<f64> = matrices
            .iter()
            .enumerate()
            .flat_map(|(i, m)| corrected.add(i, twin::product(&m.values, &as_f64(&x))))
            .collect();
        let dtypes = vec![DType::Q4_K, DType::Q6_K, DType::Q8_0];
        let got = corrected.run(&kernel(dtypes, Epilogue::Store, form, rank / 4), &x, &matrices, &[]);
        assert_close(&got, &as_f32(&want), 5e-4, 1e-5);

        // Before the gated activation: gate, up, both.
        for corrected in [[true, false, false], [false, true, false], [true, true, false]] {
            let pair = [matrix(DType::Q4_K, k, 35, 45), matrix(DType::Q6_K, k, 35, 46)];
            let corrected = Corrected::new(rank, [35, 35, 0], corrected);
            let [gate, up] = [0, 1].map(|i| corrected.add(i, twin::product(&pair[i].values, &as_f64(&x))));
            let want: Vec<f64> = gate.iter().zip(&up).map(|(g, u)| gelu_tanh(*g) * u).collect();
            let pair_kernel = kernel(vec![DType::Q4_K, DType::Q6_K], Epilogue::Geglu, form, rank / 4);
            let got = corrected.run(&pair_kernel, &x, &pair, &[]);
            assert_close(&got[..35], &as_f32(&want), 2e-2, 1e-4);
        }

        // Before the gate of a per-layer input.
        let gate = [matrix(DType::F16, k, 13, 47)];
        let corrected = Corrected::new(rank, [13, 0, 0], [true, false, false]);
        let ple = random(48, 13);
        let dots = corrected.add(0, twin::product(&gate[0].values, &as_f64(&x)));
        let want: Vec<f64> = dots.iter().zip(&ple).map(|(u, p)| gelu_tanh(*u) * f64::from(*p)).collect();
        let got = corrected.run(
            &kernel(vec![DType::F16], Epilogue::Ple, form, rank / 4),
            &x,
            &gate,
            &[BufferArg::read(&ple)],
        );
        assert_close(&got, &as_f32(&want), 2e-3, 1e-5);
    }
}

#[test]
fn z_of_adapters_is_scaled_by_adapter_and_x_is_kept() {
    for k in [352, 3840] {
        let a = matrix(DType::F32, k, 24, 61); // two corrected matrices, rank 12
        let h = random(62, k as usize);
        let vectors = random(63, k as usize);
        let x = rms(&as_f64(&h), Some(&vectors), EPS.into());
        let scales: Vec<f32> = (0..12).map(|j| if j < 8 { 0.5 } else { -2.0 }).collect();
        let want: Vec<f64> = twin::product(&a.values, &x)
            .iter()
            .enumerate()
            .map(|(row, z)| z * f64::from(scales[row % 12]))
            .collect();
        let kernel = Matvec {
            k,
            dtypes: vec![DType::F32],
            prologue: Prologue::Norm,
            epilogue: Epilogue::Shrink { keep: true },
            low_rank: LowRank::NONE,
            form: shrink_form(k),
        };
        let correction = Correction { rank: 12, places: [None; 3] };
        let params = Params::default()
            .with_norms(Norms { branch: 0, input: 0, scale: None, eps: EPS })
            .with_correction(&correction);
        let (base, grid) = kernel.dispatch(&[24]);
        let params = Params {
            rows: base.rows,
            grid_width: base.grid_width,
            groups: base.groups,
            planes: [a.layout.planes; 3],
            ..params
        };
        let args = [
            BufferArg::uniform(&params),
            BufferArg::zeros(24),
            BufferArg::read(&h),
            BufferArg::read(&a.words),
            BufferArg::read(&vectors),
            BufferArg::read(&scales),
            BufferArg::zeros(k as usize),
        ];
        let got = Gpu::get().run(&kernel.source().expect("the template expands"), &args, grid);
        assert_close(&got[0].f32s(), &as_f32(&want), 5e-4, 1e-5);
        assert_close(&got[1].f32s(), &as_f32(&x), 1e-4, 1e-5);
    }
}
