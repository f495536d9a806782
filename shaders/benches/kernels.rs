//! Times kernels by the device's clock: `cargo bench -p shaders`, or with words that the lines must contain.

#[path = "../tests/kernels/common/mod.rs"]
mod common;

use common::{BufferArg, Gpu};
use shaders::attention::KvType;
use shaders::attention::block::{self, Block};
use shaders::matmul::{self, FewRows, Matmul, PackedMatmul, PackedTile, Tile, few_rows::Epilogue as Gated};
use shaders::matvec::{Epilogue, Form, Matvec, Prologue};
use shaders::rows::norm_add::{self, NormAdd, NormAddRows};
use shaders::sampling::{self, Candidates, MergeLists, Sample, Sampling, Settings, TopK};
use shaders::state::State;
use shaders::{DType, Kernel as _, PlanarLayout, repack};

const ROUNDS: u32 = 20;
/// Columns and rows of the matrices of decode: those of the E2B and the 31B, and the head of the E2B.
const SHAPES: [(u32, u32); 8] = [
    (1536, 2560),
    (2048, 1536),
    (1536, 12288),
    (12288, 1536),
    (5376, 21504),
    (21504, 5376),
    (8192, 5376),
    (1536, 262_144),
];

fn main() {
    // Cargo adds a flag of its own to the words of the user.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let wanted = |name: &str| words.iter().all(|word| name.contains(word.as_str()));
    let gpu = Gpu::get();
    for (t, k, n) in [(512, 1536, 1536), (512, 1536, 12288), (512, 12288, 1536), (16, 1536, 12288)] {
        for dtype in [DType::Q4_K, DType::Q6_K, DType::Q8_0, DType::BF16, DType::F32] {
            let tile = Tile::choose(t, n, false);
            let name = format!("matmul {dtype} T={t} K={k} N={n} {tile:?}");
            if wanted(&name) {
                time_matmul(gpu, &name, tile, dtype, [t, k, n]);
            }
        }
    }
    for (t, k, n) in
        [(512, 1536, 12288), (512, 5376, 21504), (512, 3840, 3840), (512, 2560, 10240), (128, 5376, 21504)]
    {
        for dtype in [DType::Q4_K, DType::Q6_K, DType::Q8_0] {
            let tile = Tile::choose(t, n, false);
            let name = format!("tile f32 {dtype} T={t} K={k} N={n} {tile:?}");
            if wanted(&name) {
                time_matmul(gpu, &name, tile, dtype, [t, k, n]);
            }
            for (bm, bn, step, tm, tn) in PACKED {
                let kernel =
                    PackedMatmul { tile: PackedTile { bm, bn, step, tm, tn }, dtype, experts: false };
                let name = format!("tile packed {dtype} T={t} K={k} N={n} {bm}x{bn}x{step} {tm}x{tn}");
                if wanted(&name) {
                    time_packed(gpu, &name, kernel, [t, k, n]);
                }
            }
        }
    }
    for (k, n) in SHAPES {
        for dtype in [DType::Q4_K, DType::Q6_K, DType::Q8_0] {
            for kernel in few_rows_kernels(dtype) {
                let source = kernel.source().expect("a source");
                let name = format!("{} K={k} N={n}", source.name);
                if wanted(&name) {
                    time_few_rows(gpu, &name, &kernel, [k, n]);
                }
            }
        }
    }
    for (k, n) in SHAPES {
        for dtype in [DType::Q4_K, DType::Q6_K, DType::Q8_0] {
            for form in matvec_forms() {
                let kernel = Matvec {
                    k,
                    dtypes: vec![dtype],
                    prologue: Prologue::Plain,
                    epilogue: Epilogue::Store,
                    low_rank: shaders::matvec::LowRank::NONE,
                    form,
                };
                let name = format!("{} N={n}", kernel.name());
                if wanted(&name) {
                    time_matvec(gpu, &name, &kernel, n);
                }
            }
        }
    }
    for dtype in DType::ALL {
        let name = format!("repack {dtype}");
        if wanted(&name) {
            time_repack(gpu, &name, dtype);
        }
    }
    for (head_dim, window) in [(256, 512), (512, 0)] {
        for (pos, t) in [(0, 512), (4096, 512), (4096, 64), (30_000, 512)] {
            let name = format!("attention block T={t} head={head_dim} window={window} pos={pos}");
            if wanted(&name) {
                time_attention(gpu, &name, [head_dim, window, pos, t]);
            }
        }
    }
    for candidates in Candidates::ALL {
        for vocab in [262_144, 3072] {
            time_sampling(gpu, &wanted, Sampling { vocab, candidates });
        }
    }
    for form in NormAdd::ALL {
        let name = format!("rows {form:?} T=512 width=1536");
        if wanted(&name) {
            time_norm_add(gpu, &name, form, 512, 1536);
        }
    }
}

/// Every way to divide a product of a few rows, and gate and up.
fn few_rows_kernels(dtype: DType) -> impl Iterator<Item = FewRows> {
    let forms = || {
        let kept = matvec_forms().filter(|form| form.rows > 1 && form.ksplit < 4);
        kept.flat_map(|form| [form, form.packed(), form.packed().with_lanes(16)])
    };
    FewRows::ROWS.into_iter().flat_map(move |rows| {
        let stored = forms().map(move |form| FewRows::new(rows, &[dtype], form));
        let pairs = forms().filter(|form| form.rows == 2).flat_map(move |form| {
            let kernel = FewRows { epilogue: Gated::Geglu, ..FewRows::new(rows, &[dtype; 2], form) };
            let packs = FewRows { packs: true, ..kernel.clone() };
            let can_pack = form.packed && kernel.columns_per_workgroup() == 16;
            [Some(kernel), can_pack.then_some(packs)].into_iter().flatten()
        });
        stored.chain(pairs)
    })
}

fn time_few_rows(gpu: &Gpu, name: &str, kernel: &FewRows, [k, n]: [u32; 2]) {
    let layout = PlanarLayout::new(kernel.dtypes[0], k.into(), n.into()).expect("a layout");
    let layouts = vec![&layout; kernel.dtypes.len()];
    let (params, grid) = kernel.dispatch(&layouts);
    let mut args = vec![BufferArg::uniform(&params)];
    args.extend(layouts.iter().map(|layout| BufferArg::read(&filler(layout.words))));
    args.push(BufferArg::read(&[State { len: kernel.rows, ..State::default() }]));
    args.push(BufferArg::read(&filler(kernel.rows * k)));
    args.extend(kernel.form.packed.then(|| BufferArg::read(&filler(kernel.rows * k / 8))));
    args.push(BufferArg::zeros((kernel.rows * n) as usize));
    args.extend(kernel.packs.then(|| BufferArg::zeros((kernel.rows * n / 8) as usize)));
    let source = kernel.source().expect("a source");
    let seconds = gpu.time(&source, &args, grid, ROUNDS);
    report(name, seconds, (layouts.len() as u64 * layout.bytes()) as f64, "GB/s", 1e9);
}

/// Every way to cut a decode product.
fn matvec_forms() -> impl Iterator<Item = Form> {
    let all = [1, 2, 4].into_iter().flat_map(|rows| {
        [2, 4, 8].into_iter().flat_map(move |groups| {
            [1, 2, 4, 8].into_iter().map(move |ksplit| Form::new(rows, groups, ksplit))
        })
    });
    all.filter(|form| form.ksplit <= form.groups)
}

/// Words with small exponents wherever they are read as floats.
fn filler(words: u32) -> Vec<u32> {
    (0..words).map(|i| i.wrapping_mul(0x9e37_79b9) & 0x3bff_3bff).collect()
}

fn time_matmul(gpu: &Gpu, name: &str, tile: Tile, dtype: DType, [t, k, n]: [u32; 3]) {
    let layout = PlanarLayout::new(dtype, k.into(), n.into()).expect("a layout");
    let params = matmul::Params::new(&layout);
    let args = [
        BufferArg::uniform(&params),
        BufferArg::read(&filler(layout.words)),
        BufferArg::read(&[State { len: t, ..State::default() }]),
        BufferArg::read(&filler(t * k)),
        BufferArg::zeros((t * n) as usize),
    ];
    let source = Matmul { tile, dtype, clamped: false }.source().expect("a source");
    let seconds = gpu.time(&source, &args, tile.dispatch(&params, t), ROUNDS);
    let flops = 2.0 * f64::from(t) * f64::from(k) * f64::from(n);
    report(name, seconds, flops, "TFLOP/s", 1e12);
}

const PACKED: [(u32, u32, u32, u32, u32); 14] = [
    (64, 64, 1, 4, 8),
    (64, 64, 2, 4, 8),
    (64, 64, 2, 8, 8),
    (64, 128, 1, 4, 8),
    (64, 128, 2, 4, 8),
    (32, 128, 1, 4, 8),
    (32, 128, 2, 4, 8),
    (128, 64, 1, 4, 8),
    (32, 64, 2, 4, 8),
    (32, 64, 1, 4, 4),
    (32, 64, 2, 4, 4),
    (16, 64, 2, 4, 4),
    (16, 128, 2, 4, 4),
    (64, 128, 1, 4, 16),
];

fn time_packed(gpu: &Gpu, name: &str, kernel: PackedMatmul, [t, k, n]: [u32; 3]) {
    let layout = PlanarLayout::new(kernel.dtype, k.into(), n.into()).expect("a layout");
    let params = matmul::Params::new(&layout);
    let args = [
        BufferArg::uniform(&params),
        BufferArg::read(&filler(layout.words)),
        BufferArg::read(&[State { len: t, ..State::default() }]),
        BufferArg::read(&filler(t * k / 4)),
        BufferArg::read(&filler(t * k / 8)),
        BufferArg::zeros((t * n) as usize),
    ];
    let source = kernel.source().expect("a source");
    let seconds = gpu.time(&source, &args, kernel.tile.dispatch(&params, t, 1), ROUNDS);
    let flops = 2.0 * f64::from(t) * f64::from(k) * f64::from(n);
    report(name, seconds, flops, "TFLOP/s", 1e12);
}

fn time_matvec(gpu: &Gpu, name: &str, kernel: &Matvec, n: u32) {
    let layout = PlanarLayout::new(kernel.dtypes[0], kernel.k.into(), n.into()).expect("a layout");
    let (mut params, dispatch) = kernel.dispatch(&[n]);
    params.planes[0] = layout.planes;
    let args = [
        BufferArg::uniform(&params),
        BufferArg::zeros(n as usize),
        BufferArg::read(&filler(kernel.k)),
        BufferArg::read(&filler(layout.words)),
    ];
    let source = kernel.source().expect("a source");
    let seconds = gpu.time(&source, &args, dispatch, ROUNDS);
    report(name, seconds, layout.bytes() as f64, "GB/s", 1e9);
}

fn time_repack(gpu: &Gpu, name: &str, dtype: DType) {
    let (k, n) = (1536u32, 4096u32);
    let layout = PlanarLayout::new(dtype, k.into(), n.into()).expect("a layout");
    let params = repack::Params::new(&layout, 0, n, 0).expect("a piece");
    let bytes = dtype.row_bytes(k.into()).expect("whole blocks") * u64::from(n);
    let args = [
        BufferArg::uniform(&params),
        BufferArg::read(&filler((bytes / 4) as u32)),
        BufferArg::zeros(layout.words as usize),
    ];
    let source = repack::Repack(dtype).source().expect("a source");
    let seconds = gpu.time(&source, &args, repack::dispatch(dtype, &params), ROUNDS);
    report(name, seconds, bytes as f64, "GB/s of file", 1e9);
}

/// Eight query heads over one key–value head, as in Gemma 4 E2B.
fn time_attention(gpu: &Gpu, name: &str, [head_dim, window, pos, t]: [u32; 4]) {
    let form = Block { head_dim, kv_type: KvType::F16, until: false };
    let params = block::Params { heads: 8, kv_heads: 1, window, ..Default::default() };
    let cache = filler((pos + t) * head_dim / 2);
    let args = [
        BufferArg::uniform(&params),
        BufferArg::read(&[State { pos, len: t, ..State::default() }]),
        BufferArg::read(&filler(t * 8 * head_dim)),
        BufferArg::read(&cache),
        BufferArg::read(&cache),
        BufferArg::zeros((t * 8 * head_dim) as usize),
    ];
    let source = form.source().expect("a source");
    let seconds = gpu.time(&source, &args, form.dispatch(&params, t), ROUNDS);
    let keys: u32 = (pos..pos + t).map(|p| if window == 0 { p + 1 } else { window.min(p + 1) }).sum();
    let flops = 4.0 * f64::from(keys) * 8.0 * f64::from(head_dim);
    report(name, seconds, flops, "TFLOP/s", 1e12);
}

fn time_sampling(gpu: &Gpu, wanted: &dyn Fn(&str) -> bool, sampling: Sampling) {
    let settings = match sampling.candidates {
        Candidates::One => Settings::default(),
        Candidates::Few => Settings { temperature: 1.0, top_k: 64, top_p: 0.95, ..Settings::default() },
        Candidates::Many => Settings { temperature: 1.0, top_p: 0.95, ..Settings::default() },
    };
    let settings = Settings { softcap: 30.0, repeat_penalty: 1.1, ..settings };
    let params =
        BufferArg::Uniform(bytemuck::bytes_of(&sampling::Params::new(&settings, sampling, 64)).to_vec());
    let state = [State { len: 1, history_len: 64, ..State::default() }];
    let lists = filler(sampling.slice_list_bytes(1) as u32 / 4);
    let many = sampling.candidates == Candidates::Many;
    let name = |kernel: &str| format!("sampling {kernel} vocab={} {:?}", sampling.vocab, sampling.candidates);
    let bytes = 4.0 * f64::from(sampling.vocab);

    if wanted(&name("top_k")) {
        let mut args = vec![
            params.clone(),
            BufferArg::read(&state),
            BufferArg::read(&[5u32; 64]),
            BufferArg::read(&[5u32]),
            BufferArg::read(&filler(sampling.vocab)),
            BufferArg::zeros(lists.len()),
        ];
        args.extend(many.then(|| BufferArg::zeros(sampling.sum_bytes(1) as usize / 4)));
        let source = TopK(sampling.candidates).source().expect("a source");
        let seconds = gpu.time(&source, &args, sampling.top_k_grid(1), ROUNDS);
        report(&name("top_k"), seconds, bytes, "GB/s of logits", 1e9);
    }
    if sampling.merges() && wanted(&name("merge_lists")) {
        let merged = BufferArg::zeros(sampling.merged_list_bytes(1) as usize / 4);
        let args = [params.clone(), BufferArg::read(&lists), merged];
        let source = MergeLists(sampling.candidates).source().expect("a source");
        let seconds = gpu.time(&source, &args, sampling.merge_lists_grid(1), ROUNDS);
        report(&name("merge_lists"), seconds, bytes, "GB/s of logits", 1e9);
    }
    if wanted(&name("sample")) {
        let mut args = vec![
            params,
            BufferArg::read_write(&state),
            BufferArg::zeros(64),
            BufferArg::zeros(1),
            BufferArg::zeros(65),
            BufferArg::read(&lists),
        ];
        args.extend(many.then(|| BufferArg::read(&filler(sampling.sum_bytes(1) as u32 / 4))));
        let source = Sample(sampling.candidates).source().expect("a source");
        let seconds = gpu.time(&source, &args, [1, 1, 1], ROUNDS);
        report(&name("sample"), seconds, bytes, "GB/s of logits", 1e9);
    }
}

fn time_norm_add(gpu: &Gpu, name: &str, form: NormAdd, t: u32, width: u32) {
    let params = norm_add::Params::new(width, 1e-6);
    let rows = filler(t * width);
    let mut args = vec![
        BufferArg::uniform(&params),
        BufferArg::read(&[State { len: t, ..State::default() }]),
        BufferArg::read(&filler(width)),
    ];
    if form.adds() {
        args.extend([BufferArg::read_write(&rows), BufferArg::read(&rows)]);
    } else {
        args.push(BufferArg::read(&rows));
    }
    if form.is_packed() {
        args.extend([4, 8].map(|divisor| BufferArg::zeros((t * width / divisor) as usize)));
    } else if form.norms() {
        args.push(BufferArg::read_write(&rows));
    }
    let source = NormAddRows { form, width }.source().expect("a source");
    let seconds = gpu.time(&source, &args, NormAdd::dispatch(&params, t), ROUNDS);
    report(name, seconds, 4.0 * f64::from(t * width) * args_read(form), "GB/s", 1e9);
}

/// Matrices that the kernel reads and writes.
fn args_read(form: NormAdd) -> f64 {
    let results = match form {
        _ if form.is_packed() => 0.375,
        _ if form.norms() => 1.0,
        _ => 0.0,
    };
    results + if form.adds() { 3.0 } else { 1.0 }
}

fn report(name: &str, seconds: Option<f64>, work: f64, unit: &str, scale: f64) {
    match seconds {
        Some(seconds) => {
            println!("{name}: {:.1} us, {:.2} {unit}", seconds * 1e6, work / seconds / scale);
        }
        None => println!("{name}: the adapter has no timestamps"),
    }
}
