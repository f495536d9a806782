// What enters the first layer for a canvas: embeddings and the self-conditioning on the step before, normed without
// weights.
//
//   h = v·(mean(v²) + eps)^-½,  v = h + branch          in place
//
// h, branch  f32 [T, width]; T = state.len, width a multiple of 4
//
// Formula: Gemma 4 specification §13.2. Workgroup: 256 threads, one row. Grid: rows, in two dimensions.

#include "shared/state.wgsl"
#include "shared/workgroup_sum.wgsl" with THREADS=256

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
var<storage, read> branch: array<vec4<f32>>;
var<storage, read_write> h: array<vec4<f32>>;

const THREADS: u32 = 256u;

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
    let begin = row * params.width4;
    var squares = 0.0;
    for (var i = tid; i < params.width4; i += THREADS) {
        let sum = h[begin + i] + branch[begin + i];
        h[begin + i] = sum;
        squares += dot(sum, sum);
    }
    // A thread reads back only what it wrote itself.
    let factor = inverseSqrt(workgroup_sum(squares, tid) / f32(4u * params.width4) + params.eps);
    for (var i = tid; i < params.width4; i += THREADS) {
        h[begin + i] *= factor;
    }
}
