// Matrix–vector product of decode: y = W·x for one token, W quantised, fused with the operations before and after
// it.
//
//   x = prologue(…)                     [K]
//   y[row] = epilogue(Σ_k W[row,k]·x[k])
//
// This file is the skeleton. Each part is a file, selected by the launcher, that declares its bindings and fills
// slots:
//   prologue/    computes x: the input, its norm, the residual sum, or the merged splits of attention
//   product/     multiplies the staged x with rows: as floats, or rounded to int8
//   epilogue/    uses the dot products
//   low_rank/    LoRA adapters: the update of this product (CORRECTION), and the output for that of the next (HANDOFF)
//
// MATRICES with the same x (q, k, v) are SEGMENTS of one dispatch: the workgroups of a segment follow those of the
// previous one. With PAIR, the second matrix has the same shape as the first and is multiplied together with it
// (gate and up).
//
// A workgroup of GROUPS groups of lanes stages x in workgroup memory, tile by tile (TILE elements), transposed so that
// the lanes of a group read consecutive vec4s. GROUPS/KSPLIT teams each own ROWS rows. Lane l of the LANES of a team takes
// steps l, l + LANES, … of its rows, units of 16 elements or with BLOCKS blocks of 32, so consecutive
// lanes read consecutive words of a plane. The partial sums of a row are added in workgroup memory.
// No subgroups are needed: the number of lanes is a choice of layout, not a property of the hardware.
//
// Workgroup: THREADS. Grid: workgroups over x and y, as `shaders::grid` lays them out.

{{PARAMS}}
var<uniform> params: Params;
var<storage, read_write> y: array<f32>;
var<storage, read> x_in: array<vec4<f32>>;
#for m in 0..MATRICES
#include "shared/weights.wgsl" with M={{m}}, DTYPE=DTYPE{{m}}, BUF=weights{{m}}
#endfor

const THREADS: u32 = {{THREADS}}u;
const UNITS: u32 = {{K}}u / 16u;
const TILE_UNITS: u32 = {{TILE}}u / 16u;
const TEAMS: u32 = {{GROUPS}}u / {{KSPLIT}}u; // teams of groups, each with its own rows
const LANES: u32 = THREADS / TEAMS;          // lanes that share a row

// Staged x, scratch of the reductions and partial sums, one after the other in time.
var<workgroup> mem: array<vec4<f32>, {{MEM}}>;

#include "shared/lane_sums.wgsl" with MEM=mem

// Index of vec4 `j` of the tile: neighbouring lanes read neighbouring units, or the same units of neighbouring blocks.
fn staged(j: u32) -> u32 {
#if BLOCKS
    return (j & 3u) * TILE_UNITS + ((j >> 2u) & 1u) * (TILE_UNITS / 2u) + (j >> 3u);
#else
    return (j & 3u) * TILE_UNITS + (j >> 2u);
#endif
}

#include "matvec/prologue/{{PROLOGUE}}.wgsl"
#include "matvec/epilogue/{{EPILOGUE}}.wgsl"
#include "matvec/product/{{PRODUCT}}.wgsl"
#if CORRECTED
#include "matvec/low_rank/{{CORRECTION}}.wgsl"
#endif
#if defined(HANDOFF)
#include "matvec/low_rank/{{HANDOFF}}.wgsl"
#endif

@compute @workgroup_size({{THREADS}})
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) tid: u32) {
    let group = wid.y * params.grid_width + wid.x;
    if (group >= params.groups.z) {
        return;
    }
    var segment = 0u;
    var start = group;
#for s in 0..LATER_SEGMENTS
    if (group >= params.groups[{{s}}]) {
        segment = {{s}}u + 1u;
        start = group - params.groups[{{s}}];
    }
#endfor
    let rows = params.rows[segment];
    let lane = tid % LANES;
    let team = tid / LANES;
    let row = (start * TEAMS + team) * {{ROWS}}u;
    let last = rows - 1u;
    // Rows past the end repeat the last one; their sums are discarded.
#for r in 0..ROWS
    let base{{r}} = min(row + {{r}}u, last) * (UNITS / {{STEP_UNITS}}u);
#endfor
    var sum = vec4<f32>(0.0);
#slot begin

#if STREAM_ROWS
    if (segment == 2u) {
#slot stream_rows
    } else {
#endif
    for (var tile = 0u; tile * TILE_UNITS < UNITS; tile += 1u) {
        stage(tile, tid, group);
        workgroupBarrier();
        let begin = tile * TILE_UNITS;
        let units = min(TILE_UNITS, UNITS - begin);
#slot staged
#slot product
        workgroupBarrier();
    }
#if STREAM_ROWS
    }
#endif
#slot correct

    // Partial sums: one vec4 per lane, one component per row; with PAIR, those of `up` follow. Whole vectors are
    // written, because writing one component may race with its neighbours.
    mem[tid] = sum;
#slot partial_sums
    workgroupBarrier();
    fold_lanes(tid, lane);
#slot fold
    workgroupBarrier();
    if (tid < TEAMS * {{ROWS}}u) {
        let out_row = start * TEAMS * {{ROWS}}u + tid;
        if (out_row < rows) {
            let first = tid / {{ROWS}}u * LANES;
            let component = tid % {{ROWS}}u;
            var total = sum_of_lanes(first, component);
#slot finish
            y[params.out[segment] + out_row] = total;
#slot made
        }
    }
#slot end
}
