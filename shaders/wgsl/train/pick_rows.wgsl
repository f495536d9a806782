// Gathers rows by index: out[t, :] = x[numbers[t], :], or zeros if the index is 0xffffffff. It selects the rows
// with a target for the head, and moves their gradients back.
//
// x  f32 [any, width];  out  f32 [T, width];  numbers  u32 [T];  T = state.len
//
// Workgroup: 256 threads, four elements each. Grid: in two dimensions.

#include "shared/state.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
var<storage, read> numbers: array<u32>;
var<storage, read> x: array<vec4<f32>>;
var<storage, read_write> out: array<vec4<f32>>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) tid: u32,
) {
    let i = (wid.x + wid.y * grid.x) * 256u + tid;
    let t = i / params.width4;
    if (t >= state.len) {
        return;
    }
    let number = numbers[t];
    var value = vec4<f32>(0.0);
    if (number != 0xffffffffu) {
        value = x[number * params.width4 + i % params.width4];
    }
    out[i] = value;
}
