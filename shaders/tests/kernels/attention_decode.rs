//! Attention of one token against a plain f64 softmax: windows, rings, shared caches, grouped heads, many splits;
//! and what is left in parts for the adapters of the product behind.

use shaders::Kernel as _;
use shaders::attention::KvType;
use shaders::attention::block::{self, Block};
use shaders::attention::decode::{Decode, Kv, Params, splits};
use shaders::attention::few_rows::{FewRows, MergeRows};
use shaders::math::rms;
use shaders::{rope, state::State};

use crate::common::{self, BufferArg, Gpu, assert_close, random};

const EPS: f32 = 1e-6;

struct Case {
    head_dim: u32,
    heads: u32,
    kv_heads: u32,
    kv: Kv,
    kv_type: KvType,
    pos: u32,
    window: u32,
    ring: u32,
    max_splits: u32,
    /// Positions from the last key to the query.
    ahead: u32,
    /// Whether values are cached without a norm.
    raw_v: bool,
}

fn rotate(v: &[f64], pos: u32, theta: f64) -> Vec<f64> {
    let half = v.len() / 2;
    let mut out = vec![0.0; v.len()];
    for j in 0..half {
        let angle = f64::from(pos) * theta.powf(-2.0 * j as f64 / v.len() as f64);
        let (sin, cos) = angle.sin_cos();
        out[j] = v[j] * cos - v[j + half] * sin;
        out[j + half] = v[j + half] * cos + v[j] * sin;
    }
    out
}

/// Cache content as words, and as the values that are read from it.
fn cache(values: &[f32], (kv_type, head_dim): (KvType, u32)) -> (Vec<u32>, Vec<f64>) {
    let words = kv_type.words(values, head_dim);
    let read = kv_type.values(&words, head_dim).into_iter().map(f64::from).collect();
    (words, read)
}

/// By as many query heads a workgroup as share keys. Thorough runs also try one head, which leaves parts for adapters: the same text
/// without loops over heads.
fn check(case: &Case) {
    let group = Decode::group(case.head_dim, case.heads / case.kv_heads, case.kv != Kv::Shared, case.kv_type);
    if group > 1 {
        check_group(case, group);
    }
    if group == 1 || common::is_thorough() {
        check_group(case, 1);
    }
}

fn check_group(case: &Case, group: u32) {
    let &Case { head_dim, heads, kv_heads, kv, kv_type, pos, window, ring, max_splits, ahead, raw_v } = case;
    let hd = head_dim as usize;
    let theta = 10_000.0;
    let table = rope::table(theta, head_dim, None, 4096);
    let qkv = random(1, hd * (heads + 2 * kv_heads) as usize);
    let vectors = random(2, 2 * hd);
    let slots = if ring == 0 { pos + 1 } else { ring };
    let len = (slots * kv_heads) as usize * hd;
    let (k_words, mut k_values) = cache(&random(3, len), (kv_type, head_dim));
    let (v_words, mut v_values) = cache(&random(4, len), (kv_type, head_dim));
    let slot = |p: u32| if ring == 0 { p } else { p % ring };
    let row = |p: u32, g: u32| ((slot(p) * kv_heads + g) as usize) * hd;

    let head = |i: usize| qkv[i * hd..(i + 1) * hd].iter().map(|&v| f64::from(v)).collect::<Vec<_>>();
    if kv != Kv::Shared {
        for g in 0..kv_heads as usize {
            let raw = head(heads as usize + g);
            let k = rotate(&rms(&raw, Some(&vectors[hd..]), EPS.into()), pos, theta);
            let v = if kv == Kv::OwnVIsK { raw } else { head((heads + kv_heads) as usize + g) };
            let at = row(pos, g as u32);
            k_values[at..at + hd].copy_from_slice(&k);
            let v = if raw_v { v } else { rms(&v, None, EPS.into()) };
            v_values[at..at + hd].copy_from_slice(&v);
        }
    }
    let params = Params {
        heads,
        kv_heads,
        window,
        ring,
        q_norm: 0,
        k_norm: head_dim,
        min_split_keys: 64,
        max_splits,
        rope_hi_rows: (table.len() / (hd / 2) - 256) as u32,
        eps: EPS,
        ahead,
        raw_v: raw_v.into(),
        // In `every_kind_of_layer` 2 or 3 splits, in the others also fewer.
        grouped_from: 2,
        ..Params::default()
    };
    // Rank 12: no divisor of the threads.
    let quads = if group == 1 { 3 } else { 0 };
    let rank = 4 * quads as usize;
    let kernel = Decode { head_dim, kv, kv_type, group, quads };
    let columns = random(77, heads as usize * hd * rank);
    let partial_at = Decode::partial_at(head_dim, heads, max_splits) as usize;
    let state = State { pos, len: 1, ..Default::default() };
    let caches = |words: Vec<u32>| {
        if kv == Kv::Shared { BufferArg::read(&words) } else { BufferArg::read_write(&words) }
    };
    let mut args = vec![
        BufferArg::uniform(&params),
        BufferArg::zeros(partial_at + (heads * max_splits) as usize * rank),
        BufferArg::read(bytemuck::bytes_of(&state)),
        BufferArg::read(&qkv),
        BufferArg::read(&vectors),
        BufferArg::read(&table),
        caches(k_words),
        caches(v_words),
    ];
    args.extend((quads > 0).then(|| BufferArg::read(&columns)));
    let source = kernel.source().expect("the template expands");
    let out = Gpu::get().run(&source, &args, Decode::dispatch(&params));
    if kv != Kv::Shared {
        let tolerance = if kv_type == KvType::F32 { 2e-5 } else { 2e-3 };
        for (values, out) in [(&mut k_values, &out[1]), (&mut v_values, &out[2])] {
            let stored = kv_type.values(&out.u32s(), head_dim);
            let want: Vec<f32> = values.iter().map(|&v| v as f32).collect();
            let heads = stored.chunks(hd).zip(want.chunks(hd));
            for (stored, want) in heads {
                // A value is at most half a step from what it was.
                let absolute = if kv_type == KvType::Q8_0 { KvType::step(want) / 2.0 } else { tolerance };
                assert_close(stored, want, absolute, tolerance);
            }
            // The token sees its key and value as the cache holds them.
            *values = stored.into_iter().map(f64::from).collect();
        }
    }

    let first = if window == 0 { 0 } else { (pos + 1).saturating_sub(window) };
    let mut want = Vec::new();
    for h in 0..heads {
        let q = rotate(&rms(&head(h as usize), Some(&vectors[..hd]), EPS.into()), pos + ahead, theta);
        let g = h / (heads / kv_heads);
        let scores: Vec<f64> = (first..=pos)
            .map(|p| q.iter().zip(&k_values[row(p, g)..]).map(|(a, b)| a * b).sum::<f64>())
            .collect();
        let top = scores.iter().copied().fold(f64::MIN, f64::max);
        let total: f64 = scores.iter().map(|s| (s - top).exp()).sum();
        for i in 0..hd {
            let sum: f64 =
                (first..=pos).zip(&scores).map(|(p, s)| (s - top).exp() * v_values[row(p, g) + i]).sum();
            want.push((sum / total) as f32);
        }
    }

    let part = out[0].f32s();
    let (_, _, count) = splits(pos + 1, 1, window, 64, max_splits);
    let mut got = Vec::new();
    let (mut z, mut want_z) = (vec![0.0; rank], vec![0.0; rank]);
    for h in 0..heads {
        let pair = |s: u32| {
            let at = (heads * max_splits * head_dim + (h * max_splits + s) * 2) as usize;
            (f64::from(part[at]), f64::from(part[at + 1]))
        };
        let top = (0..count).map(|s| pair(s).0).fold(f64::MIN, f64::max);
        let total: f64 = (0..count).map(|s| (pair(s).0 - top).exp() * pair(s).1).sum();
        for i in 0..hd {
            let sum: f64 = (0..count)
                .map(|s| {
                    (pair(s).0 - top).exp() * f64::from(part[((h * max_splits + s) * head_dim) as usize + i])
                })
                .sum();
            got.push((sum / total) as f32);
        }
        for s in 0..count {
            let left = &part[partial_at + (s * heads + h) as usize * rank..][..rank];
            let weight = (pair(s).0 - top).exp() / total;
            z.iter_mut().zip(left).for_each(|(z, &left)| *z += weight * f64::from(left));
        }
    }
    for (x, columns) in want.iter().zip(columns.chunks(rank.max(1))) {
        want_z.iter_mut().zip(columns).for_each(|(z, &a)| *z += f64::from(*x) * f64::from(a));
    }
    let single = |values: &[f64]| values.iter().map(|&v| v as f32).collect::<Vec<_>>();
    assert_close(&single(&z), &single(&want_z), 1e-3, 1e-4);
    assert_close(&got, &want, 2e-5, 1e-4);
}

#[test]
fn every_kind_of_layer() {
    let base = Case {
        head_dim: 64,
        heads: 4,
        kv_heads: 1,
        kv: Kv::Own,
        kv_type: KvType::F16,
        pos: 130,
        window: 0,
        ring: 0,
        max_splits: 8,
        ahead: 0,
        raw_v: false,
    };
    check(&Case { kv_type: KvType::F32, ..base });
    // A fifth of a second to two seconds of the driver for each kernel: sizes of heads are constants in the text.
    let every_size = common::is_thorough();
    if every_size {
        check(&Case { kv: Kv::Shared, kv_type: KvType::F32, head_dim: 128, ..base });
        check(&Case { kv_type: KvType::Q8_0, kv: Kv::Shared, head_dim: 128, ..base });
    }
    for kv_type in [KvType::F16, KvType::Q8_0] {
        let base = Case { kv_type, ..base };
        check(&base);
        check_group(&base, 1);
        check(&Case { pos: 0, raw_v: true, ..base });
        check(&Case { pos: 63, ..base });
        // How a value comes about has nothing to do with how it is stored.
        if every_size || kv_type == KvType::F16 {
            check(&Case { kv: Kv::OwnVIsK, kv_heads: 2, ..base });
        }
        check(&Case { kv: Kv::Shared, ..base });
        check(&Case { head_dim: 64, heads: 6, kv_heads: 2, ..base });
        // Large heads with one type of cache each.
        if every_size || kv_type == KvType::F16 {
            check(&Case { head_dim: 256, heads: 4, kv_heads: 2, kv: Kv::OwnVIsK, ..base });
        } else {
            check(&Case { head_dim: 512, heads: 8, kv: Kv::Shared, ..base });
        }
        if every_size {
            check(&Case { head_dim: 16, ..base });
            check(&Case { head_dim: 32, ..base });
            check(&Case { head_dim: 256, heads: 8, ..base });
            check(&Case { head_dim: 512, heads: 8, kv_heads: 2, ..base });
            check(&Case { head_dim: 512, heads: 8, kv: Kv::Shared, ..base });
        }
    }
}

#[test]
fn windows_and_rings() {
    let base = Case {
        head_dim: 64,
        heads: 2,
        kv_heads: 1,
        kv: Kv::Own,
        kv_type: KvType::F32,
        pos: 130,
        window: 16,
        ring: 48,
        max_splits: 4,
        ahead: 0,
        raw_v: false,
    };
    for kv_type in [KvType::F32, KvType::Q8_0] {
        let base = Case { kv_type, ..base };
        check(&base);
        check(&Case { window: 100, ring: 128, ..base });
        check(&Case { pos: 7, ..base });
        check(&Case { kv: Kv::Shared, pos: 1000, ..base });
        // A drafter's token, which is one behind the last key.
        check(&Case { kv: Kv::Shared, pos: 1000, window: 15, ahead: 1, ..base });
    }
}

#[test]
fn long_contexts_share_few_splits() {
    for kv_type in [KvType::F16, KvType::Q8_0] {
        check(&Case {
            head_dim: 64,
            heads: 2,
            kv_heads: 2,
            kv: Kv::Own,
            kv_type,
            pos: 1500,
            window: 0,
            ring: 0,
            max_splits: 3,
            ahead: 0,
            raw_v: false,
        });
    }
}

#[test]
fn a_few_rows_attend_as_in_prefill() {
    // The size of a head is a constant in the text.
    let sizes: &[u32] = if common::is_thorough() { &[16, 64, 256, 512] } else { &[64] };
    for &head_dim in sizes {
        let four = Decode::group(head_dim, 4, false, KvType::F16);
        let of = |kv_type, forms: &[(bool, u32, u32)]| {
            for &(finished, rows, group) in forms {
                common::check(&FewRows { head_dim, kv_type, finished, rows, group });
            }
        };
        of(KvType::F16, &[(true, 1, four), (false, 1, 1)]);
        of(KvType::Q8_0, &[(true, 1, four)]);
        of(KvType::F32, &[(true, 2, 1)]);
        if common::is_thorough() {
            let two = Decode::group(head_dim, 2, false, KvType::F16);
            of(KvType::F16, &[(true, 1, 1), (true, 4, 1), (true, 2, two), (false, 1, two), (false, 4, 1)]);
            of(KvType::Q8_0, &[(true, 4, 1), (false, 4, 1), (false, 1, 1)]);
            of(KvType::F32, &[(true, 1, four), (true, 4, 1), (false, 3, 1)]);
        }
        for packed in [true, false] {
            common::check(&MergeRows { head_dim, packed });
        }
    }
    if common::is_thorough() {
        let largest = FewRows { head_dim: 512, kv_type: KvType::F16, finished: true, rows: 4, group: 1 };
        common::check(&largest);
    }
}

/// A round of `len` tokens by a plan for up to `rows`.
#[derive(Clone, Copy)]
struct Round {
    head_dim: u32,
    heads: u32,
    kv_heads: u32,
    kv_type: KvType,
    rows: u32,
    pos: u32,
    len: u32,
    window: u32,
    ring: u32,
    max_splits: u32,
    grouped_from: u32,
}

/// Attention and merge against the twin. Splits that no workgroup writes hold NaN.
fn check_round(case: &Round) {
    let &Round { head_dim, heads, kv_heads, kv_type, rows, pos, len, window, ring, .. } = case;
    let slots = if ring == 0 { pos + len } else { ring };
    let stored = |seed| {
        let words = kv_type.words(&random(seed, (slots * kv_heads * head_dim) as usize), head_dim);
        let values = kv_type.values(&words, head_dim);
        (words, values)
    };
    let ((k_words, k), (v_words, v)) = (stored(3), stored(4));
    let q: Vec<f32> = random(5, (len * heads * head_dim) as usize).into_iter().map(|v| 0.3 * v).collect();
    let like = block::Params { heads, kv_heads, window, ring, ..block::Params::default() };
    let inputs = block::Inputs { pos, q: &q, k: &k, v: &v, visible_until: &[] };
    let want = block::block(&Block { head_dim, kv_type, until: false }, &like, inputs);

    let block_rows = FewRows::block_rows(rows);
    let group = FewRows::group(block_rows, Decode::group(head_dim, heads / kv_heads, false, kv_type));
    let kernel = FewRows { head_dim, kv_type, finished: true, rows: block_rows, group };
    let params = Params {
        heads,
        kv_heads,
        window,
        ring,
        min_split_keys: 64,
        max_splits: FewRows::max_splits(block_rows, window, case.max_splits),
        grouped_from: case.grouped_from,
        block_rows,
        ..Params::default()
    };
    let unwritten = vec![f32::NAN; FewRows::part_len(len, head_dim, heads, params.max_splits) as usize];
    let state = State { pos, len, ..Default::default() };
    let state = BufferArg::read(bytemuck::bytes_of(&state));
    let args = [
        BufferArg::uniform(&params),
        BufferArg::read_write(&unwritten),
        state.clone(),
        BufferArg::read(&q),
        BufferArg::read(&k_words),
        BufferArg::read(&v_words),
    ];
    let source = kernel.source().expect("the template expands");
    let part = Gpu::get().run(&source, &args, FewRows::dispatch(&params, rows))[0].f32s();
    let accs = (heads * params.max_splits * head_dim) as usize;
    for row in part.chunks_exact(accs + 2 * (heads * params.max_splits) as usize) {
        let unseen = row[accs..].chunks_exact(2).filter(|pair| pair[0] <= -3e38);
        unseen.for_each(|pair| assert_eq!(pair[1], 0.0, "weights of keys that the row does not see"));
    }
    let args = [BufferArg::uniform(&params), state, BufferArg::read(&part), BufferArg::zeros(q.len())];
    let kernel = MergeRows { head_dim, packed: false };
    let source = kernel.source().expect("the template expands");
    let out = Gpu::get().run(&source, &args, kernel.dispatch(&params, rows));
    assert_close(&out[0].f32s(), &want, 2e-5, 1e-4);
}

const ROUND: Round = Round {
    head_dim: 64,
    heads: 4,
    kv_heads: 2,
    kv_type: KvType::F16,
    rows: 4,
    pos: 126,
    len: 4,
    window: 0,
    ring: 0,
    max_splits: 8,
    grouped_from: 1,
};

#[test]
fn rows_that_share_keys_see_their_own_ones() {
    let large = [(KvType::Q8_0, 8), (KvType::F16, 2), (KvType::F32, 4)];
    for (kv_type, rows) in large.into_iter().take(if common::is_thorough() { 3 } else { 1 }) {
        check_round(&Round { kv_type, rows, len: rows, head_dim: 256, pos: 125, ..ROUND });
    }
    // Others have the same kernels.
    let all: &[u32] = if common::is_thorough() { &[2, 3, 4, 5, 6, 7, 8] } else { &[2, 3, 4, 5, 8] };
    for &rows in all {
        let round = Round { rows, len: rows, ..ROUND };
        // From the first token, and so that a split begins behind each of the rows.
        for pos in [0, 61, 62, 63, 64, 124, 125, 126, 127] {
            check_round(&Round { pos, ..round });
        }
        // The same with two tiles a split, and tiles that begin within the rows.
        for pos in [127, 188, 189, 190, 191, 253, 254, 255] {
            check_round(&Round { pos, max_splits: 2, ..round });
        }
        for pos in [61, 62, 63, 64, 65, 126, 127, 300] {
            check_round(&Round { pos, window: 64, max_splits: 1, ..round });
            check_round(&Round { pos, window: 100, ring: 112, max_splits: 2, ..round });
            check_round(&Round { pos, window: 3, ring: 16, max_splits: 1, ..round });
        }
        check_round(&Round { len: 1, ..round });
        check_round(&Round { len: rows - 1, ..round });
    }
}

#[test]
fn rows_and_heads_share_keys() {
    for rows in [2, 4, 5] {
        for grouped_from in [1, 3, 9] {
            // The last row has three splits, the first one only two.
            let round = Round { rows, len: rows, pos: 127, grouped_from, ..ROUND };
            check_round(&round);
            check_round(&Round { heads: 8, window: 96, max_splits: 2, ..round });
        }
    }
}
