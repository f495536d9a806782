// Cross-entropy over the vocabulary, in tiles, so that the logits of a step are never stored as a whole.
//
//   z = c·tanh(a/c) (c = softcap; 0: z = a),   loss of row m = log Σ_v e^(z_mv) − z_m,target
//
// PASS 0 (loss):      merges a tile into stats[m] = (max z, Σ e^(z − max), z of the target, –)
// PASS 1 (gradient):  a ← da = w_m·(e^z/Σ − [v = target])·(1 − (z/c)²), in place, from the finished stats
//
// a        f32 [M, n], raw logits of the tokens row0 .. row0 + n;  targets  u32 [M];  weights  f32 [M]: 1/N
//
// Formulas: specification §12.1; Milakov & Gimelshein, "Online normalizer calculation for softmax", 2018.
// Workgroup: 256 threads. Grid: PASS 0 (M, 1); PASS 1 (⌈n / 256⌉, M). M = state.len.

#include "shared/state.wgsl"
#include "shared/tanh.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
var<storage, read> targets: array<u32>;
#if LOSS
var<storage, read> a: array<f32>;
var<storage, read_write> stats: array<vec4<f32>>;
#else
var<storage, read_write> a: array<f32>;
var<storage, read> stats: array<vec4<f32>>;
var<storage, read> weights: array<f32>;
#endif

fn capped(value: f32) -> f32 {
    if (params.softcap == 0.0) {
        return value;
    }
    return params.softcap * tanh_exp(value / params.softcap);
}

#if LOSS
var<workgroup> tops: array<f32, 256>;
var<workgroup> sums: array<f32, 256>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) tid: u32) {
    let m = wid.x;
    if (m >= state.len) {
        return;
    }
    let begin = m * params.n;
    var top = -1.0e30;
    var sum = 0.0;
    for (var i = tid; i < params.n; i += 256u) {
        let z = capped(a[begin + i]);
        let next = max(top, z);
        sum = sum * exp(top - next) + exp(z - next);
        top = next;
    }
    tops[tid] = top;
    sums[tid] = sum;
    workgroupBarrier();
    for (var half = 128u; half > 0u; half >>= 1u) {
        if (tid < half) {
            let other = tops[tid + half];
            let next = max(tops[tid], other);
            sums[tid] = sums[tid] * exp(tops[tid] - next) + sums[tid + half] * exp(other - next);
            tops[tid] = next;
        }
        workgroupBarrier();
    }
    if (tid == 0u) {
        var stat = vec4<f32>(-1.0e30, 0.0, 0.0, 0.0);
        if (params.first == 0u) {
            stat = stats[m];
        }
        let next = max(stat.x, tops[0]);
        stat.y = stat.y * exp(stat.x - next) + sums[0] * exp(tops[0] - next);
        stat.x = next;
        let target_row = targets[m] - params.row0;
        if (target_row < params.n) {
            stat.z = capped(a[begin + target_row]);
        }
        stats[m] = stat;
    }
}
#else
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) tid: u32) {
    let m = wid.y;
    let i = wid.x * 256u + tid;
    if (m >= state.len || i >= params.n) {
        return;
    }
    let at = m * params.n + i;
    let z = capped(a[at]);
    let stat = stats[m];
    var d = exp(z - stat.x) / stat.y;
    if (i == targets[m] - params.row0) {
        d -= 1.0;
    }
    if (params.softcap != 0.0) {
        let share = z / params.softcap;
        d *= 1.0 - share * share;
    }
    a[at] = d * weights[m];
}
#endif
