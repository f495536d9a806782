// Sums over groups of neighbouring rows: out[t, i, :] = Σ_g part[t, i·G + g, :]. With params.add the result is added to
// out. Of the parts of a product that was split along K (matmul/cooperative.wgsl), and of the gradients of the query
// heads that share a key head (specification §12.1); there it is added if the KV cache of a layer is shared (§12.3).
//
// part  f32 [T, sums·G, 4·quads];  out  f32 [T, sums, 4·quads];  T = state.len
//
// Workgroup: 256 threads, four elements each. Grid: in two dimensions.

#include "shared/state.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
var<storage, read> part: array<vec4<f32>>;
var<storage, read_write> out: array<vec4<f32>>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) tid: u32,
) {
    let index = (wid.x + wid.y * grid.x) * 256u + tid;
    let i = index / params.quads; // index over all sums
    if (i >= state.len * params.sums) {
        return;
    }
    var sum = vec4<f32>(0.0);
    for (var g = 0u; g < params.group; g += 1u) {
        sum += part[(i * params.group + g) * params.quads + index % params.quads];
    }
    if (params.add != 0u) {
        sum += out[index];
    }
    out[index] = sum;
}
