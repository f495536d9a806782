// Gradients of keys (or values) from those of each query head: out[t, h, :] = Σ_g part[t, h·G + g, :] over the G
// heads that share key head h. With params.add the result is added to out: a layer whose KV cache is shared sums
// over its users.
//
// part  f32 [T, kv_heads·G, HD];  out  f32 [T, kv_heads, HD]
//
// Formulas: specification §12.1 (GQA) and §12.3. Workgroup: 256 threads, four elements each. Grid: in two dimensions.

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
    let head = index / params.quads; // index over all rows
    if (head >= state.len * params.kv_heads) {
        return;
    }
    var sum = vec4<f32>(0.0);
    for (var g = 0u; g < params.group; g += 1u) {
        sum += part[(head * params.group + g) * params.quads + index % params.quads];
    }
    if (params.add != 0u) {
        sum += out[index];
    }
    out[index] = sum;
}
