// The low-rank update of LoRA adapters for a prefill chunk, for one to three products with the same input:
//
//   Y_s[t, n] += Σ_j B_s[n, j]·scales[j]·z[t, z_at_s + j]
//
// z[T, stride] is x times the stacked A of all corrected matrices. The ranks of all adapters are stacked along j,
// each rounded up to a multiple of 4. A segment with z_at = 0xffffffff has no update and no workgroups.
//
// A workgroup computes ROWS rows of COLUMNS columns of one segment. Its part of z, scaled, is in workgroup memory;
// each thread owns a column and reads its row of B once. T is state.len: workgroups beyond it return at once.
//
// b holds B of all segments; scales is [rank]; y0 is Y_0 [T, n_0].
// Workgroup: COLUMNS. Grid: (columns of all segments / COLUMNS, T / ROWS, 1).

#include "shared/state.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
var<storage, read> z: array<vec4<f32>>;
var<storage, read> b: array<vec4<f32>>;
var<storage, read> scales: array<vec4<f32>>;
#for s in 0..SEGMENTS
var<storage, read_write> y{{s}}: array<f32>;
#endfor

const ROWS: u32 = {{ROWS}}u;
const COLUMNS: u32 = {{COLUMNS}}u;

var<workgroup> scaled: array<vec4<f32>, {{MAX_QUADS}}u * ROWS>;

@compute @workgroup_size({{COLUMNS}})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let t0 = group.y * ROWS;
    let count = state.len;
    if (t0 >= count) {
        return;
    }
    var segment = 0u;
    var start = group.x;
#for s in 0..LATER_SEGMENTS
    if (group.x >= params.groups[{{s}}]) {
        segment = {{s}}u + 1u;
        start = group.x - params.groups[{{s}}];
    }
#endfor
    let quads = params.quads;
    for (var i = lane; i < quads * ROWS; i += COLUMNS) {
        let row = t0 + i / quads;
        var value = vec4<f32>(0.0);
        if (row < count) {
            value = z[row * params.stride + params.z_at[segment] + i % quads] * scales[i % quads];
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
#for s in 0..SEGMENTS
        if (segment == {{s}}u) {
            y{{s}}[at] += sum{{i}};
        }
#endfor
    }
#endfor
}
