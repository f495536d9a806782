// The correction of adapters for the rows of a prefill chunk, for one to three products that share their input:
//
//   Y_s[t, n] += Σ_j B_s[n, j]·scales[j]·z[t, z_at_s + j]
//
// z[T, stride] is x times the stacked A of the corrected matrices; the ranks of all adapters are stacked in j, each
// rounded up to a multiple of 4. A segment whose z_at is 0xffffffff is not corrected and has no workgroups.
//
// A workgroup makes ROWS rows of COLUMNS columns of one segment: its scaled part of z lies in workgroup memory, an
// invocation owns a column and reads its row of B once. T is state.len: workgroups beyond it leave at once.
//
// Bindings: 0 params, 1 state, 2 z, 3 B of all segments, 4 scales [rank], 5 Y_0 [T, n_0], then Y_1, Y_2.
// Workgroup: COLUMNS. Grid: (columns of all segments / COLUMNS, T / ROWS, 1).

#include "shared/state.wgsl"

struct Params {
    n: vec4<u32>,      // columns of each segment; w: rank in vec4s
    groups: vec4<u32>, // workgroups along x up to and with each segment; w: elements of a row of z, in vec4s
    z_at: vec4<u32>,   // where each segment's part of z begins, in vec4s
    b_at: vec4<u32>,   // where each segment's rows of B begin, in vec4s
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> state: State;
@group(0) @binding(2) var<storage, read> z: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> scales: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> y0: array<f32>;
#if SEGS != 1
@group(0) @binding(6) var<storage, read_write> y1: array<f32>;
#endif
#if SEGS == 3
@group(0) @binding(7) var<storage, read_write> y2: array<f32>;
#endif

const ROWS: u32 = {{ROWS}}u;
const COLUMNS: u32 = {{COLUMNS}}u;

var<workgroup> scaled: array<vec4<f32>, {{MOST_QUADS}}u * ROWS>;

@compute @workgroup_size({{COLUMNS}})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let t0 = group.y * ROWS;
    let count = state.len;
    if (t0 >= count) {
        return;
    }
    var segment = 0u;
    var start = group.x;
#if SEGS != 1
    if (group.x >= params.groups.x) {
        segment = 1u;
        start = group.x - params.groups.x;
    }
#endif
#if SEGS == 3
    if (group.x >= params.groups.y) {
        segment = 2u;
        start = group.x - params.groups.y;
    }
#endif
    let quads = params.n.w;
    for (var i = lane; i < quads * ROWS; i += COLUMNS) {
        let row = t0 + i / quads;
        var value = vec4<f32>(0.0);
        if (row < count) {
            value = z[row * params.groups.w + params.z_at[segment] + i % quads] * scales[i % quads];
        }
        scaled[i] = value;
    }
    workgroupBarrier();
    let width = params.n[segment];
    let n = start * COLUMNS + lane;
    if (n >= width) {
        return;
    }
#for i in 0..ROWS
    var sum{{i}} = 0.0;
#endfor
    for (var q = 0u; q < quads; q += 1u) {
        let weight = b[params.b_at[segment] + n * quads + q];
#for i in 0..ROWS
        sum{{i}} += dot(weight, scaled[{{i}}u * quads + q]);
#endfor
    }
#for i in 0..ROWS
    if (t0 + {{i}}u < count) {
        let at = (t0 + {{i}}u) * width + n;
#if SEGS == 1
        y0[at] += sum{{i}};
#else
        if (segment == 0u) {
            y0[at] += sum{{i}};
        }
#if SEGS == 3
        else if (segment == 2u) {
            y2[at] += sum{{i}};
        }
#endif
        else {
            y1[at] += sum{{i}};
        }
#endif
    }
#endfor
}
