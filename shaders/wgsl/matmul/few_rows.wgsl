// Y[T, N] = epilogue(X[T, K] · W[N, K]ᵀ) for up to ROWS rows of X, a token or several that are verified together: W is
// read once, as in decode. W planar of any storage type, sums in f32.
//
// A workgroup has GROUPS groups of lanes; GROUPS/KSPLIT teams of them each own COLUMNS rows of W. A lane takes every LANES-th
// step of these rows: a unit of 16 elements, or with BLOCKS a block of 32. It decodes a step once and multiplies it with that
// of every row of X, which it reads from memory: staging X in workgroup memory was slower (MEASUREMENTS.md). The sums of the
// lanes are added in workgroup memory, PASS rows of X at a time. T is state.len; rows beyond it repeat the last one, and are
// not stored.
//
// Up to three MATRICES with the same X (q, k, v) are segments of one dispatch, as in matvec.wgsl: the workgroups of a
// segment follow those of the previous one. PAIR: gate and up, two matrices of the same shape that are multiplied
// together; Y = gelu_tanh(X·W0ᵀ)·(X·W1ᵀ). PLE: Y = gelu_tanh(X·Wᵀ)·ple, with the per-layer inputs of the row.
//
// PACKED: X was rounded to int8. BLOCKS: integers are multiplied; PACKED without it: as floats, because W holds floats.
// PACK_Y: Y is rounded to int8 for the next product. Rows that are rounded are two buffers, as pack_rows.wgsl writes them.
//
// CORRECTED: the low-rank update of adapters is added to the dot products (few_rows/low_rank.wgsl).
//
// Bindings: params, weights (planar, [N, K]) of each matrix, state, X f32 [T, K] (PACKED: codes and scales), PLE: ple f32,
// then Y f32 (PACK_Y: codes and scales), CORRECTED: z and the adapter buffer. Row t of segment s is the rows[s] elements of
// Y from y_at[s] + t·y_stride[s] on.
// Workgroup: THREADS. Grid: params.groups.z over x and y, as `shaders::grid` lays them out. A workgroup computes
// GROUPS/KSPLIT·COLUMNS columns of Y; with PACK_Y these are 16.

#include "shared/state.wgsl"
#if PAIR || PLE
#include "shared/gelu.wgsl"
#endif

{{PARAMS}}
var<uniform> params: Params;
#for m in 0..MATRICES
#include "shared/weights.wgsl" with M={{m}}, DTYPE=DTYPE{{m}}, BUF=weights{{m}}
#endfor
var<storage, read> state: State;
#include "matmul/few_rows/x.wgsl"
#if PLE
var<storage, read> ple: array<f32>;
#endif
#include "matmul/few_rows/y.wgsl"
#if CORRECTED
#include "matmul/few_rows/low_rank.wgsl"
#endif

const ROWS: u32 = {{ROWS}}u;
const PASS: u32 = {{PASS}}u;       // rows of X whose sums are added at a time
const COLUMNS: u32 = {{COLUMNS}}u; // rows of W, and so columns of Y, of a team
const THREADS: u32 = {{THREADS}}u;
const TEAMS: u32 = {{GROUPS}}u / {{KSPLIT}}u;
const LANES: u32 = THREADS / TEAMS; // lanes that share rows of W
const RESULTS: u32 = TEAMS * COLUMNS; // columns of Y of a workgroup; PASS·RESULTS is at most THREADS

// One component per row of W; with PAIR, those of the second matrix follow.
#include "matmul/few_rows/lanes.wgsl"
#if PACK_Y
#include "matmul/few_rows/pack_results.wgsl"
#endif

@compute @workgroup_size({{THREADS}})
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) tid: u32) {
    let workgroup = wid.y * params.grid_width + wid.x;
    // A step that was ended early has no rows: W, which is most of what a token reads, is left alone.
    if (workgroup >= params.groups.z || state.len == 0u) {
        return;
    }
    var segment = 0u;
    var group = workgroup;
#for s in 0..LATER_SEGMENTS
    if (workgroup >= params.groups[{{s}}]) {
        segment = {{s}}u + 1u;
        group = workgroup - params.groups[{{s}}];
    }
#endfor
    let columns = params.rows[segment];
    let steps = params.units_per_row / {{STEP_UNITS}}u;
    let lane = tid % LANES;
    let first = (group * TEAMS + tid / LANES) * COLUMNS;
#for c in 0..COLUMNS
    let base{{c}} = min(first + {{c}}u, columns - 1u) * steps;
#endfor
#for c in COLUMNS..SUMS
    let base{{c}} = min(first + {{c}}u - COLUMNS, columns - 1u) * steps;
#endfor
#for t in 0..ROWS
    var sum{{t}} = vec4<f32>(0.0);
    let row{{t}} = min({{t}}u, state.len - 1u) * steps;
#endfor
#if !SHARED
#include "matmul/few_rows/multiply.wgsl" with M=0
#else
    if (segment == 0u) {
#include "matmul/few_rows/multiply.wgsl" with M=0
    }
#if THREE
    else if (segment == 2u) {
#include "matmul/few_rows/multiply.wgsl" with M=2
    }
#endif
    else {
#include "matmul/few_rows/multiply.wgsl" with M=1
    }
#endif

    for (var begin = 0u; begin < ROWS; begin += PASS) {
#for t in 0..ROWS
        if ({{t}}u / PASS * PASS == begin) {
            partial[{{t}}u % PASS * THREADS + tid] = sum{{t}};
        }
#endfor
        workgroupBarrier();
        for (var t = 0u; t < PASS; t += 1u) {
            fold_lanes(t * THREADS + tid, lane);
        }
        workgroupBarrier();
        let row = begin + tid / RESULTS;
        let column = tid % RESULTS;
        let at = group * RESULTS + column;
        let is_stored = tid < PASS * RESULTS && row < state.len && at < columns;
        var total = 0.0;
        if (is_stored) {
            let first_sum = tid / RESULTS * THREADS + column / COLUMNS * LANES;
            let component = column % COLUMNS;
            total = sum_of_lanes(first_sum, component);
#if CORRECTED
            total += update(segment, row, at);
#endif
#if PAIR
            var up = sum_of_lanes(first_sum, COLUMNS + component);
#if CORRECTED
            up += update(1u, row, at);
#endif
            total = gelu_tanh(total) * up;
#endif
#if PLE
            total = gelu_tanh(total) * ple[row * params.ple_stride + params.ple_at + at];
#endif
#if PACK_Y
            partial[result_place(tid / RESULTS, column)] = vec4<f32>(total, 0.0, 0.0, 0.0);
#else
            y[row * params.y_stride[segment] + params.y_at[segment] + at] = total;
#endif
        }
#if PACK_Y
        workgroupBarrier();
        let packing = begin + tid;
        if (tid < PASS && packing < state.len && group * RESULTS < columns) {
            pack_results(tid, (packing * params.y_stride[segment] + params.y_at[segment]) / 16u + group);
        }
#endif
#if PASS != ROWS
        workgroupBarrier();
#endif
    }
}
