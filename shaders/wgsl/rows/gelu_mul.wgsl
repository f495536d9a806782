// The gated activation (GeGLU) over rows, in prefill: out[t][i] = gelu_tanh(gate[t][i])·up[t][i], i < width.
//
// Each matrix is f32 with its own row stride and offset (multiples of 4; in vec4s here), so that one kernel serves
// the feed-forward layer (gate and up in one buffer or two), the per-layer inputs (up = ple[t][l·P + i]) and
// experts (several rows per position).
//
// Formula: Gemma 4 specification §2.3. Workgroup: 256 threads, four elements each. Grid: ⌈rows·width/1024⌉, in two
// dimensions; rows = state.len·rows_per_position.

#include "shared/state.wgsl"
#include "shared/gelu.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
var<storage, read> gate: array<vec4<f32>>;
var<storage, read> up: array<vec4<f32>>;
var<storage, read_write> out: array<vec4<f32>>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) tid: u32,
) {
    let index = (wid.x + wid.y * grid.x) * 256u + tid;
    let row = index / params.width4;
    if (row >= state.len * params.rows_per_position) {
        return;
    }
    let i = index % params.width4;
    let g = gate[params.gate_at4 + row * params.gate_stride4 + i];
    let u = up[params.up_at4 + row * params.up_stride4 + i];
    out[params.out_at4 + row * params.out_stride4 + i] = gelu_tanh4(g) * u;
}
