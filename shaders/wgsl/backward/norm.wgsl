// Gradient through an RMS norm over rows: with r = (mean x² + ε)^-½, g = w⊙dy,
//
//   dx = r·g − x·(r³/n)·Σ(g⊙x)          (params.add: added to dx)
//
// x, dy, dx  f32 [T, width];  vectors  f32: w [width] from params.norm
//
// Formula: specification §12.1. Workgroup: 256 threads, one row. Grid: rows, in two dimensions; rows = state.len.

#include "shared/state.wgsl"
#include "shared/workgroup_sum.wgsl" with THREADS=256

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
#include "shared/vectors.wgsl"
var<storage, read> x: array<vec4<f32>>;
var<storage, read> dy: array<vec4<f32>>;
var<storage, read_write> dx: array<vec4<f32>>;

fn weighted(at: u32, i: u32) -> vec4<f32> {
    return dy[at] * vector4(params.norm, i);
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
    let begin = row * params.width4;
    var squares = 0.0;
    var products = 0.0;
    for (var i = tid; i < params.width4; i += 256u) {
        let value = x[begin + i];
        squares += dot(value, value);
        products += dot(value, weighted(begin + i, i));
    }
    let n = f32(4u * params.width4);
    let r = inverseSqrt(workgroup_sum(squares, tid) / n + params.eps);
    let along = workgroup_sum(products, tid) * r * r / n;
    for (var i = tid; i < params.width4; i += 256u) {
        var value = r * (weighted(begin + i, i) - x[begin + i] * along);
        if (params.add != 0u) {
            value += dx[begin + i];
        }
        dx[begin + i] = value;
    }
}
