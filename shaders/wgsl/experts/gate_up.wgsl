// Gate and up of the chosen experts for a few rows, with the gated activation and the weight of the expert:
//
//   act[pair][j] = weight·gelu_tanh(gate_e[j]·x[t])·(up_e[j]·x[t])     j < rows
//
// CORRECTED: what an adapter adds to gate and up is in `deltas`, and is added before the activation.
//
// A pair is a row t of X and one of the USED experts e that the router chose for it; its weights are read once. Experts
// begin..end are in this dispatch's matrices; if a device cannot bind all experts, there is a dispatch for each range.
// A matrix holds `stride` rows per expert; gate and up may be in one matrix or in two. How the work is divided, PACKED
// and PACK_Y: see matmul/few_rows.wgsl.
//
// Formula: Gemma 4 specification §2.7. Bindings: params, gate, up (planar, K columns), state, choices [T, USED],
// X f32 [T, K] (PACKED: codes and scales), CORRECTED: deltas f32 [T·USED, 2·rows], act f32 [T·USED, rows] (PACK_Y: codes
// and scales). T = state.len.
// Workgroup: THREADS. Grid: (⌈rows / (GROUPS·COLUMNS)⌉, T·USED, 1).

#include "shared/state.wgsl"
#include "shared/gelu.wgsl"
#include "experts/choice.wgsl"

{{PARAMS}}
var<uniform> params: Params;
#include "shared/weights.wgsl" with M=0, DTYPE={{GATE}}, BUF=gates
#include "shared/weights.wgsl" with M=1, DTYPE={{UP}}, BUF=ups
var<storage, read> state: State;
var<storage, read> choices: array<Choice>;
#include "matmul/few_rows/x.wgsl"
#if CORRECTED
var<storage, read> deltas: array<f32>;
#endif
#include "matmul/few_rows/y.wgsl"

const PASS: u32 = 1u;
const COLUMNS: u32 = {{COLUMNS}}u; // rows of gate, and of up, of a group of lanes
const THREADS: u32 = {{THREADS}}u;
const LANES: u32 = THREADS / {{GROUPS}}u;
const RESULTS: u32 = {{GROUPS}}u * COLUMNS; // columns of act of a workgroup

#include "matmul/few_rows/lanes.wgsl"
#if PACK_Y
#include "matmul/few_rows/pack_results.wgsl"
#endif

@compute @workgroup_size({{THREADS}})
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) tid: u32) {
    let pair = wid.y;
    if (pair >= state.len * {{USED}}u) {
        return;
    }
    let choice = choices[pair];
    if (choice.expert < params.begin || choice.expert >= params.end) {
        return;
    }
    let steps = params.units_per_row / {{STEP_UNITS}}u;
    let lane = tid % LANES;
    let first = (wid.x * {{GROUPS}}u + tid / LANES) * COLUMNS;
    let gate = (choice.expert - params.gate_first) * params.gate_stride;
    let up = (choice.expert - params.up_first) * params.up_stride + params.up_at;
#for c in 0..COLUMNS
    let base{{c}} = (gate + min(first + {{c}}u, params.rows - 1u)) * steps;
#endfor
#for c in COLUMNS..SUMS
    let base{{c}} = (up + min(first + {{c}}u - COLUMNS, params.rows - 1u)) * steps;
#endfor
    var sum0 = vec4<f32>(0.0);
    let row0 = pair / {{USED}}u * steps;
#include "matmul/few_rows/multiply.wgsl" with M=0

    partial[tid] = sum0;
    workgroupBarrier();
    fold_lanes(tid, lane);
    workgroupBarrier();
    let at = wid.x * RESULTS + tid;
    if (tid < RESULTS && at < params.rows) {
        let first_sum = tid / COLUMNS * LANES;
        let component = tid % COLUMNS;
        var gated = sum_of_lanes(first_sum, component);
        var upped = sum_of_lanes(first_sum, COLUMNS + component);
#if CORRECTED
        let delta = 2u * pair * params.rows + at;
        gated += deltas[delta];
        upped += deltas[delta + params.rows];
#endif
        let total = choice.weight * gelu_tanh(gated) * upped;
#if PACK_Y
        partial[result_place(0u, tid)] = vec4<f32>(total, 0.0, 0.0, 0.0);
#else
        y[pair * params.rows + at] = total;
#endif
    }
#if PACK_Y
    workgroupBarrier();
    if (tid == 0u) {
        pack_results(0u, pair * params.rows / 16u + wid.x);
    }
#endif
}
