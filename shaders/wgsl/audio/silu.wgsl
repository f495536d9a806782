// SiLU over rows, in place: x = x·sigmoid(x).
//
// x  f32 [rows, width], rows = state.len, width a multiple of 4
//
// Formula: Gemma 4 specification §10.3.
// Workgroup: 256 threads, four elements each. Grid: ⌈rows·width/1024⌉, in two dimensions.

#include "shared/state.wgsl"
#include "shared/sigmoid.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
var<storage, read_write> x: array<vec4<f32>>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) tid: u32,
) {
    let index = (wid.x + wid.y * grid.x) * 256u + tid;
    if (index < state.len * params.width4) {
        x[index] = silu4(x[index]);
    }
}
