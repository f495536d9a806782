// The sum of the parts of a product that was split along K (matmul/cooperative.wgsl):
//
//   out[t] = Σ_split parts[t·SPLITS + split]
//
// Bindings: params, state, parts f32 [T·SPLITS, N], out f32 [T, N]; T = state.len. Workgroup: 256 threads, four elements
// each. Grid: in two dimensions. N is a multiple of 4.

#include "shared/state.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
var<storage, read> parts: array<vec4<f32>>;
var<storage, read_write> out: array<vec4<f32>>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) tid: u32,
) {
    let i = (wid.x + wid.y * grid.x) * 256u + tid;
    let row = i / params.width4;
    if (row >= state.len) {
        return;
    }
    var at = row * params.splits * params.width4 + i % params.width4;
    var sum = vec4<f32>(0.0);
    for (var split = 0u; split < params.splits; split += 1u) {
        sum += parts[at];
        at += params.width4;
    }
    out[i] = sum;
}
