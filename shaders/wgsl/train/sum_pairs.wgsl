// The sum over the chosen experts of each row, in the order of the choices:
//
//   out[t] = Σ_place y[t·USED + place]               WEIGHTED: each times the weight of its expert
//
// Bindings: params, state, choices [T, USED] if WEIGHTED, y f32 [T·USED, width], out f32 [T, width]; T = state.len.
// Formula: Gemma 4 specification §2.7. Workgroup: 256 threads, four elements each. Grid: in two dimensions.

#include "shared/state.wgsl"
#if WEIGHTED
#include "experts/choice.wgsl"
#endif

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
#if WEIGHTED
var<storage, read> choices: array<Choice>;
#endif
var<storage, read> y: array<vec4<f32>>;
var<storage, read_write> out: array<vec4<f32>>;

const USED = {{USED}}u;

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
    let column = i % params.width4;
    var sum = vec4<f32>(0.0);
    for (var pair = row * USED; pair < (row + 1u) * USED; pair += 1u) {
#if WEIGHTED
        sum += choices[pair].weight * y[pair * params.width4 + column];
#else
        sum += y[pair * params.width4 + column];
#endif
    }
    out[i] = sum;
}
