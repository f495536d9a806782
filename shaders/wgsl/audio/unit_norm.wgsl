// RMS norm without weights over rows, after adding a bias:
//
//   y = v·(mean(v²) + eps)^-½,  v = x + bias
//
// x, y     f32 [rows, width], rows = state.len, width a multiple of 4
// vectors  f32: bias [width] from params.bias (0xffffffff: none)
//
// Formula: Gemma 4 specification §10.4 and §10.5.
// Workgroup: 256 threads, one row. Grid: rows, in two dimensions.

#include "shared/state.wgsl"
#include "shared/workgroup_sum.wgsl" with THREADS=256

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
#include "shared/vectors.wgsl"
var<storage, read> x: array<vec4<f32>>;
var<storage, read_write> y: array<vec4<f32>>;

const THREADS: u32 = 256u;

fn biased(row: u32, i: u32) -> vec4<f32> {
    var value = x[row * params.width4 + i];
    if (params.bias != 0xffffffffu) {
        value += vector4(params.bias, i);
    }
    return value;
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
    var squares = 0.0;
    for (var i = tid; i < params.width4; i += THREADS) {
        let value = biased(row, i);
        squares += dot(value, value);
    }
    let factor = inverseSqrt(workgroup_sum(squares, tid) / f32(4u * params.width4) + params.eps);
    for (var i = tid; i < params.width4; i += THREADS) {
        y[row * params.width4 + i] = biased(row, i) * factor;
    }
}
