// The feed-forward branch of each row, from its dense part and its chosen experts:
//
//   branch[t] = rms(branch[t]; w1) + rms(Σ_place weight·y[t·USED + place]; w2)      in place
//   rms(v; w) = v·(mean(v²) + eps)^-½·w
//
// The sum is in the order of the places. SUMMED: y has the sums, [T, WIDTH], and there are no choices. Formula: Gemma 4
// specification §2.7.
//
// Bindings: params, state, vectors f32, choices [T, USED], y f32 [T·USED, WIDTH], branch f32 [T, WIDTH];
// T = state.len. Workgroup: 256 threads, one row. Grid: T, in two dimensions.

#include "shared/state.wgsl"
#include "shared/workgroup_sum.wgsl" with THREADS=256
#if !SUMMED
#include "experts/choice.wgsl"
#endif

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
#include "shared/vectors.wgsl"
#if !SUMMED
var<storage, read> choices: array<Choice>;
#endif
var<storage, read> y: array<vec4<f32>>;
var<storage, read_write> branch: array<vec4<f32>>;

const THREADS = 256u;
const WIDTH4 = {{WIDTH}}u / 4u;

// The row's sum. A thread reads only what it wrote itself.
var<workgroup> sums: array<vec4<f32>, WIDTH4>;

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
#if SUMMED
        let sum = y[begin + i];
#else
        var sum = vec4<f32>(0.0);
        for (var pair = row * {{USED}}u; pair < (row + 1u) * {{USED}}u; pair += 1u) {
            sum += choices[pair].weight * y[pair * WIDTH4 + i];
        }
#endif
        squares += dot(sum, sum);
        sums[i] = sum;
    }
    let dense_factor = inverse_rms(dense_squares, tid);
    let factor = inverse_rms(squares, tid);
    for (var i = tid; i < WIDTH4; i += THREADS) {
        branch[begin + i] = branch[begin + i] * dense_factor * vector4(params.dense_norm, i)
            + sums[i] * factor * vector4(params.experts_norm, i);
    }
}
