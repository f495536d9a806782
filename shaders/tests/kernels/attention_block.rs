//! The attention kernel of prefill against its CPU twin.

use shaders::Kernel as _;
use shaders::attention::KvType;
use shaders::attention::block::{self, Block, Inputs, Params};
use shaders::attention::split::{self, MergeChunk, Split};
use shaders::state::State;

use crate::common::{BufferArg, Gpu, assert_close, is_thorough, random};

/// One chunk over a cache.
#[derive(Clone, Copy, Debug)]
struct Case {
    head_dim: u32,
    heads: u32,
    kv_heads: u32,
    window: u32,
    ring: u32,
    pos: u32,
    positions: u32,
}

/// Runs kernel and twin and compares; slots that no query sees hold values that would be noticed.
fn check(case: Case, kv_type: KvType, visible_until: Option<&[u32]>) {
    check_together(case, kv_type, visible_until, 0);
}

/// The same, with a window that is each query's own (0) or the first one's (1).
fn check_together(case: Case, kv_type: KvType, visible_until: Option<&[u32]>, together: u32) {
    check_with(case, kv_type, visible_until, Params { together, ..case.params() });
}

impl Case {
    fn params(&self) -> Params {
        let Self { heads, kv_heads, window, ring, .. } = *self;
        Params { heads, kv_heads, window, ring, ..Params::default() }
    }
}

fn check_with(case: Case, kv_type: KvType, visible_until: Option<&[u32]>, params: Params) {
    check_split(case, kv_type, visible_until, params, 0);
}

/// The same, by a kernel that splits the keys among so many workgroups, or by the one that does not (0).
fn check_split(case: Case, kv_type: KvType, visible_until: Option<&[u32]>, params: Params, workgroups: u32) {
    let params = Params { workgroups, ..params };
    let Case { head_dim, heads, kv_heads, window, ring, pos, positions } = case;
    let form = Block { head_dim, kv_type, until: visible_until.is_some() };
    let slots = if ring == 0 { pos + positions + 3 } else { ring };
    let slot_len = (kv_heads * head_dim) as usize;
    let sharpness = 6.0 / (head_dim as f32).sqrt();
    let q: Vec<f32> =
        random(1, (positions * heads * head_dim) as usize).iter().map(|v| v * sharpness).collect();
    let mut k = random(2, slots as usize * slot_len);
    let mut v = random(3, slots as usize * slot_len);
    let first_seen = if window == 0 { 0 } else { (pos + 1).saturating_sub(window) };
    let seen: Vec<u32> =
        (first_seen..pos + positions).map(|key| if ring == 0 { key } else { key % ring }).collect();
    for slot in (0..slots).filter(|slot| !seen.contains(slot)) {
        let range = slot as usize * slot_len..(slot as usize + 1) * slot_len;
        k[range.clone()].fill(50.0);
        v[range].fill(1000.0);
    }
    let [k_words, v_words] = [&k, &v].map(|values| kv_type.words(values, head_dim));
    let [k, v] = [&k_words, &v_words].map(|words| kv_type.values(words, head_dim));

    let state = State { pos, len: positions, ..State::default() };
    let padding = (heads * head_dim) as usize;
    let mut args = vec![
        BufferArg::uniform(&params),
        BufferArg::read(&[state]),
        BufferArg::read(&[&q[..], &vec![1.0; padding]].concat()),
        BufferArg::read(&k_words),
        BufferArg::read(&v_words),
        BufferArg::read_write(&vec![7.0f32; q.len() + padding]),
    ];
    let part_len = positions * heads * split::splits(&params, positions) * (head_dim + 2);
    let part = vec![f32::NAN; part_len as usize];
    args.extend((workgroups > 0).then(|| BufferArg::read_write(&part)));
    args.extend(visible_until.map(BufferArg::read));
    // A grid for more positions than the step has, and one row behind them that must stay.
    let got = if workgroups == 0 {
        let source = form.source().expect("the template preprocesses");
        Gpu::get().run(&source, &args, form.dispatch(&params, positions + 9))[0].f32s()
    } else {
        let source = Split(form).source().expect("the template preprocesses");
        let grid = Split(form).dispatch(&params, positions);
        let written = Gpu::get().run(&source, &args, grid);
        let merge = MergeChunk { head_dim };
        let [out, part] = [0, 1].map(|i| written[i].f32s());
        if grid[2] == 1 {
            out
        } else {
            let args = [
                BufferArg::uniform(&params),
                BufferArg::read(&[state]),
                BufferArg::read(&part),
                BufferArg::read_write(&out),
            ];
            let source = merge.source().expect("the template preprocesses");
            Gpu::get().run(&source, &args, merge.dispatch(&params, positions))[0].f32s()
        }
    };
    let inputs = Inputs { pos, q: &q, k: &k, v: &v, visible_until: visible_until.unwrap_or(&[]) };
    let want = block::block(&form, &params, inputs);
    assert_close(&got[..q.len()], &want, 2e-5, 2e-5);
    assert!(got[q.len()..].iter().all(|&v| v == 7.0), "{case:?} wrote behind the chunk");
}

#[test]
fn every_head_size_and_cache_type() {
    for head_dim in [16, 32, 64, 72, 128, 256, 512] {
        for kv_type in KvType::ALL.into_iter().filter(|kv_type| kv_type.supports(head_dim)) {
            let case = Case { head_dim, heads: 4, kv_heads: 2, window: 0, ring: 0, pos: 37, positions: 21 };
            // Every size with one type, every type with one size.
            let all = is_thorough() || head_dim == 64;
            if all || kv_type == KvType::F16 {
                check(case, kv_type, None);
            }
            if all {
                check(case, kv_type, Some(&[0; 21]));
            }
        }
    }
}

/// From one split to as many as there can be, also such without keys, and of which a row sees none.
#[test]
fn a_short_chunk_is_split_over_its_keys() {
    let all: &[_] = if is_thorough() { &[16, 64, 256, 512] } else { &[64, 512] };
    for &head_dim in all {
        for (window, ring, pos, positions) in
            [(0, 0, 1000, 5), (0, 0, 3, 40), (300, 0, 900, 33), (150, 200, 777, 30)]
        {
            for workgroups in [1, 4, 20, 256] {
                let case = Case { head_dim, heads: 4, kv_heads: 2, window, ring, pos, positions };
                check_split(case, KvType::F16, None, case.params(), workgroups);
            }
        }
    }
    let case = Case { head_dim: 64, heads: 8, kv_heads: 1, window: 0, ring: 0, pos: 5000, positions: 20 };
    check_split(case, KvType::Q8_0, None, case.params(), 256);
    // An image of which each row sees all.
    check_split(case, KvType::F16, Some(&[5020; 20]), case.params(), 256);
}

#[test]
fn groups_of_heads_share_their_keys() {
    for (heads, kv_heads) in [(8, 1), (8, 2), (8, 4), (3, 3), (16, 1), (6, 2), (40, 1)] {
        for (pos, positions) in [(0, 1), (0, 9), (5, 70), (200, 33)] {
            let case = Case { head_dim: 64, heads, kv_heads, window: 0, ring: 0, pos, positions };
            check(case, KvType::F16, None);
            check(case, KvType::Q8_0, None);
        }
    }
}

#[test]
fn windows_bound_the_keys() {
    for window in [1, 2, 31, 64, 65, 300] {
        for (pos, positions) in [(0, 90), (129, 7), (500, 101)] {
            let case = Case { head_dim: 32, heads: 4, kv_heads: 1, window, ring: 0, pos, positions };
            check(case, KvType::F32, None);
        }
    }
}

#[test]
fn rings_wrap() {
    // The smallest ring a chunk allows, a larger one, and chunks longer than the window.
    for (window, pos, positions) in [(16, 100, 5), (100, 1003, 37), (8, 60, 67), (64, 63, 64), (512, 10, 40)]
    {
        for spare in [0, 1, 13] {
            let ring = window + positions - 1 + spare;
            let case = Case { head_dim: 64, heads: 8, kv_heads: 1, window, ring, pos, positions };
            check(case, KvType::F16, None);
            check(case, KvType::Q8_0, None);
        }
    }
}

#[test]
fn images_see_themselves_ahead() {
    // A text of 10, an image at 10..40, text, an image at 50..85 of which the chunk ends inside.
    let positions = 71;
    for pos in [0, 10, 23] {
        let until: Vec<u32> = (pos..pos + positions)
            .map(|p| match p {
                10..40 => 40,
                50..85 => 85,
                _ => 0,
            })
            .collect();
        for (window, ring) in [(0, 0), (20, 0), (64, 64 + positions - 1), (1000, 0)] {
            let case = Case { head_dim: 128, heads: 4, kv_heads: 2, window, ring, pos, positions };
            check(case, KvType::F16, Some(&until));
            check(case, KvType::Q8_0, Some(&until));
        }
    }
}

/// Every query sees the whole canvas, also where it is longer than the window, and as far back as the first.
#[test]
fn a_canvas_sees_itself_and_what_its_first_position_sees() {
    let positions = 70;
    for pos in [0, 9, 130] {
        let until = vec![pos + positions; positions as usize];
        for (window, ring) in [(0, 0), (16, 0), (16, 16 + positions - 1), (100, 0)] {
            let case = Case { head_dim: 64, heads: 4, kv_heads: 2, window, ring, pos, positions };
            check_together(case, KvType::F32, Some(&until), 1);
        }
    }
}

/// Texts of 1, 40, 2 and 27 tokens behind each other: each sees itself alone, within a window to both sides.
#[test]
fn texts_see_themselves() {
    let spans = [(0, 1), (1, 41), (41, 43), (43, 70)];
    let of_each = |pick: fn((u32, u32)) -> u32| {
        spans.into_iter().flat_map(move |span| std::iter::repeat_n(pick(span), (span.1 - span.0) as usize))
    };
    let bounds: Vec<u32> = of_each(|span| span.1).chain(of_each(|span| span.0)).collect();
    for (window, kv_type) in [(0, KvType::F32), (9, KvType::F32), (1, KvType::F32), (33, KvType::F16)] {
        let case = Case { head_dim: 64, heads: 6, kv_heads: 2, window, ring: 0, pos: 0, positions: 70 };
        let params = Params { texts: 1, ..case.params() };
        check_with(case, kv_type, Some(&bounds), params);
    }
}

/// The vision towers: every query sees every key, f32.
#[test]
fn a_tower_is_a_chunk_that_sees_all_of_itself() {
    let positions = 99;
    let case = Case { head_dim: 72, heads: 3, kv_heads: 3, window: 0, ring: 0, pos: 0, positions };
    check(case, KvType::F32, Some(&[positions; 99]));
}

#[test]
fn heads_may_be_dispatched_some_at_a_time() {
    let (heads, positions, head_dim) = (5, 40, 64);
    let form = Block { head_dim, kv_type: KvType::F32, until: false };
    let all = Params { heads, kv_heads: heads, ..Params::default() };
    let [q, k, v] = [1, 2, 3].map(|seed| random(seed, (positions * heads * head_dim) as usize));
    let inputs = Inputs { pos: 0, q: &q, k: &k, v: &v, visible_until: &[] };
    let want = block::block(&form, &all, inputs);
    let some = Params { first_head: 3, ..all };
    let args = [
        BufferArg::uniform(&some),
        BufferArg::read(&[State { len: positions, ..State::default() }]),
        BufferArg::read(&q),
        BufferArg::read(&k),
        BufferArg::read(&v),
        BufferArg::read_write(&vec![7.0f32; q.len()]),
    ];
    let source = form.source().expect("the template preprocesses");
    let got = Gpu::get().run(&source, &args, form.dispatch_heads(&some, positions, 1))[0].f32s();
    for (index, (got, want)) in got.chunks(head_dim as usize).zip(want.chunks(head_dim as usize)).enumerate()
    {
        if index as u32 % heads == 3 {
            assert_close(got, want, 2e-5, 2e-5);
        } else {
            assert!(got.iter().all(|&v| v == 7.0), "head {} was touched", index as u32 % heads);
        }
    }
}
