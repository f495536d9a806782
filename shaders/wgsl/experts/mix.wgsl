// The branch of each row from its dense part and its chosen experts:
//
//   branch[t] = rms(branch[t]; w1) + rms(Σ_place weight·y[t·USED + place]; w2)      in place
//   rms(v; w) = v·(mean(v²) + eps)^-½·w
//
// The sum goes in the order of the places. Formula: Gemma 4 specification §2.7.
//
// Bindings: 0 params, 1 state, 2 vectors f32, 3 choices [T, USED], 4 y f32 [T·USED, WIDTH], 5 branch f32 [T, WIDTH];
// T = state.len. Workgroup: 256 threads, one row. Grid: T, in two dimensions.

#include "shared/state.wgsl"
#include "shared/workgroup_sum.wgsl" with THREADS=256
#include "experts/choice.wgsl"

struct Params {
    dense_norm: u32,   // where w1 begins in `vectors`
    experts_norm: u32, // where w2 begins
    eps: f32,
    pad0: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> state: State;
@group(0) @binding(2) var<storage, read> vectors: array<f32>;
@group(0) @binding(3) var<storage, read> choices: array<Choice>;
@group(0) @binding(4) var<storage, read> y: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> branch: array<vec4<f32>>;

const THREADS = 256u;
const WIDTH4 = {{WIDTH}}u / 4u;

// The row's sum; a thread reads back only what it wrote itself.
var<workgroup> sums: array<vec4<f32>, WIDTH4>;

fn weights(begin: u32, i: u32) -> vec4<f32> {
    let at = begin + 4u * i;
    return vec4<f32>(vectors[at], vectors[at + 1u], vectors[at + 2u], vectors[at + 3u]);
}

fn inverse_rms(squares: f32, tid: u32) -> f32 {
    return inverseSqrt(workgroup_sum(squares, tid) / {{WIDTH}}.0 + params.eps);
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) tid: u32,
) {
    let row = wid.x + wid.y * grid.x;
    if (row >= state.len) {
        return;
    }
    let begin = row * WIDTH4;
    var dense_squares = 0.0;
    var squares = 0.0;
    for (var i = tid; i < WIDTH4; i += THREADS) {
        let dense = branch[begin + i];
        dense_squares += dot(dense, dense);
        var sum = vec4<f32>(0.0);
        for (var pair = row * {{USED}}u; pair < (row + 1u) * {{USED}}u; pair += 1u) {
            sum += choices[pair].weight * y[pair * WIDTH4 + i];
        }
        squares += dot(sum, sum);
        sums[i] = sum;
    }
    let dense_factor = inverse_rms(dense_squares, tid);
    let factor = inverse_rms(squares, tid);
    for (var i = tid; i < WIDTH4; i += THREADS) {
        branch[begin + i] = branch[begin + i] * dense_factor * weights(params.dense_norm, i)
            + sums[i] * factor * weights(params.experts_norm, i);
    }
}
