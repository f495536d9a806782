// Copies rows, with an optional factor from the vectors: out = x, or out = x·vectors[scale_at].
//
// x, out  f32 [T, width], T = state.len. Workgroup: 256 threads, four elements each. Grid: in two dimensions.

#include "shared/state.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
var<storage, read> vectors: array<f32>;
var<storage, read> x: array<vec4<f32>>;
var<storage, read_write> out: array<vec4<f32>>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) tid: u32,
) {
    let i = (wid.x + wid.y * grid.x) * 256u + tid;
    if (i >= state.len * params.width4) {
        return;
    }
    var scale = 1.0;
    if (params.scale_at != 0xffffffffu) {
        scale = vectors[params.scale_at];
    }
    out[i] = x[i] * scale;
}
