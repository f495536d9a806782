// From the rank of an adapter to rows, for the pairs of a few rows. F_e(j, r) is that of experts/expand.wgsl.
//
//   SUMMED:     y[t][offset + j] += scale·Σ_place Σ_r z[t·USED + place][r]·F_e(j, r)     e: the expert at that place
//   otherwise:  y[p][offset + j] = scale·Σ_r z[p][r]·F_e(j, r)                           e: the expert of pair p
//
// The sum is in the order of the places. Pairs of experts outside of begin..end are left out.
//
// Bindings: params, state, choices [T, USED], z f32 [T·USED, rank], factors f32, y f32 [T or T·USED, stride].
// T = state.len. Workgroup: 64 columns. Grid: (⌈width/64⌉, T or T·USED).

#include "shared/state.wgsl"
#include "experts/choice.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
var<storage, read> choices: array<Choice>;
var<storage, read> z: array<f32>;
var<storage, read> factors: array<f32>;
var<storage, read_write> y: array<f32>;

const PLACES: u32 = {{PLACES}}u; // pairs of a row of y

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) tid: u32) {
    let row = wid.y;
    let j = wid.x * 64u + tid;
    if (row * PLACES >= state.len * {{USED}}u || j >= params.width) {
        return;
    }
    var sum = 0.0;
    var found = false;
    for (var pair = row * PLACES; pair < (row + 1u) * PLACES; pair += 1u) {
        let expert = choices[pair].expert;
        if (expert < params.begin || expert >= params.end) {
            continue;
        }
        found = true;
        let column = params.at + (expert - params.begin) * params.by_expert + j * params.by_column;
        for (var r = 0u; r < params.rank; r += 1u) {
            sum += z[pair * params.rank + r] * factors[column + r * params.by_rank];
        }
    }
    if (found) {
        let to = row * params.stride + params.offset + j;
#if SUMMED
        y[to] += params.scale * sum;
#else
        y[to] = params.scale * sum;
#endif
    }
}
