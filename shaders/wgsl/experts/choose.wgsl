// The router's choice for each row of a chunk, from its logits; experts/ranking.wgsl has the formula.
//
// Bindings: 0 params, 1 state, 2 logits f32 [T, EXPERTS], 3 vectors f32, 4 choices [T, USED].
// Workgroup: 64 threads, one row. Grid: T, in two dimensions; T = state.len.

#include "shared/state.wgsl"
#include "experts/ranking.wgsl"

struct Params {
    scale: f32,    // of the logits
    scales: u32,   // where the scale of each expert's weight begins in `vectors`
    pad0: u32,
    pad1: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> state: State;
@group(0) @binding(2) var<storage, read> logits: array<f32>;
@group(0) @binding(3) var<storage, read> vectors: array<f32>;
@group(0) @binding(4) var<storage, read_write> choices: array<Choice>;

@compute @workgroup_size({{THREADS}})
fn main(
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) tid: u32,
) {
    let row = wid.x + wid.y * grid.x;
    if (row >= state.len) {
        return;
    }
    choose(row * {{EXPERTS}}u, params.scale, tid);
    for (var place = tid; place < {{USED}}u; place += {{THREADS}}u) {
        choices[row * {{USED}}u + place] = weighted(place, params.scales);
    }
}
