// From the products q, k, v of a vision layer to the inputs of attention, in place: head norms and 2D RoPE.
//
//   q = rope2d(rms(q; q_norm)),  k = rope2d(rms(k; k_norm)),  v = rms(v)
//
// rope2d rotates the first half of a head by the patch's column, the second half by its row. Within a half of w =
// HD/2 elements, the pairs are (j, j + w/2), with the angle position·100^(−2j/w).
//
// q, k, v  f32 [patches, heads, HD];  patch t is in column t mod columns, row t div columns
// vectors  f32: q_norm [HD], k_norm [HD] at their offsets
// rope     (cos, sin) [positions, HD/4]
//
// Formulas: Gemma 4 specification §9.3.
// Workgroup: 64 threads, one head of one patch, one pair per thread (HD ≤ 128). Grid: (heads, patches).

#include "shared/patch_grid.wgsl"
#include "shared/workgroup_sum.wgsl" with THREADS=64

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> patch_grid: PatchGrid;
var<storage, read> vectors: array<f32>;
var<storage, read> rope: array<vec2<f32>>;
var<storage, read_write> q: array<f32>;
var<storage, read_write> k: array<f32>;
var<storage, read_write> v: array<f32>;

const HD: u32 = {{HD}}u;
const HALF: u32 = HD / 2u;
const PAIRS: u32 = HD / 4u; // pairs per half

fn inverse_rms(pair: vec2<f32>, tid: u32) -> f32 {
    return inverseSqrt(workgroup_sum(dot(pair, pair), tid) / f32(HD) + params.eps);
}

fn turned(pair: vec2<f32>, turn: vec2<f32>) -> vec2<f32> {
    return vec2<f32>(pair.x * turn.x - pair.y * turn.y, pair.y * turn.x + pair.x * turn.y);
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) tid: u32) {
    let t = wid.y;
    if (t >= patch_grid.columns * patch_grid.rows) {
        return;
    }
    let real = tid < HALF;
    // Axis 0 is the column, axis 1 the row.
    let axis = min(tid / PAIRS, 1u);
    let j = tid % PAIRS;
    let a = axis * HALF + j;
    let b = a + PAIRS;
    let at = (t * params.heads + wid.x) * HD;
    let position = select(t % patch_grid.columns, t / patch_grid.columns, axis == 1u);
    let turn = rope[position * PAIRS + j];

    // Threads without a pair add nothing to the sums.
    let none = vec2<f32>(0.0);
    let q_raw = select(none, vec2<f32>(q[at + a], q[at + b]), real);
    let k_raw = select(none, vec2<f32>(k[at + a], k[at + b]), real);
    let v_raw = select(none, vec2<f32>(v[at + a], v[at + b]), real);
    let q_factor = inverse_rms(q_raw, tid);
    let k_factor = inverse_rms(k_raw, tid);
    let v_factor = inverse_rms(v_raw, tid);
    // Threads without a pair have read the values that are overwritten below.
    storageBarrier();
    if (!real) {
        return;
    }
    let q_weight = vec2<f32>(vectors[params.q_norm + a], vectors[params.q_norm + b]);
    let k_weight = vec2<f32>(vectors[params.k_norm + a], vectors[params.k_norm + b]);
    let q_turned = turned(q_raw * q_factor * q_weight, turn);
    let k_turned = turned(k_raw * k_factor * k_weight, turn);
    q[at + a] = q_turned.x;
    q[at + b] = q_turned.y;
    k[at + a] = k_turned.x;
    k[at + b] = k_turned.y;
    v[at + a] = v_raw.x * v_factor;
    v[at + b] = v_raw.y * v_factor;
}
