// The down projections of the chosen experts, summed, for a few rows:
//
//   y[t][n] = Σ_place down_e[n]·act[t·USED + place]     e: the expert at that place; act contains its weight
//
// This is one long product: its columns are those of the chosen experts, USED·K in all, so the order of summation is
// fixed. Experts begin..end are in this dispatch's matrix; dispatches of further ranges add to y. Each expert has `rows`
// rows. How the work is divided, and PACKED: see matmul/few_rows.wgsl.
//
// Formula: Gemma 4 specification §2.7. Bindings: params, down (planar, K columns), state, choices [T, USED],
// act f32 [T·USED, K] (PACKED: codes and scales), y f32 [T, rows]. T = state.len.
// Workgroup: THREADS. Grid: (⌈rows / (GROUPS/KSPLIT·COLUMNS)⌉, T, 1).

#include "shared/state.wgsl"
#include "experts/choice.wgsl"

{{PARAMS}}
var<uniform> params: Params;
#include "shared/weights.wgsl" with M=0, DTYPE={{DTYPE}}, BUF=downs
var<storage, read> state: State;
var<storage, read> choices: array<Choice>;
#include "matmul/few_rows/x.wgsl"
var<storage, read_write> y: array<f32>;

const PASS: u32 = 1u;
const COLUMNS: u32 = {{COLUMNS}}u; // rows of an expert of a team
const THREADS: u32 = {{THREADS}}u;
const TEAMS: u32 = {{GROUPS}}u / {{KSPLIT}}u;
const LANES: u32 = THREADS / TEAMS;   // lanes that share rows
const RESULTS: u32 = TEAMS * COLUMNS;    // columns of y of a workgroup

#include "matmul/few_rows/lanes.wgsl"

@compute @workgroup_size({{THREADS}})
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) tid: u32) {
    let row = wid.y;
    if (row >= state.len) {
        return;
    }
    let steps = params.units_per_row / {{STEP_UNITS}}u;
    let lane = tid % LANES;
    let first = (wid.x * TEAMS + tid / LANES) * COLUMNS;
    var sum0 = vec4<f32>(0.0);
    let row0 = row * {{USED}}u * steps;
    for (var at = lane; at < {{USED}}u * steps; at += LANES) {
        let place = at / steps;
        let expert = choices[row * {{USED}}u + place].expert;
        if (expert >= params.begin && expert < params.end) {
            // Step base + at of the matrix is step at - place·steps of the expert's row.
            let begin = (expert - params.begin) * params.rows;
#for c in 0..COLUMNS
            let base{{c}} = (begin + min(first + {{c}}u, params.rows - 1u)) * steps - place * steps;
#endfor
#include "matmul/few_rows/step.wgsl" with M=0
        }
    }

    partial[tid] = sum0;
    workgroupBarrier();
    fold_lanes(tid, lane);
    workgroupBarrier();
    let at = wid.x * RESULTS + tid;
    if (tid < RESULTS && at < params.rows) {
        var total = sum_of_lanes(tid / COLUMNS * LANES, tid % COLUMNS);
        let to = row * params.rows + at;
        if (params.more != 0u) {
            total += y[to];
        }
        y[to] = total;
    }
}
