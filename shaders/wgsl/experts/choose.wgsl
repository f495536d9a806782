// The router's choice for each row of a chunk, from its logits. experts/ranking.wgsl has the formula.
//
// Bindings: params, state, logits f32 [T, EXPERTS], vectors f32, choices [T, USED].
// Workgroup: 64 threads, one row. Grid: T, in two dimensions; T = state.len.

#include "shared/state.wgsl"
#include "experts/ranking.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
var<storage, read> logits: array<f32>;
var<storage, read> vectors: array<f32>;
var<storage, read_write> choices: array<Choice>;

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
