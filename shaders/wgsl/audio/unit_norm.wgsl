// RMS norm without weights over rows, of x with a bias:
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

struct Params {
    width4: u32, // width / 4
    bias: u32,
    eps: f32,
    pad0: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> state: State;
@group(0) @binding(2) var<storage, read> vectors: array<f32>;
@group(0) @binding(3) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> y: array<vec4<f32>>;

const THREADS: u32 = 256u;

fn biased(row: u32, i: u32) -> vec4<f32> {
    var value = x[row * params.width4 + i];
    if (params.bias != 0xffffffffu) {
        let at = params.bias + 4u * i;
        value += vec4<f32>(vectors[at], vectors[at + 1u], vectors[at + 2u], vectors[at + 3u]);
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
