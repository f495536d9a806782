// Matrix–vector product of decode: y = W·x for one token, W quantised, with what comes before and after it fused.
//
//   x = prologue(…)                     [K]
//   y[row] = epilogue(Σ_k W[row,k]·x[k])
//
// This is the skeleton. Each part is a file, named by the launcher, that declares what it binds and fills slots:
//   prologue/    x from the input: as it is, normed, the residual sum, or the merged splits of attention
//   product/     the staged x times rows: in floats, or rounded to signed bytes
//   epilogue/    what becomes of a dot
//   low_rank/    corrections of adapters (CORRECTION), and what is left for those of the product behind (HANDOFF)
//
// MATRICES that share x (q, k, v) are SEGMENTS of one dispatch: the workgroups of a segment follow those of the one before
// it. With PAIR the second matrix has the rows of the first and is multiplied beside it (gate and up).
//
// A workgroup of GROUPS·32 threads stages x in workgroup memory, tile by tile (TILE elements), transposed so that the
// 32 lanes of a group read 32 consecutive vec4s. GROUPS/KSPLIT groups each own ROWS rows; KSPLIT groups share theirs
// and take every KSPLIT-th run of 32 units. Lane l of a group takes unit l, l+32, … of its rows: consecutive lanes
// read consecutive words of a plane. The partial sums of a row meet once, in workgroup memory.
// No subgroup is needed: "32" is a choice of layout, not of hardware.
//
// Workgroup: GROUPS·32 threads. Grid: workgroups over x and y, as `shaders::grid` lays them out.

{{PARAMS}}
var<uniform> params: Params;
var<storage, read_write> y: array<f32>;
var<storage, read> x_in: array<vec4<f32>>;
#for m in 0..MATRICES
var<storage, read> weights{{m}}: array<vec2<u32>>;
#include "shared/planes.wgsl" with P=w{{m}}, DTYPE=DTYPE{{m}}, BUF=weights{{m}}
#endfor

const THREADS: u32 = {{GROUPS}}u * 32u;
const UNITS: u32 = {{K}}u / 16u;
const TILE_UNITS: u32 = {{TILE}}u / 16u;
const TEAMS: u32 = {{GROUPS}}u / {{KSPLIT}}u; // teams of groups, each with rows of its own
const LANES: u32 = 32u * {{KSPLIT}}u;        // lanes that share a row

// Staged x, scratch of the reductions and partial sums, one after the other.
var<workgroup> mem: array<vec4<f32>, {{MEM}}>;

// Where vec4 `j` of the tile goes: lanes next to one another read units next to one another.
fn staged(j: u32) -> u32 {
    return (j & 3u) * TILE_UNITS + (j >> 2u);
}

#include "matvec/prologue/{{PROLOGUE}}.wgsl"
#include "matvec/epilogue/{{EPILOGUE}}.wgsl"
#include "matvec/product/{{PRODUCT}}.wgsl"
#if CORRECTED
#include "matvec/low_rank/{{CORRECTION}}.wgsl"
#endif
#if HANDS_ON
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
    // Rows past the end repeat the last one; their sums are dropped.
#for r in 0..ROWS
    let base{{r}} = min(row + {{r}}u, last) * UNITS;
#endfor
    var sum = vec4<f32>(0.0);
#slot begin

#if OF_STREAM
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
#if OF_STREAM
    }
#endif
#slot correct

    // Partial sums: a vec4 a lane, a component a row; with PAIR those of `up` follow. Whole vectors are written, for a
    // write of one component may touch its neighbours.
    mem[tid] = sum;
#slot partial_sums
    workgroupBarrier();
    if (tid < TEAMS * {{ROWS}}u) {
        let out_row = start * TEAMS * {{ROWS}}u + tid;
        if (out_row < rows) {
            let first = tid / {{ROWS}}u * LANES;
            let component = tid % {{ROWS}}u;
            var total = 0.0;
            for (var i = 0u; i < LANES; i += 1u) {
                total += mem[first + i][component];
            }
#slot finish
            y[params.out[segment] + out_row] = total;
#slot made
        }
    }
#slot end
}
