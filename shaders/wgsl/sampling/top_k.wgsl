// The best candidates of each slice of SLOTS logits of every row, after softcap, penalties and suppression.
//
//   z = softcap·tanh(z/softcap)                                          if softcap > 0
//   z = z > 0 ? z/repeat : z·repeat;  z −= presence + count·frequency    if the token is recent, `count` times
//   z = −∞                                                               if the token is suppressed
//
// in   logits     f32 [rows, vocab], before the softcap. Infinities and NaN are removed first.
//      history    u32, a ring: token number n of the sequence is at n mod its length; state.history_len tokens were
//                 entered. Row r continues them with the drafts tokens[1..r + 1]. The last MAX_RECENT are recent.
//      state      `shared/state.wgsl`
// out  lists_out  (key, id) [rows, slices, CANDIDATES], best first; see lists.wgsl
//      sums       (max z, Σ e^((z − max)/temperature)) [rows, slices]: the slice's part of the full softmax
//                 (CANDIDATES 256)
//
// The logits stay in workgroup memory while they are adjusted, so penalties cost no dispatch: the thread of the
// latest occurrence of a recent token changes the logit of that token if it is in the slice.
//
// Formulas: Gemma 4 specification §2.6; repetition penalty: Keskar et al., "CTRL",
// 2019; presence and frequency: the definitions of OpenAI's API reference.
// Workgroup: 256 threads. Grid: (slices = ⌈vocab / SLOTS⌉, rows).

#include "shared/state.wgsl"
#include "shared/tanh.wgsl"
#include "sampling/lists.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
var<storage, read> history: array<u32>;
var<storage, read> tokens: array<u32>;
var<storage, read> logits: array<f32>;
var<storage, read_write> lists_out: array<vec2<u32>>;
#if ANY_SETTINGS
var<storage, read_write> sums: array<vec2<f32>>;

var<workgroup> partial: array<f32, THREADS>;
#endif

// The tokens that the penalties count, latest first, padded with NO_ID.
var<workgroup> latest: array<u32, {{MAX_RECENT}}>;

// The tokens before the one that a row gives, latest first. The first `row` of them are drafts.
fn recent_token(row: u32, back: u32) -> u32 {
    if (back < row) {
        return tokens[row - back];
    }
    return history[(state.history_len + row - 1u - back) % arrayLength(&history)];
}

fn penalise(start: u32, tid: u32) {
    if (tid >= {{MAX_RECENT}}u) {
        return;
    }
    let id = latest[tid];
    if (id < start || id - start >= SLOTS) {
        return;
    }
    // Without a branch, so that the loads overlap.
    var later = false;
    var occurrences = 0u;
    for (var i = 0u; i < {{MAX_RECENT}}u; i += 1u) {
        let same = latest[i] == id;
        later = later || (same && i < tid);
        occurrences += u32(same);
    }
    if (later) {
        return;
    }
    let key = slots[id - start].x;
    if (key != 0u) {
        var z = logit_of(key);
        z *= select(params.repeat, params.repeat_inverse, z > 0.0);
        z -= params.presence + f32(occurrences) * params.frequency;
        slots[id - start].x = key_of(z);
    }
}

fn candidate(id: u32, z: f32) -> vec2<u32> {
    if (id >= params.vocab) {
        return vec2<u32>(0u, NO_ID);
    }
    var key = key_of(z);
    if (key != 0u && params.softcap > 0.0) {
        key = key_of(params.softcap * tanh_exp(logit_of(key) / params.softcap));
    }
    return vec2<u32>(key, id);
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) tid: u32) {
    let start = wid.x * SLOTS;
    let row = wid.y;
    let count = min(state.history_len + row, min(params.penalty_window, {{MAX_RECENT}}u));
    if (tid < {{MAX_RECENT}}u) {
        latest[tid] = select(NO_ID, recent_token(row, tid), tid < count);
    }
    // The four loads of a thread overlap.
#for J in 0..4
    let id_{{J}} = start + {{J}}u * THREADS + tid;
    let z_{{J}} = logits[row * params.vocab + min(id_{{J}}, params.vocab - 1u)];
#endfor
#for J in 0..4
    slots[{{J}}u * THREADS + tid] = candidate(id_{{J}}, z_{{J}});
#endfor
    workgroupBarrier();
    penalise(start, tid);
    workgroupBarrier();
    if (tid < params.suppressed_len) {
        let id = params.suppressed[tid >> 2u][tid & 3u];
        if (id >= start && id - start < SLOTS) {
            slots[id - start].x = 0u;
        }
    }
    workgroupBarrier();

#if ANY_SETTINGS
    var mine: array<u32, SLOTS / THREADS>;
    for (var i = 0u; i < SLOTS / THREADS; i += 1u) {
        mine[i] = slots[i * THREADS + tid].x;
    }
    workgroupBarrier();
#endif
    sort_runs(tid);
    fold_lists(tid);
    if (tid < LIST) {
        lists_out[(row * params.slices + wid.x) * LIST + tid] = slots[tid];
    }

#if ANY_SETTINGS
    let best = logit_of(max(slots[0].x, 1u));
    var sum = 0.0;
    for (var i = 0u; i < SLOTS / THREADS; i += 1u) {
        if (mine[i] != 0u) {
            sum += exp(max((logit_of(mine[i]) - best) * params.temperature_inverse, -100.0));
        }
    }
    partial[tid] = sum;
    workgroupBarrier();
    for (var stride = THREADS / 2u; stride > 0u; stride /= 2u) {
        if (tid < stride) {
            partial[tid] += partial[tid + stride];
        }
        workgroupBarrier();
    }
    if (tid == 0u) {
        sums[row * params.slices + wid.x] = vec2<f32>(select(best, 0.0, slots[0].x == 0u), partial[0]);
    }
#endif
}
